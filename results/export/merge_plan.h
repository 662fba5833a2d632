/* results/export/merge_plan.h - which result of which file stands for a cell
 *
 * Upstream: merge_input.c reads columns into rows.  Pure.
 */
#ifndef OSW_RESULTS_MERGE_PLAN_H
#define OSW_RESULTS_MERGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum osw_merge_keep {
    OSW_MERGE_AGREEING, /* the last; a conflict is an error */
    OSW_MERGE_FIRST,
    OSW_MERGE_LAST,
};

/* A result of a file. */
struct osw_merge_row {
    uint64_t key;  /* cell_key */
    uint64_t cell; /* in the plan of its file */
    uint32_t file, row;
    uint32_t nth;    /* of its key in its file, from 0 */
    uint32_t device; /* in the merged dictionary; 0: not known */
    uint32_t sample_n;
    uint8_t status; /* enum osw_state */
    bool kept;
};

/* What came out; a conflict is named by its first two rows. */
struct osw_merge_plan {
    size_t n_kept;
    uint64_t n_conflicts;
    struct osw_merge_row conflict[2];
};

/* Decide for all n rows, and move those that are kept to the front, in the
 * order of the merged file: by cell when `one_plan`, else by file and row.
 * n_recorded[plan] is the number of different cells of each plan, where
 * plans[file] says whose plan a file has.
 */
void osw_merge_decide(struct osw_merge_row *rows, size_t n,
                      enum osw_merge_keep keep, bool one_plan,
                      const size_t *plans, uint64_t *n_recorded,
                      struct osw_merge_plan *out);

#endif /* OSW_RESULTS_MERGE_PLAN_H */
