/* mpi_runner/batch/batch_script.h - the batch script of one campaign
 *
 * It is the shipped script (slurm/opsweep.sbatch) with options of sbatch and
 * the words of the campaign put in, so that it can be kept and submitted by
 * hand, from any folder.
 *
 * Upstream: `opsweep submit`.
 */
#ifndef OSW_MPI_RUNNER_BATCH_SCRIPT_H
#define OSW_MPI_RUNNER_BATCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"

enum { OSW_BATCH_MAX_SHARDS = 1000 }; /* MaxArraySize is 1001 by default */

struct osw_batch {
    const char *const *sbatch; /* [n_sbatch] "--nodes=4": see ..._check() */
    size_t n_sbatch;
    const char *comment;      /* of the job: names the result file */
    const char *folder;       /* in which it starts; NULL: where Slurm says */
    const char *program;      /* of ours; NULL: the script's default */
    const char *container;    /* image; NULL: none */
    const char *const *words; /* [n_words] of `opsweep run`, or of the merge */
    size_t n_words;
    const char *output; /* result file of all shards; NULL: in `words` */
    uint32_t n_shards;  /* 0: no array */
};

/* May that word stand in an #SBATCH line as it is?  0, or -1 with err set
 * (OSW_BAD_INPUT), which names the option.
 */
int osw_batch_check(const char *option, const char *word,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Is it a time as Slurm takes it: minutes, M:S, H:M:S, D-H, D-H:M, D-H:M:S or
 * UNLIMITED?  0, or -1 with err set (OSW_BAD_INPUT).
 */
int osw_batch_check_time(const char *word,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Is that word, an option of sbatch that was given for an array, one for the
 * job that merges its files, too: does it say where a job may run, not with
 * what?
 */
bool osw_batch_is_for_merge(const char *word);

/* Is that word sbatch's option --dependency, with its value or without? */
bool osw_batch_is_dependency(const char *word);

/* Add the command line that merges the files of an array. */
void osw_batch_add_merge(const char *output, struct osw_text *out);

/* "BASE.h5" is "BASE", whose shards are BASE.shard-I.h5. */
int osw_batch_base_length(const char *output);

/* "BASE.shard-I.ENDING"; NULL without memory. */
const char *osw_batch_shard_file(osw_arena_t *memory, const char *output,
                                 uint64_t i, const char *ending);

/* Files and exit codes that an earlier array left for shards 1 to n, as far as
 * there are some: the job that merges would take them for those of tasks that
 * never start.  They are set aside, and then put back or removed.  0, or -1
 * with err set: OSW_SYSTEM, OSW_NO_MEMORY; what was set aside is put back then.
 */
enum osw_batch_old {
    OSW_BATCH_SET_ASIDE,
    OSW_BATCH_PUT_BACK,
    OSW_BATCH_REMOVE
};
int osw_batch_old_shards(osw_arena_t *memory, const char *output, uint64_t n,
                         enum osw_batch_old what,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Is there neither a file nor a journal of any of them? */
bool osw_batch_shards_none(osw_arena_t *memory, const char *output, uint64_t n);

/* Can the result file, and those of shards 1 to n, be written?  See
 * results/file/run_place.h.  0, or -1 with err set.
 */
int osw_batch_try_places(osw_arena_t *memory, const char *output, uint64_t n,
                         bool force, struct osw_error *err) OSW_MUST_CHECK;

/* Warn of an image that is not there, if its name is that of a file; nodes may
 * have other files than this machine.
 */
void osw_batch_look_for_image(const char *image);

/* The text of the shipped script, which lives in the arena; NULL with err set:
 * OSW_SYSTEM, OSW_NO_MEMORY.
 */
const char *osw_batch_template(osw_arena_t *memory,
                               struct osw_error *err) OSW_MUST_CHECK;

/* Add the script; pure.  `script` is the text of the shipped one.  Returns 0,
 * or -1 with err set: OSW_BAD_INPUT (a comment of several lines; `script` does
 * not begin as one for bash), OSW_NO_MEMORY.
 */
int osw_batch_script(const char *script, const struct osw_batch *batch,
                     struct osw_text *out,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_BATCH_SCRIPT_H */
