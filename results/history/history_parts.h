/* results/history/history_parts.h - what the files of a history share
 *
 * history_load.c reads, history.c joins, history_shift.c takes out what all
 * cells have in common, history_follow.c follows a series, history_times.c
 * judges times, history_state.c verdicts; history_facts.c says what else
 * changed.
 */
#ifndef OSW_RESULTS_HISTORY_PARTS_H
#define OSW_RESULTS_HISTORY_PARTS_H

#include "results/compare/compare_side.h"
#include "results/history/changes.h"
#include "results/history/history_view.h"
#include "results/journal/dict.h"

enum { OSW_HISTORY_LEAST_SHARED = 20 }; /* cells that make a shift */

/* A run of opsweep: a campaign may be merged of several. */
struct osw_history_run {
    uint32_t uuid, campaign;
};

/* A cell that a campaign skipped as broken: nothing is known of it there. */
struct osw_history_broken {
    uint64_t key;
    uint32_t path; /* word: of the campaign */
};

/* A cell that is slower (or fails) at a place. */
struct osw_history_at {
    uint32_t host, uuid, model; /* uuid NONE: the whole host */
    uint32_t cell;              /* NONE: all cells together */
    double effect;              /* NaN: it fails there */
};

/* The newest campaign, and the one before it (or the pinned one), that judged
 * on a model; NONE.
 */
struct osw_history_model {
    uint32_t model, newest, before;
};

struct osw_history {
    struct osw_history_options options;
    struct osw_history_view v; /* counts; arrays are those below */
    osw_dicts_t *words;
    struct osw_history_campaign *campaigns;
    struct osw_history_place *places;
    struct osw_history_cell *cells;
    uint32_t *by_key; /* [n_cells] */
    struct osw_history_point *points;
    struct osw_history_series *series;
    struct osw_history_finding *findings;
    struct osw_history_run *runs;
    struct osw_history_broken *broken; /* [n_broken] */
    struct osw_history_at *ats;
    struct osw_history_model *models;
    char **notes;
    double *ps; /* [n_ps] of the tests of times */
    size_t n_broken, size_broken;
    size_t n_runs, n_ats, n_models, n_ps, size_ps;
    size_t size_campaigns, size_places, size_cells, size_points, size_findings,
        size_runs, size_ats, size_models, size_notes;
    struct osw_changes_series scratch; /* for the longest series */
    uint32_t *when, *where;            /* of scratch */
    uint32_t *index, *at;              /* points of scratch, and their places */
};

/* Make room for one more of an array.  0, or -1 with err set. */
int osw_history_grow(void *array, size_t *size, size_t n, size_t item,
                     struct osw_error *err) OSW_MUST_CHECK;
#define OSW_HISTORY_GROW(h, name, err)                                         \
    osw_history_grow(&(h)->name, &(h)->size_##name, (h)->v.n_##name,           \
                     sizeof(*(h)->name), err)

/* The id of a word.  0, or -1 with err set. */
int osw_history_intern(osw_history_t *h, const char *text, uint32_t *id,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Was the cell of that point judged in a campaign, on whatever model? */
bool osw_history_judged_in(const osw_history_t *h, uint32_t point,
                           uint32_t campaign);

/* Put a finding of that kind, all else missing, after the others; NULL with
 * err set.
 */
struct osw_history_finding *osw_history_found(osw_history_t *h,
                                              enum osw_history_kind kind,
                                              struct osw_error *err);
int osw_history_found_at(osw_history_t *h, const struct osw_history_at *at,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Points of a series that were timed in the same way, as *class says, into
 * h->index; how many.  *class starts at 0 and moves on; 0 points: no more.  A
 * pinned campaign's come first, *n_pinned of them.
 */
size_t osw_history_timed(osw_history_t *h, const struct osw_history_series *s,
                         size_t *class, size_t *n_pinned);

static inline const struct osw_history_place *
osw_history_place_of(const osw_history_t *h, uint32_t point)
{
    return &h->places[h->points[point].place];
}

/* Is the campaign of a point pinned? */
static inline bool osw_history_pinned(const osw_history_t *h, size_t point)
{
    return h->campaigns[h->places[h->points[point].place].campaign].pinned;
}

const struct osw_history_model *osw_history_model_of(const osw_history_t *h,
                                                     uint32_t model);

/* How a series went, once places are out of it. */
struct osw_history_course {
    struct osw_changes_noise noise;
    bool is_short; /* too short for its own noise to be known */
    double least;  /* step that counts */
    double p;      /* of its best cut, 1: it is too small */
    struct osw_changes_segment segments[OSW_CHANGES_MAX_SEGMENTS];
    size_t n_segments;
};

/* What is known of a series beforehand, in log. */
struct osw_history_prior {
    double noise;    /* of such cells */
    double measured; /* noise within campaigns: it is no less */
    double floor;    /* step that counts while its own noise is not known */
    struct osw_changes_pairs all; /* of all series, for their correlation */
};

/* Follow n points of which h->scratch.x, h->when and h->at are filled; places
 * that are off are told as those of `cell` (NONE: all).
 */
int osw_history_follow(osw_history_t *h, size_t n, uint32_t cell,
                       const struct osw_history_prior *prior,
                       struct osw_history_course *out,
                       struct osw_error *err) OSW_MUST_CHECK;

int osw_history_shift(osw_history_t *h, struct osw_error *err) OSW_MUST_CHECK;
/* What all cells have in common, campaign by campaign. */
int osw_history_common(osw_history_t *h, struct osw_error *err) OSW_MUST_CHECK;
int osw_history_times(osw_history_t *h, struct osw_error *err) OSW_MUST_CHECK;
int osw_history_states(osw_history_t *h, struct osw_error *err) OSW_MUST_CHECK;
int osw_history_gather_places(osw_history_t *h,
                              struct osw_error *err) OSW_MUST_CHECK;

/* The campaigns around a finding; NONE. */
uint32_t osw_history_since(const osw_history_t *h,
                           const struct osw_history_finding *f);
uint32_t osw_history_before(const osw_history_t *h,
                            const struct osw_history_finding *f);

/* What differs between them, as "a, b"; nothing when nothing is known to: what
 * the campaigns say of themselves, and what is about the finding's own cell or
 * place.
 */
struct osw_text;
void osw_history_campaign_facts(const osw_history_t *h,
                                const struct osw_history_finding *f,
                                struct osw_text *out);
void osw_history_cell_facts(const osw_history_t *h,
                            const struct osw_history_finding *f,
                            struct osw_text *out);

/* "OP/IMPL CASE", or the place, or "all cells on MODEL". */
void osw_history_what(const osw_history_t *h,
                      const struct osw_history_finding *f,
                      struct osw_text *out);

#endif /* OSW_RESULTS_HISTORY_PARTS_H */
