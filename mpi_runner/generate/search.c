/* mpi_runner/generate/search.c - what to ask a model for next */
#include "mpi_runner/generate/search.h"

enum {
    MAX_REPAIRS = 2, /* failures in a row, then the best again */
    PLATEAU = 3,     /* attempts after the best one that are no better */
};
#define NEAR_LIGHT 0.9

const char *const osw_search_names[] = {"best-of", "refine", NULL};

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

size_t osw_search_finalists(const struct osw_attempt *attempts, size_t n,
                            const struct osw_attempt **out, size_t room)
{
    size_t n_out = 0;

    for (size_t i = 0; i < n; i++) {
        const struct osw_attempt *a = &attempts[i];
        size_t at = n_out;

        if (a->outcome != OSW_OUTCOME_JUDGED || a->verdict.n_passed == 0)
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

/* Why no more attempts are worth it; NULL: they are. */
static const char *enough(const struct osw_attempt *best, size_t n_after)
{
    if (!best || !is_right(best))
        return NULL;
    if (best->verdict.n_timed == 0)
        return "right, and nothing is timed";
    if (best->verdict.light >= NEAR_LIGHT)
        return "at 0.9 of the speed of light";
    return n_after >= PLATEAU ? "the last 3 attempts were no better" : NULL;
}

/* What the next attempt works on: the last one that failed, to be repaired, or
 * after two failures in a row the best.
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
    return best ? best->number : 0;
}

struct osw_search_choice osw_search_next(const struct osw_search_rules *rules,
                                         const struct osw_attempt *attempts,
                                         size_t n)
{
    const struct osw_attempt *best = osw_search_best(attempts, n);
    bool refine = rules->search == OSW_SEARCH_REFINE;
    uint32_t n_starts = refine ? rules->width : rules->n_attempts;
    const char *why = NULL;

    if (refine)
        why = enough(
            best, best && n > n_starts
                      ? n - (best->number > n_starts ? best->number : n_starts)
                      : 0);
    if (!why && n >= rules->n_attempts)
        why = "all attempts were made";
    if (why)
        return stop(attempts, n, why);
    if (n < n_starts)
        return ask(0);
    if (!all_over(attempts, n))
        return (struct osw_search_choice){.what = OSW_SEARCH_WAIT};
    return ask(choose_parent(attempts, n, best));
}
