/* types: which names a type of files has: the table of types.def, --type-add, --type-clear. */
#ifndef TRAWL_TYPES_H
#define TRAWL_TYPES_H

#include "trawl/flags.h"

struct ignore_list;
struct output;

/* Add to the list the globs that --type and --type-not name, those of --type-not last. False:
 * message[SETTINGS_ERROR_BYTES] says why. */
bool types_select(struct ignore_list *list, const struct value_list *rules, char *message);

/* --type-list. */
bool types_print(struct output *output, const struct value_list *rules, char *message);

#endif
