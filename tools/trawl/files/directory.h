/* directory: an open directory that several threads use, and its entries. */
#ifndef TRAWL_DIRECTORY_H
#define TRAWL_DIRECTORY_H

#include <stdatomic.h>
#include <sys/types.h>

/* An open directory with a reference count, since threads that open files in it may outlast the
 * walk. */
struct tree_directory {
    int descriptor;
    atomic_uint holder_count; /* the directory is closed when no holder is left */
};

/* Returns the directory, for one more holder. */
struct tree_directory *tree_directory_share(struct tree_directory *directory);
void tree_directory_drop(struct tree_directory *directory); /* does nothing for NULL */
/* getdents64: reads entries of a directory. Returns the bytes read, 0 at the end, or -1. */
ssize_t tree_directory_read(int descriptor, void *bytes, size_t room);

#endif
