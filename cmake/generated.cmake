# The man page and the shell completions, written by the command itself from its option table.
# A cross-compiled command cannot run here, so such a build leaves them out.
if(TARGET trawl_command AND NOT CMAKE_CROSSCOMPILING)
    set(TRAWL_GENERATED "")
    function(trawl_generated what file folder)
        set(output "${PROJECT_BINARY_DIR}/generated/${file}")
        add_custom_command(OUTPUT "${output}"
            COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/generated"
            COMMAND trawl_command --generate=${what} > "${output}.new"
            COMMAND ${CMAKE_COMMAND} -E rename "${output}.new" "${output}"
            DEPENDS trawl_command VERBATIM COMMENT "trawl --generate=${what}")
        install(FILES "${output}" DESTINATION "${folder}" ${ARGN})
        set(TRAWL_GENERATED ${TRAWL_GENERATED} "${output}" PARENT_SCOPE)
    endfunction()
    trawl_generated(man trawl.1 ${CMAKE_INSTALL_MANDIR}/man1)
    trawl_generated(complete-bash trawl.bash
                    ${TRAWL_COMPLETION_BASH} RENAME trawl)
    trawl_generated(complete-zsh _trawl ${TRAWL_COMPLETION_ZSH})
    trawl_generated(complete-fish trawl.fish ${TRAWL_COMPLETION_FISH})
    # The same for tg; zsh finds it by the first line of _trawl.
    file(WRITE "${PROJECT_BINARY_DIR}/links/tg.1" ".so man1/trawl.1\n")
    install(FILES "${PROJECT_BINARY_DIR}/links/tg.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    trawl_link(tg trawl ${TRAWL_COMPLETION_BASH})
    trawl_link(tg.fish trawl.fish ${TRAWL_COMPLETION_FISH})
    add_custom_target(trawl_generated ALL DEPENDS ${TRAWL_GENERATED})
endif()
