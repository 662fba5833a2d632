/* results/file/file_runs.h - the runs that a result file was made of
 *
 * A file of `opsweep merge` has a table /runs, and a column /results/run that
 * says which of them a cell is from; any other file is one run.
 *
 * Upstream: merge.c wrote the table.  Downstream: merge again, `opsweep show`.
 */
#ifndef OSW_RESULTS_FILE_RUNS_H
#define OSW_RESULTS_FILE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "results/file/file.h"

/* X(member, description): texts, as in struct osw_file_info. */
#define OSW_FILE_RUN_TEXTS(X)                                                  \
    X(path, "name of its file when it was merged")                             \
    X(run_uuid, "its run")                                                     \
    X(created_utc, "when it began")                                            \
    X(sealed_utc, "when its file was written")                                 \
    X(tool_version, "version of opsweep")                                      \
    X(command_line, "how it was started")                                      \
    X(hostname, "where its coordinator ran")                                   \
    X(profile, "its profile")                                                  \
    X(campaign_sha256, "digest of its campaign")                               \
    X(campaign_path, "name of its campaign file")                              \
    X(campaign_json, "that file, verbatim")                                    \
    X(campaign_resolved, "JSON of what was run")                               \
    X(plan_sha256, "digest of its plan")

/* X(member, C type, type, description): numbers. */
#define OSW_FILE_RUN_NUMBERS(X)                                                \
    X(seed, uint64_t, u64, "its seed")                                         \
    X(mpi_size, uint32_t, u32, "its MPI ranks")                                \
    X(rank_first, int32_t, i32, "its rank 0 is this rank here")                \
    X(complete, uint8_t, u8, "1: it ended by itself, every cell recorded")     \
    X(n_planned, uint64_t, u64, "cells that it planned")                       \
    X(n_results, uint64_t, u64, "cells that it recorded")                      \
    X(n_kept, uint64_t, u64, "of those: in this file")                         \
    X(shard, uint32_t, u32, "which part of its campaign it is; 0: all of it")  \
    X(n_shards, uint32_t, u32, "of how many; 0: it is no part")

struct osw_file_run {
#define X(member, text) const char *member;
    OSW_FILE_RUN_TEXTS(X)
#undef X
#define X(member, type, wire, text) type member;
    OSW_FILE_RUN_NUMBERS(X)
#undef X
};

/* The runs of a file, at least one: [*n], the caller's to free; texts are
 * borrowed from the file.  NULL with err set.
 */
struct osw_file_run *osw_file_runs(const osw_file_t *file, size_t *n,
                                   struct osw_error *err) OSW_MUST_CHECK;

/* The run of each row, [n_results].  Returns 0, or -1 with err set: also when
 * one is not below n_runs.
 */
int osw_file_runs_of(const osw_file_t *file, size_t n_runs, uint32_t *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The run that recorded a cell, into *out. */
int osw_file_run_of(const osw_file_t *file, const struct osw_record *record,
                    struct osw_file_run *out,
                    struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_FILE_RUNS_H */
