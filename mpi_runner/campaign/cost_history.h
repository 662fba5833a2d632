/* mpi_runner/campaign/cost_history.h - what ops and cells took in earlier
 * campaigns, against what was predicted
 *
 * Predictions use shapes and ignore the code.  So each campaign stores, for
 * each op, how much longer than predicted its cells took; the next one starts
 * with the ops that take long.  Result files that --history names add what
 * single cells took: see cost_history_file.h, cost_predict.h.  The file decides
 * only the order of work: one that is missing, wrong or of another machine
 * costs time, nothing else.
 *
 * The file is text: "opsweep cost history 1", then lines
 *
 *     cuda correct TAB aten.add.Tensor TAB 12.5 300000
 *
 * of where (device and profile), op, nanoseconds for each predicted one, and
 * how many were predicted for a cell on average; sorted.  Lines of other
 * devices and profiles are kept.  What small cells took beyond the prediction
 * says no more of larger ones: it counts once, whatever their size.
 *
 * Upstream: cost_history_cache.c opens and saves.  Downstream: cost_predict.c
 * asks, the coordinator adds.
 */
#ifndef OSW_MPI_RUNNER_COST_HISTORY_H
#define OSW_MPI_RUNNER_COST_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { OSW_COST_HISTORY_MAX_LINES = 20000, OSW_COST_HISTORY_MAX_KEY = 400 };

typedef struct osw_cost_history osw_cost_history_t;

/* Of one op.  The caller adds to the sums. */
struct osw_cost_history_op {
    char *key;           /* "cuda correct\taten.add.Tensor" */
    double factor;       /* of earlier campaigns; 0: not known */
    double cell_ns;      /* predicted for a cell of theirs; 0: not known */
    double took_ns;      /* in this campaign, */
    double predicted_ns; /* of the same cells, */
    double n_cells;      /* so many */
};

/* Nothing is known yet.  `where` must not hold a tab; NULL without memory. */
osw_cost_history_t *osw_cost_history_create(const char *where) OSW_MUST_CHECK;
void osw_cost_history_destroy(
    osw_cost_history_t *history); /* NULL is ignored */

/* Add what text[0..n) says.  Returns 0, or -1 with err set, and some of it
 * added: OSW_BAD_INPUT "line 3: expected ..., found ..."; OSW_NO_MEMORY.
 */
int osw_cost_history_parse(osw_cost_history_t *history, const char *text,
                           size_t n, struct osw_error *err) OSW_MUST_CHECK;

/* The same of a file; a missing file is no error and adds nothing. */
int osw_cost_history_load(osw_cost_history_t *history, const char *path,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Replace the file: for ops of this campaign, its own factors are written.
 * Returns 0, or -1 with err set: see common/whole_file.h.
 */
int osw_cost_history_save(const osw_cost_history_t *history, const char *path,
                          struct osw_error *err) OSW_MUST_CHECK;

/* A cell of an earlier result file took so long.  Returns 0, or -1 without
 * memory.
 */
int osw_cost_history_add_cell(osw_cost_history_t *history, uint64_t cell_key,
                              const char *op, const char *impl,
                              double took_ns) OSW_MUST_CHECK;

/* The mean of what a cell took, and of what cells of an implementation took,
 * by osw_cost_table_key().  0: it is not known, or history is NULL.
 */
double osw_cost_history_cell_ns(const osw_cost_history_t *history,
                                uint64_t cell_key);
double osw_cost_history_impl_ns(const osw_cost_history_t *history,
                                uint64_t impl_key);

/* What a cell of an op takes, for which its size suggests so long; 0: nothing
 * is known of the op.
 */
double osw_cost_history_op_ns(const osw_cost_history_t *history, const char *op,
                              double suggested_ns);

/* An op of this campaign, which lives as long as *history; NULL without
 * memory.
 */
struct osw_cost_history_op *osw_cost_history_op(osw_cost_history_t *history,
                                                const char *op);

#endif /* OSW_MPI_RUNNER_COST_HISTORY_H */
