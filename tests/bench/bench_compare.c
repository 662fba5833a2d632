/* tests/bench/bench_compare.c - comparing: how fast, and how often right
 *
 *     bench_compare [ROWS [DIR]]
 *
 * First two files of ROWS records with 20 samples each (1,000,000) are
 * compared.  Then launches are made up: 2,000 cells, each with a noise between
 * launches of its own (0.3 to 4 %, with tails: Student's t of 3), all with a
 * shift of the machine (1 %).  20 pairs of identical code count false alarms,
 * pairs with slowdowns of 2, 5, 10, 20 % in 5 % of the cells what is found;
 * five runs in turns confirm.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/compare_confirm.h"
#include "results/run.h"
#include "tests/bench/made_up.h"

enum { CELLS = 2000, PAIRS = 20, ROUNDS = 5, SAMPLES = 20, ONE_IN = 20 };

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
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (float)(us * 1e3 * (1 + within * (made_unit() - 0.5)));
    r.samples = samples;
    r.sample_n = SAMPLES;
    return r;
}

/* Its name in path[4200]. */
static void write_file(const struct truth *t, size_t n, double shift, bool slow,
                       char *path)
{
    static unsigned number;
    const struct osw_run_info info = made_info(n);
    osw_run_t *run;

    snprintf(path, 4200, "%s/%u.h5", folder, number++);
    run = made_run(path, &info);
    for (size_t i = 0; i < n; i++) {
        float samples[SAMPLES];
        double us = t[i].us * exp(t[i].noise * made_tailed() + shift);
        struct osw_record r =
            make_record(i, us * (slow ? t[i].factor : 1), 0.004, samples);

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
                             bool slow)
{
    char path[4200];
    osw_file_t *file;

    write_file(t, n, shift, slow, path);
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
    static const struct osw_compare_options options = {0.02, 1, 1};
    struct osw_error err = OSW_ERROR_INIT;
    struct truth *t = calloc(n, sizeof(*t));
    char path[2][4200];
    struct osw_compare c;

    for (size_t i = 0; t && i < n; i++)
        t[i] = (struct truth){10 * exp(6 * made_unit()), 0.01, 1};
    if (!t)
        exit(1);
    write_file(t, n, 0, false, path[0]);
    write_file(t, n, 0, false, path[1]);
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

/* One round of runs in turns. */
static void take_round(const struct truth *t, struct osw_compare_confirm *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    double drift = 0.003 * made_normal(); /* of both: they take turns */
    osw_file_t *a = make_file(t, CELLS, drift, false);
    osw_file_t *b = make_file(t, CELLS, drift + 0.003 * made_normal(), true);
    const osw_file_t *as[] = {a}, *bs[] = {b};

    if (osw_compare_confirm_round(f, as, 1, bs, 1, &err) < 0)
        made_die(&err);
    osw_file_close(a);
    osw_file_close(b);
}

static void compare_launches(const struct truth *t, struct score *s)
{
    static const struct osw_compare_options options = {0.02, 1, 1};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *a = make_file(t, CELLS, 0.01 * made_normal(), false);
    osw_file_t *b = make_file(t, CELLS, 0.01 * made_normal(), true);
    struct osw_compare_confirm confirm;
    struct osw_compare c;

    if (osw_compare_run(a, b, &options, &c, &err) < 0 ||
        osw_compare_confirm_begin(&c, ROUNDS, &confirm, &err) < 0)
        made_die(&err);
    s->suspicions += confirm.n;
    while (osw_compare_confirm_more(&confirm)) {
        s->runs += 2 * confirm.n_open;
        take_round(t, &confirm);
    }
    osw_compare_confirm_settle(&confirm);
    osw_compare_confirm_end(&confirm);
    count(&c, t, s);
    osw_compare_free(&c);
    osw_file_close(a);
    osw_file_close(b);
}

static void make_truth(struct truth *t, double factor)
{
    for (size_t i = 0; i < CELLS; i++)
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
    static struct truth t[CELLS];
    struct score s = {0};

    snprintf(folder, sizeof(folder), "%s/bench-compare.XXXXXX",
             argc > 2 ? argv[2] : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    if (rows > 0)
        time_large(rows);
    for (int i = 0; i < PAIRS; i++) {
        make_truth(t, 1);
        compare_launches(t, &s);
    }
    printf(
        "identical code, %d pairs: %zu of %zu cells looked changed "
        "(%.2f %%), %zu confirmed (%.3f %%), by %.1f runs of a cell in turns\n",
        PAIRS, s.suspicions, s.n, share(s.suspicions, s.n), s.alarms,
        share(s.alarms, s.n), (double)s.runs / (double)s.suspicions);
    for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); k++) {
        s = (struct score){0};
        for (int i = 0; i < 4; i++) {
            make_truth(t, factors[k]);
            compare_launches(t, &s);
        }
        printf("slower by %2.0f %%: %zu of %zu confirmed (%.0f %%); of those "
               "at max(5 %%, 4 x noise) and more %zu of %zu (%.1f %%); %zu of "
               "%zu others (%.3f %%)\n",
               100 * (factors[k] - 1), s.found, s.slow, share(s.found, s.slow),
               s.large_found, s.large, share(s.large_found, s.large), s.alarms,
               s.n, share(s.alarms, s.n));
    }
    (void)rmdir(folder);
    return 0;
}
