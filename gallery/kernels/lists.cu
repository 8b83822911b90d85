/* lists: pss-gm-list, which keeps each occurrence in memory allocated on the device.
 *
 * Source     B. Kutukcu, "Parallel String Search Algorithm on GPU", section V, further work:
 *            "dynamic memory allocation in device and/or linked list data structure".
 * Mapping    as pss-gg. Each occurrence is a node of its block's list; a second kernel, with a
 *            thread per list, moves the nodes to an array and frees them.
 * Memory     nodes of 16 bytes in the device's heap, which a device sets up when it loads this
 *            image, and no other image needs. If the heap is full, an occurrence goes straight into
 *            the array.
 * Traffic    as pss-gg; per occurrence also a node, written and read.
 * Bound      by allocating, if there are many occurrences.
 */
#include "gallery/kernels/compare.h"

/* an occurrence, in the device's heap */
struct lists_node {
    struct lists_node *next;
    uint64_t x;
};

SIMT_KERNEL(gallery_pss_list, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint64_t, head, 1);
    uint64_t x = gallery_place(&args);
    struct compare_bin bin = compare_bin_none();
    int found = SIMT_BOUND(x < args.limit) &&
                compare_forward(&args, &bin, COMPARE_GLOBAL, x, args.pattern_bytes);
    struct lists_node *node = NULL;

    if (simt_thread() == 0)
        head[0] = 0;
    simt_barrier();
    if (found && args.want == WANT_HITS)
        node = (struct lists_node *)simt_allocate(sizeof *node);
    if (node != NULL) {
        node->x = x;
        node->next = (struct lists_node *)(uintptr_t)simt_atomic_exchange_u64(
            head, (uint64_t)(uintptr_t)node);
    } else if (found) {
        gallery_emit(&args, x);
    }
    simt_barrier();
    if (simt_thread() == 0)
        simt_store_u64(args.minima + simt_block(), head[0]);
}

/* A thread per list. */
SIMT_KERNEL(gallery_pss_lists, gallery_arguments, 1024, 1)
{
    uint64_t block = gallery_place(&args) - args.begin;
    struct lists_node *node = NULL;

    if (SIMT_BOUND(block < args.minima_count))
        node = (struct lists_node *)(uintptr_t)simt_load_u64(args.minima + block);
    while (node != NULL) {
        struct lists_node *next = node->next;

        gallery_emit(&args, node->x);
        simt_release(node);
        node = next;
    }
}
