/* answer_fakes: a collection and its passes for tests of answers. */
#ifndef TESTS_SERVE_ANSWER_FAKES_H
#define TESTS_SERVE_ANSWER_FAKES_H

#include "serve/collection.h"

/* Of files, by the hash of their names: 0: none is held, 4: all are. */
extern unsigned fake_held_share;

/* There is one; root: an absolute path, the process's working directory. */
struct collection *fake_collection(const char *name, const char *root);

#endif
