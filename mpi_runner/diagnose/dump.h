/* mpi_runner/diagnose/dump.h - the tensors of one cell, as a folder to look
 * into
 *
 * Inputs, expected and got as .npy files, and cell.json, which says what is
 * what.  Written beside the folder's name and renamed, so that the folder is
 * whole or not there.
 *
 * Upstream: worker/capture.h.  Downstream: numpy, torch, people.
 */
#ifndef OSW_MPI_RUNNER_DUMP_H
#define OSW_MPI_RUNNER_DUMP_H

#include <stdint.h>

#include "common/error.h"
#include "worker/capture.h"

/* What cell.json says of the cell beside its tensors. */
struct osw_dump_about {
    const char *op, *impl, *case_text, *fill, *device;
    const char *command; /* that runs it again */
    uint64_t seed;
    const struct osw_record *record;
};

typedef struct osw_dump osw_dump_t;

/* Make ready to write folder `dir`, which must be absent or empty.  Returns a
 * dump that the caller owns, or NULL with err set: OSW_BAD_INPUT when `dir`
 * cannot become that folder, OSW_NO_MEMORY.
 */
osw_dump_t *osw_dump_create(const char *dir,
                            struct osw_error *err) OSW_MUST_CHECK;

/* An osw_capture_f, the dump being its argument: writes the tensors, those of
 * an earlier capture replaced.  What fails is told by osw_dump_finish().
 */
void osw_dump_capture(void *dump, const struct osw_capture *capture);

/* Write cell.json and give the folder its name.  Returns 0, or -1 with err
 * set: nothing was captured (OSW_NOTHING), or it could not be written.
 */
int osw_dump_finish(osw_dump_t *dump, const struct osw_dump_about *about,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Release it, and remove what was not finished.  NULL is ignored. */
void osw_dump_destroy(osw_dump_t *dump);

#endif /* OSW_MPI_RUNNER_DUMP_H */
