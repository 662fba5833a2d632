/* results/export/merge.h - several result files into one
 *
 * Cells are the same by cell_key.  One that several files have is taken from
 * the last that judged it: a verdict of group infra yields to any other.  If
 * two files say another verdict, or measured it on another model of device,
 * that is a conflict, and an error unless `keep` decides.
 *
 * Shards of one campaign become the file that one run would have made; those
 * of another split, seed or campaign are an error.
 *
 * Files of one plan (equal plan_sha256, or shards of one campaign) keep the
 * numbers of their cells, in that order; else cells are numbered anew, file by
 * file.  Ranks are numbered on from file to file.  What each file said of
 * itself becomes a row of /runs, and the column /results/run names it; a file
 * that was merged before brings its rows along.  The same files give the same
 * bytes.
 *
 * Memory: 100 bytes a cell, beside dictionaries and blocks of 200 MiB at most.
 *
 * Upstream: `opsweep merge`.  Downstream: seal.c writes.
 */
#ifndef OSW_RESULTS_MERGE_H
#define OSW_RESULTS_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "results/export/merge_plan.h"
#include "results/file/file.h"

struct osw_merged {
    size_t n_files;
    uint64_t n_rows;
    uint64_t n_dropped;   /* results that another file's stands for */
    uint64_t n_conflicts; /* cells on which files do not agree */
    uint64_t n_missing;   /* planned cells without a result */
    uint32_t n_shards;    /* of the campaign; 0: the files are no shards */
    uint32_t n_missing_shards;
    char missing_shards[120]; /* their numbers, "2, 5" */
};

/* Write `path` of n files, replacing any.  Returns 0, or -1 with err set and
 * no file left over: OSW_BAD_INPUT (conflicts, a file of a newer schema, the
 * same file twice), or what reading and writing give.
 */
int osw_merge(osw_file_t *const *files, size_t n, enum osw_merge_keep keep,
              const char *path, struct osw_merged *out,
              struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_MERGE_H */
