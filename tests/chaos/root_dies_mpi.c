/* tests/chaos/root_dies_mpi.c - rank 0 dies before it sends anything
 *
 * Preloaded into a run: MPI has come up then, and no worker knows yet how long
 * silence may last.  tests/shell/test_start.sh expects them to end.
 */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int MPI_Isend(const void *data, int n, MPI_Datatype type, int rank, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    int mine = 0;

    MPI_Comm_rank(comm, &mine);
    if (mine == 0)
        kill(getpid(), SIGKILL);
    return PMPI_Isend(data, n, type, rank, tag, comm, request);
}
