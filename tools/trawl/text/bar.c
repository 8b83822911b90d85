/* bar: a line at the terminal's bottom. */
#include "trawl/text/bar.h"

#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define WIDTH_USUAL 80 /* columns of a terminal of unknown width */

atomic_bool bar_is_open;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool shares_output, is_shown, is_in_line;

/* Returns true if the process is in the foreground, and no pager or editor has changed the
 * terminal's mode. */
static bool terminal_is_ours(void)
{
    struct termios mode;

    return tcgetpgrp(STDERR_FILENO) == getpgrp() && tcgetattr(STDERR_FILENO, &mode) == 0 &&
           (mode.c_lflag & ICANON) != 0;
}

static void put(const char *text, size_t bytes)
{
    ssize_t ignored = write(STDERR_FILENO, text, bytes);

    (void)ignored; /* a bar that cannot be drawn is not an error */
}

static void erase(void)
{
    if (is_shown && terminal_is_ours())
        put("\r\33[K", 4);
    is_shown = false;
}

void bar_open(bool shares)
{
    shares_output = shares;
    is_shown = is_in_line = false;
    atomic_store(&bar_is_open, true);
}

void bar_close(void)
{
    (void)pthread_mutex_lock(&lock);
    erase();
    atomic_store(&bar_is_open, false);
    (void)pthread_mutex_unlock(&lock);
}

void bar_draw(const char *text)
{
    struct winsize size;
    size_t bytes = strlen(text), width = WIDTH_USUAL;

    (void)pthread_mutex_lock(&lock);
    if (!is_in_line && terminal_is_ours()) {
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            width = size.ws_col;
        put("\r", 1);
        put(text, bytes < width ? bytes : width - 1);
        put("\33[K", 3);
        is_shown = true;
    }
    (void)pthread_mutex_unlock(&lock);
}

bool bar_lock(int descriptor)
{
    if (!atomic_load_explicit(&bar_is_open, memory_order_relaxed) ||
        (descriptor != STDERR_FILENO && !shares_output))
        return false;
    (void)pthread_mutex_lock(&lock);
    erase();
    return true;
}

void bar_unlock(bool in_line)
{
    is_in_line = in_line;
    (void)pthread_mutex_unlock(&lock);
}
