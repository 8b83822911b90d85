/* answer_fakes: a collection and its passes for tests of answers. */
#ifndef TESTS_SERVE_ANSWER_FAKES_H
#define TESTS_SERVE_ANSWER_FAKES_H

#include "serve/collection.h"

/* Of files, by the hash of their names: 0: none is held, 4: all are. */
extern unsigned fake_held_share;

/* Passes end when they are cancelled. */
extern atomic_bool fake_pass_hangs;

/* There is one; root: an absolute path. */
struct collection *fake_collection(const char *name, const char *root,
                                   struct trawl_runtime *runtime);
void fake_close(struct collection *collection);
/* It is the server's own (answer_real.c), and several threads may ask. */
extern const bool fake_is_real;

#endif
