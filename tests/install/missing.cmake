# missing.cmake: checks what CMake reports at its end about missing packages, and that it reports nothing that an option
# turned off.
set(script "${CMAKE_CURRENT_LIST_DIR}/../../cmake/missing.cmake")

# told(EXPECTED VARIABLE=VALUE...): with these variables, CMake prints the expected lines.
function(told expected)
    list(TRANSFORM ARGN PREPEND -D)
    execute_process(COMMAND ${CMAKE_COMMAND} ${ARGN} -P "${script}" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
    if(NOT said STREQUAL expected)
        message(SEND_ERROR "${ARGN}: expected '${expected}', got '${said}'")
    endif()
endfunction()

set(head "-- trawl: this build goes without what these missing packages (of Debian, Ubuntu) bring:\n-- trawl:   ")
told("" TRAWL_ZLIB=OFF TRAWL_HAS_LZ4=0 TRAWL_SERVER=OFF)
told("" TRAWL_ZLIB=ON TRAWL_HAS_ZLIB=1 TRAWL_ISAL=ON TRAWL_HAS_ISAL=1)
told("${head}zlib1g-dev: no search in gzip files (--search-zip)\n" TRAWL_ZLIB=ON TRAWL_LZ4=ON TRAWL_HAS_LZ4=1)
told("${head}libmicrohttpd-dev, libjansson-dev: no server (trawl-serve)\n" TRAWL_SERVER=ON)
