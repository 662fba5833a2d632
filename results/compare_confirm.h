/* results/compare_confirm.h - suspicions, settled by more runs in turns
 *
 * A suspicion is confirmed when the cell differs in the same direction in
 * every round, and by enough in the middle.  So one that differs the other way
 * once cannot be confirmed any more, and is not run again: of cells that did
 * not change one in two drops out in each round.
 *
 * Noise alone agrees with a suspicion in n rounds with a chance of 2^-n.
 * Where many cells look changed more rounds are taken, so that of all cells
 * with times one in two hundred at most is expected to be called changed by
 * noise, however large that is.
 *
 * Upstream: mpi_runner/confirm.c runs.  Downstream: results/compare.h.
 */
#ifndef OSW_RESULTS_COMPARE_CONFIRM_H
#define OSW_RESULTS_COMPARE_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "results/compare.h"

enum { OSW_COMPARE_CONFIRM_MAX = 100 }; /* rounds */

struct osw_compare_suspicion {
    size_t pair;    /* index in osw_compare.pairs, until it is settled */
    float *effects; /* [n] of the rounds that timed it, in their order */
    unsigned n;
    bool open; /* another round could change what it comes to */
};

struct osw_compare_confirm {
    struct osw_compare *c; /* borrowed */
    struct osw_compare_suspicion *list;
    size_t n, n_open;
    unsigned n_rounds; /* that are taken, if anything is open still */
    unsigned n_taken;
    float *effects; /* of all */
};

/* Take up the suspicions of *c, for `least` rounds (1 to
 * OSW_COMPARE_CONFIRM_MAX) or more.  *out borrows c, whose pairs must not move
 * until it is settled.  Returns 0, or -1 with err set to OSW_NO_MEMORY; *out is
 * for osw_compare_confirm_end() either way.
 */
int osw_compare_confirm_begin(struct osw_compare *c, unsigned least,
                              struct osw_compare_confirm *out,
                              struct osw_error *err) OSW_MUST_CHECK;

/* One more round: files [n] of either side, which together hold the cells that
 * are open; those that are missing, or have no time, were not run.  Returns 0,
 * or -1 with err set: the file's failure, OSW_NO_MEMORY.
 */
int osw_compare_confirm_round(struct osw_compare_confirm *f,
                              const osw_file_t *const *bases, size_t n_bases,
                              const osw_file_t *const *nows, size_t n_nows,
                              struct osw_error *err) OSW_MUST_CHECK;

/* Is there anything that another round would settle? */
bool osw_compare_confirm_more(const struct osw_compare_confirm *f);

/* Say in *c what became of them, and sort it. */
void osw_compare_confirm_settle(struct osw_compare_confirm *f);
void osw_compare_confirm_end(struct osw_compare_confirm *f);

#endif /* OSW_RESULTS_COMPARE_CONFIRM_H */
