/* letters: a random text of five letters, in memory and in a file. */
#include "letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "diff/diff_input.h"

void letters_begin(struct letters *letters, const char *name, uint64_t bytes_count)
{
    struct test_random random = test_random_begin(name);

    letters->bytes = (uint8_t *)test_memory(bytes_count);
    letters->bytes_count = bytes_count;
    letters->path[0] = '\0';
    for (uint64_t i = 0; i < bytes_count; i++)
        letters->bytes[i] = (uint8_t)('a' + test_random_below(&random, 5));
}

void letters_write(struct letters *letters)
{
    int file;

    (void)snprintf(letters->path, sizeof letters->path, "/tmp/trawl-letters-XXXXXX");
    file = mkstemp(letters->path);
    if (file < 0 ||
        write(file, letters->bytes, letters->bytes_count) != (ssize_t)letters->bytes_count ||
        close(file) != 0)
        exit(1);
}

struct trawl_text *letters_open(const struct letters *letters, bool file)
{
    return file ? must_file(letters->path) : must_text(letters->bytes, letters->bytes_count);
}

uint64_t letters_find(const struct letters *letters, const char *string, uint64_t *begins)
{
    uint64_t length = strlen(string), count = 0;

    for (uint64_t i = 0; i + length <= letters->bytes_count; i++)
        if (memcmp(letters->bytes + i, string, length) == 0) {
            if (begins != NULL)
                begins[count] = i;
            count++;
        }
    return count;
}

void letters_input(const struct letters *letters, const char *pattern, struct diff_input *input)
{
    struct test_random random = {1};

    input_begin(&random, INPUT_LETTERS_1, letters->bytes_count, input);
    memcpy(input->text, letters->bytes, (size_t)letters->bytes_count);
    input_add_pattern(input, (const uint8_t *)pattern, strlen(pattern));
}

void letters_end(struct letters *letters)
{
    if (letters->path[0] != '\0')
        (void)unlink(letters->path);
    free(letters->bytes);
}

struct cuda_limits letters_limits(void)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.threads = 32;
    limits.tile_words_max = 64;
    limits.blocks_max = 2;
    limits.seen_bytes_min = 1;
    return limits;
}
