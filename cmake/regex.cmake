# libtrawl_regex: the part of the regular expressions that needs C++ and RE2. The library loads it when a program
# builds its first plan of expressions, so that no other program loads a C++ library.
set(TRAWL_WITH_REGEX 0)
set(TRAWL_REGEX_LIBRARY libtrawl_regex.so.${PROJECT_VERSION_MAJOR})
if(TRAWL_REGEX)
    include(CheckLanguage)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
        find_path(TRAWL_RE2_HEADERS re2/re2.h)
        find_library(TRAWL_RE2_LIBRARY re2)
        if(TRAWL_RE2_HEADERS AND TRAWL_RE2_LIBRARY)
            set(TRAWL_WITH_REGEX 1)
        endif()
    endif()
endif()
if(NOT TRAWL_WITH_REGEX)
    return()
endif()

add_library(trawl_regex SHARED src/regex/re2.cc)
target_include_directories(trawl_regex PRIVATE include src)
target_include_directories(trawl_regex SYSTEM PRIVATE ${TRAWL_RE2_HEADERS})
target_compile_options(trawl_regex PRIVATE -Wall -Wextra -Wshadow -Werror=missing-include-dirs)
target_link_libraries(trawl_regex PRIVATE ${TRAWL_RE2_LIBRARY} trawl_hardened)
target_link_options(trawl_regex PRIVATE
                    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/src/regex/re2.map")
# In the build tree the library lies beside the command; programs elsewhere in the tree find it by their
# run path.
set_target_properties(trawl_regex PROPERTIES CXX_STANDARD 17 CXX_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" BUILD_RPATH ""
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
list(APPEND CMAKE_BUILD_RPATH "${PROJECT_BINARY_DIR}")

# What `trawl --version` says of RE2, whose headers have no version: the number in the library's file name.
file(REAL_PATH "${TRAWL_RE2_LIBRARY}" file)
set(TRAWL_RE2_VERSION "")
if(file MATCHES "\\.so\\.([0-9.]+)$")
    set(TRAWL_RE2_VERSION " (libre2 ${CMAKE_MATCH_1})")
endif()
