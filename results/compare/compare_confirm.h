/* results/compare/compare_confirm.h - suspicions, settled by more runs in turns
 *
 * A round runs each cell once on both sides.  It counts when the cell passed on
 * both, on the model of device and by the timer of the base, and clocks were
 * not held down; what does not count is taken again.  Up to 20 cells that are
 * the same run along: their median is what the machine did in that round, and
 * is taken out.
 *
 * Each round is a bet that the cell differs in the direction of its suspicion
 * (stats.h): of code that did not change it is lost every other time.  Changed
 * are the cells whose e-values stand the test of all suspicions at
 * OSW_COMPARE_FDR, after all rounds asked for, by three quarters of the
 * threshold and more.  That holds for any noise, whatever cells have in common,
 * and however often it is looked at.  A cell whose capital falls below a
 * quarter is dropped: of cells that did not change most are after two rounds.
 *
 * Effects become those of the rounds alone: their mean, and Student's 95 %
 * interval of it.
 *
 * Upstream: mpi_runner/diagnose/confirm.c runs.  Downstream:
 * results/compare/compare.h.
 */
#ifndef OSW_RESULTS_COMPARE_CONFIRM_H
#define OSW_RESULTS_COMPARE_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "results/compare/compare.h"

enum { OSW_COMPARE_CONFIRM_MAX = 100 }; /* rounds */

struct osw_compare_suspicion {
    size_t pair;    /* index in osw_compare.pairs, until it is settled */
    float *effects; /* [n] of the rounds that count, in their order */
    unsigned n, n_void;
    double capital; /* of its bets: an e-value */
    bool control;   /* runs along, for what the machine does */
    bool open;      /* another round could change what it comes to */
};

struct osw_compare_confirm {
    struct osw_compare *c;              /* borrowed */
    struct osw_compare_suspicion *list; /* [n + n_controls] */
    size_t n, n_controls, n_open;       /* n_open: of the suspicions */
    unsigned least;                     /* rounds that were asked for */
    unsigned n_rounds; /* that are taken, if anything is open still */
    unsigned n_most;   /* when some do not count, or one bet is lost */
    unsigned n_taken;
    float *effects;  /* of all */
    double *scratch; /* [n] */
};

/* Take up what looks changed in *c, confirmed by far or not, and with
 * options.unsure what one run each cannot tell, for `least` rounds
 * (1 to OSW_COMPARE_CONFIRM_MAX) or more.  *out borrows c, whose pairs must not
 * move until it is settled.  Returns 0, or -1 with err set to OSW_NO_MEMORY;
 * *out is for osw_compare_confirm_end() either way.
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
