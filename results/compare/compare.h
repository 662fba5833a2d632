/* results/compare/compare.h - two result files, cell by cell
 *
 * Cells are joined by key.  Verdicts come first; of cells that passed in both
 * files the times are compared: effect = ln(new / base) with the machine-wide
 * shift taken out.  Half of its 95 % interval is sqrt(a^2 + b^2 + noise^2): of
 * both medians' intervals, and of how far launches of the same code differ.
 *
 * One launch each proves little, so a difference beyond its interval and the
 * threshold is a suspicion (`slower`, `faster`); runs in turns
 * (compare_confirm.h) confirm it (`regressed`, `improved`) or take it back.
 * Without them it is confirmed when it is twofold and more, no sample of the
 * one is within the other's, and its p-value stands Benjamini and Hochberg's
 * test among all times at OSW_COMPARE_FAR_FDR.  p is that of Student's t of 3
 * degrees of freedom (launches go wrong now and then), of the scale half /
 * 1.96, or the spread of all effects where that is larger.
 *
 * `same` is shown, not assumed: the 90 % interval lies within the margin.  All
 * else is `unsure`.  Formulas and sources: stats.h.
 *
 * Upstream: `opsweep compare`.  Downstream: results/compare/compare_side.h.
 */
#ifndef OSW_RESULTS_COMPARE_H
#define OSW_RESULTS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "results/compare/compare_side.h"

/* X(NAME, name, what it says), the gravest first. */
/* clang-format off */
#define OSW_COMPARE_MAP(X)                                                     \
    X(NEWLY_FAILING, "newly-failing", "passed, and does not any more")         \
    X(GONE,          "gone",          "was judged, and is not any more")       \
    X(REGRESSED,     "regressed",     "slower: in runs in turns, or far beyond noise") \
    X(SLOWER,        "slower",        "looks slower; undecided")               \
    X(CHANGED,       "changed",       "does not pass, in another state")       \
    X(NEWLY_PASSING, "newly-passing", "did not pass, and does now")            \
    X(NEW,           "new",           "was not judged before")                 \
    X(IMPROVED,      "improved",      "faster: in runs in turns, or far beyond noise") \
    X(FASTER,        "faster",        "looks faster; undecided")               \
    X(UNSURE,        "unsure",        "interval too wide to tell")             \
    X(INCOMPARABLE,  "incomparable",  "other or failed hardware, another timer, or held clocks") \
    X(SAME,          "same",          "differs by less than the margin")       \
    X(UNTIMED,       "untimed",       "verdict as before; no time in both")
/* clang-format on */
enum osw_compare_kind {
#define X(NAME, name, text) OSW_COMPARE_##NAME,
    OSW_COMPARE_MAP(X)
#undef X
        OSW_COMPARE_N_KINDS
};

const char *osw_compare_name(enum osw_compare_kind kind);
const char *osw_compare_text(enum osw_compare_kind kind);

struct osw_compare_options {
    double threshold;    /* least effect that counts, 0.02 is 2 % */
    double inject;       /* times of the new file are multiplied; 1: not */
    double inject_share; /* of that share of cells, chosen by key; 1: all */
    double margin; /* `same` differ by less; at least the threshold counts */
    bool unsure;   /* confirm cells of that kind, too */
};

enum {
    OSW_COMPARE_NO_ROW = -1,
    OSW_COMPARE_TAKEN_OUT = 20, /* cells that make a shift the machine's */
};
#define OSW_COMPARE_FDR     0.05   /* of what runs in turns confirm */
#define OSW_COMPARE_FAR_FDR 0.02   /* of what is confirmed without */
#define OSW_COMPARE_HALF_90 1.6449 /* of a normal distribution's interval */

struct osw_compare_pair {
    uint64_t key;
    int32_t base, now; /* rows; OSW_COMPARE_NO_ROW: not in that file */
    enum osw_compare_kind kind;
    float effect; /* ln(new / base) without the shift; NaN: no times */
    float half;   /* half width of its 95 % interval */
    float noise;  /* by which launches of identical code differ */
    bool apart;   /* no sample of the one is within the other's */
};

struct osw_compare {
    struct osw_compare_options options;
    struct osw_compare_side base, now;
    struct osw_compare_pair *pairs; /* [n] by kind, then by effect */
    size_t n;
    size_t n_common; /* in both files, judged in the base */
    size_t n_judged; /* judged in the base */
    size_t n_broken; /* of one file only: not compared, counted nowhere else */
    size_t n_kind[OSW_COMPARE_N_KINDS];
    size_t n_timed;    /* with times that can be compared */
    double shift;      /* machine-wide, ln(new / base); 0: below 5 cells */
    double shift_half; /* of its 95 % interval; NaN: unknown */
    double spread;     /* robust deviation of the effects around it */
    bool shift_out;    /* it was taken out of the effects: from 20 cells on */
    char **remarks;    /* [n_remarks] what else differs, for people */
    size_t n_remarks;
    size_t n_undecided; /* that look changed: more runs would tell */
    unsigned n_rounds;  /* of confirmation, at most of a cell; 0: none */
};

/* Compare two open files.  Returns 0, or -1 with err set: the file's failure,
 * OSW_NO_MEMORY; *out is for osw_compare_free() either way.
 */
int osw_compare_run(const osw_file_t *base, const osw_file_t *now,
                    const struct osw_compare_options *options,
                    struct osw_compare *out,
                    struct osw_error *err) OSW_MUST_CHECK;
void osw_compare_free(struct osw_compare *c);

/* The parts of it that confirming (compare_confirm.h) shares:
 *
 * ln(new / base) of a cell, injected slowdown included, the shift not taken
 * out; NaN: no times in both.
 */
double osw_compare_effect(const struct osw_compare *c,
                          const struct osw_compare_cell *base,
                          const struct osw_compare_cell *now);
/* What the times of a new cell are multiplied by; 1: it is not injected. */
double osw_compare_factor(const struct osw_compare *c, uint64_t key);
/* The least effect that counts in this pair, and what is the same. */
double osw_compare_threshold(const struct osw_compare *c,
                             const struct osw_compare_pair *p);
double osw_compare_margin(const struct osw_compare *c);
/* Can times of two cells be compared: same model of device and timer, both warm
 * or both cold, clocks not held down, no device that failed afterwards?
 */
bool osw_compare_alike(const struct osw_compare_side *s,
                       const struct osw_compare_cell *a,
                       const struct osw_compare_side *t,
                       const struct osw_compare_cell *b);
/* Something beside the cells, for people; once. */
void osw_compare_remark(struct osw_compare *c, const char *text);
/* Remark on devices, drivers, profiles, hosts. */
void osw_compare_surroundings(struct osw_compare *c);
/* Count the kinds anew, and put the pairs in order. */
void osw_compare_sort(struct osw_compare *c);

/* Is the shift above `most` (0.05 is 5 %), to the worse, and its interval above
 * 0?
 */
bool osw_compare_shifted(const struct osw_compare *c, double most);

struct osw_compare_format {
    const char *name;
    int (*write)(const struct osw_compare *c, size_t limit, FILE *out,
                 struct osw_error *err); /* limit: rows named of a kind */
};
/* NULL when there is none of that name; osw_compare_format_at(i): NULL after
 * the last.
 */
const struct osw_compare_format *osw_compare_format_find(const char *name);
const struct osw_compare_format *osw_compare_format_at(size_t i);

/* The rows of the table of formats. */
extern const struct osw_compare_format osw_compare_format_text;
extern const struct osw_compare_format osw_compare_format_markdown;
extern const struct osw_compare_format osw_compare_format_json;

#endif /* OSW_RESULTS_COMPARE_H */
