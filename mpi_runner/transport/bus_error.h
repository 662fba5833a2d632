/* mpi_runner/transport/bus_error.h - memory of files that may be cut
 *
 * A mapped file that is truncated leaves pages that cannot be touched: the
 * kernel ends a process that does by SIGBUS.
 */
#ifndef OSW_MPI_RUNNER_BUS_ERROR_H
#define OSW_MPI_RUNNER_BUS_ERROR_H

#include <stdbool.h>

/* Run f(arg), which does nothing but load, store and call the kernel: no locks,
 * no allocations.  False: it touched such a page, and stopped there.  Any
 * thread, not within itself.
 */
bool osw_bus_error_try(void (*f)(void *arg), void *arg);

#endif /* OSW_MPI_RUNNER_BUS_ERROR_H */
