/* trawl-bench: how fast trawl is, as ratios inside one run, with every answer checked. */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

int main(int argc, char **argv)
{
    struct options options;

    setvbuf(stdout, NULL, _IOLBF, 0); /* a row is seen when it is done */
    options_parse(argc, argv, &options);
    if (strcmp(options.mode, "papers") == 0)
        return bench_papers(&options);
    if (strcmp(options.mode, "roofline") == 0)
        return bench_roofline(&options);
    if (strcmp(options.mode, "sets") == 0)
        return bench_sets(&options);
    if (strcmp(options.mode, "floods") == 0)
        return bench_floods(&options);
    if (strcmp(options.mode, "matrix") == 0)
        return bench_matrix(&options);
    return strcmp(options.mode, "cpu") == 0 ? bench_cpu(&options) : bench_commands(&options);
}
