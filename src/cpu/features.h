/* features: which instructions this x86 processor has and the system lets programs use.
 *
 * The C library asked the processor when the program began, so its answer costs nothing. To ask
 * again means a dozen CPUID instructions, and each of them stops a virtual machine, for 3.6 us on
 * the one measured: a fifteenth of what `trawl` takes to search 1 KiB. Where the C library cannot
 * say, the compiler's support library asks the processor.
 */
#ifndef TRAWL_CPU_FEATURES_H
#define TRAWL_CPU_FEATURES_H

#if defined __has_include && !defined TRAWL_FEATURES_OF_COMPILER
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_FEATURE(library_name, compiler_name) CPU_FEATURE_ACTIVE(library_name)
#endif
#endif
#ifndef HAS_FEATURE
#define HAS_FEATURE(library_name, compiler_name) (__builtin_cpu_supports(compiler_name) != 0)
#endif

#endif
