/* results/journal/replay.h - a journal, read back into what a file is made of
 *
 * Everything but the results themselves is in memory; of those there is a
 * sorted index, and they are read from the journal when they are needed.
 *
 * Upstream: journal.c.  Downstream: seal.c; mpi_runner/ranks/resume.c.
 */
#ifndef OSW_RESULTS_REPLAY_H
#define OSW_RESULTS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "results/journal/dict.h"
#include "results/journal/entry.h"
#include "results/journal/journal.h"
#include "results/journal/replay_rows.h"

struct osw_replay_device {
    int32_t rank;
    uint32_t host_id, device_id; /* in /dict */
    struct osw_device_info info; /* its name alone in journals of before */
};

struct osw_replay_event {
    int64_t t_ns;
    int64_t value;
    int32_t rank;
    uint8_t kind;
    const char *text;
};

/* Read only; owned by the replay. */
struct osw_replay {
    char *dir;
    struct osw_run_info info; /* env is NULL: see n_env */
    size_t n_env;
    const char *const *env_keys;   /* [n_env] */
    const char *const *env_values; /* [n_env] */
    uint8_t campaign_sha256[32];
    uint8_t plan_sha256[32];
    uint64_t n_planned;
    struct osw_run_prediction prediction; /* of the last session; zeros: none */
    int64_t t_session_ns; /* unix time at which the last session began */
    bool ended;           /* an END was found, and no record after it */
    bool complete;        /* and says so */
    int64_t t_end_ns;     /* unix time of it; 0 without */
    uint64_t last_seq;    /* of the last record that is not a SEAL */
    uint64_t tail_seq;    /* of the last record */

    osw_dicts_t *dicts; /* lean and the replay's own, unless they were given */
    struct osw_replay_row *rows; /* [n_rows], sorted by cell, each once */
    size_t n_rows;
    uint64_t n_samples;     /* of all rows */
    size_t n_superseded;    /* results that a better one of the cell replaced */
    uint64_t dropped_bytes; /* torn tail of the journal */

    struct osw_replay_device *devices; /* [n_devices], in order of arrival */
    size_t n_devices;
    struct osw_rank_summary *ranks; /* [n_ranks], sorted by rank */
    size_t n_ranks;
    struct osw_replay_event *events; /* [n_events], in order */
    size_t n_events;
    struct osw_run_source *sources; /* [n_sources], in order */
    size_t n_sources;
};

/* Read the journal in `dir`.  Of several results of one cell the first counts,
 * except that one in group infra yields to a later one.
 *
 * Returns a replay that the caller owns, or NULL with err set: OSW_BAD_INPUT
 * (no journal, or damaged), OSW_SYSTEM, OSW_NO_MEMORY.
 */
struct osw_replay *osw_replay_load(const char *dir,
                                   struct osw_error *err) OSW_MUST_CHECK;

/* The same for the journal's writer, which holds its texts: those of the
 * journal are compared with them instead of being kept a second time.  Borrows
 * the dictionaries.
 */
struct osw_replay *osw_replay_load_own(const char *dir, osw_dicts_t *dicts,
                                       struct osw_error *err) OSW_MUST_CHECK;
void osw_replay_destroy(struct osw_replay *replay); /* NULL is ignored */

/* The caller owns the replay's own dictionaries from here on; the replay still
 * shows them.
 */
osw_dicts_t *osw_replay_take_dicts(struct osw_replay *replay);

/* The numbers of its cells are below this: those of a shard have gaps. */
static inline uint64_t osw_replay_n_numbers(const struct osw_replay *replay)
{
    return replay->info.shard.n ? replay->info.shard.n_cells
                                : replay->n_planned;
}

/* Open files of a journal, to read results at places.  Any thread may read. */
typedef struct osw_replay_reader osw_replay_reader_t;

osw_replay_reader_t *
osw_replay_reader_open(const struct osw_replay *replay,
                       struct osw_error *err) OSW_MUST_CHECK;
void osw_replay_reader_close(osw_replay_reader_t *reader);

/* Read one result into *out.  `buffer` [OSW_RECORD_MAX_BYTES] and `samples`
 * [OSW_RECORD_MAX_SAMPLES] are the caller's, and out borrows from them.
 * sample_off is what the journal says, not yet that of a file.
 */
int osw_replay_read(const osw_replay_reader_t *reader,
                    const struct osw_replay_row *row, unsigned char *buffer,
                    float *samples, struct osw_record *out,
                    struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_REPLAY_H */
