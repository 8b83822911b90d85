/* features: which instructions this x86 processor has and the system lets programs use.
 *
 * The C library asked the processor when the program began, so its answer costs nothing. Asking
 * again takes a dozen CPUID instructions, each of which stops a virtual machine, for 3.6 us on the
 * one measured: a fifteenth of the time that `trawl` takes to search 1 KiB. Where the C library
 * cannot say, the compiler's support library asks the processor.
 */
#ifndef TRAWL_CPU_FEATURES_H
#define TRAWL_CPU_FEATURES_H

#include <stdbool.h>

#if defined __has_include && !defined TRAWL_FEATURES_OF_COMPILER
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif
#ifdef CPU_FEATURE_ACTIVE
/* CPU_FEATURE_ACTIVE, without its shift of a one into the sign of an int. */
static inline bool feature_is_active(unsigned index)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(index / 128);

    return (leaf->active_array[index % 128 / 32] >> (index % 32) & 1) != 0;
}
#define HAS_FEATURE(library_name, compiler_name) feature_is_active(x86_cpu_##library_name)
#endif
#ifndef HAS_FEATURE
#define HAS_FEATURE(library_name, compiler_name) (__builtin_cpu_supports(compiler_name) != 0)
#endif

#endif
