/* answer_fakes: a collection and its passes for tests of answers. */
#ifndef TESTS_SERVE_ANSWER_FAKES_H
#define TESTS_SERVE_ANSWER_FAKES_H

#include "serve/collection.h"

/* How many files are held, chosen by the hash of the file's name: 0 none, 4 all. */
extern unsigned fake_held_share;

/* Passes end when they are cancelled. */
extern atomic_bool fake_pass_hangs;

/* Makes the only collection. root: an absolute path. */
struct collection *fake_collection(const char *name, const char *root,
                                   struct trawl_runtime *runtime);
void fake_close(struct collection *collection);
/* The collection is the server's own (answer_real.c), and several threads may ask. */
extern const bool fake_is_real;

#endif
