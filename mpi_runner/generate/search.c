/* mpi_runner/generate/search.c - what to ask a model for next */
#include "mpi_runner/generate/search.h"

enum {
    MAX_REPAIRS = 2, /* failures in a row, then the best again */
    PLATEAU = 3,     /* attempts after the best one that are no better */
    STAGNATION = 2,  /* the same, generations of a population */
};
#define NEAR_LIGHT 0.9

const char *const osw_search_names[] = {"best-of", "refine", "population",
                                        NULL};

const struct osw_attempt *osw_search_best(const struct osw_attempt *attempts,
                                          size_t n)
{
    const struct osw_attempt *best = NULL;

    for (size_t i = 0; i < n; i++)
        if (attempts[i].outcome == OSW_OUTCOME_JUDGED &&
            (!best || osw_attempt_better(&attempts[i].verdict, &best->verdict)))
            best = &attempts[i];
    return best;
}

uint64_t osw_search_random(uint64_t seed, uint64_t number)
{
    uint64_t z = seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The best of those judged that pass `least` cells or more, in order. */
static size_t choose_best(const struct osw_attempt *attempts, size_t n,
                          uint32_t least, const struct osw_attempt **out,
                          size_t room)
{
    size_t n_out = 0;

    for (size_t i = 0; i < n; i++) {
        const struct osw_attempt *a = &attempts[i];
        size_t at = n_out;

        if (a->outcome != OSW_OUTCOME_JUDGED || a->verdict.n_passed < least)
            continue;
        while (at > 0 && osw_attempt_better(&a->verdict, &out[at - 1]->verdict))
            at--;
        if (at >= room)
            continue;
        if (n_out < room)
            n_out++;
        for (size_t k = n_out - 1; k > at; k--)
            out[k] = out[k - 1];
        out[at] = a;
    }
    return n_out;
}

size_t osw_search_finalists(const struct osw_attempt *attempts, size_t n,
                            const struct osw_attempt **out, size_t room)
{
    return choose_best(attempts, n, 1, out, room);
}

static bool is_right(const struct osw_attempt *a)
{
    return a->outcome == OSW_OUTCOME_JUDGED && osw_attempt_right(&a->verdict);
}

static bool all_over(const struct osw_attempt *attempts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!osw_attempt_over(&attempts[i]))
            return false;
    return true;
}

static struct osw_search_choice ask(uint32_t parent)
{
    return (struct osw_search_choice){.what = OSW_SEARCH_ASK, .parent = parent};
}

/* Stop when nothing is under way any more. */
static struct osw_search_choice stop(const struct osw_attempt *attempts,
                                     size_t n, const char *why)
{
    struct osw_search_choice c = {.what = OSW_SEARCH_WAIT, .why = why};

    if (all_over(attempts, n))
        c.what = OSW_SEARCH_STOP;
    return c;
}

/* Why no more attempts are worth it, whatever follows; NULL: they are. */
static const char *enough(const struct osw_attempt *best)
{
    if (!best || !is_right(best))
        return NULL;
    if (best->verdict.n_timed == 0)
        return "right, and nothing is timed";
    return best->verdict.light >= NEAR_LIGHT ? "at 0.9 of the speed of light"
                                             : NULL;
}

/* --- refine --- */

static uint32_t last_judged(const struct osw_attempt *attempts, size_t n)
{
    while (n > 0 && attempts[n - 1].outcome != OSW_OUTCOME_JUDGED)
        n--;
    return n > 0 ? attempts[n - 1].number : 0;
}

/* What the next attempt works on: the last one that failed, to be repaired, or
 * after two failures in a row the best.  Where none passes a cell, the last one
 * knows the most.
 */
static uint32_t choose_parent(const struct osw_attempt *attempts, size_t n,
                              const struct osw_attempt *best)
{
    const struct osw_attempt *last = &attempts[n - 1];
    size_t n_failed = 0;

    while (n_failed < n && !is_right(&attempts[n - 1 - n_failed]))
        n_failed++;
    if (last->outcome == OSW_OUTCOME_JUDGED && n_failed > 0 &&
        n_failed < MAX_REPAIRS)
        return last->number;
    return best && best->verdict.n_passed > 0 ? best->number
                                              : last_judged(attempts, n);
}

static struct osw_search_choice refine(const struct osw_search_rules *rules,
                                       const struct osw_attempt *attempts,
                                       size_t n)
{
    const struct osw_attempt *best = osw_search_best(attempts, n);
    size_t since = rules->width; /* the starts were not after it */

    if (n < rules->width)
        return ask(0);
    if (best && best->number > since)
        since = best->number;
    if (best && is_right(best) && n >= since + PLATEAU)
        return stop(attempts, n, "the last 3 attempts were no better");
    if (!all_over(attempts, n))
        return (struct osw_search_choice){.what = OSW_SEARCH_WAIT};
    return ask(choose_parent(attempts, n, best));
}

/* --- population --- */

/* One of the alive, the first of n with n times the weight of the last; 0:
 * there is none.
 */
static uint32_t choose_by_rank(const struct osw_attempt **alive, size_t n,
                               uint64_t seed, uint64_t number)
{
    uint64_t at = n ? osw_search_random(seed, number) % (n * (n + 1) / 2) : 0;
    size_t rank = 0;

    while (rank < n && at >= n - rank)
        at -= n - rank++;
    return rank < n ? alive[rank]->number : 0;
}

/* Parents are of earlier generations alone, so that choices do not depend on
 * which answer comes first.
 */
static struct osw_search_choice populate(const struct osw_search_rules *rules,
                                         const struct osw_attempt *attempts,
                                         size_t n)
{
    const struct osw_attempt *alive[OSW_ATTEMPT_MAX];
    size_t width = rules->width, n_before = n / width * width, n_alive;
    const struct osw_attempt *best = osw_search_best(attempts, n_before);

    if (!all_over(attempts, n_before))
        return (struct osw_search_choice){.what = OSW_SEARCH_WAIT};
    if (best && is_right(best) &&
        n_before / width > (best->number - 1) / width + STAGNATION)
        return stop(attempts, n, "the last 2 generations were no better");
    n_alive = choose_best(attempts, n_before, 0, alive, width);
    return ask(choose_by_rank(alive, n_alive, rules->seed, n + 1));
}

/* --- all --- */

static struct osw_search_choice start_anew(const struct osw_search_rules *rules,
                                           const struct osw_attempt *attempts,
                                           size_t n)
{
    (void)rules;
    (void)attempts;
    (void)n;
    return ask(0);
}

static const struct {
    bool ends_early;
    struct osw_search_choice (*next)(const struct osw_search_rules *rules,
                                     const struct osw_attempt *attempts,
                                     size_t n);
} searches[] = {
    [OSW_SEARCH_BEST_OF] = {false, start_anew},
    [OSW_SEARCH_REFINE] = {true, refine},
    [OSW_SEARCH_POPULATION] = {true, populate},
};

struct osw_search_choice osw_search_next(const struct osw_search_rules *rules,
                                         const struct osw_attempt *attempts,
                                         size_t n)
{
    const char *why = searches[rules->search].ends_early
                          ? enough(osw_search_best(attempts, n))
                          : NULL;

    if (!why && n >= rules->n_attempts)
        why = "all attempts were made";
    return why ? stop(attempts, n, why)
               : searches[rules->search].next(rules, attempts, n);
}
