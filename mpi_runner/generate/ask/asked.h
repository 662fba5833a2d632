/* mpi_runner/generate/ask/asked.h - the folder of a run, and its journal
 *
 * The journal is a file of lines "CRC JSON".  Every line is synced before what
 * it says is acted upon: ASK before the request is sent, ANSWER (after the
 * answer's own file) before it is judged.  So whatever process is killed,
 * nothing that was paid for is asked again.  A line that was cut off is
 * dropped; a damaged one before others is an error.
 *
 * Upstream: drive.h.  Downstream: attempt.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_ASKED_H
#define OSW_MPI_RUNNER_GENERATE_ASKED_H

#include "common/error.h"
#include "mpi_runner/generate/ask/attempt.h"
#include "mpi_runner/generate/ask/price.h"

enum {
    OSW_ASKED_MAX_OPS = 65536,
    OSW_ASKED_MAX_LINE = 16384,
    OSW_ASKED_MAX_WORDS = 256, /* bytes of `stop`, `model` and `why` */
};

/* What is known of the request of an attempt. */
struct osw_ask {
    double reserved, cost; /* cost: of an answer; `reserved` until then */
    struct osw_usage used;
    int64_t ms;       /* until the answer came */
    uint32_t tries;   /* requests that were sent, those refused for now too */
    bool same_prompt; /* of a replay: as in the run that is replayed */
    char prompt_sha256[65], answer_sha256[65]; /* hexadecimal; "": none */
    char stop[OSW_ASKED_MAX_WORDS];            /* why the model ended; "" */
    char model[OSW_ASKED_MAX_WORDS];           /* as the endpoint says; "" */
    char why[OSW_ASKED_MAX_WORDS];             /* of FAILED */
};

/* One op; attempts and asks are [n], by number. */
struct osw_asked_op {
    char *name; /* canonical */
    struct osw_attempt *attempts;
    struct osw_ask *asks;
    size_t n, room;
};

typedef struct osw_asked osw_asked_t;

/* Make the folder of a new run, or (`resume`) read that of one.  An ASK without
 * its ANSWER becomes UNANSWERED, and keeps its reservation.  Returns what the
 * caller owns, or NULL with err set:
 *   OSW_BAD_INPUT  the folder is there (or is no run's); another process is at
 *                  it; the journal is damaged
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
osw_asked_t *osw_asked_open(const char *folder, bool resume,
                            struct osw_error *err) OSW_MUST_CHECK;
void osw_asked_close(osw_asked_t *asked); /* NULL is ignored */

const char *osw_asked_folder(const osw_asked_t *asked);

/* The op of that name, which is added if it is not there.  Valid until the
 * next op is added.  NULL with err set, OSW_NO_MEMORY, OSW_BAD_INPUT (too
 * many).
 */
struct osw_asked_op *osw_asked_op(osw_asked_t *asked, const char *name,
                                  struct osw_error *err) OSW_MUST_CHECK;
const struct osw_asked_op *osw_asked_ops(const osw_asked_t *asked, size_t *n);

/* Of all requests: settled, and reserved. */
double osw_asked_spent(const osw_asked_t *asked);

/* Write a file of the run, by its path in the folder, whole or not at all.
 * Folders on the way are made.  What osw_asked_put() wrote is on disk; what
 * osw_asked_write() wrote is lost or empty if the machine fails soon after: for
 * what can be made again.
 */
int osw_asked_put(osw_asked_t *asked, const char *path, const char *bytes,
                  size_t n, struct osw_error *err) OSW_MUST_CHECK;
int osw_asked_write(osw_asked_t *asked, const char *path, const char *bytes,
                    size_t n, struct osw_error *err) OSW_MUST_CHECK;
/* The folder of a file, to disk; what fails here fails nothing else. */
void osw_asked_sync_folder(const char *path);
/* Read one, of at most `most` bytes; *bytes is the caller's to free, and has a
 * NUL at the end.
 */
int osw_asked_get(const osw_asked_t *asked, const char *path, size_t most,
                  char **bytes, size_t *n,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Note the next attempt of an op: `ask` has reservation and digest of the
 * prompt.  Then its answer: `outcome` is ANSWERED, or what it ended as.  Then
 * what became of it: JUDGED with a verdict, DUPLICATE with a twin, or why there
 * is nothing to judge.  Each is on disk when 0 is returned; -1 with err set.
 */
int osw_asked_note_ask(osw_asked_t *asked, struct osw_asked_op *op,
                       uint32_t parent, const struct osw_ask *ask,
                       struct osw_error *err) OSW_MUST_CHECK;
int osw_asked_note_answer(osw_asked_t *asked, struct osw_asked_op *op,
                          uint32_t number, enum osw_outcome outcome,
                          const struct osw_ask *ask,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_asked_note_end(osw_asked_t *asked, struct osw_asked_op *op,
                       const struct osw_attempt *end,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Hexadecimal SHA-256. */
void osw_asked_sha256(const char *bytes, size_t n, char out[65]);

#endif /* OSW_MPI_RUNNER_GENERATE_ASKED_H */
