/* directory: an open directory that several threads use, and its entries. */
#include "trawl/files/directory.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc has getdents64 since version 2.30. */
#if defined __GLIBC__ && !__GLIBC_PREREQ(2, 30)
#define GETDENTS(...) syscall(SYS_getdents64, __VA_ARGS__)
#else
#define GETDENTS getdents64
#endif

struct tree_directory *tree_directory_share(struct tree_directory *directory)
{
    atomic_fetch_add_explicit(&directory->holder_count, 1, memory_order_relaxed);
    return directory;
}

void tree_directory_drop(struct tree_directory *directory)
{
    if (directory == NULL ||
        atomic_fetch_sub_explicit(&directory->holder_count, 1, memory_order_acq_rel) != 1)
        return;
    close(directory->descriptor);
    free(directory);
}

ssize_t tree_directory_read(int descriptor, void *bytes, size_t room)
{
    return GETDENTS(descriptor, bytes, room);
}
