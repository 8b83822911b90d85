/* work_count: counts the work of the command `trawl`, because times would differ from run to run.
 * The compiler puts a call to __sanitizer_cov_trace_pc into each basic block of command and
 * library; entering a block counts 1. A call to the C library's memory functions counts 1, and 1
 * for each BYTES_PER_BLOCK bytes. The clocks by which the library chooses methods
 * return the work so far, so the count is the same in every run. At the end the sum is written to
 * the file that TRAWL_TEST_WORK names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_BLOCK 16

/* No lock is needed: the command runs with a single thread (test_work.py). */
static uint64_t work;

void __sanitizer_cov_trace_pc(void);
void *__real_memcpy(void *to, const void *from, size_t count);
void *__real_memmove(void *to, const void *from, size_t count);
int __real_memcmp(const void *a, const void *b, size_t count);
void *__real_memchr(const void *bytes, int byte, size_t count);
void *__real_memrchr(const void *bytes, int byte, size_t count);
void *__wrap_memcpy(void *to, const void *from, size_t count);
void *__wrap_memmove(void *to, const void *from, size_t count);
int __wrap_memcmp(const void *a, const void *b, size_t count);
void *__wrap_memchr(const void *bytes, int byte, size_t count);
void *__wrap_memrchr(const void *bytes, int byte, size_t count);
uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_worked_ns(void);

static void charge(size_t bytes)
{
    work += 1 + bytes / BYTES_PER_BLOCK;
}

void __sanitizer_cov_trace_pc(void)
{
    work++;
}

void *__wrap_memcpy(void *to, const void *from, size_t count)
{
    charge(count);
    return __real_memcpy(to, from, count);
}

void *__wrap_memmove(void *to, const void *from, size_t count)
{
    charge(count);
    return __real_memmove(to, from, count);
}

int __wrap_memcmp(const void *a, const void *b, size_t count)
{
    const uint8_t *first = a, *second = b;
    size_t same = 0;

    while (same < count && first[same] == second[same])
        same++;
    charge(same);
    return same == count ? 0 : first[same] - second[same];
}

void *__wrap_memchr(const void *bytes, int byte, size_t count)
{
    const uint8_t *found = __real_memchr(bytes, byte, count);

    charge(found == NULL ? count : (size_t)(found - (const uint8_t *)bytes));
    return (void *)(uintptr_t)found;
}

void *__wrap_memrchr(const void *bytes, int byte, size_t count)
{
    const uint8_t *found = __real_memrchr(bytes, byte, count);

    charge(found == NULL ? count : count - (size_t)(found - (const uint8_t *)bytes));
    return (void *)(uintptr_t)found;
}

/* A reading counts as work, so that a loop that waits for a time ends. */
uint64_t __wrap_clock_now_ns(void)
{
    return ++work;
}

uint64_t __wrap_clock_worked_ns(void)
{
    return ++work;
}

static void __attribute__((destructor)) report(void)
{
    const char *name = getenv("TRAWL_TEST_WORK");
    FILE *file = name != NULL ? fopen(name, "w") : NULL;

    if (file == NULL)
        return;
    (void)fprintf(file, "%llu\n", (unsigned long long)work);
    (void)fclose(file);
}
