# The target trawl_hardened: flags that make a fault in trawl harder to exploit. SECURITY.md names the flags, and
# the test install.hardened looks for the flags' effects in installed files. Sanitizers check more than these flags
# do, and do not work together with _FORTIFY_SOURCE.
include_guard(GLOBAL)
option(TRAWL_HARDEN "Compile with _FORTIFY_SOURCE, stack protector, guarded branches, full RELRO, PIE" ON)
add_library(trawl_hardened INTERFACE)
if(NOT TRAWL_HARDEN OR TRAWL_SANITIZE OR TRAWL_PYTHON_SANITIZE)
    return()
endif()

include(CheckCCompilerFlag)
# -fcf-protection is for x86 (indirect branch tracking, shadow stack), -mbranch-protection for arm64 (BTI, PAC).
foreach(flag IN ITEMS -fstack-protector-strong -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "TRAWL_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
        target_compile_options(trawl_hardened INTERFACE ${flag})
    endif()
endforeach()
# The C library warns of level 3 if the compiler does not have that level, and has the checks in optimized code
# alone. The compiler may have defined the macro by itself.
set(level 3)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
    set(level 2)
endif()
target_compile_options(trawl_hardened INTERFACE
    "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>"
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
target_link_options(trawl_hardened INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
