/* tests/bench/bench_html.c - the HTML report of a large campaign
 *
 *     bench_html [CELLS [FOLDER]]
 *
 * Makes up a campaign of CELLS cells (100,000) on 2 nodes of 4 GPUs: the ops
 * and cases of tests/data/traces, 6 implementations, other sizes in each round
 * of them; times, speedups, errors, failures and their words differ from cell
 * to cell.  Its report is timed and measured, and opened in a Chromium where
 * there is one.  FOLDER keeps cells.h5 and cells.html.
 */
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/file/run.h"
#include "results/report/report.h"
#include "tests/bench/made_up.h"

enum { MAX_CASES = 4096, N_IMPLS = 6, N_RANKS = 8 };

struct shape {
    char *op, *text;
};

static struct shape shapes[MAX_CASES];
static size_t n_shapes;

static _Noreturn void die(const char *what)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)osw_fail(&err, OSW_SYSTEM, "%s", what);
    made_die(&err);
}

/* --- ops and cases --- */

static void add_shape(const char *op, const char *text)
{
    for (size_t i = 0; i < n_shapes; i++)
        if (strcmp(shapes[i].text, text) == 0 && strcmp(shapes[i].op, op) == 0)
            return;
    if (n_shapes < MAX_CASES)
        shapes[n_shapes++] = (struct shape){strdup(op), strdup(text)};
}

static void read_trace(const char *path)
{
    FILE *in = fopen(path, "r");
    char *line = NULL, op[256] = "";
    size_t size = 0;

    while (in && getline(&line, &size, in) > 0) {
        char *at;

        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "Operator: ", 10) == 0)
            snprintf(op, sizeof(op), "%s", line + 10);
        else if ((at = strstr(line, ", ((")))
            add_shape(op, at + 2);
    }
    free(line);
    if (in)
        fclose(in);
}

static int by_op(const void *x, const void *y)
{
    const struct shape *a = x, *b = y;
    int rc = strcmp(a->op, b->op);

    return rc ? rc : strcmp(a->text, b->text);
}

static void read_traces(void)
{
    glob_t found;

    if (glob("tests/data/traces/hf_train/*.txt", 0, NULL, &found))
        die("no tests/data/traces here");
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_trace(found.gl_pathv[i]);
    globfree(&found);
    qsort(shapes, n_shapes, sizeof(*shapes), by_op);
}

/* The case with its first size larger by `more`, and its type. */
static void vary(const char *text, unsigned more, char *out, size_t size,
                 char dtype[8])
{
    const char *from = strstr(text, "T(["), *type;
    char *end;
    long n = from ? strtol(from + 3, &end, 10) : 0;

    snprintf(out, size, "%s", text);
    if (n > 0)
        snprintf(out, size, "%.*s%ld%s", (int)(from + 3 - text), text, n + more,
                 end);
    type = from ? strstr(from, "], ") : NULL;
    snprintf(dtype, 8, "%.*s", type ? (int)strcspn(type + 3, ",)") : 0,
             type ? type + 3 : "");
}

/* --- what became of a cell --- */

/* The truth of an op on an implementation, the same in all its cells. */
static double speed_of(size_t op, int impl)
{
    uint64_t h = (op * 7 + (uint64_t)impl + 1) * UINT64_C(0x9e3779b97f4a7c15);

    return exp(((double)(h >> 40) / 0x1p24 - 0.45) * 2.2);
}

static void fail(struct osw_record *r, char *reason, size_t size)
{
    static const enum osw_state states[] = {
        OSW_STATE_VALUE, OSW_STATE_VALUE,   OSW_STATE_NAN,
        OSW_STATE_CRASH, OSW_STATE_TIMEOUT, OSW_STATE_UNSUPPORTED,
    };
    enum osw_state s = states[(size_t)(made_unit() * 6)];

    r->status_id = (uint8_t)s;
    r->speedup = r->speedup_lo = r->speedup_hi = r->t_median_ns = NAN;
    if (s != OSW_STATE_VALUE && s != OSW_STATE_NAN)
        r->max_rel_err = r->max_abs_err = NAN;
    if (s == OSW_STATE_VALUE || s == OSW_STATE_NAN) {
        r->n_bad = (int64_t)(made_unit() * (double)r->n_elem);
        r->max_rel_err = exp(6 * made_unit());
        snprintf(reason, size,
                 "%" PRId64 " of %" PRId64 " elements differ; first at "
                 "[%.0f, %.0f]: expected %.6g, found %.6g",
                 r->n_bad, r->n_elem, made_unit() * 64, made_unit() * 1024,
                 made_normal(), made_normal());
    } else if (s == OSW_STATE_UNSUPPORTED) {
        snprintf(reason, size, "the implementation takes no such case");
    } else {
        r->signal = s == OSW_STATE_CRASH ? 11 : 9;
        snprintf(reason, size, "signal %d in call %.0f", r->signal,
                 made_unit() * 50);
    }
}

static void measure(struct osw_record *r, size_t op, int impl)
{
    double bytes = exp(8 + 14 * made_unit()),
           flops = bytes * exp(5 * made_unit() - 1);
    double t = 3e3 + bytes / 2.5e3 / (0.3 + 0.7 * made_unit()), half;

    r->t_median_ns = t;
    r->t_min_ns = t * 0.98;
    r->t_q1_ns = t * 0.995;
    r->t_q3_ns = t * 1.005;
    r->t_p95_ns = t * 1.02;
    r->t_max_ns = t * (1.02 + made_unit());
    r->t_mean_ns = t * 1.003;
    r->t_mad_ns = t * 0.004;
    r->t_ci_lo_ns = t * 0.997;
    r->t_ci_hi_ns = t * 1.003;
    r->speedup = speed_of(op, impl) * exp(0.1 * made_normal());
    half = 0.002 + 0.02 * made_unit() * made_unit();
    r->speedup_lo = r->speedup * (1 - half);
    r->speedup_hi = r->speedup * (1 + half);
    r->baseline_median_ns = t * r->speedup;
    r->bytes = bytes;
    r->flops = flops;
    r->gbps = bytes / t;
    r->gflops = flops / t;
    r->clock_mhz = 1755 + 15 * floor(10 * made_unit());
    r->temperature_c = 40 + floor(25 * made_unit());
    r->power_w = 250 + 200 * made_unit();
    r->throttle = made_unit() < 0.01 ? 4 : 0;
    r->n_elem = (int64_t)(bytes / 8);
    r->max_rel_err = made_unit() < 0.3 ? 0 : exp(-16 + 3 * made_normal());
    r->max_abs_err = r->max_rel_err * 3;
}

static void add_cell(osw_run_t *run, uint64_t cell, size_t op,
                     const struct osw_cell_names *names, int impl, int32_t rank)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record r = made_record(cell);
    char reason[256] = "";

    r.rank = rank;
    r.phase_id = OSW_PHASE_TIME;
    r.t_start_ns = INT64_C(1790000000000000000) + (int64_t)cell * 3000000;
    r.wall_ns = (int64_t)(2e6 + 1e7 * made_unit());
    r.run_ns = r.wall_ns / 3;
    r.time_ns = r.wall_ns / 2;
    measure(&r, op, impl);
    if (made_unit() < (impl == 5 ? 0.3 : 0.03))
        fail(&r, reason, sizeof(reason));
    r.reason = reason;
    if (osw_run_result(run, &r, names, &err))
        die(err.text);
}

static void add_devices(osw_run_t *run)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_device_info info;

    for (int32_t rank = 1; rank <= N_RANKS; rank++) {
        osw_device_info_init(&info);
        snprintf(info.kind, sizeof(info.kind), "cuda");
        snprintf(info.name, sizeof(info.name), "NVIDIA H200");
        snprintf(info.uuid, sizeof(info.uuid), "GPU-%08x-made-up",
                 (unsigned)rank * 2654435761U);
        info.index = (rank - 1) % 4;
        if (osw_run_device(run, rank <= N_RANKS / 2 ? "gpu1" : "gpu2", &info,
                           rank, &err))
            die(err.text);
    }
}

static void write_file(const char *path, uint64_t n)
{
    static const char *const impls[N_IMPLS] = {"cudnn",  "inductor", "plain",
                                               "triton", "tuned",    "vector"};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_run_info info = made_info(n);
    osw_run_t *run;
    unsigned rounds = (unsigned)(n / (n_shapes * N_IMPLS)) + 1;
    uint64_t cell = 0;

    info.campaign_resolved = "{\"suite\": \"traces\", \"device\": \"cuda\"}";
    info.mpi_size = N_RANKS + 1;
    run = made_run(path, &info);
    add_devices(run);
    for (size_t i = 0, op = 0; i < n_shapes && cell < n; i++) {
        op += i && strcmp(shapes[i].op, shapes[i - 1].op) != 0;
        for (unsigned round = 0; round < rounds; round++)
            for (int k = 0; k < N_IMPLS && cell < n; k++) {
                int32_t rank = 1 + (int32_t)(made_unit() * N_RANKS);
                char text[1024], dtype[8];
                const struct osw_cell_names names = {
                    shapes[i].op, impls[k], text,
                    dtype,        "normal", cell % 2 ? "gpu1" : "gpu2",
                    "NVIDIA H200"};

                vary(shapes[i].text, round, text, sizeof(text), dtype);
                add_cell(run, cell++, op, &names, k, rank);
            }
    }
    if (osw_run_seal(run, cell == n, &err))
        die(err.text);
    osw_run_close(run);
}

/* --- the report --- */

static void report(const char *path, const char *page)
{
    static const struct osw_report_options options = {0};
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();
    osw_file_t *file = osw_file_open(path, &err);
    FILE *out = file ? fopen(page, "w") : NULL;
    struct rusage u;

    if (!out)
        die(file ? "cannot write the page" : err.text);
    if (osw_report_write(osw_report_find("html"), file, &options, out, &err))
        die(err.text);
    (void)getrusage(RUSAGE_SELF, &u);
    printf("report of %" PRIu64
           " cells in %.2f s, %.1f MiB; peak %.0f MiB with "
           "making them\n",
           osw_file_info(file)->n_results, (double)(osw_clock_ns() - t0) * 1e-9,
           (double)ftell(out) / 0x1p20, (double)u.ru_maxrss / 1024);
    fclose(out);
    osw_file_close(file);
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    char own[] = "/tmp/bench_html.XXXXXX", path[4096], page[4096];
    char command[8300];
    const char *folder = argc > 2 ? argv[2] : mkdtemp(own);
    int rc;

    if (!folder)
        die("no folder for its files");
    snprintf(path, sizeof(path), "%s/cells.h5", folder);
    snprintf(page, sizeof(page), "%s/cells.html", folder);
    read_traces();
    write_file(path, n);
    report(path, page);
    fflush(stdout);
    snprintf(command, sizeof(command),
             "PYTHONPATH=tests/shell python3 -B tests/bench/open_page.py '%s'",
             page);
    rc = system(command);
    if (argc <= 2) {
        (void)unlink(path);
        (void)unlink(page);
        (void)rmdir(folder);
    }
    for (size_t i = 0; i < n_shapes; i++) {
        free(shapes[i].op);
        free(shapes[i].text);
    }
    return rc != 0;
}
