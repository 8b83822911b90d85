# What `cmake --install` puts where: headers, libraries, command, server, CMake package, pkg-config.
# cmake/generated.cmake installs the man pages and the completions. `--target uninstall` takes all of
# it away again.

# First, write down which directories the installation is about to make: uninstalling removes those of
# them that are empty then.
set(TRAWL_COMPLETION_BASH ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(TRAWL_COMPLETION_ZSH ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
set(TRAWL_COMPLETION_FISH ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
set(TRAWL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/trawl)
set(TRAWL_SYSTEMD_USER ${CMAKE_INSTALL_DATADIR}/systemd/user) # systemd reads it below /usr and /usr/local
set(TRAWL_SYSTEMD_SYSTEM lib/systemd/system)
set(TRAWL_SYSTEMD_SETTINGS ${TRAWL_SYSTEMD_SYSTEM}/trawl-serve.service.d)
set(TRAWL_INSTALL_DIRS ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${TRAWL_PACKAGE_DIR}
    ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man3
    ${TRAWL_COMPLETION_BASH} ${TRAWL_COMPLETION_ZSH} ${TRAWL_COMPLETION_FISH} ${CMAKE_INSTALL_DOCDIR}
    ${TRAWL_SYSTEMD_USER} ${TRAWL_SYSTEMD_SYSTEM} ${TRAWL_SYSTEMD_SETTINGS})
set(TRAWL_INSTALL_RECORD "${PROJECT_BINARY_DIR}/install_directories.txt")
configure_file(cmake/record.cmake.in record.cmake @ONLY)
install(SCRIPT "${PROJECT_BINARY_DIR}/record.cmake")
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} "-DTRAWL_MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
                "-DTRAWL_DIRECTORIES=${TRAWL_INSTALL_RECORD}"
                -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake"
        VERBATIM USES_TERMINAL)
endif()

set_target_properties(trawl_static PROPERTIES EXPORT_NAME static)
set_target_properties(trawl_shared PROPERTIES EXPORT_NAME shared)

# trawl_link(NAME TARGET DIRECTORY): install a symbolic link.
function(trawl_link name target directory)
    set(links "${PROJECT_BINARY_DIR}/links")
    file(MAKE_DIRECTORY "${links}")
    file(CREATE_LINK ${target} "${links}/${name}" SYMBOLIC)
    install(FILES "${links}/${name}" DESTINATION "${directory}")
endfunction()

install(FILES include/trawl.h include/trawl_records.h include/trawl_stream.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TRAWL_GALLERY)
    install(FILES gallery/trawl_gallery.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
install(TARGETS trawl_static trawl_shared EXPORT trawl-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(CMAKE_OBJCOPY)
    # If the objects are for link-time optimization, gcc would join them to one without machine code.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        set(TRAWL_JOIN_OPTION -flinker-output=nolto-rel)
    endif()
    configure_file(cmake/one_object.cmake.in one_object.cmake @ONLY)
    install(SCRIPT "${PROJECT_BINARY_DIR}/one_object.cmake")
endif()
if(TARGET trawl_kernels)
    install(TARGETS trawl_kernels LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()
if(TARGET trawl_command)
    install(TARGETS trawl_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # Called as tg, the command takes trees by ripgrep's rules.
    trawl_link(tg trawl ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET trawl_serve)
    install(TARGETS trawl_serve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # The unit names the program by its path, since systemd looks for names only below /usr.
    install(CODE "file(READ \"${PROJECT_SOURCE_DIR}/packaging/systemd/trawl-serve.service\" unit)
string(REPLACE \"=trawl-serve \" \"=\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/trawl-serve \" unit \"\${unit}\")
file(WRITE \"${PROJECT_BINARY_DIR}/trawl-serve.service\" \"\${unit}\")")
    foreach(folder IN ITEMS ${TRAWL_SYSTEMD_USER} ${TRAWL_SYSTEMD_SYSTEM})
        install(FILES "${PROJECT_BINARY_DIR}/trawl-serve.service" packaging/systemd/trawl-serve.socket
                DESTINATION ${folder})
    endforeach()
    install(FILES packaging/systemd/system.conf DESTINATION ${TRAWL_SYSTEMD_SETTINGS})
endif()

install(EXPORT trawl-targets NAMESPACE trawl:: DESTINATION ${TRAWL_PACKAGE_DIR})
configure_package_config_file(cmake/trawl-config.cmake.in
    "${CMAKE_CURRENT_BINARY_DIR}/trawl-config.cmake" INSTALL_DESTINATION ${TRAWL_PACKAGE_DIR})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/trawl-config-version.cmake"
    COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/trawl-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/trawl-config-version.cmake"
        DESTINATION ${TRAWL_PACKAGE_DIR})

# trawl.pc tells the prefix by its own place, so that `cmake --install --prefix` may choose another
# one. If the folder for libraries is absolute, trawl.pc has the prefix given when configuring.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(TRAWL_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(TRAWL_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(folder IN ITEMS INCLUDEDIR LIBDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
        set(TRAWL_PC_${folder} "${CMAKE_INSTALL_${folder}}")
    else()
        set(TRAWL_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
    endif()
endforeach()
set(TRAWL_PC_DL "")
if(CMAKE_DL_LIBS)
    set(TRAWL_PC_DL "-l${CMAKE_DL_LIBS}")
endif()
configure_file(cmake/trawl.pc.in trawl.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/trawl.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
