/* tests/bench/bench_results.c - how fast results reach the disk
 *
 *     bench_results [ROWS [SAMPLES [DIR [IMPLS]]]]
 *
 * Appends half as many records, a million at most, with 20 samples each,
 * committing by policy, and seals ROWS records with SAMPLES samples each, in a
 * new folder of DIR (default: the present one).  IMPLS rows (6) are of one
 * case, whose text takes memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/file/run.h"

/* A plausible record: phases, timings and errors that differ by row. */
struct maker {
    uint64_t state;
    struct osw_record record;
    float samples[OSW_RECORD_MAX_SAMPLES];
    char case_text[128], op[32], impl[32];
    struct osw_cell_names names;
};

static uint64_t n_impls = 6;

static uint64_t next(struct maker *m)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return m->state;
}

static double unit(struct maker *m)
{
    return (double)(next(m) >> 11) * 0x1p-53;
}

static void make_times(struct maker *m, uint32_t n)
{
    struct osw_record *r = &m->record;
    double base = 1000 * exp(8 * unit(m));

    for (uint32_t i = 0; i < n; i++)
        m->samples[i] = (float)(base * (1 + 0.008 * unit(m)));
    r->t_min_ns = base;
    r->t_q1_ns = base * 1.002;
    r->t_median_ns = base * (1.004 + 0.0001 * unit(m));
    r->t_q3_ns = base * 1.006;
    r->t_p95_ns = base * 1.0076;
    r->t_max_ns = base * 1.008;
    r->t_mean_ns = base * (1.004 + 0.0001 * unit(m));
    r->t_mad_ns = base * 0.002;
    r->t_ci_lo_ns = base * 1.003;
    r->t_ci_hi_ns = base * 1.005;
    r->baseline_median_ns = base * (0.5 + unit(m));
    r->speedup = r->baseline_median_ns / r->t_median_ns;
    r->speedup_lo = r->speedup * 0.99;
    r->speedup_hi = r->speedup * 1.01;
    r->gbps = r->bytes / r->t_median_ns;
    r->gflops = r->flops / r->t_median_ns;
    r->sample_n = n;
    r->samples = m->samples;
}

static void make(struct maker *m, uint64_t cell, uint32_t n_samples)
{
    struct osw_record *r = &m->record;
    uint64_t n = cell / n_impls, impl = cell % n_impls;
    uint64_t op = n / 100 % 180, c = n % 100;

    osw_record_init(r);
    r->cell = cell;
    r->cell_key = next(m);
    r->rank = (int32_t)(1 + cell % 16);
    r->attempt = 1;
    r->status_id = next(m) % 16 ? OSW_STATE_PASS : OSW_STATE_VALUE;
    r->phase_id = OSW_PHASE_TIME;
    r->check_id = OSW_CHECK_FULL;
    r->stop_id = OSW_STOP_CONVERGED;
    r->t_start_ns =
        1700000000000000000 + (int64_t)(cell * 1000000 + next(m) % 1000000);
    r->fill_ns = (int64_t)(next(m) % 1000000);
    r->reference_ns = (int64_t)(next(m) % 1000000);
    r->run_ns = (int64_t)(next(m) % 100000);
    r->verify_ns = (int64_t)(next(m) % 1000000);
    r->time_ns = (int64_t)(next(m) % 100000000);
    r->wall_ns =
        r->fill_ns + r->reference_ns + r->run_ns + r->verify_ns + r->time_ns;
    r->bytes = (double)(4096 << c % 12);
    r->flops = (double)(8192 << c % 12);
    r->n_inner = 1 + (uint32_t)(c % 7);
    r->n_warmup = 10;
    r->n_elem = 1024 << c % 12;
    r->max_abs_err = 1e-6 * unit(m);
    r->max_rel_err = 1e-5 * unit(m);
    r->max_ulp_err = floor(8 * unit(m));
    r->tol_abs = 1e-5;
    r->tol_rel = 1.3e-6;
    r->memory_bytes = 16384u << c % 12;
    r->reference = "aten_reference.c";
    r->baseline = "plain";
    make_times(m, n_samples);
    snprintf(m->op, sizeof(m->op), "aten.op%03u.default", (unsigned)op);
    snprintf(m->impl, sizeof(m->impl), "impl_%u", (unsigned)impl);
    snprintf(m->case_text, sizeof(m->case_text),
             "((T([%u, 512, %u], f32), T([%u], f32)), {'alpha': %u})",
             (unsigned)(c + 1), (unsigned)(64 * (op + 1)), (unsigned)(64 * c),
             (unsigned)(n / 18000));
    m->names = (struct osw_cell_names){m->op,    m->impl, m->case_text, "f32",
                                       "normal", "node1", "cpu"};
}

static void must(int rc, const struct osw_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench_results: %s\n", err->text);
    exit(5);
}

static double seconds(int64_t since_ns)
{
    return (double)(osw_clock_ns() - since_ns) * 1e-9;
}

/* Seconds of processor time so far, all threads. */
static double cpu_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static osw_run_t *start(const char *path, uint64_t n, struct osw_error *err)
{
    struct osw_run_info info = {.n_planned = n,
                                .tool_version = "bench",
                                .campaign_resolved = "{}",
                                .hostname = "node1",
                                .mpi_size = 17,
                                .t_start_ns = osw_clock_unix_ns()};
    osw_run_t *run = osw_run_create(path, &info, true, err);

    must(run ? 0 : -1, err);
    return run;
}

/* Returns seconds for the appends and commits alone: the records are made
 * beforehand, a few thousand that are used again and again.
 */
static double append(osw_run_t *run, uint64_t n, uint32_t n_samples)
{
    enum { POOL = 4096 };
    struct osw_error err = OSW_ERROR_INIT;
    struct maker *pool = calloc(POOL, sizeof(*pool));
    int64_t t0;
    double s;

    for (uint64_t i = 0; i < POOL; i++) {
        pool[i].state = 0x9e3779b97f4a7c15u * (i + 1);
        make(&pool[i], i, n_samples);
    }
    t0 = osw_clock_ns();
    for (uint64_t i = 0; i < n; i++) {
        struct maker *m = &pool[i % POOL];

        m->record.cell = i;
        must(osw_run_result(run, &m->record, &m->names, &err), &err);
        if (osw_run_commit_due(run, osw_clock_ns()))
            must(osw_run_commit(run, &err), &err);
    }
    must(osw_run_commit(run, &err), &err);
    s = seconds(t0);
    free(pool);
    return s;
}

static void bench_append(uint64_t n, bool relaxed)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = start("append.h5", n, &err);
    double s;

    osw_run_set_relaxed(run, relaxed);
    s = append(run, n, 20);
    osw_run_close(run);
    printf("%-34s %10.0f records/s  (%llu records of 20 samples, %.2f s)\n",
           relaxed ? "journal, durability relaxed"
                   : "journal, fdatasync by policy",
           (double)n / s, (unsigned long long)n, s);
    must(system("rm -rf append.h5 append.h5.journal") ? -1 : 0, &err);
}

static void bench_seal(uint64_t n, uint32_t n_samples)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = start("seal.h5", n, &err);
    struct maker *m = calloc(1, sizeof(*m));
    struct rusage use;
    struct stat st;
    int64_t t0;
    double s, cpu;

    m->state = 88172645463325252u;
    for (uint64_t i = 0; i < n; i++) {
        make(m, i, n_samples);
        must(osw_run_result(run, &m->record, &m->names, &err), &err);
    }
    must(osw_run_commit(run, &err), &err);
    cpu = cpu_seconds();
    t0 = osw_clock_ns();
    must(osw_run_seal(run, true, &err), &err);
    s = seconds(t0);
    cpu = cpu_seconds() - cpu;
    osw_run_close(run);
    must(stat("seal.h5", &st), &err);
    getrusage(RUSAGE_SELF, &use);
    printf("%-34s %10.2f s          (%llu rows, %llu samples, %.1f MB, %.2f s "
           "of processor time, peak memory %.0f MiB)\n",
           "seal, verified and renamed", s, (unsigned long long)n,
           (unsigned long long)(n * n_samples), (double)st.st_size * 1e-6, cpu,
           (double)use.ru_maxrss / 1024);
    free(m);
    unlink("seal.h5");
}

int main(int argc, char **argv)
{
    enum { MOST_APPENDED = 1000000 };
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, n_appended;
    uint32_t n_samples = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 50;
    char dir[4096];

    snprintf(dir, sizeof(dir), "%s/bench_results.XXXXXX",
             argc > 3 ? argv[3] : ".");
    if (argc > 4)
        n_impls = strtoull(argv[4], NULL, 10);
    if (n == 0 || n_impls == 0 || n_samples > OSW_RECORD_MAX_SAMPLES ||
        !mkdtemp(dir) || chdir(dir)) {
        fprintf(stderr,
                "usage: bench_results [ROWS [SAMPLES [DIR [IMPLS]]]]\n");
        return 2;
    }
    n_appended = n / 2 + 1 < MOST_APPENDED ? n / 2 + 1 : MOST_APPENDED;
    bench_append(n_appended, false);
    bench_append(n_appended, true);
    bench_seal(n, n_samples);
    return chdir("..") || rmdir(dir) ? 5 : 0;
}
