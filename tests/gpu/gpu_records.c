/* gpu_records: compares the matrix (which record contains which pattern) on a real device with the
 * oracle. Searches with rabin-karp-matrix, with the published form of that algorithm, and with
 * trawl's own methods. The device searches small or large pieces of the records at a time. Some
 * cases have more patterns than fit into a launch, or long records. */
#include "gallery/tests/records_case.h"

#include "cuda/limits.h"
#include "gpu/gpu.h"

static void run(struct scene *scene, bool small)
{
    static const char *const algorithms[] = {"rabin-karp-matrix",
                                             "rabin-karp-matrix-sample",
                                             "rabin-karp-matrix-sample,global",
                                             "rabin-karp-matrix-amp",
                                             "rabin-karp-matrix-bytes",
                                             "rabin-karp-matrix-wide",
                                             "rabin-karp-matrix-pairs",
                                             NULL};
    struct trawl_searcher *searcher;
    struct cuda_limits limits = cuda_limits_default;

    limits.text_bytes_max = 3000;
    limits.staging_bytes = 500;
    cuda_limits_replace(small ? &limits : NULL);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    for (uint32_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        MUST(scene_matrix(scene, algorithms[i], searcher, NULL));
    trawl_searcher_close(searcher);
    cuda_limits_replace(NULL);
}

static void random_scenes(void)
{
    struct test_random random = test_random_begin("gpu records");

    for (uint64_t round = 0; round < test_amount(60, 1000) && test_failures < 10; round++) {
        enum input_kind kind = (enum input_kind)test_random_below(&random, INPUT_KINDS);
        struct scene scene;

        scene_begin(&random, kind, test_random_between(&random, 1, 200),
                    test_random_between(&random, 1, 400), &scene);
        scene_add_patterns(&random, test_random_below(&random, 30),
                           test_random_one_in(&random, 5) ? 300 : 10, &scene);
        scene.tape.flags = (uint32_t)test_random_below(&random, 8);
        run(&scene, round % 2 == 0);
        scene_end(&scene);
    }
}

/* Searches for `count` patterns of the letters a to d, which have 6 to 8 bytes each. If count is
 * 128, all have 8 bytes. */
static void many_patterns(uint64_t count)
{
    struct test_random random = test_random_begin("gpu records many");
    struct scene scene;

    scene_begin(&random, INPUT_LETTERS_26, 20, 60, &scene);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t bytes[8];

        for (uint64_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)('a' + (i >> 2 * j) % 4);
        input_add_pattern(&scene.tape, bytes, count == 128 ? 8 : 6 + i % 3);
    }
    if (count == 128)
        for (uint64_t i = 0; i < scene.records.record_count; i++)
            memcpy(scene.tape.text + scene.offsets[i], scene.tape.patterns[6 * i].bytes,
                   scene.offsets[i + 1] - scene.offsets[i] < 8 ? 0 : 8);
    else
        scene_add_patterns(&random, 20, 6, &scene);
    run(&scene, false);
    TEST_CHECK(scene.cells_set > 0);
    scene_end(&scene);
}

/* Searches records that are copied to the device in several pieces, with matches across the
 * boundaries of pieces. */
static void long_records(void)
{
    struct test_random random = test_random_begin("gpu records long");
    struct scene scene;

    scene_begin(&random, INPUT_LETTERS_26, 3, 300000, &scene);
    scene_add_patterns(&random, 6, 400, &scene);
    run(&scene, false);
    scene_end(&scene);
}

int main(void)
{
    test_begin("gpu records");
    engine_cuda.close(gpu_open());
    random_scenes();
    many_patterns(9000);
    many_patterns(128);
    long_records();
    return test_end();
}
