/* program_memory: keeps the programs of a plan's expressions within the memory of the plan. */
#include "regex/program_memory.h"

#include "base/checked.h"

/* The limit for the memory of a single program is PROGRAM_BYTES if the plan's options set no limit.
 * If the options limit the memory of all programs together, the limit for a single program is the
 * smaller of BOUNDED_BYTES and 1/BOUNDED_SHARE of that memory. */
#define PROGRAM_BYTES (UINT64_C(16) << 20)
#define BOUNDED_BYTES (UINT64_C(2) << 20)
#define BOUNDED_SHARE 32u

void program_memory_divide(struct expressions *made)
{
    const uint64_t all = (uint64_t)made->plan->expressions.memory_mib << 20;

    made->program_bytes = made->program_bytes_max = PROGRAM_BYTES;
    made->bytes_left = UINT64_MAX / 2;
    if (all == 0)
        return;
    made->program_bytes_max = min_u64(all / BOUNDED_SHARE, BOUNDED_BYTES);
    made->program_bytes = min_u64(all / (4 * (uint64_t)made->count + 28), made->program_bytes_max);
    made->bytes_left = all - made->count * made->program_bytes;
}

enum regex_status program_compile(struct expressions *made, const struct syntax_node *tree,
                                  const struct regex_options *options, uint64_t times,
                                  struct regex **regex, struct regex_fault *fault)
{
    struct regex_options given = *options;
    enum regex_status status = REGEX_LARGE;

    if (made->plan->expressions.memory_mib > 0)
        given.when = REGEX_NOW;
    for (uint64_t each = made->program_bytes; status == REGEX_LARGE;
         each = max_u64(each + 1, min_u64(4 * each, made->program_bytes_max))) {
        given.memory_bytes = times * each;
        if (each > made->program_bytes_max || given.memory_bytes > made->bytes_left)
            break;
        status = made->ops->compile(tree, &given, regex, fault);
    }
    if (status == REGEX_OK)
        made->bytes_left -= given.memory_bytes;
    return status;
}
