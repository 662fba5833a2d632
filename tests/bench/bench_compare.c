/* tests/bench/bench_compare.c - comparing: how fast, and how often right
 *
 *     bench_compare [ROWS [NIGHTS [DIR]]]
 *
 * First two files of ROWS records with 20 samples each (1,000,000) are
 * compared.  Then launches are made up: 2,000 cells, each with a noise between
 * launches of its own (0.3 to 4 %, with tails: Student's t of 3), all with a
 * shift of the machine (1 %).  20 pairs of identical code count false alarms,
 * pairs with slowdowns of 2, 5, 10, 20 % in 5 % of the cells what is found;
 * five runs in turns and more confirm.  NIGHTS (0) pairs of 10,000 cells of
 * identical code count how many are green, confirmed and not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/compare/compare_confirm.h"
#include "results/file/run.h"
#include "tests/bench/made_up.h"

enum {
    CELLS = 2000,
    MANY = 10000,
    PAIRS = 20,
    ROUNDS = 5,
    SAMPLES = 20,
    ONE_IN = 20
};

static char folder[4096];

/* The time of a cell, and how far launches of it differ. */
struct truth {
    double us, noise, factor;
};

static struct osw_record make_record(uint64_t cell, double us, double within,
                                     float samples[SAMPLES])
{
    struct osw_record r = made_record(cell);

    r.t_median_ns = us * 1e3;
    r.t_ci_lo_ns = us * 1e3 * (1 - within);
    r.t_ci_hi_ns = us * 1e3 * (1 + within);
    r.t_q1_ns = r.t_ci_lo_ns;
    r.t_q3_ns = r.t_ci_hi_ns;
    r.t_min_ns = us * 1e3 * (1 - 2 * within);
    r.t_p95_ns = us * 1e3 * (1 + 2 * within);
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (float)(us * 1e3 * (1 + within * (made_unit() - 0.5)));
    r.samples = samples;
    r.sample_n = SAMPLES;
    return r;
}

/* Its name in path[4200]. */
/* Cells of `only` (NULL: all).  Its name in path[4200]. */
static void write_file(const struct truth *t, size_t n, double shift, bool slow,
                       const bool *only, char *path)
{
    static unsigned number;
    size_t n_cells = 0, cell = 0;
    struct osw_run_info info;
    osw_run_t *run;

    for (size_t i = 0; i < n; i++)
        n_cells += !only || only[i];
    snprintf(path, 4200, "%s/%u.h5", folder, number++);
    info = made_info(n_cells);
    run = made_run(path, &info);
    for (size_t i = 0; i < n; i++) {
        double us = t[i].us * exp(t[i].noise * made_tailed() + shift);
        float samples[SAMPLES];
        struct osw_record r =
            make_record(i, us * (slow ? t[i].factor : 1), 0.004, samples);

        if (only && !only[i])
            continue;
        r.cell = cell++;
        made_add(run, &r, "n1");
    }
    made_seal(run);
}

static osw_file_t *open_file(const char *path)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = osw_file_open(path, &err);

    if (!file)
        made_die(&err);
    return file;
}

static osw_file_t *make_file(const struct truth *t, size_t n, double shift,
                             bool slow, const bool *only)
{
    char path[4200];
    osw_file_t *file;

    write_file(t, n, shift, slow, only, path);
    file = open_file(path);
    (void)unlink(path);
    return file;
}

static double peak_mib(void)
{
    struct rusage u;

    (void)getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

static void time_large(size_t n)
{
    static const struct osw_compare_options options = {0.02, 1, 1, 0.1};
    struct osw_error err = OSW_ERROR_INIT;
    struct truth *t = calloc(n, sizeof(*t));
    char path[2][4200];
    struct osw_compare c;

    for (size_t i = 0; t && i < n; i++)
        t[i] = (struct truth){10 * exp(6 * made_unit()), 0.01, 1};
    if (!t)
        exit(1);
    write_file(t, n, 0, false, NULL, path[0]);
    write_file(t, n, 0, false, NULL, path[1]);
    free(t);
    for (int i = 0; i < 3; i++) {
        int64_t t0 = osw_clock_ns();
        FILE *out = fopen("/dev/null", "w");
        osw_file_t *a = open_file(path[0]), *b = open_file(path[1]);

        if (!out || osw_compare_run(a, b, &options, &c, &err) < 0 ||
            osw_compare_format_find("text")->write(&c, 20, out, &err) < 0)
            made_die(&err);
        fclose(out);
        printf("two files of %zu records opened and compared in %.2f s; peak "
               "%.0f MiB "
               "with making them\n",
               n, (double)(osw_clock_ns() - t0) * 1e-9, peak_mib());
        osw_compare_free(&c);
        osw_file_close(a);
        osw_file_close(b);
    }
    (void)unlink(path[0]);
    (void)unlink(path[1]);
}

/* Counts over pairs of launches. */
struct score {
    size_t suspicions, runs; /* of all cells; runs that settled them */
    size_t n, alarms;        /* of cells that did not change */
    size_t far_red, red, same, unsure;
    size_t slow, found, large, large_found; /* of those that did */
};

static void count(const struct osw_compare *c, const struct truth *t,
                  struct score *s)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct osw_compare_pair *p = &c->pairs[i];
        const struct truth *cell = &t[p->base];
        bool alarm =
            p->kind == OSW_COMPARE_REGRESSED || p->kind == OSW_COMPARE_IMPROVED;

        if (cell->factor == 1) {
            s->n++;
            s->alarms += alarm;
        } else {
            bool large =
                log(cell->factor) >= fmax(log(1.05), 4 * cell->noise) - 1e-9;

            s->slow++;
            s->found += p->kind == OSW_COMPARE_REGRESSED;
            s->large += large;
            s->large_found += large && p->kind == OSW_COMPARE_REGRESSED;
        }
    }
}

/* One round of runs in turns: of what is open, and of what runs along. */
static void take_round(const struct truth *t, size_t n,
                       struct osw_compare_confirm *f)
{
    static bool only[MANY];
    struct osw_error err = OSW_ERROR_INIT;
    double drift = 0.003 * made_normal(); /* of both: they take turns */
    osw_file_t *a, *b;

    memset(only, 0, sizeof(only));
    for (size_t i = 0; i < f->n + f->n_controls; i++)
        only[f->c->pairs[f->list[i].pair].base] = f->list[i].open;
    a = make_file(t, n, drift, false, only);
    b = make_file(t, n, drift + 0.003 * made_normal(), true, only);
    if (osw_compare_confirm_round(f, (const osw_file_t *const[]){a}, 1,
                                  (const osw_file_t *const[]){b}, 1, &err) < 0)
        made_die(&err);
    osw_file_close(a);
    osw_file_close(b);
}

static bool is_red(const struct osw_compare *c)
{
    return c->n_kind[OSW_COMPARE_REGRESSED] > 0 || osw_compare_shifted(c, 0.05);
}

static void compare_launches(const struct truth *t, size_t n, struct score *s)
{
    static const struct osw_compare_options options = {0.02, 1, 1, 0.1};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *a = make_file(t, n, 0.01 * made_normal(), false, NULL);
    osw_file_t *b = make_file(t, n, 0.01 * made_normal(), true, NULL);
    struct osw_compare_confirm confirm;
    struct osw_compare c;

    if (osw_compare_run(a, b, &options, &c, &err) < 0 ||
        osw_compare_confirm_begin(&c, ROUNDS, &confirm, &err) < 0)
        made_die(&err);
    s->far_red += is_red(&c);
    s->suspicions += confirm.n;
    while (osw_compare_confirm_more(&confirm)) {
        s->runs += 2 * confirm.n_open;
        take_round(t, n, &confirm);
    }
    osw_compare_confirm_settle(&confirm);
    osw_compare_confirm_end(&confirm);
    s->red += is_red(&c);
    s->same += c.n_kind[OSW_COMPARE_SAME];
    s->unsure += c.n_kind[OSW_COMPARE_UNSURE];
    count(&c, t, s);
    osw_compare_free(&c);
    osw_file_close(a);
    osw_file_close(b);
}

static void make_truth(struct truth *t, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++)
        t[i] = (struct truth){10 * exp(6 * made_unit()),
                              0.003 * exp(log(4 / 0.3) * made_unit()),
                              i % ONE_IN == 0 ? factor : 1};
}

static double share(size_t part, size_t n)
{
    return n ? 100.0 * (double)part / (double)n : 0;
}

int main(int argc, char **argv)
{
    static const double factors[] = {1.02, 1.05, 1.10, 1.20};
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    static struct truth t[MANY];
    unsigned nights = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    struct score s = {0};

    snprintf(folder, sizeof(folder), "%s/bench-compare.XXXXXX",
             argc > 3 ? argv[3] : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    if (rows > 0)
        time_large(rows);
    for (int i = 0; i < PAIRS; i++) {
        make_truth(t, CELLS, 1);
        compare_launches(t, CELLS, &s);
    }
    printf(
        "identical code, %d pairs: %zu of %zu cells looked changed "
        "(%.2f %%), %zu confirmed (%.3f %%), by %.1f runs of a cell in turns\n",
        PAIRS, s.suspicions, s.n, share(s.suspicions, s.n), s.alarms,
        share(s.alarms, s.n), (double)s.runs / (double)s.suspicions);
    for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); k++) {
        s = (struct score){0};
        for (int i = 0; i < 4; i++) {
            make_truth(t, CELLS, factors[k]);
            compare_launches(t, CELLS, &s);
        }
        printf("slower by %2.0f %%: %zu of %zu confirmed (%.0f %%); of those "
               "at max(5 %%, 4 x noise) and more %zu of %zu (%.1f %%); %zu of "
               "%zu others (%.3f %%)\n",
               100 * (factors[k] - 1), s.found, s.slow, share(s.found, s.slow),
               s.large_found, s.large, share(s.large_found, s.large), s.alarms,
               s.n, share(s.alarms, s.n));
    }
    s = (struct score){0};
    for (unsigned i = 0; i < nights; i++) {
        make_truth(t, MANY, 1);
        compare_launches(t, MANY, &s);
    }
    if (nights > 0)
        printf("identical code, %u nights of %d cells: %zu are red without "
               "runs in turns, %zu with them; %zu cells confirmed, %.1f %% "
               "look changed before; after them %.1f %% same, %.1f %% unsure\n",
               nights, MANY, s.far_red, s.red, s.alarms,
               share(s.suspicions, s.n), share(s.same, s.n),
               share(s.unsure, s.n));
    (void)rmdir(folder);
    return 0;
}
