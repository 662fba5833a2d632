/* results/history/history_view.h - a history as data: what was read and found
 *
 * Upstream: history.h.
 */
#ifndef OSW_RESULTS_HISTORY_VIEW_H
#define OSW_RESULTS_HISTORY_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/compare/compare_floor.h"
#include "results/compare/known_failures.h"

/* X(NAME, name, what it says), the gravest first. */
/* clang-format off */
#define OSW_HISTORY_MAP(X)                                                     \
    X(NEWLY_FAILING, "newly-failing", "passed, and does not any more")         \
    X(GONE,          "gone",          "was judged, and was not in the newest campaign") \
    X(REGRESSED,     "regressed",     "slower from a campaign on")             \
    X(DRIFTED,       "drifted",       "slower little by little, or than the baseline") \
    X(SHIFT,         "shift",         "all cells together are slower from a campaign on") \
    X(SLOWER,        "slower",        "looks slower: in too few campaigns, or too little, to be sure") \
    X(FLAKY,         "flaky",         "its verdict comes and goes")            \
    X(CHANGED,       "changed",       "does not pass, in another state than before") \
    X(PLACE,         "place",         "goes with a node or GPU, not with the time") \
    X(SHIFTED,       "shifted",       "all cells together changed, not for the worse or within --max-shift") \
    X(NEWLY_PASSING, "newly-passing", "did not pass, and does now")            \
    X(IMPROVED,      "improved",      "faster from a campaign on")             \
    X(FASTER,        "faster",        "looks faster: in too few campaigns, or too little, to be sure") \
    X(MENDED,        "mended",        "changed, and is as before again")
/* clang-format on */
enum osw_history_kind {
#define X(NAME, name, text) OSW_HISTORY_##NAME,
    OSW_HISTORY_MAP(X)
#undef X
        OSW_HISTORY_N_KINDS,
};

enum {
    OSW_HISTORY_MAX_CAMPAIGNS = 4096,
    OSW_HISTORY_MAX_POINTS = 1 << 26,
    OSW_HISTORY_SURE = 3,   /* campaigns after a step */
    OSW_HISTORY_RECENT = 5, /* campaigns held against the baseline */
};
/* False discovery rate of what a history calls sure.  Tails that are heavier
 * than Student's t allows for make it some 2 % more.
 */
#define OSW_HISTORY_FDR  0.01
#define OSW_HISTORY_NONE UINT32_MAX

struct osw_history_options {
    double threshold; /* least step that counts, 0.02 is 2 % */
    double max_shift; /* above it all cells together are `shift` */
    const char
        *pattern; /* OP/IMPL or OP/IMPL/CASE, see known_failures.h; NULL: all */
    size_t last;  /* newest campaigns that count; 0: all */
};

/* Texts are ids: osw_history_word(). */
struct osw_history_campaign {
    uint32_t path, uuid, created, revision, tool, profile, hostname;
    int64_t started_ns; /* its first result; INT64_MAX: it has none */
    bool complete, pinned;
    size_t n_judged;
};

/* A device as a campaign used it. */
struct osw_history_place {
    uint32_t campaign;
    uint32_t host, uuid, model, driver, runtime;
    struct osw_compare_floor floor;
    float shift; /* what all cells have in common here; 0: not known */
    size_t n_timed;
};

struct osw_history_cell {
    uint64_t key;
    uint32_t op, impl, of;
};

/* A cell that a campaign judged. */
struct osw_history_point {
    uint32_t cell, place;
    uint32_t source, rest; /* digests of its file, of what it is judged by */
    float x;               /* ln of the median in ns; NaN: not timed */
    float half;            /* of its interval; NaN: unknown */
    uint8_t status, timer;
    bool cold, throttled;
};

/* Points of a cell on a model of device: of its campaigns in order, a pinned
 * one in front.
 */
struct osw_history_series {
    size_t first, n;
};

struct osw_history_finding {
    enum osw_history_kind kind;
    uint32_t cell;              /* OSW_HISTORY_NONE: a place, or all cells */
    uint32_t model;             /* word */
    uint32_t before, since;     /* points around the change, or _NONE; places of
                                   `shift` and `shifted` */
    uint32_t n_before, n_after; /* points on both sides */
    double effect, half;        /* log of the ratio; NaN: none */
    double p;                   /* of the test of a time; NaN: none */
    double was_ns, now_ns;      /* levels; NaN: none */
    uint8_t was, is;            /* states; 0: none */
    bool against_baseline, drifts;
    uint32_t host, uuid;          /* of a place; words */
    uint32_t n_cells, n_measured; /* of a place: affected, and all there */
    uint32_t n_failing;           /* cells that fail there and nowhere else */
    int known, expired;           /* entry of the file; -1: none */
};

/* What came out; borrowed. */
struct osw_history_view {
    const struct osw_history_campaign *campaigns; /* by time */
    const struct osw_history_place *places;
    const struct osw_history_cell *cells;
    const struct osw_history_point *points;
    const struct osw_history_series *series;
    const struct osw_history_finding *findings; /* by kind, then campaign */
    size_t n_campaigns, n_places, n_cells, n_points, n_series, n_findings;
    size_t n_kind[OSW_HISTORY_N_KINDS]; /* without known ones */
    size_t n_known;
    /* Cells of the campaign before the newest (of the pinned one) on the models
     * of the newest: all, and those that are in the newest, too.
     */
    size_t n_judged, n_common;
    size_t n_followed; /* cells that a campaign which counts has judged */
    size_t n_timed;    /* series with times in two campaigns and more */
    bool complete;     /* the newest campaign is */
    const osw_known_failures_t *known;
    char *const *notes; /* [n_notes] for people */
    size_t n_notes;
};

struct osw_history;
typedef struct osw_history osw_history_t;

#endif /* OSW_RESULTS_HISTORY_VIEW_H */
