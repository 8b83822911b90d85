/* bus: the SIGBUS handler, for commands and for servers. The handler calls only functions that are
 * safe in a signal handler. */
#include "trawl/text/bus.h"

#include <pthread.h>
#include <signal.h>

#include "trawl.h"

static struct sigaction former;

static void at_bus(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (information->si_code > 0 && trawl_map_repair(information->si_addr))
        return;
    /* The fault is in no file that the library mapped, so restore the previous handler. A real
     * fault occurs again when the instruction is repeated; a signal that another process sent must
     * be raised again. */
    (void)sigaction(SIGBUS, &former, NULL);
    if (information->si_code <= 0)
        (void)raise(signal);
}

static void install(void)
{
    struct sigaction action = {0};

    action.sa_sigaction = at_bus;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &former);
}

void bus_install_handler(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install);
}
