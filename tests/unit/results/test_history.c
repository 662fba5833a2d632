/* tests/unit/results/test_history.c - campaigns made by hand, and what is found
 *
 * tests/shell/test_history.sh has the command and more cells; statistics are
 * test_changes.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "results/history/history.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define DAY_NS    INT64_C(86400000000000)

enum { MOST_CELLS = 30, MOST_FILES = 24 };

/* A cell of a campaign. */
struct made {
    uint64_t key;
    enum osw_state state; /* NONE: not there */
    double us;            /* 0: not timed */
    uint8_t timer;        /* 0: graph */
    uint64_t throttle;
    const char *reason;
};

struct fixture {
    struct folder folder;
    char paths[MOST_FILES][600];
    size_t n;
    const char *model;  /* of the next campaign; NULL: "H200" */
    bool complete;      /* the next campaign is */
    int64_t started_ns; /* of its cells; 0: not known, and a day later */
    osw_history_t *h;
    struct osw_error err;
};

static const struct osw_history_options plain = {.threshold = 0.02,
                                                 .max_shift = 0.05};

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    *state = &f;
    return folder_make(&f.folder);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_history_destroy(f->h);
    return folder_remove(&f->folder);
}

/* The next day's campaign on a GPU of a host. */
static void make(struct fixture *f, const char *host, const char *gpu,
                 const struct made *cells, size_t n)
{
    struct osw_run_info info = fixture_info();
    const char *model = f->model ? f->model : "H200";
    struct osw_device_info device = fixture_device(1);
    char path[600], uuid[37], text[32];
    osw_run_t *run;

    snprintf(path, sizeof(path), "%s/%02zu.h5", f->folder.dir, f->n);
    memcpy(f->paths[f->n], path, sizeof(path));
    snprintf(uuid, sizeof(uuid), "%08zu-89ab-4cde-8f01-23456789abcd", f->n);
    info.uuid = uuid;
    info.n_planned = n;
    info.t_start_ns += f->started_ns ? 0 : (int64_t)f->n * DAY_NS;
    f->n++;
    strcpy(device.health, "ok");
    strcpy(device.uuid, gpu);
    strcpy(device.name, model);
    run = osw_run_create(path, &info, true, &f->err);
    assert_non_null(run);
    assert_int_equal(osw_run_device(run, host, &device, 1, &f->err), 0);
    for (size_t i = 0; i < n; i++) {
        struct osw_cell_names names = {"add",    "fast", text, "f32",
                                       "normal", host,   model};
        struct osw_record r;

        if (cells[i].state == OSW_STATE_NONE)
            continue;
        osw_record_init(&r);
        r.cell = i;
        r.cell_key = cells[i].key;
        r.rank = 1;
        r.attempt = 1;
        r.status_id = (uint8_t)cells[i].state;
        if (cells[i].state == OSW_STATE_LOAD) /* the whole op folder */
            r.phase_id = OSW_PHASE_PLAN;
        r.timer_id = cells[i].timer ? cells[i].timer : OSW_TIMER_GRAPH;
        r.throttle = cells[i].throttle;
        r.reason = cells[i].reason ? cells[i].reason : "";
        r.t_start_ns = f->started_ns;
        if (cells[i].us > 0) {
            r.t_median_ns = cells[i].us * 1e3;
            r.t_ci_lo_ns = r.t_median_ns * 0.998;
            r.t_ci_hi_ns = r.t_median_ns * 1.002;
        }
        snprintf(text, sizeof(text), "((%llu,), {})",
                 (unsigned long long)cells[i].key);
        assert_int_equal(osw_run_result(run, &r, &names, &f->err), 0);
    }
    assert_true(osw_run_seal(run, f->complete, &f->err) == 0);
    osw_run_close(run);
}

/* Times that differ a little from day to day, without random values. */
static double wobble(size_t day, size_t cell)
{
    return 1 + 0.002 * (double)((day * 7 + cell * 5 + day * cell) % 5);
}

static int add(struct fixture *f, osw_history_t *h, size_t i, bool pinned)
{
    osw_file_t *file = osw_file_open(f->paths[i], &f->err);
    int rc = file ? osw_history_add(h, file, pinned, &f->err) : -1;

    osw_file_close(file);
    return rc;
}

/* All campaigns in their order, or backwards. */
static struct osw_history_view judge(struct fixture *f, bool backwards,
                                     bool pin_first)
{
    osw_history_destroy(f->h);
    f->h = osw_history_create(&plain, &f->err);
    assert_non_null(f->h);
    if (pin_first)
        assert_int_equal(add(f, f->h, 0, true), 0);
    for (size_t i = pin_first; i < f->n; i++)
        assert_int_equal(
            add(f, f->h, backwards ? f->n - 1 - i + pin_first : i, false), 0);
    assert_int_equal(osw_history_judge(f->h, NULL, &f->err), 0);
    return osw_history_view(f->h);
}

static const char *only_kind(const struct osw_history_view *v)
{
    if (v->n_findings == 0)
        return "nothing";
    return v->n_findings > 1 ? "several"
                             : osw_history_name(v->findings[0].kind);
}

/* How many cells a worker skips after three crashes depends on workers and
 * sessions.
 */
static void what_is_skipped_as_broken_is_not_gone(void **state)
{
    static const char *const reasons[] = {"too large", "broken: three crashes"};
    struct fixture *f = *state;

    f->complete = true;
    for (int broken = 0; broken < 2; broken++) {
        const struct made was[] = {{1, OSW_STATE_CRASH}, {2, OSW_STATE_PASS}};
        const struct made is[] = {
            {1, OSW_STATE_SKIPPED, .reason = reasons[broken]},
            {2, OSW_STATE_PASS}};
        struct osw_history_view v;

        f->n = 0;
        (void)unlink(f->paths[0]);
        make(f, "n1", "GPU-1", was, 2);
        (void)unlink(f->paths[1]);
        make(f, "n1", "GPU-1", is, 2);
        v = judge(f, false, false);
        assert_string_equal(only_kind(&v), broken ? "nothing" : "gone");
        assert_int_equal(v.n_judged, broken ? 1 : 2);
        assert_int_equal(v.n_common, 1);
        assert_int_equal(v.n_notes, broken);
    }
}

/* A letter a day: (p)ass, (v)alue, (c)rash, (s)kipped; (l)oad, of
 * its op folder; "-" not there.
 */
static void verdicts_are_followed(void **state)
{
    /* In an order in which most days are as in the row before. */
    static const struct {
        const char *days, *want;
        size_t since;    /* the day it began */
        size_t n_before; /* days with the verdict before */
    } cases[] = {
        {"pp-v", "newly-failing", 3, 2},   {"pppv", "newly-failing", 3, 3},
        {"pppp", "nothing", 0, 0},         {"ppsp", "nothing", 0, 0},
        {"vvpp", "newly-passing", 2, 2},   {"pvpppp", "newly-passing", 2, 1},
        {"pvpvpv", "flaky", 5, 1},         {"pvpvvv", "newly-failing", 3, 1},
        {"ppvvvv", "newly-failing", 2, 2}, {"ppvvcc", "newly-failing", 2, 2},
        {"vvvv", "nothing", 0, 0},         {"cvvcc", "changed", 3, 2},
        {"lll-", "nothing", 0, 0},
    };
    struct fixture *f = *state;
    char is[MOST_FILES] = ""; /* the letter of each day's file */

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_history_view v;

        for (f->n = 0; f->n < strlen(cases[i].days);) {
            const char day = cases[i].days[f->n];
            static const enum osw_state states[] = {
                ['p'] = OSW_STATE_PASS,  ['v'] = OSW_STATE_VALUE,
                ['c'] = OSW_STATE_CRASH, ['s'] = OSW_STATE_SKIPPED,
                ['l'] = OSW_STATE_LOAD,  ['-'] = OSW_STATE_NONE};
            const struct made cells[] = {{1, states[(int)day]},
                                         {2, OSW_STATE_PASS}};

            if (is[f->n] == day) {
                f->n++;
                continue;
            }
            is[f->n] = day;
            (void)unlink(f->paths[f->n]);
            make(f, "n1", "GPU-1", cells, 2);
        }
        print_message("  %s\n", cases[i].days);
        v = judge(f, false, false);
        assert_string_equal(only_kind(&v), cases[i].want);
        if (v.n_findings == 0)
            continue;
        assert_int_equal(v.places[v.points[v.findings[0].since].place].campaign,
                         cases[i].since);
        assert_int_equal(v.findings[0].n_before, cases[i].n_before);
    }
}

static void a_cell_that_is_gone_from_a_complete_campaign_is_told(void **state)
{
    const struct made both[] = {{1, OSW_STATE_PASS}, {2, OSW_STATE_PASS}};
    const struct made one[] = {{1, OSW_STATE_PASS}, {2, OSW_STATE_SKIPPED}};
    struct fixture *f = *state;
    struct osw_history_view v;

    make(f, "n1", "GPU-1", both, 2);
    make(f, "n1", "GPU-1", one, 2);
    v = judge(f, false, false);
    assert_int_equal(v.n_judged, 2);
    assert_int_equal(v.n_common, 1);
    /* The run does not claim to be complete: the cell may still come. */
    assert_false(v.complete);
    assert_string_equal(only_kind(&v), "nothing");
}

/* One of two GPUs of a host is slow in the first `n_slow` cells. */
static void make_gpus(struct fixture *f, size_t n_slow, size_t step_at)
{
    for (size_t day = 0; day < 16; day++) {
        const char *gpu = day % 2 ? "GPU-b" : "GPU-a";
        struct made cells[MOST_CELLS];

        for (size_t i = 0; i < MOST_CELLS; i++) {
            cells[i] = (struct made){i + 1, OSW_STATE_PASS,
                                     (200 + 10 * (double)i) * wobble(day, i)};
            if (day % 2 && i < n_slow)
                cells[i].us *= 1.15;
            if (i == MOST_CELLS - 1 && day >= step_at)
                cells[i].us *= 1.10;
        }
        make(f, "n1", gpu, cells, MOST_CELLS);
    }
}

static void a_slow_gpu_is_told_once_and_a_commit_beside_it(void **state)
{
    struct fixture *f = *state;
    struct osw_history_view v;

    make_gpus(f, 8, 9);
    v = judge(f, true, false);
    assert_int_equal(v.n_kind[OSW_HISTORY_PLACE], 1);
    assert_int_equal(v.n_kind[OSW_HISTORY_REGRESSED], 1);
    assert_int_equal(v.n_findings, 2);
    assert_int_equal(v.cells[v.findings[0].cell].key, MOST_CELLS);
    assert_int_equal(v.places[v.points[v.findings[0].since].place].campaign, 9);
    assert_true(fabs(v.findings[0].effect - log(1.10)) < 0.01);
    assert_true(v.findings[0].half > 0 && v.findings[0].half < 0.02);
    assert_string_equal(osw_history_word(f->h, v.findings[1].uuid), "GPU-b");
    assert_int_equal(v.findings[1].n_cells, 8);
    assert_int_equal(v.findings[1].n_measured, MOST_CELLS);
    assert_true(fabs(v.findings[1].effect - log(1.15)) < 0.01);
}

static void failures_of_one_node_are_the_nodes(void **state)
{
    struct fixture *f = *state;
    struct osw_history_view v;

    for (size_t day = 0; day < 9; day++) {
        const struct made cells[] = {
            {1, day % 3 == 1 ? OSW_STATE_CRASH : OSW_STATE_PASS},
            {2, OSW_STATE_PASS}};

        make(f, day % 3 == 1 ? "sick" : "well", "GPU-1", cells, 2);
    }
    v = judge(f, false, false);
    assert_string_equal(only_kind(&v), "place");
    assert_int_equal(v.findings[0].n_failing, 1);
    assert_string_equal(osw_history_word(f->h, v.findings[0].host), "sick");
}

/* Campaigns that are made from now on are the first ones. */
static void forget_all(struct fixture *f)
{
    for (size_t i = 0; i < f->n; i++)
        (void)unlink(f->paths[i]);
    f->n = 0;
}

/* 12 campaigns of 4 cells; `us` of the first on each day. */
static void make_times(struct fixture *f, const double *us, size_t n,
                       size_t other_timer_from, size_t throttled)
{
    for (size_t day = 0; day < n; day++) {
        struct made cells[4];

        for (size_t i = 0; i < 4; i++)
            cells[i] =
                (struct made){i + 1, OSW_STATE_PASS, 300 * wobble(day, i)};
        cells[0].us = us[day] * wobble(day, 0);
        if (day >= other_timer_from)
            cells[0].timer = OSW_TIMER_STREAM;
        if (day == throttled)
            cells[0].throttle = 0x20;
        make(f, "n1", "GPU-1", cells, 4);
    }
}

static void what_is_as_before_again_is_mended(void **state)
{
    static const double us[] = {300, 300, 300, 300, 300, 360, 360, 360,
                                360, 360, 300, 300, 300, 300, 300};
    struct fixture *f = *state;
    struct osw_history_view v;

    make_times(f, us, N_ELEM(us), 99, 99);
    v = judge(f, false, false);
    assert_int_equal(v.n_findings, 2);
    assert_int_equal(v.n_kind[OSW_HISTORY_MENDED], 1);
    assert_int_equal(v.n_kind[OSW_HISTORY_IMPROVED], 1);
}

/* Too few campaigns for a step: it looks slower since the first slow one. */
static void few_slow_campaigns_are_suspected_since_the_first(void **state)
{
    static const struct {
        double us[8];
        size_t n, since;
    } cases[] = {
        {{300, 900}, 2, 1},
        {{300, 300, 900}, 3, 2},
        {{300, 900, 900}, 3, 1},
        {{300, 300, 300, 900}, 4, 3},
        {{300, 300, 300, 300, 300, 900}, 6, 5},
        {{300, 300, 300, 300, 300, 900, 900}, 7, 5},
        {{300, 300, 300, 300, 300, 900, 300, 900}, 8, 7},
        {{300, 405, 300, 900, 900}, 5, 3}, /* one bad launch before */
        {{300, 405, 300, 300, 900}, 5, 4},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_history_view v;

        forget_all(f);
        make_times(f, cases[i].us, cases[i].n, 99, 99);
        v = judge(f, false, false);
        print_message("  %zu campaigns, slow since %zu\n", cases[i].n,
                      cases[i].since);
        assert_string_equal(only_kind(&v), "slower");
        assert_int_equal(v.places[v.points[v.findings[0].since].place].campaign,
                         cases[i].since);
        assert_int_equal(v.findings[0].n_before, cases[i].since);
        assert_int_equal(v.findings[0].n_after, cases[i].n - cases[i].since);
        assert_true(fabs(v.findings[0].effect - log(3)) < 0.02);
        assert_true(fabs(v.findings[0].was_ns / 300e3 - 1) < 0.02);
    }
}

/* As far from the others as these lie apart, or hardly more. */
static void few_times_that_scatter_are_no_suspicion(void **state)
{
    static const double cases[][5] = {
        {300, 405, 300, 300, 405},
        {300, 405, 300, 300, 600},
        {300, 405, 300, 600, 600},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_history_view v;

        forget_all(f);
        make_times(f, cases[i], N_ELEM(cases[i]), 99, 99);
        v = judge(f, false, false);
        print_message("  case %zu\n", i);
        assert_string_equal(only_kind(&v), "nothing");
    }
}

static void other_timers_and_held_clocks_are_never_joined(void **state)
{
    static const double us[] = {300, 300, 300, 300, 300, 300,
                                600, 600, 600, 600, 600, 600},
                        held[] = {300, 300, 300, 300, 300, 300,
                                  300, 300, 300, 300, 300, 600};
    struct fixture *f = *state;
    struct osw_history_view v;

    make_times(f, us, N_ELEM(us), 6, 99);
    v = judge(f, false, false);
    assert_string_equal(only_kind(&v), "nothing");
    forget_all(f);
    make_times(f, held, N_ELEM(held), 99, 11);
    v = judge(f, false, false);
    assert_string_equal(only_kind(&v), "nothing");
}

static void models_are_series_of_their_own(void **state)
{
    struct fixture *f = *state;
    struct osw_history_view v;

    for (size_t day = 0; day < 12; day++) { /* in turns, then one alone */
        bool old = day < 10 && day % 2;

        f->model = old ? "H200" : "B300";
        make_times(f, (const double[]){old ? 900 : 300}, 1, 99, 99);
    }
    v = judge(f, false, false);
    assert_string_equal(only_kind(&v), "nothing");
    assert_int_equal(v.n_cells, 4);
    assert_int_equal(v.n_series, 8);
    assert_int_equal(v.n_timed, 8);
    assert_int_equal(v.n_judged, 4); /* of the newest model alone */
    assert_int_equal(v.n_common, 4);
}

/* Times in files are whole seconds. */
static void campaigns_of_a_second_are_in_the_order_of_their_cells(void **state)
{
    const struct made cell = {1, OSW_STATE_PASS};
    struct fixture *f = *state;
    struct osw_history_view v;

    for (int64_t i = 0; i < 3; i++) {
        f->started_ns = 1000 - i;
        make(f, "n1", "GPU-1", &cell, 1);
    }
    v = judge(f, false, false);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(osw_history_word(f->h, v.campaigns[i].path),
                            f->paths[2 - i]);
}

static void the_baseline_counts_for_times_and_verdicts(void **state)
{
    struct fixture *f = *state;
    struct osw_history_view v;

    for (size_t day = 0; day < 8; day++) {
        const struct made cells[] = {
            {1, OSW_STATE_PASS, (day ? 330 : 300) * wobble(day, 1)},
            {2, day ? OSW_STATE_VALUE : OSW_STATE_PASS},
            {3, OSW_STATE_PASS, 300 * wobble(day, 3)}};

        make(f, "n1", "GPU-1", cells, 3);
    }
    v = judge(f, false, true);
    assert_int_equal(v.n_findings, 2);
    assert_int_equal(v.findings[0].kind, OSW_HISTORY_NEWLY_FAILING);
    assert_true(v.findings[0].against_baseline);
    assert_int_equal(v.findings[1].kind, OSW_HISTORY_DRIFTED);
    assert_true(v.findings[1].against_baseline);
    assert_true(fabs(v.findings[1].effect - log(1.1)) < 0.01);
}

static void a_campaign_counts_once(void **state)
{
    static const double us[] = {300, 300};
    struct fixture *f = *state;
    struct osw_history_view v;

    make_times(f, us, 2, 99, 99);
    f->h = osw_history_create(&plain, &f->err);
    assert_non_null(f->h);
    assert_int_equal(add(f, f->h, 0, false), 0);
    assert_int_equal(add(f, f->h, 1, false), 0);
    assert_int_equal(add(f, f->h, 0, false), -1);
    assert_non_null(strstr(f->err.text, "are of the same campaign, 00000000-"));
    assert_int_equal(add(f, f->h, 0, true), 0); /* as a baseline it may */
    assert_int_equal(osw_history_judge(f->h, NULL, &f->err), 0);
    v = osw_history_view(f->h);
    assert_int_equal(v.n_campaigns, 3);
    assert_int_equal(v.n_cells, 4);
    assert_int_equal(v.n_points, 12);
}

static void memory_may_end_anywhere(void **state)
{
    static const double us[] = {300, 300, 360, 360};
    struct fixture *f = *state;
    bool struck = true;
    int n = 0;

    make_times(f, us, N_ELEM(us), 99, 99);
    for (; struck && n < 20000; n += n < 60 ? 1 : 37) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_history_t *h;
        int rc = 0;

        chaos_arm(n);
        h = osw_history_create(&plain, &err);
        for (size_t i = 0; h && i < f->n && rc == 0; i++)
            rc = add(f, h, i, false);
        if (h && rc == 0)
            rc = osw_history_judge(h, NULL, &err);
        struck = chaos_struck();
        osw_history_destroy(h);
        assert_true((h && rc == 0) || struck);
        f->err = (struct osw_error)OSW_ERROR_INIT;
    }
    assert_false(struck);
    print_message("  %d allocations\n", n);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_is_skipped_as_broken_is_not_gone),
        TEST(verdicts_are_followed),
        TEST(a_cell_that_is_gone_from_a_complete_campaign_is_told),
        TEST(a_slow_gpu_is_told_once_and_a_commit_beside_it),
        TEST(failures_of_one_node_are_the_nodes),
        TEST(what_is_as_before_again_is_mended),
        TEST(few_slow_campaigns_are_suspected_since_the_first),
        TEST(few_times_that_scatter_are_no_suspicion),
        TEST(other_timers_and_held_clocks_are_never_joined),
        TEST(models_are_series_of_their_own),
        TEST(campaigns_of_a_second_are_in_the_order_of_their_cells),
        TEST(the_baseline_counts_for_times_and_verdicts),
        TEST(a_campaign_counts_once),
        TEST(memory_may_end_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
