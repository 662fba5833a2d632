/* results/export/merge_parts.h - what the files of a merge share
 *
 * merge_input.c reads each file, merge_shards.c looks at parts of a campaign,
 * merge_plan.c decides which rows are kept,
 * merge_tables.c adds up what stands beside them, merge_describe.c says what
 * the whole is, merge.c writes it.
 */
#ifndef OSW_RESULTS_MERGE_PARTS_H
#define OSW_RESULTS_MERGE_PARTS_H

#include "common/arena.h"
#include "results/export/merge_plan.h"
#include "results/file/file.h"
#include "results/file/file_runs.h"
#include "results/file/generation.h"
#include "results/journal/replay.h"
#include "results/report/report_rows.h"

enum { OSW_MERGE_MAX_COLUMNS = 128 };

struct osw_merge_input {
    osw_file_t *file;
    uint32_t *map[OSW_DICT_COUNT]; /* [n_map] id in the file to merged id */
    uint32_t n_map[OSW_DICT_COUNT];
    struct osw_file_run *runs; /* [n_runs], owned; texts are the file's */
    size_t n_runs;
    size_t first_run; /* of it in the merged /runs */
    int32_t rank_first;
    uint32_t *run_of; /* [n_results] */
    const char *plan_sha256;
    struct osw_report_rows rows;
};

struct osw_merging {
    struct osw_merge_input *inputs; /* [n] */
    size_t n;
    osw_arena_t *arena;
    struct osw_merge_row *rows; /* [n_rows]; then the kept ones in front */
    size_t n_rows;
    size_t *plans;        /* [n] files of one plan have the same number */
    uint64_t *n_planned;  /* [n] by plan */
    uint64_t *n_recorded; /* [n] by plan */
    size_t n_plans;
    const struct osw_file_shard *shard; /* of those that are; NULL: none is */
    bool only_shards;                   /* all files are */
    struct osw_merge_plan decided;
    struct osw_replay out;
    struct osw_file_run *runs; /* [n_runs] all of them */
    size_t n_runs;
    uint32_t *run_of;                 /* [n_kept] */
    struct osw_generation generation; /* of all inputs */
    enum osw_dict dict_of[OSW_MERGE_MAX_COLUMNS];
};

/* Fails: -1. */
int osw_merge_no_memory(struct osw_error *err);

/* Ranks that its tables name: a session that went on may have had more than the
 * first.
 */
uint32_t osw_merge_n_ranks(const struct osw_merge_input *in);

/* The name of the file. */
const char *osw_merge_path_of(const struct osw_merge_input *in);

/* An id of the file becomes one of the merged file.  Returns 0, or -1 with err
 * set: OSW_BAD_INPUT, the file is damaged.
 */
int osw_merge_map_id(const struct osw_merge_input *in, enum osw_dict d,
                     uint32_t *id, struct osw_error *err) OSW_MUST_CHECK;

/* Read input i, after those before it.  Returns 0, or -1 with err set. */
int osw_merge_open_input(struct osw_merging *m, size_t i,
                         struct osw_error *err) OSW_MUST_CHECK;

/* All runs of all inputs into m->runs.  Returns 0, or -1 with err set. */
int osw_merge_collect_runs(struct osw_merging *m,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Devices, ranks, events, environment and sources of an input into m->out, how
 * its kernels were generated.
 * Returns 0, or -1 with err set.
 */
int osw_merge_tables(struct osw_merging *m, const struct osw_merge_input *in,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Are the files that are shards of one campaign, split in one way?  Sets
 * m->shard and m->only_shards.  Returns 0, or -1 with err set: OSW_BAD_INPUT.
 */
int osw_merge_check_shards(struct osw_merging *m,
                           struct osw_error *err) OSW_MUST_CHECK;

/* How many shards none of the files is, and which: "2, 5".  Returns 0, or -1
 * with err set (OSW_NO_MEMORY).
 */
int osw_merge_missing_shards(const struct osw_merging *m, uint32_t *n,
                             char *text, size_t size,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Fill in m->out.info and what else the file says of itself. */
int osw_merge_describe(struct osw_merging *m,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_MERGE_PARTS_H */
