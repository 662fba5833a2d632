/* mpi_runner/ranks/series.c - campaigns that the same ranks judge one after
 * another */
#include "mpi_runner/ranks/series.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { LOOK_MS = 200 }; /* for requests to stop */

/* 1: there is something to read, or its end; 0: asked to stop; or -1. */
static int await_input(const volatile sig_atomic_t *n_stop,
                       struct osw_error *err)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

    while (!*n_stop) {
        int n = poll(&p, 1, LOOK_MS);

        if (n > 0)
            return 1;
        if (n < 0 && errno != EINTR)
            return osw_fail_sys(err, errno, "cannot wait for a campaign");
    }
    return 0;
}

/* A byte at a time: what follows the line is not for this call. */
int osw_series_next(int code, const volatile sig_atomic_t *n_stop, char *path,
                    size_t size, struct osw_error *err)
{
    size_t n = 0;
    int rc;

    printf("campaign ended with exit code %d\n", code);
    fflush(stdout);
    while ((rc = await_input(n_stop, err)) == 1) {
        char c;
        ssize_t got = read(STDIN_FILENO, &c, 1);

        if (got < 0)
            return osw_fail_sys(err, errno, "cannot read the next campaign");
        if (got == 0)
            return 0;
        if (c == '\n' && n > 0) {
            path[n] = '\0';
            return 1;
        }
        if (c != '\n')
            path[n++] = c;
        if (n == size)
            return osw_fail(err, OSW_BAD_INPUT,
                            "standard input: expected the name of a campaign "
                            "file, found a line of %zu bytes or more",
                            size);
    }
    return rc;
}
