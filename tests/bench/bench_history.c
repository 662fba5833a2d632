/* tests/bench/bench_history.c - many campaigns: how fast, and how often right
 *
 *     bench_history [CAMPAIGNS [CELLS [HISTORIES [NIGHTS [DIR]]]]]
 *
 * First CAMPAIGNS files (100) of CELLS cells (10,000) are made, and read and
 * judged by a process of its own: time, and the memory it needs.
 *
 * Then HISTORIES (200) are made up, 20 campaigns of 100 cells each, on one of
 * four nodes at random.  Cells have a noise between launches of their own (0.3
 * to 4 %, with tails: Student's t of 3), all have a shift of the machine (1 %).
 * In a quarter of the histories each nothing is planted; steps of 5, 10, 20 %
 * in 5 % of the cells each; a node that is 10 % slower in 30 % of the cells;
 * drifts of 1 % a campaign in 10 % of the cells, which the first campaign is
 * pinned for.  Made by a fixed seed: the same counts every time.
 *
 * Last, NIGHTS (0) histories of 10,000 series of 20 campaigns of identical code
 * for each of three serial correlations: how many series have a step, and how
 * many histories are red.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/compare/stats.h"
#include "results/file/run.h"
#include "results/history/changes.h"
#include "results/history/history.h"
#include "tests/bench/made_up.h"

enum { LENGTH = 20, CELLS = 100, NODES = 4 };
#define DAY_NS INT64_C(86400000000000)

static const struct osw_history_options options = {.threshold = 0.02,
                                                   .max_shift = 0.05};
static char folder[4096];

/* What is planted in a cell. */
struct truth {
    double us, noise;
    double step; /* log, from campaign `at` on */
    unsigned at;
    double drift, node; /* log, a campaign; on node 0 */
};

static struct osw_record make_record(uint64_t cell, double us)
{
    struct osw_record r = made_record(cell);

    r.t_median_ns = us * 1e3;
    r.t_ci_lo_ns = us * 1e3 * 0.996;
    r.t_ci_hi_ns = us * 1e3 * 1.004;
    r.timer_id = OSW_TIMER_GRAPH;
    return r;
}

/* Campaign `day` of n cells, on a node. */
static void write_file(const struct truth *t, size_t n, unsigned day,
                       unsigned node, const char *path)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_device_info device;
    char uuid[37], host[16];
    double shift = 0.01 * made_normal();
    struct osw_run_info info = made_info(n);
    osw_run_t *run;

    snprintf(uuid, sizeof(uuid), "%08x-89ab-4cde-8f01-23456789abcd", day);
    info.uuid = uuid;
    info.t_start_ns = 1767225600000000000 + day * DAY_NS;
    snprintf(host, sizeof(host), "n%u", node);
    osw_device_info_init(&device);
    strcpy(device.kind, "cuda");
    strcpy(device.name, "H200");
    snprintf(device.uuid, sizeof(device.uuid), "GPU-%u", node);
    run = made_run(path, &info);
    if (osw_run_device(run, host, &device, 1, &err) < 0)
        made_die(&err);
    for (size_t i = 0; i < n; i++) {
        double x = t[i].noise * made_tailed() + shift + t[i].drift * day +
                   (day >= t[i].at ? t[i].step : 0) +
                   (node == 0 ? t[i].node : 0);
        struct osw_record r = make_record(i, t[i].us * exp(x));

        made_add(run, &r, host);
    }
    made_seal(run);
}

static void add(osw_history_t *h, const char *path, bool pinned)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = osw_file_open(path, &err);

    if (!file || osw_history_add(h, file, pinned, &err) < 0)
        made_die(&err);
    osw_file_close(file);
}

static void path_of(char path[4200], unsigned day)
{
    snprintf(path, 4200, "%s/%04u.h5", folder, day);
}

static osw_history_t *judge(unsigned n, bool pin)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_history_t *h = osw_history_create(&options, &err);
    char path[4200];

    if (!h)
        made_die(&err);
    for (unsigned i = 0; i < n; i++) {
        path_of(path, i);
        if (i == 0 && pin)
            add(h, path, true);
        add(h, path, false);
    }
    if (osw_history_judge(h, NULL, &err) < 0)
        made_die(&err);
    return h;
}

static void make_truth(struct truth *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t[i] = (struct truth){.us = 10 * exp(6 * made_unit()),
                              .noise = 0.003 * exp(log(4 / 0.3) * made_unit()),
                              .at = LENGTH};
}

/* --- how fast --- */

static void time_large(unsigned n_campaigns, size_t n_cells)
{
    struct truth *t = calloc(n_cells, sizeof(*t));
    char path[4200];
    int status;

    if (!t)
        exit(1);
    make_truth(t, n_cells);
    for (unsigned i = 0; i < n_campaigns; i++) {
        path_of(path, i);
        write_file(t, n_cells, i, i % NODES, path);
    }
    free(t);
    for (int i = 0; i < 3; i++) {
        int64_t t0 = osw_clock_ns();
        struct rusage u;
        pid_t pid;

        fflush(stdout);
        pid = fork();
        if (pid == 0) {
            struct osw_error err = OSW_ERROR_INIT;
            FILE *out = fopen("/dev/null", "w");
            osw_history_t *h = judge(n_campaigns, false);

            _exit(!out ||
                  osw_history_format_find("text")->write(h, 20, out, &err) < 0);
        }
        if (wait4(pid, &status, 0, &u) != pid || status != 0)
            exit(1);
        printf("%u campaigns of %zu cells: %.2f s, %.0f MiB\n", n_campaigns,
               n_cells, (double)(osw_clock_ns() - t0) * 1e-9,
               (double)u.ru_maxrss / 1024);
    }
    for (unsigned i = 0; i < n_campaigns; i++) {
        path_of(path, i);
        (void)unlink(path);
    }
}

/* --- how often right --- */

static const double steps[] = {0, 1.05, 1.10, 1.20};
enum { N_STEPS = 4, STEP_CELLS = 5 };

struct score {
    size_t histories, alarmed;    /* with a false alarm that fails */
    size_t n, alarms, suspicions; /* cells in which nothing is planted */
    size_t steps[N_STEPS], found[N_STEPS], there[N_STEPS];
    size_t large[N_STEPS], large_found[N_STEPS], held[N_STEPS];
    size_t nodes, nodes_found, node_cells, node_alarms;
    size_t drifts, drifts_found, as_steps;
};

static unsigned kind_of_step(const struct truth *t)
{
    unsigned k = N_STEPS - 1;

    while (k > 0 && fabs(t->step - log(steps[k])) > 1e-9)
        k--;
    return k;
}

static bool is_gated(enum osw_history_kind kind)
{
    return kind == OSW_HISTORY_REGRESSED || kind == OSW_HISTORY_DRIFTED;
}

/* A cell's findings, gravest first. */
struct verdict {
    bool gated, drifted, suspicious;
    unsigned since; /* of a step */
    bool held;      /* its interval holds the truth */
};

static void read_verdicts(const osw_history_t *h, const struct truth *t,
                          struct verdict *v, struct score *s)
{
    const struct osw_history_view w = osw_history_view(h);

    memset(v, 0, CELLS * sizeof(*v));
    for (size_t i = 0; i < w.n_findings; i++) {
        const struct osw_history_finding *f = &w.findings[i];
        unsigned long cell;

        if (f->kind == OSW_HISTORY_PLACE &&
            strcmp(osw_history_word(h, f->host), "n0") == 0)
            s->nodes_found += f->effect > 0;
        if (f->cell == OSW_HISTORY_NONE)
            continue;
        cell = w.cells[f->cell].key * UINT64_C(0xf1de83e19937733d) - 1;
        v[cell].gated |= is_gated(f->kind);
        v[cell].drifted |= f->kind == OSW_HISTORY_DRIFTED;
        v[cell].suspicious |= f->kind == OSW_HISTORY_SLOWER;
        if (f->kind == OSW_HISTORY_REGRESSED) {
            const char *at = osw_history_word(
                h,
                w.campaigns[w.places[w.points[f->since].place].campaign].uuid);

            v[cell].since = (unsigned)strtoul(at, NULL, 16);
            v[cell].held = fabs(f->effect - t[cell].step) <= f->half;
        }
    }
}

static void count(const struct truth *t, const struct verdict *v,
                  struct score *s)
{
    bool alarmed = false;

    s->histories++;
    for (size_t i = 0; i < CELLS; i++) {
        unsigned k = kind_of_step(&t[i]);

        if (t[i].step > 0) {
            bool large = t[i].step >= fmax(log(1.05), 4 * t[i].noise) - 1e-9;

            s->steps[k]++;
            s->found[k] += v[i].gated;
            s->there[k] += v[i].gated && v[i].since == t[i].at;
            s->held[k] += v[i].gated && v[i].since && v[i].held;
            s->large[k] += large;
            s->large_found[k] += large && v[i].gated;
        } else if (t[i].drift > 0) {
            s->drifts++;
            s->drifts_found += v[i].drifted;
            s->as_steps += v[i].gated && !v[i].drifted;
        } else if (t[i].node > 0) {
            s->node_cells++;
            s->node_alarms += v[i].gated;
        } else {
            s->n++;
            s->alarms += v[i].gated;
            s->suspicions += v[i].suspicious;
            alarmed = alarmed || v[i].gated;
        }
    }
    s->alarmed += alarmed;
}

/* What of four is planted in history `number`. */
static void plant(struct truth *t, unsigned number, struct score *s)
{
    make_truth(t, CELLS);
    for (size_t i = 0; i < CELLS; i++) {
        if (number % 4 == 1 && i < STEP_CELLS * (N_STEPS - 1)) {
            t[i].step = log(steps[1 + i / STEP_CELLS]);
            t[i].at =
                5 + (unsigned)(12 * made_unit()); /* 3 and more after it */
        }
        if (number % 4 == 2 && i % 10 < 3)
            t[i].node = log(1.10);
        if (number % 4 == 3 && i % 10 == 0)
            t[i].drift = log(1.01);
    }
    s->nodes += number % 4 == 2;
}

static double share(size_t part, size_t n)
{
    return n ? 100.0 * (double)part / (double)n : 0;
}

static void report(const struct score *s)
{
    printf("nothing planted: %zu of %zu cells fail falsely (%.2f %%), in %zu "
           "of %zu histories; %zu suspicions (%.2f %%)\n",
           s->alarms, s->n, share(s->alarms, s->n), s->alarmed, s->histories,
           s->suspicions, share(s->suspicions, s->n));
    for (int k = 1; k < N_STEPS; k++)
        printf("steps of %2.0f %%: %zu of %zu found (%.0f %%), %zu in the very "
               "campaign, %zu intervals hold; of those at max(5 %%, 4 x "
               "noise) and more %zu of %zu (%.1f %%)\n",
               100 * (steps[k] - 1), s->found[k], s->steps[k],
               share(s->found[k], s->steps[k]), s->there[k], s->held[k],
               s->large_found[k], s->large[k],
               share(s->large_found[k], s->large[k]));
    printf("bad nodes: %zu of %zu named; of their %zu slow cells %zu are taken "
           "for regressions (%.1f %%)\n",
           s->nodes_found, s->nodes, s->node_cells, s->node_alarms,
           share(s->node_alarms, s->node_cells));
    printf("drifts of 1 %% a campaign: %zu of %zu found (%.0f %%), %zu more "
           "taken for steps\n",
           s->drifts_found, s->drifts, share(s->drifts_found, s->drifts),
           s->as_steps);
}

/* --- series that are alike from campaign to campaign --- */

enum { SERIES = 10000, SETTLING = 30 };

static void draw_series(struct osw_changes_series *s, double rho)
{
    static uint32_t when[LENGTH], place[LENGTH];
    double x = 0;

    s->n = LENGTH;
    s->when = when;
    s->place = place;
    for (int i = -SETTLING; i < LENGTH; i++) {
        x = rho * x + sqrt(1 - rho * rho) * made_tailed();
        if (i >= 0) {
            when[i] = (uint32_t)i;
            s->x[i] = (float)(11 + 0.02 * x);
        }
    }
}

static void count_nights(unsigned nights, double rho)
{
    static float x[SERIES][LENGTH], scratch[LENGTH];
    static double p[SERIES];
    struct osw_changes_segment segments[OSW_CHANGES_MAX_SEGMENTS];
    size_t sure = 0, cut = 0, red = 0, found = 0;

    for (unsigned night = 0; night < nights; night++) {
        struct osw_changes_pairs all = {0};
        struct osw_changes_series s = {.scratch = scratch};
        double smallest = 1, slower = 1, most;

        for (size_t i = 0; i < SERIES; i++) {
            s.x = x[i];
            draw_series(&s, rho);
            (void)osw_changes_count_pairs(&s, &all);
        }
        for (size_t i = 0; i < SERIES; i++) {
            struct osw_changes_pairs unused = {0}, own;
            struct osw_changes_noise noise = {.prior = 0.0072,
                                              .measured = 0.002};

            s.x = x[i];
            own = osw_changes_count_pairs(&s, &unused);
            noise.rho = osw_changes_rho(&all, &own);
            noise.sigma = osw_changes_sigma(&s, noise.prior, noise.rho, NULL);
            cut += osw_changes_segments(&s, &noise, log(1.02), &p[i],
                                        segments) > 1;
            sure += p[i] < OSW_CHANGES_SURE;
            smallest = fmin(smallest, p[i]);
            if (segments[0].drifts ? segments[0].slope > 0
                                   : p[i] < OSW_CHANGES_SURE &&
                                         segments[1].level > segments[0].level)
                slower = fmin(slower, p[i]);
        }
        most = osw_stats_bh(p, SERIES, OSW_HISTORY_FDR);
        found += smallest <= most;
        red += slower <= most;
    }
    printf(
        "lag-1 %.1f, %u histories of %d series: %zu series (%.3f %%) are "
        "cut, %zu (%.3f %%) with p below 0.005; %zu histories have a finding, "
        "%zu are red\n",
        rho, nights, SERIES, cut, share(cut, nights * (size_t)SERIES), sure,
        share(sure, nights * (size_t)SERIES), found, red);
}

int main(int argc, char **argv)
{
    unsigned n_campaigns = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    size_t n_cells = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    unsigned n_histories = argc > 3 ? (unsigned)atoi(argv[3]) : 200;
    unsigned nights = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    static struct truth t[CELLS];
    static struct verdict v[CELLS];
    struct score s = {0};
    char path[4200];

    snprintf(folder, sizeof(folder), "%s/bench-history.XXXXXX",
             argc > 5 ? argv[5] : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    if (n_campaigns > 0)
        time_large(n_campaigns, n_cells);
    for (unsigned i = 0; i < n_histories; i++) {
        osw_history_t *h;

        plant(t, i, &s);
        for (unsigned day = 0; day < LENGTH; day++) {
            path_of(path, day);
            write_file(t, CELLS, day, (unsigned)(NODES * made_unit()), path);
        }
        h = judge(LENGTH, i % 4 == 3);
        read_verdicts(h, t, v, &s);
        count(t, v, &s);
        osw_history_destroy(h);
    }
    if (n_histories > 0)
        report(&s);
    for (int i = 0; i < 3 && nights > 0; i++)
        count_nights(nights, 0.3 * i);
    for (unsigned day = 0; day < LENGTH; day++) {
        path_of(path, day);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return 0;
}
