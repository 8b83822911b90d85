/* rewrite: takes a file as the options say; --write puts what --replace makes of it in its place.
 */
#ifndef TRAWL_REWRITE_H
#define TRAWL_REWRITE_H

#include "trawl/run/search_file.h"

/* Searches a file and prints the report, if the file meets the conditions of --in-file. With
 * --write instead puts the file with its replacements in its place, and prints the name if the
 * content has changed. The new content goes to a new file in the same directory, which gets mode
 * and owner of the old one and is then renamed, so that at any moment the name has the old or the
 * new content; after an error, which is reported, the old one. With --backup the old file gets
 * another name. A symbolic link stays, and the file is replaced to which it leads; other hard links
 * keep the old content. With --diff prints the difference instead. */
void rewrite_or_search(struct command_job *job, const struct open_file *file);

#endif
