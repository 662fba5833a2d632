/* mpi_runner/transport/bus_error.c - memory of files that may be cut */
#include "mpi_runner/transport/bus_error.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local sigjmp_buf *volatile way_out;
static struct sigaction before;

/* Outside of f() it is what it was before. */
static void on_bus_error(int sig)
{
    if (way_out)
        siglongjmp(*way_out, 1);
    sigaction(sig, &before, NULL); /* the instruction runs again */
}

static void install(void)
{
    const struct sigaction action = {.sa_handler = on_bus_error,
                                     .sa_flags = SA_NODEFER};

    sigaction(SIGBUS, &action, &before);
}

bool osw_bus_error_try(void (*f)(void *arg), void *arg)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigjmp_buf here;

    pthread_once(&once, install);
    if (sigsetjmp(here, 0) != 0) {
        way_out = NULL;
        return false;
    }
    way_out = &here;
    f(arg);
    way_out = NULL;
    return true;
}
