/* tests/unit/mpi_runner/test_generate_search.c - what a model is asked for
 * next, and what meets in the end */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/generate/final.h"
#include "mpi_runner/generate/search.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX = 16 };

/* One character an attempt, from nothing: ? is asked, f failed, w wrong, h half
 * right, digits are right with a speedup of so much, l is at the speed of
 * light, r right without times.
 */
static size_t read_attempts(const char *text, struct osw_attempt out[MAX])
{
    size_t n = strlen(text);

    memset(out, 0, MAX * sizeof(*out));
    for (size_t i = 0; i < n; i++) {
        struct osw_attempt_verdict *v = &out[i].verdict;
        char c = text[i];

        out[i].number = (uint32_t)i + 1;
        out[i].outcome = c == '?'   ? OSW_OUTCOME_ASKED
                         : c == 'f' ? OSW_OUTCOME_FAILED
                                    : OSW_OUTCOME_JUDGED;
        v->n_planned = 4;
        v->n_passed = c == 'h' ? 2 : strchr("wf?", c) ? 0 : 4;
        if ((c >= '0' && c <= '9') || c == 'l') {
            v->n_timed = 2;
            v->speedup = c == 'l' ? 5 : c - '0';
            v->speedup_lo = v->speedup * 0.9;
            v->speedup_hi = v->speedup * 1.1;
            v->light = c == 'l' ? 0.95 : 0.1;
        }
    }
    return n;
}

/* clang-format off */
static const struct {
    const char *what;
    enum osw_search search;
    const char *attempts;
    enum osw_search_what want;
    uint32_t parent;
    const char *why;
} cases[] = {
    {"the first", OSW_SEARCH_REFINE, "", OSW_SEARCH_ASK, 0, NULL},
    {"starts side by side", OSW_SEARCH_REFINE, "??", OSW_SEARCH_ASK, 0, NULL},
    {"starts are waited for", OSW_SEARCH_REFINE, "??w", OSW_SEARCH_WAIT, 0, NULL},
    {"the best is improved", OSW_SEARCH_REFINE, "w21", OSW_SEARCH_ASK, 2, NULL},
    {"more cells count first", OSW_SEARCH_REFINE, "hw1", OSW_SEARCH_ASK, 3, NULL},
    {"none is right: the best of them", OSW_SEARCH_REFINE, "whw", OSW_SEARCH_ASK, 2, NULL},
    {"a failure is repaired", OSW_SEARCH_REFINE, "121w", OSW_SEARCH_ASK, 4, NULL},
    {"after two the best again", OSW_SEARCH_REFINE, "121ww", OSW_SEARCH_ASK, 2, NULL},
    {"a request failed: the best", OSW_SEARCH_REFINE, "121f", OSW_SEARCH_ASK, 2, NULL},
    {"requests failed: from nothing", OSW_SEARCH_REFINE, "fff", OSW_SEARCH_ASK, 0, NULL},
    {"one under way", OSW_SEARCH_REFINE, "121?", OSW_SEARCH_WAIT, 0, NULL},
    {"a plateau", OSW_SEARCH_REFINE, "121322", OSW_SEARCH_ASK, 4, NULL},
    {"of three", OSW_SEARCH_REFINE, "1213222", OSW_SEARCH_STOP, 0, "the last 3 attempts were no better"},
    {"starts are no plateau", OSW_SEARCH_REFINE, "211", OSW_SEARCH_ASK, 1, NULL},
    {"wrong for long is none, and the last one goes on", OSW_SEARCH_REFINE, "wwwwwww", OSW_SEARCH_ASK, 7, NULL},
    {"the last one that was judged", OSW_SEARCH_REFINE, "wwwff", OSW_SEARCH_ASK, 3, NULL},
    {"at the speed of light", OSW_SEARCH_REFINE, "12l", OSW_SEARCH_STOP, 0, "at 0.9 of the speed of light"},
    {"nothing is timed", OSW_SEARCH_REFINE, "wwr", OSW_SEARCH_STOP, 0, "right, and nothing is timed"},
    {"all were made", OSW_SEARCH_REFINE, "wwwwwwww", OSW_SEARCH_STOP, 0, "all attempts were made"},
    {"the last is waited for", OSW_SEARCH_REFINE, "wwwwwww?", OSW_SEARCH_WAIT, 0, "all attempts were made"},
    {"population: starts side by side", OSW_SEARCH_POPULATION, "w?", OSW_SEARCH_ASK, 0, NULL},
    {"a generation is waited for", OSW_SEARCH_POPULATION, "2?1", OSW_SEARCH_WAIT, 0, NULL},
    {"the next one side by side", OSW_SEARCH_POPULATION, "fwf?", OSW_SEARCH_ASK, 2, NULL},
    {"none is alive: from nothing", OSW_SEARCH_POPULATION, "fff", OSW_SEARCH_ASK, 0, NULL},
    {"its own generation is no parent", OSW_SEARCH_POPULATION, "fwf99", OSW_SEARCH_ASK, 2, NULL},
    {"a population at the speed of light", OSW_SEARCH_POPULATION, "1wl", OSW_SEARCH_STOP, 0, "at 0.9 of the speed of light"},
    {"its end is waited for", OSW_SEARCH_POPULATION, "1wwl?", OSW_SEARCH_WAIT, 0, NULL},
    {"best-of asks at once", OSW_SEARCH_BEST_OF, "????", OSW_SEARCH_ASK, 0, NULL},
    {"best-of never refines", OSW_SEARCH_BEST_OF, "12lr", OSW_SEARCH_ASK, 0, NULL},
    {"best-of ends", OSW_SEARCH_BEST_OF, "12345678", OSW_SEARCH_STOP, 0, "all attempts were made"},
};
/* clang-format on */

static void choices_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        const struct osw_search_rules rules = {
            .search = cases[i].search, .n_attempts = 8, .width = 3};
        struct osw_attempt attempts[MAX];
        size_t n = read_attempts(cases[i].attempts, attempts);
        struct osw_search_choice c = osw_search_next(&rules, attempts, n);

        print_message("  case: %s\n", cases[i].what);
        assert_int_equal(c.what, cases[i].want);
        if (c.what == OSW_SEARCH_ASK)
            assert_int_equal(c.parent, cases[i].parent);
        if (cases[i].why)
            assert_string_equal(c.why, cases[i].why);
    }
}

/* Each is improved, the better the more often; by the seed alone. */
static void parents_are_chosen_by_rank(void **state)
{
    struct osw_attempt attempts[MAX];
    size_t n = read_attempts("1h32w5", attempts), count[MAX] = {0};
    struct osw_search_rules rules = {
        .search = OSW_SEARCH_POPULATION, .n_attempts = 99, .width = 3};

    (void)state;
    for (rules.seed = 0; rules.seed < 6000; rules.seed++) {
        struct osw_search_choice c = osw_search_next(&rules, attempts, n);

        assert_int_equal(c.what, OSW_SEARCH_ASK);
        assert_int_equal(c.parent, osw_search_next(&rules, attempts, n).parent);
        count[c.parent]++;
    }
    /* 6, 3 and 4 are alive, with weights of 3, 2 and 1. */
    assert_in_range(count[6], 2850, 3150);
    assert_in_range(count[3], 1850, 2150);
    assert_in_range(count[4], 850, 1150);
    assert_int_equal(count[6] + count[3] + count[4], 6000);
}

static void a_population_that_stagnates_ends(void **state)
{
    static const struct {
        const char *attempts;
        enum osw_search_what want;
    } rows[] = {
        {"1231", OSW_SEARCH_ASK},          {"123112", OSW_SEARCH_ASK},
        {"123112111", OSW_SEARCH_STOP},    {"123114111", OSW_SEARCH_ASK},
        {"123114111222", OSW_SEARCH_STOP}, {"wwwwwwwww", OSW_SEARCH_ASK}};
    const struct osw_search_rules rules = {
        .search = OSW_SEARCH_POPULATION, .n_attempts = 99, .width = 3};

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_attempt attempts[MAX];
        size_t n = read_attempts(rows[i].attempts, attempts);
        struct osw_search_choice c = osw_search_next(&rules, attempts, n);

        print_message("  case: %s\n", rows[i].attempts);
        assert_int_equal(c.what, rows[i].want);
        if (c.what == OSW_SEARCH_STOP)
            assert_string_equal(c.why, "the last 2 generations were no better");
    }
}

static void finalists_are_the_best_in_order(void **state)
{
    struct osw_attempt attempts[MAX];
    size_t n = read_attempts("w1h3f23", attempts);
    const struct osw_attempt *out[3];

    (void)state;
    assert_int_equal(osw_search_finalists(attempts, n, out, 3), 3);
    assert_int_equal(out[0]->number, 4); /* of equals the first */
    assert_int_equal(out[1]->number, 7);
    assert_int_equal(out[2]->number, 6);
    n = read_attempts("wwf?", attempts);
    assert_int_equal(osw_search_finalists(attempts, n, out, 3), 0);
    assert_int_equal(osw_search_best(attempts, n)->number, 1);
    n = read_attempts("?f", attempts);
    assert_null(osw_search_best(attempts, n));
}

static void without_intervals_the_speedup_counts(void **state)
{
    struct osw_attempt a[MAX];

    (void)state;
    (void)read_attempts("12", a);
    assert_true(osw_attempt_better(&a[1].verdict, &a[0].verdict));
    assert_false(osw_attempt_better(&a[0].verdict, &a[0].verdict));
    a[0].verdict.speedup_lo = 0;
    assert_true(osw_attempt_better(&a[1].verdict, &a[0].verdict));
    a[1].verdict.n_planned = 0;
    assert_false(osw_attempt_better(&a[1].verdict, &a[0].verdict));
}

static struct osw_finalist finalist(double speedup, double half, uint32_t bad)
{
    return (struct osw_finalist){.verdict = {.n_planned = 4,
                                             .n_passed = 4 - bad,
                                             .n_timed = 2,
                                             .speedup = speedup,
                                             .speedup_lo = speedup - half,
                                             .speedup_hi = speedup + half}};
}

static void the_last_campaign_decides(void **state)
{
    const struct osw_finalist f[] = {finalist(2, 0.1, 0), finalist(3, 0.1, 1),
                                     finalist(2.15, 0.1, 0)};
    struct osw_finalist unknown = finalist(9, 0.1, 0);

    (void)state;
    assert_int_equal(osw_final_choose(f, 3), 2);
    assert_int_equal(osw_final_choose(f + 1, 1), -1);
    assert_int_equal(osw_final_choose(f, 0), -1);
    assert_false(osw_final_told_apart(&f[0], &f[2]));
    assert_true(osw_final_told_apart(&f[0], &f[1]));
    unknown.verdict.speedup_lo = 0;
    assert_false(osw_final_told_apart(&f[0], &unknown));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_by_table),
        cmocka_unit_test(parents_are_chosen_by_rank),
        cmocka_unit_test(a_population_that_stagnates_ends),
        cmocka_unit_test(finalists_are_the_best_in_order),
        cmocka_unit_test(without_intervals_the_speedup_counts),
        cmocka_unit_test(the_last_campaign_decides),
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_search", tests,
                                       NULL, NULL);
}
