/* product_test: simt_product_u8s8 in the simulator against three plain loops, with the fragments
 * packed and unpacked here, byte by byte, as the PTX manual lists them for mma.m16n8k32. */
#include "random_case.h"
#include "simulator.h"

#include "cuda/kernels/simt.h"

#define ROUNDS 60u
#define ROWS 16u
#define DEPTH 32u
#define COLUMNS 8u
#define SWITCHES_MAX 20000u

struct product_arguments {
    const uint32_t *rows;    /* [4][32]: register, lane */
    const uint32_t *columns; /* [2][32] */
    uint32_t *sums;          /* [4][32] in and out */
};

SIMT_KERNEL(product_kernel, product_arguments, SIMT_WARP_THREADS, 1)
{
    uint32_t lane = simt_lane();
    struct simt_u32x4 rows;
    struct simt_s32x4 sums;

    for (uint32_t i = 0; i < 4; i++) {
        rows.w[i] = simt_load_u32(args.rows + i * SIMT_WARP_THREADS + lane);
        sums.w[i] = (int32_t)simt_load_u32(args.sums + i * SIMT_WARP_THREADS + lane);
    }
    sums = simt_product_u8s8(sums, rows, simt_load_u32(args.columns + lane),
                             simt_load_u32(args.columns + SIMT_WARP_THREADS + lane));
    for (uint32_t i = 0; i < 4; i++)
        simt_store_u32(args.sums + i * SIMT_WARP_THREADS + lane, (uint32_t)sums.w[i]);
}

static const struct sim_kernel kernel = {"product", product_kernel_entry,
                                         product_kernel_arguments_bytes, 0};

struct matrices {
    uint8_t a[ROWS][DEPTH];
    int8_t b[DEPTH][COLUMNS];
    int32_t c[ROWS][COLUMNS];
};

struct fragments {
    uint32_t rows[4][SIMT_WARP_THREADS];
    uint32_t columns[2][SIMT_WARP_THREADS];
    uint32_t sums[4][SIMT_WARP_THREADS];
};

/* The manual's words: groupID = laneid >> 2, threadID_in_group = laneid % 4; of A's 16 bytes a_i,
 * row = groupID for 0 <= i < 4 and 8 <= i < 12, else groupID + 8; column = threadID_in_group * 4 +
 * (i & 3), + 16 for i >= 8. Of B's 8, row = threadID_in_group * 4 + (i & 3), + 16 for i >= 4;
 * column = groupID. Of C's 4, row = groupID for i < 2, else + 8; column = threadID_in_group * 2 +
 * (i & 1). */
static void pack(const struct matrices *m, struct fragments *f)
{
    memset(f, 0, sizeof *f);
    for (uint32_t lane = 0; lane < SIMT_WARP_THREADS; lane++) {
        uint32_t group = lane >> 2, in_group = lane % 4;

        for (uint32_t i = 0; i < 16; i++) {
            uint32_t row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
            uint32_t column = in_group * 4 + (i & 3) + (i >= 8 ? 16 : 0);

            f->rows[i / 4][lane] |= (uint32_t)m->a[row][column] << i % 4 * 8;
        }
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t row = in_group * 4 + (i & 3) + (i >= 4 ? 16 : 0);

            f->columns[i / 4][lane] |= (uint32_t)(uint8_t)m->b[row][group] << i % 4 * 8;
        }
        for (uint32_t i = 0; i < 4; i++)
            f->sums[i][lane] = (uint32_t)m->c[group + (i < 2 ? 0 : 8)][in_group * 2 + (i & 1)];
    }
}

static void multiply(struct matrices *m)
{
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            for (uint32_t k = 0; k < DEPTH; k++)
                m->c[r][c] += m->a[r][k] * m->b[k][c];
}

static void fill(struct test_random *random, uint32_t round, struct matrices *m)
{
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t k = 0; k < DEPTH; k++)
            m->a[r][k] = round == 0 ? 255 : (uint8_t)test_random_below(random, 256);
    for (uint32_t k = 0; k < DEPTH; k++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            m->b[k][c] =
                round == 0 ? -128 : (int8_t)((int32_t)test_random_below(random, 256) - 128);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            m->c[r][c] = (int32_t)test_random_below(random, 1u << 20) - (1 << 19);
}

/* Is what the kernel makes of the matrices what the loops make of them? */
static bool round_is_right(struct test_random *random, uint32_t round)
{
    struct fragments *f = (struct fragments *)test_memory(sizeof *f);
    struct product_arguments arguments = {f->rows[0], f->columns[0], f->sums[0]};
    struct fragments expected;
    struct matrices matrices;
    const char *report = "";
    bool right;

    fill(random, round, &matrices);
    pack(&matrices, f);
    multiply(&matrices);
    pack(&matrices, &expected);
    sim_range_add(f, sizeof *f);
    sim_seed(round + 1);
    sim_switches_max(SWITCHES_MAX);
    right = TEST_CHECK(sim_grid(&kernel, &arguments, 1, SIMT_WARP_THREADS, &report)) &&
            TEST_CHECK(memcmp(f->sums, expected.sums, sizeof f->sums) == 0);
    if (!right)
        printf("  round %" PRIu32 ": %s\n", round, report);
    sim_range_remove(f);
    free(f);
    return right;
}

/* Without its wait the product must be wrong: the mutation of sim_mutation. */
static void check_mutant(struct test_random *random)
{
    struct fragments *f = (struct fragments *)test_memory(sizeof *f);
    struct product_arguments arguments = {f->rows[0], f->columns[0], f->sums[0]};
    struct sim_site sites[SIM_SITES_MAX], *site = NULL;
    struct fragments before;
    struct matrices matrices;
    const char *report = "";

    for (uint32_t i = 0, count = sim_sites(sites, SIM_SITES_MAX); i < count; i++)
        if (sites[i].kind == SIM_SITE_WARP)
            site = &sites[i];
    if (TEST_CHECK(site != NULL)) {
        fill(random, 1, &matrices);
        pack(&matrices, f);
        before = *f;
        sim_range_add(f, sizeof *f);
        sim_mutate(site);
        TEST_CHECK(sim_grid(&kernel, &arguments, 1, SIMT_WARP_THREADS, &report));
        TEST_CHECK(memcmp(f->sums, before.sums, sizeof f->sums) == 0);
        sim_mutate(NULL);
        sim_range_remove(f);
    }
    free(f);
}

int main(void)
{
    struct test_random random;

    test_begin("sim product");
    random = test_random_begin("product");
    for (uint32_t round = 0; round < ROUNDS; round++)
        if (!round_is_right(&random, round))
            break;
    check_mutant(&random);
    sim_release();
    return test_end();
}
