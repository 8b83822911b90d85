/* types: the globs of each file type, from types.def, --type-add and --type-clear. */
#ifndef TRAWL_TYPES_H
#define TRAWL_TYPES_H

#include "trawl/options/flags.h"

struct ignore_list;
struct output;

/* Adds to the list the globs of the types that --type and --type-not name. False:
 * message[SETTINGS_ERROR_BYTES] says why. */
bool types_select(struct ignore_list *list, const struct value_list *rules, char *message);

/* Prints all types with their globs, for --type-list. */
bool types_print(struct output *output, const struct value_list *rules, char *message);

#endif
