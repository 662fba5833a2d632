/* tests/bench/bench_export.c - exporting cells with their samples
 *
 *     bench_export [ROWS [DIR]]
 *
 * A file of ROWS cells (1,000,000) with 20 samples each is made up, and
 * exported as CSV and JSON with and without samples into DIR (/tmp): seconds,
 * bytes a second, processor time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/export.h"
#include "results/run.h"

enum { SAMPLES = 20 };

static uint64_t state = 88172645463325252U;

static double unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static _Noreturn void die(const struct osw_error *err)
{
    fprintf(stderr, "bench_export: %s\n", err->text);
    exit(1);
}

/* A cell that passed and was timed, as campaigns record it. */
static struct osw_record make_record(uint64_t cell, float samples[SAMPLES])
{
    double ns = 1e4 * exp(6 * unit());
    struct osw_record r;

    osw_record_init(&r);
    r.cell = cell;
    r.cell_key = (cell + 1) * UINT64_C(0x9e3779b97f4a7c15);
    r.rank = 1;
    r.attempt = 1;
    r.status_id = OSW_STATE_PASS;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (float)(ns * (1 + 0.01 * unit()));
    r.t_min_ns = ns;
    r.t_median_ns = ns * 1.005;
    r.t_mean_ns = ns * (1 + 0.01 * unit());
    r.t_mad_ns = ns * 0.002 * unit();
    r.t_ci_lo_ns = ns * (1.004 + 1e-3 * unit());
    r.t_ci_hi_ns = ns * (1.005 + 1e-3 * unit());
    r.t_q1_ns = (double)samples[0];
    r.t_q3_ns = (double)samples[1];
    r.t_p95_ns = (double)samples[2];
    r.t_max_ns = (double)samples[3];
    r.baseline_median_ns = ns * 1.3 * unit();
    r.speedup = r.baseline_median_ns / r.t_median_ns;
    r.speedup_lo = r.speedup * 0.99;
    r.speedup_hi = r.speedup * 1.01;
    r.bytes = 4096 * floor(1000 * unit());
    r.gbps = r.bytes / r.t_median_ns;
    r.max_abs_err = 1e-6 * unit();
    r.max_rel_err = 1e-5 * unit();
    r.rms_norm_err = 1e-7 * unit();
    r.tol_abs = 1e-5;
    r.tol_rel = 1.3e-6;
    r.samples = samples;
    r.sample_n = SAMPLES;
    return r;
}

static void make_file(const char *path, size_t n)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_run_info info = {
        .uuid = "01234567-89ab-4cde-8f01-23456789abcd",
        .campaign_path = "",
        .campaign_json = "",
        .campaign_resolved = "{}",
        .command_line = "bench_export",
        .hostname = "host",
        .tool_version = "0",
        .profile = "sweep",
        .n_planned = n,
        .mpi_size = 1,
        .env = NULL,
    };
    osw_run_t *run = osw_run_create(path, &info, true, &err);

    for (size_t i = 0; run && i < n; i++) {
        char op[48], text[64];
        float samples[SAMPLES];
        const struct osw_cell_names names = {op,       "fast", text,  "f32",
                                             "normal", "n1",   "H200"};
        struct osw_record r = make_record(i, samples);

        snprintf(op, sizeof(op), "aten.op%zu.default", i / 500);
        snprintf(text, sizeof(text), "((T([%zu], f32),), {})", i % 500);
        if (osw_run_result(run, &r, &names, &err) < 0)
            die(&err);
    }
    if (!run || osw_run_seal(run, true, &err) < 0)
        die(&err);
    osw_run_close(run);
}

static double cpu_s(void)
{
    struct rusage u;

    (void)getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec +
           (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec;
}

static void time_export(const char *name, const osw_file_t *file, size_t n,
                        bool samples,
                        int (*export)(const struct osw_export *, FILE *,
                                      struct osw_error *),
                        const char *path)
{
    const struct osw_export e = {.file = file, .samples = samples};
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();
    double cpu0 = cpu_s(), s;
    FILE *out = fopen(path, "we");
    struct stat st = {0};

    if (!out || export(&e, out, &err) < 0 || fclose(out) || stat(path, &st) < 0)
        die(&err);
    s = (double)(osw_clock_ns() - t0) * 1e-9;
    printf("%-4s %-15s %9zu cells, %7.1f MB in %6.2f s: %6.1f MB/s; %.2f s of "
           "processor time\n",
           name, samples ? "with samples" : "without samples", n,
           (double)st.st_size * 1e-6, s, (double)st.st_size * 1e-6 / s,
           cpu_s() - cpu0);
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    struct osw_error err = OSW_ERROR_INIT;
    char path[4096], out[4100];
    osw_file_t *file;

    snprintf(path, sizeof(path), "%s/bench-export.%ld.h5",
             argc > 2 ? argv[2] : "/tmp", (long)getpid());
    snprintf(out, sizeof(out), "%s.out", path);
    make_file(path, n);
    file = osw_file_open(path, &err);
    if (!file)
        die(&err);
    for (int samples = 1; samples >= 0; samples--) {
        time_export("CSV", file, n, samples, osw_export_csv, out);
        time_export("JSON", file, n, samples, osw_export_json, out);
    }
    osw_file_close(file);
    (void)unlink(path);
    return 0;
}
