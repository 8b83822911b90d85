/* bus: the handler of SIGBUS. */
#include "trawl/bus.h"

#include <pthread.h>
#include <signal.h>

#include "trawl.h"

static struct sigaction former;

static void at_fault(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (information->si_code > 0 && trawl_map_repair(information->si_addr))
        return;
    /* Not ours. A fault comes again when the instruction does; what another process sent has to be
     * raised anew. */
    (void)sigaction(SIGBUS, &former, NULL);
    if (information->si_code <= 0)
        (void)raise(signal);
}

static void install(void)
{
    struct sigaction action = {0};

    action.sa_sigaction = at_fault;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &former);
}

void bus_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install);
}
