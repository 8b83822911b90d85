# The command's man page and completions, written by the command itself from its option table.
# A cross-compiled command runs in an emulator; a build without an emulator leaves them out.
if(TARGET trawl_command AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    set(TRAWL_GENERATED "")
    function(trawl_generated program what file folder)
        set(output "${PROJECT_BINARY_DIR}/generated/${file}")
        add_custom_command(OUTPUT "${output}"
            COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/generated"
            COMMAND ${program} --generate=${what} > "${output}.new"
            COMMAND ${CMAKE_COMMAND} -E rename "${output}.new" "${output}"
            DEPENDS ${program} VERBATIM COMMENT "${program} --generate=${what}")
        install(FILES "${output}" DESTINATION "${folder}" ${ARGN})
        set(TRAWL_GENERATED ${TRAWL_GENERATED} "${output}" PARENT_SCOPE)
    endfunction()
    trawl_generated(trawl_command man trawl.1 ${CMAKE_INSTALL_MANDIR}/man1)
    trawl_generated(trawl_command complete-bash trawl.bash
                    ${TRAWL_COMPLETION_BASH} RENAME trawl)
    trawl_generated(trawl_command complete-zsh _trawl ${TRAWL_COMPLETION_ZSH})
    trawl_generated(trawl_command complete-fish trawl.fish ${TRAWL_COMPLETION_FISH})
    trawl_generated(trawl_command man-tg tg.1 ${CMAKE_INSTALL_MANDIR}/man1)
    if(TARGET trawl_serve)
        trawl_generated(trawl_serve man trawl-serve.1 ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
    # The completions of tg are links to those of trawl. zsh needs none: the first line of _trawl names tg.
    trawl_link(tg trawl ${TRAWL_COMPLETION_BASH})
    trawl_link(tg.fish trawl.fish ${TRAWL_COMPLETION_FISH})
    add_custom_target(trawl_generated ALL DEPENDS ${TRAWL_GENERATED})
endif()

# The library's manual, made from the public headers: man pages of section 3.
find_package(Python3 3.7 COMPONENTS Interpreter)
if(Python3_FOUND)
    set(TRAWL_API_SCRIPTS "${PROJECT_SOURCE_DIR}/scripts/api")
    file(GLOB api_scripts CONFIGURE_DEPENDS "${TRAWL_API_SCRIPTS}/*.py")
    file(GLOB api_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/*.h")
    add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/generated/man3/libtrawl.3"
        COMMAND ${Python3_EXECUTABLE} -B "${TRAWL_API_SCRIPTS}/generate.py"
                "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/generated"
        DEPENDS ${api_scripts} ${api_headers} VERBATIM COMMENT "The library's manual")
    add_custom_target(trawl_manual ALL DEPENDS "${PROJECT_BINARY_DIR}/generated/man3/libtrawl.3")
    install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/man3" DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
    message(STATUS "trawl: the library's manual is left out, for there is no Python")
endif()
