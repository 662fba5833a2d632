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
#include "results/export/export.h"
#include "results/file/run.h"
#include "tests/bench/made_up.h"

enum { SAMPLES = 20 };

/* A cell that passed and was timed, as campaigns record it. */
static struct osw_record make_record(uint64_t cell, float samples[SAMPLES])
{
    double ns = 1e4 * exp(6 * made_unit());
    struct osw_record r = made_record(cell);

    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (float)(ns * (1 + 0.01 * made_unit()));
    r.t_min_ns = ns;
    r.t_median_ns = ns * 1.005;
    r.t_mean_ns = ns * (1 + 0.01 * made_unit());
    r.t_mad_ns = ns * 0.002 * made_unit();
    r.t_ci_lo_ns = ns * (1.004 + 1e-3 * made_unit());
    r.t_ci_hi_ns = ns * (1.005 + 1e-3 * made_unit());
    r.t_q1_ns = (double)samples[0];
    r.t_q3_ns = (double)samples[1];
    r.t_p95_ns = (double)samples[2];
    r.t_max_ns = (double)samples[3];
    r.baseline_median_ns = ns * 1.3 * made_unit();
    r.speedup = r.baseline_median_ns / r.t_median_ns;
    r.speedup_lo = r.speedup * 0.99;
    r.speedup_hi = r.speedup * 1.01;
    r.bytes = 4096 * floor(1000 * made_unit());
    r.gbps = r.bytes / r.t_median_ns;
    r.max_abs_err = 1e-6 * made_unit();
    r.max_rel_err = 1e-5 * made_unit();
    r.rms_norm_err = 1e-7 * made_unit();
    r.tol_abs = 1e-5;
    r.tol_rel = 1.3e-6;
    r.samples = samples;
    r.sample_n = SAMPLES;
    return r;
}

static void make_file(const char *path, size_t n)
{
    const struct osw_run_info info = made_info(n);
    osw_run_t *run = made_run(path, &info);

    for (size_t i = 0; i < n; i++) {
        float samples[SAMPLES];
        struct osw_record r = make_record(i, samples);

        made_add(run, &r, "n1");
    }
    made_seal(run);
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
        made_die(&err);
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
        made_die(&err);
    for (int samples = 1; samples >= 0; samples--) {
        time_export("CSV", file, n, samples, osw_export_csv, out);
        time_export("JSON", file, n, samples, osw_export_json, out);
    }
    osw_file_close(file);
    (void)unlink(path);
    return 0;
}
