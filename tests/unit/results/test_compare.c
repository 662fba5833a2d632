/* tests/unit/results/test_compare.c - kinds of cells, the shift, confirmation
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "common/json.h"
#include "results/compare/compare.h"
#include "results/compare/compare_confirm.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A cell of a made-up file. */
struct made {
    uint64_t key;
    enum osw_state state;
    double us;           /* 0: not timed */
    double half_percent; /* of its interval; 0: none */
    const char *device;  /* NULL: "cpu" */
    uint64_t throttle;
    double spread_percent; /* of its samples; 0: none are known */
    const char *op;        /* NULL: "add" */
    const char *reason;    /* NULL: "a | reason", of what does not pass */
};

struct fixture {
    struct folder folder;
    osw_file_t *files[16];
    size_t n_files, n_made;
    struct osw_compare c;
    struct osw_error err;
};

static const struct osw_compare_options plain = {0.02, 1, 1, 0.1};

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

    osw_compare_free(&f->c);
    for (size_t i = 0; i < f->n_files; i++)
        osw_file_close(f->files[i]);
    return folder_remove(&f->folder);
}

static struct osw_record record_of(const struct made *m, uint64_t cell)
{
    struct osw_record r;

    osw_record_init(&r);
    r.cell = cell;
    r.cell_key = m->key;
    r.rank = 1;
    r.attempt = 1;
    r.status_id = (uint8_t)m->state;
    if (m->state == OSW_STATE_LOAD) /* the whole op folder */
        r.phase_id = OSW_PHASE_PLAN;
    r.throttle = m->throttle;
    r.reason = m->reason                    ? m->reason
               : m->state == OSW_STATE_PASS ? ""
                                            : "a | reason";
    if (m->us > 0) {
        r.t_median_ns = m->us * 1e3;
        if (m->half_percent > 0) {
            r.t_ci_lo_ns = r.t_median_ns * (1 - m->half_percent / 100);
            r.t_ci_hi_ns = r.t_median_ns * (1 + m->half_percent / 100);
        }
        if (m->spread_percent > 0) {
            r.t_min_ns = r.t_median_ns * (1 - m->spread_percent / 100);
            r.t_p95_ns = r.t_median_ns * (1 + m->spread_percent / 100);
        }
    }
    return r;
}

static const osw_file_t *make_file(struct fixture *f, const struct made *cells,
                                   size_t n, bool complete)
{
    struct osw_run_info info = fixture_info();
    char path[600], text[32];
    osw_run_t *run;

    snprintf(path, sizeof(path), "%s/%zu.h5", f->folder.dir, f->n_made++);
    info.n_planned = n;
    run = osw_run_create(path, &info, false, &f->err);
    assert_non_null(run);
    for (size_t i = 0; i < n; i++) {
        struct osw_record r = record_of(&cells[i], i);
        struct osw_cell_names names = {
            cells[i].op ? cells[i].op : "add",
            "fast",
            text,
            "f32",
            "normal",
            "n1",
            cells[i].device ? cells[i].device : "cpu"};

        snprintf(text, sizeof(text), "((%llu,), {})",
                 (unsigned long long)cells[i].key);
        assert_int_equal(osw_run_result(run, &r, &names, &f->err), 0);
    }
    assert_int_equal(osw_run_seal(run, complete, &f->err), 0);
    osw_run_close(run);
    f->files[f->n_files] = osw_file_open(path, &f->err);
    assert_non_null(f->files[f->n_files]);
    return f->files[f->n_files++];
}

static void compare(struct fixture *f, const struct made *a, size_t n,
                    const struct made *b, size_t m,
                    const struct osw_compare_options *options)
{
    const osw_file_t *base = make_file(f, a, n, true);
    const osw_file_t *now = make_file(f, b, m, true);

    assert_int_equal(osw_compare_run(base, now, options, &f->c, &f->err), 0);
}

static const struct osw_compare_pair *pair_of(const struct osw_compare *c,
                                              uint64_t key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->pairs[i].key == key)
            return &c->pairs[i];
    return NULL;
}

static char *written(struct fixture *f, const char *format, size_t limit)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    assert_int_equal(
        osw_compare_format_find(format)->write(&f->c, limit, out, &f->err), 0);
    fclose(out);
    return text;
}

/* Is `part` in what is written? */
static bool says(struct fixture *f, const char *format, const char *part)
{
    char *text = written(f, format, 9);
    bool found = strstr(text, part) != NULL;

    if (!found)
        print_message("no '%s' in\n%s\n", part, text);
    free(text);
    return found;
}

/* How many cells a worker skips after three crashes depends on workers and
 * sessions.
 */
static void what_is_skipped_as_broken_is_not_compared(void **state)
{
    static const char broken[] = "broken: three crashes or timeouts before";
    static const struct made base[] = {
        {1, OSW_STATE_CRASH},
        {2, OSW_STATE_SKIPPED, .reason = broken},
        {3, OSW_STATE_SKIPPED, .reason = broken},
        {4, OSW_STATE_PASS},
        {5, OSW_STATE_CRASH},
    };
    static const struct made now[] = {
        {1, OSW_STATE_SKIPPED, .reason = broken},
        {2, OSW_STATE_TIMEOUT},
        {3, OSW_STATE_SKIPPED, .reason = broken},
        {4, OSW_STATE_SKIPPED, .reason = broken},
        {5, OSW_STATE_CRASH},
    };
    struct fixture *f = *state;

    compare(f, base, N_ELEM(base), now, N_ELEM(now), &plain);
    assert_int_equal(f->c.n, 1);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_UNTIMED], 1);
    assert_int_equal(f->c.n_broken, 3);
    assert_int_equal(f->c.n_judged, 1);
    assert_int_equal(f->c.n_common, 1);
    assert_true(says(f, "text", "3 cells are not compared: skipped as broken"));
    assert_true(says(f, "json", "\"n_broken\": 3"));
}

/* One cell of each way in which two files can differ. */
static void cells_get_their_kind(void **state)
{
    static const struct {
        struct made base, now; /* state 0: not there */
        int want;              /* -1: not mentioned */
    } cases[] = {
        {{1, OSW_STATE_PASS}, {1, OSW_STATE_VALUE}, OSW_COMPARE_NEWLY_FAILING},
        {{2, OSW_STATE_CRASH}, {2, OSW_STATE_PASS}, OSW_COMPARE_NEWLY_PASSING},
        {{3, OSW_STATE_CRASH}, {3, OSW_STATE_VALUE}, OSW_COMPARE_CHANGED},
        {{4, OSW_STATE_PASS}, {4, 0}, OSW_COMPARE_GONE},
        {{5, OSW_STATE_PASS}, {5, OSW_STATE_SKIPPED}, OSW_COMPARE_GONE},
        {{6, OSW_STATE_VALUE}, {6, OSW_STATE_LOST}, OSW_COMPARE_GONE},
        {{7, 0}, {7, OSW_STATE_PASS}, OSW_COMPARE_NEW},
        {{8, OSW_STATE_SKIPPED}, {8, OSW_STATE_PASS}, OSW_COMPARE_NEW},
        {{9, OSW_STATE_SKIPPED}, {9, OSW_STATE_SKIPPED}, -1},
        {{10, OSW_STATE_PASS}, {10, OSW_STATE_PASS}, OSW_COMPARE_UNTIMED},
        {{11, OSW_STATE_PASS, 500, 0.5},
         {11, OSW_STATE_PASS, 505, 0.5},
         OSW_COMPARE_SAME},
        {{12, OSW_STATE_PASS, 500, 0.5},
         {12, OSW_STATE_PASS, 550, 0.5},
         OSW_COMPARE_SLOWER},
        {{13, OSW_STATE_PASS, 500, 0.5},
         {13, OSW_STATE_PASS, 450, 0.5},
         OSW_COMPARE_FASTER},
        {{14, OSW_STATE_PASS, 500, 20},
         {14, OSW_STATE_PASS, 550, 20},
         OSW_COMPARE_UNSURE},
        {{15, OSW_STATE_PASS, 500, 0.5},
         {15, OSW_STATE_PASS, 505, 12},
         OSW_COMPARE_UNSURE},
        /* 4 % of 5 us is noise; of 500 us it is not. */
        {{16, OSW_STATE_PASS, 5, 0.5},
         {16, OSW_STATE_PASS, 5.2, 0.5},
         OSW_COMPARE_SAME},
        {{17, OSW_STATE_PASS, 500, 0.5},
         {17, OSW_STATE_PASS, 520, 0.5},
         OSW_COMPARE_SLOWER},
        {{18, OSW_STATE_PASS, 500, 0.5, "H100"},
         {18, OSW_STATE_PASS, 900, 0.5, "H200"},
         OSW_COMPARE_INCOMPARABLE},
        {{19, OSW_STATE_PASS, 500, 0.5},
         {19, OSW_STATE_PASS, 900, 0.5, NULL, 0x20},
         OSW_COMPARE_INCOMPARABLE},
        {{20, OSW_STATE_PASS, 500, 0.5},
         {20, OSW_STATE_PASS, 505, 0.5, NULL, 0x4}, /* the power's cap */
         OSW_COMPARE_SAME},
        {{21, OSW_STATE_PASS, 500},
         {21, OSW_STATE_PASS, 700},
         OSW_COMPARE_UNSURE}, /* no interval at all */
        /* Op folders: one that can be read now, or not either; a new one. */
        {{22, OSW_STATE_LOAD}, {22, 0}, -1},
        {{23, OSW_STATE_LOAD}, {23, OSW_STATE_LOAD}, OSW_COMPARE_UNTIMED},
        {{24, 0}, {24, OSW_STATE_LOAD}, OSW_COMPARE_NEW},
    };
    struct fixture *f = *state;
    struct made a[N_ELEM(cases)], b[N_ELEM(cases)];
    size_t n = 0, m = 0, counted = 0;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        if (cases[i].base.state)
            a[n++] = cases[i].base;
        if (cases[i].now.state)
            b[m++] = cases[i].now;
    }
    compare(f, a, n, b, m, &plain);
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        const struct osw_compare_pair *p = pair_of(&f->c, cases[i].base.key);

        print_message("  cell %llu\n", (unsigned long long)cases[i].base.key);
        if (cases[i].want < 0) {
            assert_null(p);
        } else {
            assert_non_null(p);
            assert_string_equal(
                osw_compare_name(p->kind),
                osw_compare_name((enum osw_compare_kind)cases[i].want));
        }
    }
    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        counted += f->c.n_kind[k];
    assert_int_equal(counted, f->c.n);
    assert_int_equal(f->c.n_judged, n - 3); /* skipped, or could not be read */
    assert_int_equal(f->c.n_common, n - 3 - 1);
    assert_true(f->c.shift != 0 && !f->c.shift_out);
    for (size_t i = 1; i < f->c.n; i++)
        assert_true(f->c.pairs[i - 1].kind <= f->c.pairs[i].kind);
}

enum { MANY = 60 };

/* All by `factor`, one in ten by `more` beside that. */
static void make_many(struct made *a, struct made *b, double factor,
                      double more)
{
    for (size_t i = 0; i < MANY; i++) {
        double wobble = 1 + 0.002 * (double)(i % 5);

        a[i] = (struct made){100 + i, OSW_STATE_PASS, 300 + (double)i, 0.4};
        b[i] = a[i];
        b[i].us *= factor * wobble * (i % 10 == 0 ? more : 1);
    }
}

static void what_all_have_in_common_is_taken_out(void **state)
{
    struct fixture *f = *state;
    struct made a[MANY], b[MANY];

    make_many(a, b, 1.10, 1.08);
    compare(f, a, MANY, b, MANY, &plain);
    assert_true(f->c.shift_out);
    assert_true(fabs(exp(f->c.shift) - 1.104) < 0.003);
    assert_true(osw_compare_shifted(&f->c, 0.05));
    assert_false(osw_compare_shifted(&f->c, 0.12));
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SLOWER], MANY / 10);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SAME], MANY - MANY / 10);
    assert_true(fabsf(f->c.pairs[0].effect - (float)log(1.08)) < 0.01F);
}

/* One op was timed: which number it has among all that were judged is no
 * matter.
 */
static void an_interval_does_not_depend_on_an_ops_number(void **state)
{
    static const char *const others[] = {"a", "b", "c", "d", "e", "f",
                                         "g", "h", "i", "j", "k", "l"};
    enum { TIMED = 8, ALL = TIMED + N_ELEM(others) };
    struct fixture *f = *state;
    struct made a[ALL], b[ALL];
    double half[2];

    for (size_t i = 0; i < N_ELEM(others); i++)
        a[i] = b[i] = (struct made){
            .key = 1 + i, .state = OSW_STATE_PASS, .op = others[i]};
    for (size_t i = N_ELEM(others); i < ALL; i++) {
        a[i] = (struct made){100 + i, OSW_STATE_PASS, 300, 0.4};
        b[i] = a[i];
        b[i].us *= 1.05 + 0.01 * (double)(i % 4);
    }
    for (size_t k = 0; k < 2; k++) {
        size_t from = k ? 0 : N_ELEM(others);

        if (k)
            osw_compare_free(&f->c);
        compare(f, a + from, ALL - from, b + from, ALL - from, &plain);
        half[k] = f->c.shift_half;
    }
    assert_true(half[0] > 0 && half[0] == half[1]);
}

static void injected_times_show(void **state)
{
    struct osw_compare_options all = {0.02, 1.25, 1, 0.1};
    struct osw_compare_options some = {0.02, 1.25, 0.2, 0.1};
    struct fixture *f = *state;
    struct made a[MANY], b[MANY];
    size_t n;

    make_many(a, b, 1, 1);
    compare(f, a, MANY, b, MANY, &plain);
    assert_false(osw_compare_shifted(&f->c, 0.05));
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SAME], MANY);
    osw_compare_free(&f->c);
    assert_int_equal(
        osw_compare_run(f->files[0], f->files[1], &all, &f->c, &f->err), 0);
    assert_true(osw_compare_shifted(&f->c, 0.05));
    assert_true(says(f, "json", "\"new_ns\": 375000"));
    osw_compare_free(&f->c);
    assert_int_equal(
        osw_compare_run(f->files[0], f->files[1], &some, &f->c, &f->err), 0);
    n = f->c.n_kind[OSW_COMPARE_SLOWER];
    assert_true(n >= MANY / 20 && n <= MANY * 2 / 5);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SAME], MANY - n);
}

/* Without runs in turns: what is twofold, apart in all samples, and beyond what
 * 60 cells of such noise come to.
 */
static void far_beyond_noise_needs_no_more_runs(void **state)
{
    static const struct {
        double factor, half, spread;
        enum osw_compare_kind want;
    } rows[] = {
        {2.8, 0.4, 5, OSW_COMPARE_REGRESSED},
        {0.35, 0.4, 5, OSW_COMPARE_IMPROVED},
        {1.8, 0.4, 5, OSW_COMPARE_SLOWER},  /* not twofold */
        {2.8, 0.4, 60, OSW_COMPARE_SLOWER}, /* samples overlap */
        {2.8, 0.4, 0, OSW_COMPARE_SLOWER},  /* none are known */
        {2.8, 40, 5, OSW_COMPARE_SLOWER},   /* an interval of -38 .. +66 % */
    };
    struct fixture *f = *state;
    struct made a[MANY], b[MANY];

    make_many(a, b, 1, 1);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        a[i].half_percent = b[i].half_percent = rows[i].half;
        a[i].spread_percent = b[i].spread_percent = rows[i].spread;
        b[i].us = a[i].us * rows[i].factor;
    }
    compare(f, a, MANY, b, MANY, &plain);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  row %zu\n", i);
        assert_string_equal(osw_compare_name(pair_of(&f->c, a[i].key)->kind),
                            osw_compare_name(rows[i].want));
    }
    assert_int_equal(f->c.n_undecided, 4);
}

/* On a machine where cells scatter, launches differ as a whole, too. */
static void a_launch_scatters_with_its_cells(void **state)
{
    struct fixture *f = *state;
    struct made a[MANY], b[MANY];

    make_many(a, b, 1.10, 1);
    for (size_t i = 0; i < MANY; i++)
        b[i].us *= 1 + 0.3 * ((double)(i * 7 % 11) / 10 - 0.5);
    compare(f, a, MANY, b, MANY, &plain);
    assert_true(f->c.shift > log(1.05) && f->c.spread > 0.08);
    assert_false(osw_compare_shifted(&f->c, 0.05));
    osw_compare_free(&f->c);
    for (size_t i = 0; i < MANY; i++)
        b[i].us *= 1.25;
    compare(f, a, MANY, b, MANY, &plain);
    assert_true(osw_compare_shifted(&f->c, 0.05));
}

/* A shift that is no more than the cells' own scatter fails nothing. */
static void a_shift_needs_its_interval(void **state)
{
    static const double scattered[] = {1.3, 1.25, 1.08, 0.8, 0.75, 1.06};
    struct fixture *f = *state;
    struct made a[6], b[6];

    for (size_t i = 0; i < 6; i++) {
        a[i] = (struct made){100 + i, OSW_STATE_PASS, 300, 0.4};
        b[i] = a[i];
        b[i].us *= scattered[i];
    }
    compare(f, a, 6, b, 6, &plain);
    assert_true(f->c.shift > log(1.05));
    assert_false(osw_compare_shifted(&f->c, 0.05));
    assert_true(says(f, "text", "]: no more than noise\n"));
    osw_compare_free(&f->c);
    for (size_t i = 0; i < 6; i++)
        b[i].us = a[i].us * (1.07 + 0.001 * (double)i);
    compare(f, a, 6, b, 6, &plain);
    assert_true(osw_compare_shifted(&f->c, 0.05));
    assert_true(says(f, "text", "]: clocks, driver or node\n"));
}

/* --- runs in turns --- */

/* A round of the cells now[n] with these times. */
static void take_round(struct fixture *f, struct osw_compare_confirm *confirm,
                       const struct made *base, const struct made *now,
                       const double *us, size_t n)
{
    size_t kept = f->n_files;
    const osw_file_t *a = make_file(f, base, n, true), *b[2];
    struct made v[MANY];

    for (size_t k = 0; k < n; k++) {
        v[k] = now[k];
        v[k].us = us[k];
    }
    b[0] = make_file(f, v, n / 2, true); /* as of merged files */
    b[1] = make_file(f, v + n / 2, n - n / 2, true);
    assert_true(osw_compare_confirm_more(confirm));
    assert_int_equal(osw_compare_confirm_round(confirm, &a, 1, b, 2, &f->err),
                     0);
    while (f->n_files > kept)
        osw_file_close(f->files[--f->n_files]);
}

static const struct made turns_base[] = {{1, OSW_STATE_PASS, 500, 0.5},
                                         {2, OSW_STATE_PASS, 500, 0.5},
                                         {3, OSW_STATE_PASS, 500, 0.5},
                                         {4, OSW_STATE_PASS, 500, 0.5},
                                         {5, OSW_STATE_PASS, 500, 0.5}};
static const struct made turns_now[] = {{1, OSW_STATE_PASS, 600, 0.5},
                                        {2, OSW_STATE_PASS, 600, 0.5},
                                        {3, OSW_STATE_PASS, 400, 0.5},
                                        {4, OSW_STATE_PASS, 600, 0.5},
                                        {5, OSW_STATE_PASS, 501, 0.5}};

/* Cells 1 and 2 look slower, 3 faster, 4 slower: in the rounds 1 is, 2 is not,
 * 3 is, 4 now this, now that.  Two findings of four need 4 / (2 * 0.05), which
 * are six bets.
 */
static void runs_in_turns_settle_suspicions(void **state)
{
    static const double later[][4] = {
        {590, 502, 410, 560}, {605, 499, 405, 450}, {598, 499, 400, 580},
        {600, 500, 400, 500}, {600, 500, 400, 500}, {600, 500, 400, 500}};
    static const size_t open[] = {4, 3, 2, 2, 2, 0};
    static const float wins[] = {590, 605, 598, 600, 600, 600};
    struct osw_compare_confirm confirm;
    struct fixture *f = *state;
    double mean = 0;

    compare(f, turns_base, 5, turns_now, 5, &plain);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SLOWER], 3);
    assert_int_equal(osw_compare_confirm_begin(&f->c, 3, &confirm, &f->err), 0);
    assert_int_equal(confirm.n_rounds, 7); /* were it one finding */
    for (size_t i = 0; i < N_ELEM(later); i++) {
        take_round(f, &confirm, turns_base, turns_now, later[i], 4);
        assert_int_equal(confirm.n_open, open[i]);
        mean += log((double)wins[i] / 500) / 6;
    }
    osw_compare_confirm_settle(&confirm);
    osw_compare_confirm_end(&confirm);
    assert_int_equal(pair_of(&f->c, 1)->kind, OSW_COMPARE_REGRESSED);
    assert_true(fabs((double)pair_of(&f->c, 1)->effect - mean) < 1e-5);
    assert_true(pair_of(&f->c, 1)->half > 0.005F &&
                pair_of(&f->c, 1)->half < 0.015F);
    assert_int_equal(pair_of(&f->c, 2)->kind, OSW_COMPARE_SAME);
    assert_int_equal(pair_of(&f->c, 3)->kind, OSW_COMPARE_IMPROVED);
    assert_int_equal(pair_of(&f->c, 4)->kind, OSW_COMPARE_UNSURE);
    assert_int_equal(pair_of(&f->c, 5)->kind, OSW_COMPARE_SAME);
    assert_int_equal(f->c.n_rounds, 6);
    assert_int_equal(f->c.n_undecided, 1);
    assert_int_equal(f->c.pairs[0].key, 1);
    assert_true(says(f, "text",
                     "\n6 runs of each side in turns left 1 of 5 "
                     "times unsure; opsweep compare "));
    assert_true(says(f, "text", "\nmedians are those of the two files; "));
    assert_true(says(f, "markdown", "\nmedians are those of the two files; "));
}

/* Rounds in which a cell failed, was throttled or ran elsewhere are taken
 * again; a cell with fewer than were asked for is not confirmed.
 */
static void only_rounds_like_the_base_count(void **state)
{
    static const struct made wrong[] = {
        {1, OSW_STATE_VALUE, 600, 0.5},
        {1, OSW_STATE_PASS, 600, 0.5, NULL, 0x20},
        {1, OSW_STATE_PASS, 600, 0.5, "H200"},
        {1, OSW_STATE_PASS},
        {9, OSW_STATE_PASS, 600, 0.5}, /* it was not run */
    };
    struct osw_compare_confirm confirm;
    struct fixture *f = *state;
    enum osw_compare_kind kind;
    double us = 600;

    compare(f, turns_base, 1, turns_now, 1, &plain);
    kind = pair_of(&f->c, 1)->kind;
    assert_int_equal(osw_compare_confirm_begin(&f->c, 6, &confirm, &f->err), 0);
    assert_int_equal(confirm.n_rounds, 6);
    for (size_t i = 0; i < N_ELEM(wrong); i++) {
        struct made base = turns_base[0];

        base.device = wrong[i].device; /* alike, but not as the base */
        take_round(f, &confirm, &base, &wrong[i], &wrong[i].us, 1);
        assert_int_equal(confirm.list[0].n, 0);
        assert_int_equal(confirm.list[0].n_void, i + 1);
    }
    osw_compare_confirm_settle(&confirm); /* nothing else is known */
    assert_int_equal(pair_of(&f->c, 1)->kind, kind);
    assert_int_equal(f->c.n_rounds, 0);
    for (int i = 0; i < 5; i++)
        take_round(f, &confirm, turns_base, turns_now, &us, 1);
    assert_int_equal(confirm.n_open, 1); /* five bets are won, six asked for */
    osw_compare_confirm_settle(&confirm);
    assert_int_equal(pair_of(&f->c, 1)->kind, OSW_COMPARE_UNSURE);
    assert_int_equal(f->c.n_undecided, 1);
    take_round(f, &confirm, turns_base, turns_now, &us, 1);
    assert_int_equal(confirm.n_open, 0);
    osw_compare_confirm_settle(&confirm);
    assert_int_equal(pair_of(&f->c, 1)->kind, OSW_COMPARE_REGRESSED);
    assert_true(f->c.n_remarks > 0);
    osw_compare_confirm_end(&confirm);
}

/* 6 % slower, within the noise of one run each. */
static void
what_one_run_cannot_tell_is_settled_where_it_is_asked_for(void **state)
{
    static const struct made base = {1, OSW_STATE_PASS, 500, 15},
                             now = {1, OSW_STATE_PASS, 530, 15};
    struct osw_compare_options unsure = plain;
    struct osw_compare_confirm confirm;
    struct fixture *f = *state;
    double us = 530;

    compare(f, &base, 1, &now, 1, &plain);
    assert_int_equal(pair_of(&f->c, 1)->kind, OSW_COMPARE_UNSURE);
    assert_int_equal(osw_compare_confirm_begin(&f->c, 5, &confirm, &f->err), 0);
    assert_int_equal(confirm.n, 0);
    osw_compare_confirm_end(&confirm);
    osw_compare_free(&f->c);

    unsure.unsure = true;
    compare(f, &base, 1, &now, 1, &unsure);
    assert_int_equal(osw_compare_confirm_begin(&f->c, 5, &confirm, &f->err), 0);
    assert_int_equal(confirm.n, 1);
    for (int i = 0; i < 5; i++)
        take_round(f, &confirm, &base, &now, &us, 1);
    assert_int_equal(confirm.n_open, 0);
    osw_compare_confirm_settle(&confirm);
    osw_compare_confirm_end(&confirm);
    assert_int_equal(pair_of(&f->c, 1)->kind, OSW_COMPARE_REGRESSED);
    assert_int_equal(f->c.n_undecided, 0);
}

/* In the rounds the machine is 8 % slower on the new side, for all cells. */
static void what_the_machine_does_in_a_round_is_taken_out(void **state)
{
    struct osw_compare_confirm confirm;
    struct made a[MANY], b[MANY];
    struct fixture *f = *state;
    double us[MANY];

    make_many(a, b, 1, 1.08);
    compare(f, a, MANY, b, MANY, &plain);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SLOWER], MANY / 10);
    assert_int_equal(osw_compare_confirm_begin(&f->c, 3, &confirm, &f->err), 0);
    assert_int_equal(confirm.n_controls, OSW_COMPARE_TAKEN_OUT);
    for (size_t i = 0; i < MANY; i++)
        us[i] = a[i].us * 1.08;
    for (int i = 0; i < 3; i++)
        take_round(f, &confirm, a, b, us, MANY);
    assert_false(osw_compare_confirm_more(&confirm));
    osw_compare_confirm_settle(&confirm);
    osw_compare_confirm_end(&confirm);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_REGRESSED], 0);
    assert_int_equal(f->c.n_kind[OSW_COMPARE_SAME], MANY);
}

/* 1.9^n >= suspicions / 0.05. */
static void many_suspicions_take_more_rounds(void **state)
{
    enum { CELLS = 100 };
    static const struct {
        size_t n_slow;
        unsigned least, rounds;
    } rows[] = {{1, 1, 5},  {1, 5, 5},   {2, 1, 6},      {4, 3, 7},
                {16, 5, 9}, {40, 9, 11}, {CELLS, 5, 12}, {0, 5, 5}};
    struct osw_compare_pair pairs[CELLS];

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_compare_confirm confirm;
        struct osw_compare c = {.pairs = pairs, .n = CELLS, .n_timed = CELLS};

        for (size_t k = 0; k < CELLS; k++) {
            pairs[k].kind = k >= rows[i].n_slow ? OSW_COMPARE_UNSURE
                            : k % 2             ? OSW_COMPARE_REGRESSED
                                                : OSW_COMPARE_FASTER;
            c.n_kind[pairs[k].kind]++;
        }
        assert_int_equal(
            osw_compare_confirm_begin(&c, rows[i].least, &confirm, &err), 0);
        assert_int_equal(confirm.n, rows[i].n_slow);
        assert_int_equal(confirm.n_rounds, rows[i].rounds);
        osw_compare_confirm_end(&confirm);
    }
}

/* The device's own floor where the file has one, else a table by time. */
static void noise_is_the_devices_own(void **state)
{
    static const struct osw_compare_floor h200 = {250, 0.003},
                                          none = {NAN, NAN};

    (void)state;
    assert_true(fabsf(osw_compare_floor_noise(&h200, 5e3) - logf(1.053F)) <
                1e-6F);
    assert_true(fabsf(osw_compare_floor_noise(&h200, 5e6) - logf(1.00305F)) <
                1e-6F);
    assert_true(osw_compare_floor_noise(&none, 5e3) == 0.05F);
    assert_true(osw_compare_floor_noise(NULL, 5e4) == 0.03F);
    assert_true(osw_compare_floor_noise(NULL, 5e6) == 0.02F);
}

static void formats_say_all(void **state)
{
    static const struct made base[] = {{1, OSW_STATE_PASS},
                                       {2, OSW_STATE_PASS},
                                       {3, OSW_STATE_PASS, 500, 0.5, "A"}};
    static const struct made now[] = {{1, OSW_STATE_VALUE},
                                      {2, OSW_STATE_VALUE},
                                      {3, OSW_STATE_PASS, 600, 0.5, "A"}};
    struct fixture *f = *state;
    osw_json_t *root;
    char *text;

    compare(f, base, 3, now, 3, &plain);
    osw_compare_remark(&f->c, "host: a, now <b>|\x1b[2J"); /* of a stranger */
    text = written(f, "text", 1);
    assert_non_null(strstr(text, "\nhost: a, now <b>| [2J\n"));
    assert_non_null(strstr(text, "3 of 3 cells judged in the base"));
    assert_non_null(strstr(text, "newly-failing: 2"));
    assert_non_null(strstr(text, "pass -> value  add/fast ((1,), {})"));
    assert_non_null(strstr(text, "and 1 more"));
    assert_non_null(strstr(text, "+20.0 %"));
    free(text);
    text = written(f, "markdown", 9);
    assert_non_null(strstr(text, "a &#124; reason"));
    assert_null(strstr(text, "a | reason"));
    assert_non_null(strstr(text, "\nhost: a, now &#60;b&#62;&#124; &#91;2J\n"));
    free(text);
    text = written(f, "json", 1);
    root = osw_json_parse(text, strlen(text), "json", &f->err);
    assert_non_null(root);
    assert_int_equal(osw_json_size(osw_json_get(root, "cells")), 3);
    osw_json_free(root);
    free(text);
    assert_null(osw_compare_format_find("xml"));
}

static void memory_may_end_anywhere(void **state)
{
    static const struct made a[] = {{1, OSW_STATE_PASS, 500, 0.5},
                                    {2, OSW_STATE_PASS}};
    struct fixture *f = *state;
    const osw_file_t *base = make_file(f, a, 2, true);
    const osw_file_t *now = make_file(f, a, 1, true);
    bool struck = true;

    for (int n = 0; struck && n < 2000; n++) {
        int rc;

        osw_compare_free(&f->c);
        chaos_arm(n);
        rc = osw_compare_run(base, now, &plain, &f->c, &f->err);
        struck = chaos_struck();
        assert_true(rc == 0 || struck);
    }
    assert_false(struck);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_is_skipped_as_broken_is_not_compared),
        TEST(cells_get_their_kind),
        TEST(what_all_have_in_common_is_taken_out),
        TEST(an_interval_does_not_depend_on_an_ops_number),
        TEST(injected_times_show),
        TEST(runs_in_turns_settle_suspicions),
        TEST(far_beyond_noise_needs_no_more_runs),
        TEST(a_launch_scatters_with_its_cells),
        TEST(a_shift_needs_its_interval),
        TEST(only_rounds_like_the_base_count),
        TEST(what_one_run_cannot_tell_is_settled_where_it_is_asked_for),
        TEST(what_the_machine_does_in_a_round_is_taken_out),
        TEST(noise_is_the_devices_own),
        TEST(many_suspicions_take_more_rounds),
        TEST(formats_say_all),
        TEST(memory_may_end_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
