/* tests/chaos/bad_object_mpi.c - compiled code that arrives with another byte
 *
 * Preloaded into a run, it changes the last byte of each chunk of an `object`
 * that a rank sends: OSW_BAD_OBJECT is "up" (to the coordinator) or "down"
 * (from it).  tests/net/test_objects.sh expects the run to come out right.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/transport/frame.h"
#include "mpi_runner/transport/msg.h"

enum {
    HEAD = 4,  /* bytes before the pieces, and before those of a piece */
    WORD = 200 /* an `object` without code is shorter */
};

/* The frame is the transport's own copy. */
static void harm(unsigned char *frame, size_t n)
{
    uint16_t length;

    for (size_t at = HEAD; at + HEAD <= n; at += HEAD + length) {
        memcpy(&length, frame + at + 2, sizeof(length));
        if (frame[at] == OSW_MSG_OBJECT && !frame[at + 1] && length > WORD &&
            at + HEAD + length <= n)
            frame[at + HEAD + length - 1] ^= 1;
    }
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int rank, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                MPI_Request *);
    void *found = dlsym(RTLD_NEXT, "MPI_Isend"), *frame;
    const char *way = getenv("OSW_BAD_OBJECT");

    memcpy(&send, &found, sizeof(send));
    memcpy(&frame, &data, sizeof(frame));
    if (way && strcmp(way, rank == 0 ? "up" : "down") == 0)
        harm(frame, (size_t)n);
    return send(data, n, type, rank, tag, comm, request);
}
