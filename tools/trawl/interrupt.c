/* interrupt: the handlers of SIGINT and SIGBUS. run.c installs the handler of SIGINT for a command,
 * not for a server's request. Both kinds of search need the handler of SIGBUS before a file is
 * mapped. The handlers call only functions that are safe in a signal handler. */
#include "trawl/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "trawl.h"
#include "trawl/progress.h"

enum owner { OWNER_PRINTER, OWNER_NOBODY, OWNER_HANDLER };

static atomic_int owner = OWNER_PRINTER;
static atomic_int signal_count;
static struct output *shared_output;

/* Ends the program by SIGINT. All calls in this function are allowed in a handler. */
static void die(void)
{
    sigset_t set;

    progress_clear();
    (void)signal(SIGINT, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    (void)raise(SIGINT);
    _exit(128 + SIGINT);
}

/* Writes the committed output. Lines of a file that may turn out to be binary are not committed. */
static void write_out(void)
{
    const uint8_t *bytes = shared_output->bytes;
    size_t left = shared_output->error == 0 ? shared_output->committed : 0;

    while (left > 0) {
        ssize_t written = write(shared_output->descriptor, bytes, left);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return;
        bytes += written;
        left -= (size_t)written;
    }
}

static void at_signal(int signal)
{
    int expected = OWNER_NOBODY;

    (void)signal;
    if (atomic_fetch_add(&signal_count, 1) > 0)
        die();
    if (!atomic_compare_exchange_strong(&owner, &expected, OWNER_HANDLER))
        return;
    write_out();
    die();
}

void interrupt_open(struct output *output)
{
    struct sigaction action = {0}, old;

    shared_output = output;
    if (sigaction(SIGINT, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
        return;
    action.sa_handler = at_signal;
    action.sa_flags = SA_RESTART | SA_NODEFER; /* a second SIGINT interrupts the handler */
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
}

void interrupt_check(void)
{
    if (atomic_load_explicit(&signal_count, memory_order_relaxed) == 0)
        return;
    write_out();
    die();
}

void interrupt_allow(void)
{
    atomic_store(&owner, OWNER_NOBODY);
    /* SIGINT came before; the handler left the output to this thread */
    if (atomic_load(&signal_count) > 0) {
        interrupt_forbid();
        interrupt_check();
    }
}

void interrupt_forbid(void)
{
    int expected = OWNER_NOBODY;

    if (atomic_compare_exchange_strong(&owner, &expected, OWNER_PRINTER) ||
        expected == OWNER_PRINTER)
        return;
    for (;;) /* the handler is writing, in another thread */
        (void)pause();
}

/* ---- SIGBUS ---------------------------------------------------------------------------------- */

static struct sigaction former_bus;

static void at_bus(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (information->si_code > 0 && trawl_map_repair(information->si_addr))
        return;
    /* Not a fault of a mapping. A fault occurs again when the instruction is repeated; a signal
     * that another process sent has to be raised again. */
    (void)sigaction(SIGBUS, &former_bus, NULL);
    if (information->si_code <= 0)
        (void)raise(signal);
}

static void install_bus(void)
{
    struct sigaction action = {0};

    action.sa_sigaction = at_bus;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &former_bus);
}

void interrupt_guard_maps(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install_bus);
}
