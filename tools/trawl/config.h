/* config: options from a file, which come before those that were settings. */
#ifndef TRAWL_CONFIG_H
#define TRAWL_CONFIG_H

#include "trawl/flags.h"

/* Find and read the file: the one that TRAWL_CONFIG_PATH names (empty: none), else trawl/config in
 * $XDG_CONFIG_HOME or ~/.config, if there is one. Never waits for a writer. False:
 * message[SETTINGS_ERROR_BYTES] filled. True with a message that is not empty: a file that the user
 * did not name could not be read, and is left out. */
bool config_read(struct config *config, char *message);
void config_free(struct config *config);

#endif
