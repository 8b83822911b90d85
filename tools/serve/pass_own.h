/* pass_own: searches for one request alone, of files and of parts of blocks. */
#ifndef SERVE_PASS_OWN_H
#define SERVE_PASS_OWN_H

#include "serve/pass_member.h"

/* Search what blocks hold: for strings so frequent that listing all occurrences costs more than
 * counting them, and for plans that pass_list_fits does not allow. `counts_blocks`: it does. */
enum trawl_status pass_own(struct pass_member *member, bool counts_blocks,
                           struct trawl_error *error);

/* Search the files that are to be opened, after pass_own or pass_list, if occurrences are asked
 * for. One that cannot be read is counted as such. */
enum trawl_status pass_own_files(struct pass_member *member, struct trawl_error *error);

#endif
