/* tests/bench/bench_host.c - a call through the Python host and without it
 *
 *   bench_host [DEVICE]
 *
 * One sandbox, one file, one function.  In turns it is called by the host, in
 * timed calls and in whole steps (arguments, call, results, hash), and by a
 * loop in Python itself, over the same tensor: what differs is the host's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "ops/notation/notation.h"
#include "worker/judge/process/sandbox.h"

enum {
    REPEATS = 5,
    TURNS = 151,   /* of a repeat, whose figures are their medians */
    WARM_UP = 5,   /* turns before them */
    N_CALLS = 100, /* of each kind, a turn: shorter than a slice of time */
    N_CASES = 21,  /* of a message; three steps each */
    SLOT = 64 << 10,
    OUTPUT_AT = 8192,
    SPILL_AT = 16384,
};
#define DEADLINE_NS INT64_C(120000000000)

enum figure { DIRECT, TIMED, INSIDE, OUTSIDE, N_FIGURES };

static const char source[] =
    "import gc\n"
    "import time\n"
    "import %s as lib\n"
    "\n"
    "op = lib.%s\n"
    "\n"
    "\n"
    "def host_kernel_impl(x, direct=0):\n"
    "    if not direct:\n"
    "        return op(x)\n"
    "    call = host_kernel_impl\n"
    "    t = time.perf_counter_ns()\n"
    "    for _ in range(direct):\n"
    "        call(x)\n"
    "    return (time.perf_counter_ns() - t) / direct\n";

struct bench {
    struct osw_sandbox *box;
    osw_arena_t *memory;
    unsigned char message[OSW_PROTOCOL_MAX_BYTES];
};

static int fail(const char *what)
{
    fprintf(stderr, "bench_host: %s\n", what);
    return -1;
}

static void put_case(struct bench *b, struct osw_writer *w, const char *text,
                     enum osw_dtype_id dtype, int32_t ndim)
{
    static const uint64_t offsets[] = {4096};
    struct osw_output want = {.dtype = dtype,
                              .ndim = ndim,
                              .alias = -1,
                              .shape = {16},
                              .strides = {1},
                              .offset = OUTPUT_AT,
                              .exact = OSW_NO_OFFSET,
                              .norm = OSW_NO_OFFSET};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_bound_arg *args = NULL;
    struct osw_case c;
    size_t n = 0;

    if (osw_notation_parse_case(b->memory, text, strlen(text), &c, &err) < 0 ||
        osw_bind(b->memory, NULL, &c, &args, &n, &err) < 0)
        exit(1);
    b->box->zone = OSW_ZONE_WINDOW;
    osw_protocol_put_case(w, &(struct osw_case_request){.mode = OSW_MODE_RUN,
                                                        .zone = OSW_ZONE_WINDOW,
                                                        .seed = 1,
                                                        .n_args = (uint32_t)n,
                                                        .args = args,
                                                        .offsets = offsets,
                                                        .n_expected = 1,
                                                        .expected = &want,
                                                        .spill = SPILL_AT});
}

/* One call; NULL: it failed. */
static const struct osw_result *call(struct bench *b, const char *text,
                                     enum osw_dtype_id dtype, int32_t ndim)
{
    struct osw_writer w = osw_writer(b->message, sizeof(b->message));

    osw_arena_reset(b->memory);
    put_case(b, &w, text, dtype, ndim);
    if (osw_sandbox_send(b->box, &w) < 0 ||
        osw_sandbox_result(b->box, DEADLINE_NS) < 0 ||
        b->box->result.code != 0) {
        fprintf(stderr, "%s\n%s\n", b->box->result.text,
                osw_sandbox_take_output(b->box));
        return NULL;
    }
    return &b->box->result;
}

/* ns of a call in a loop of Python's own; < 0: it failed. */
static double by_python(struct bench *b)
{
    const struct osw_result *r;
    char text[64];
    double ns;

    snprintf(text, sizeof(text), "((T([16], f32), %d), {})", N_CALLS);
    r = call(b, text, OSW_F64, 0);
    if (!r)
        return -1;
    memcpy(&ns, (unsigned char *)b->box->window.base + r->outputs[0].offset,
           sizeof(ns));
    return ns;
}

/* ns of a timed call of the host's. */
static double by_host(struct bench *b)
{
    struct osw_writer w = osw_writer(b->message, sizeof(b->message));
    static struct osw_time_reply reply;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    if (!call(b, "((T([16], f32),), {})", OSW_F32, 1))
        return -1;
    osw_protocol_put_time(
        &w, &(struct osw_time_request){.n_samples = 1, .n_inner = N_CALLS});
    if (osw_sandbox_send(b->box, &w) < 0 ||
        osw_sandbox_receive(b->box, OSW_TALK_SAMPLES, DEADLINE_NS, &r) < 0 ||
        osw_protocol_get_samples(&r, &reply, &err) < 0 || reply.code != 0)
        return -1;
    return (double)reply.samples[0];
}

/* ns of a step: three of each case, as the judge asks for them. */
static double by_steps(struct bench *b)
{
    struct osw_writer w = osw_writer(b->message, sizeof(b->message));
    struct osw_reader r;
    int64_t t0 = 0, spent = 0;

    osw_arena_reset(b->memory);
    osw_write_u8(&w, OSW_TALK_STEPS);
    osw_write_u32(&w, 3 * N_CASES);
    for (uint32_t i = 0; i < 3 * N_CASES; i++) {
        osw_protocol_put_step(&w, &(struct osw_step){.at = (1 + i) * SLOT,
                                                     .bytes = SLOT,
                                                     .again = i % 3 > 0});
        if (i % 3 == 0)
            put_case(b, &w, "((T([16], f32),), {})", OSW_F32, 1);
    }
    for (int k = 0; k < 1 + N_CALLS / (3 * N_CASES); k++) {
        t0 = osw_clock_ns();
        if (w.overrun || osw_sandbox_send(b->box, &w) < 0 ||
            osw_sandbox_receive(b->box, OSW_TALK_RESULTS, DEADLINE_NS, &r) <
                0 ||
            osw_read_u32(&r) != 3 * N_CASES)
            return -1;
        spent += osw_clock_ns() - t0;
    }
    return (double)spent / (1 + N_CALLS / (3 * N_CASES)) / (3 * N_CASES);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof(*v), ascending);
    return v[n / 2];
}

/* One turn: host and Python called alternately.  false: a call failed. */
static bool turn(struct bench *b, double out[N_FIGURES])
{
    double d = by_python(b), t = by_host(b), e = by_python(b), s = by_steps(b);

    out[DIRECT] = (d + e) / 2;
    out[TIMED] = t;
    out[INSIDE] = t - out[DIRECT];
    out[OUTSIDE] = s - out[DIRECT];
    return d >= 0 && t >= 0 && s >= 0 && e >= 0;
}

static int measure(struct bench *b)
{
    static const char *const names[N_FIGURES] = {
        "called by Python itself", "timed by the host",
        "  that is more than directly by",
        "a whole step is more than directly by"};
    static double turns[N_FIGURES][TURNS];
    double medians[N_FIGURES][REPEATS], out[N_FIGURES];

    for (int r = 0; r < REPEATS; r++) {
        for (int i = -WARM_UP; i < TURNS; i++) {
            if (!turn(b, out))
                return fail("a call failed");
            for (int k = 0; k < N_FIGURES && i >= 0; k++)
                turns[k][i] = out[k];
        }
        for (int k = 0; k < N_FIGURES; k++)
            medians[k][r] = median(turns[k], TURNS);
    }
    for (int k = 0; k < N_FIGURES; k++) {
        double middle = median(medians[k], REPEATS);

        printf("%-40s %7.2f us  (%.2f .. %.2f)\n", names[k], middle / 1e3,
               medians[k][0] / 1e3, medians[k][REPEATS - 1] / 1e3);
    }
    return 0;
}

/* The op of a library of Python's, if that interpreter has it. */
static int run(const char *python, const char *device, const char *lib,
               const char *op, const char *folder)
{
    const struct osw_device_ops *ops = osw_device_find(device);
    static struct bench b;
    struct osw_error err = OSW_ERROR_INIT;
    char path[256];
    struct osw_load load = {.n_threads = 1,
                            .device = device,
                            .path = path,
                            .symbol = "host",
                            .window_bytes = 16 << 20};
    struct osw_sandbox_env env = {.sandbox_path = osw_paths_sandbox(&err),
                                  .python = python,
                                  .work_dir = folder,
                                  .window_bytes = 16 << 20,
                                  .n_threads = 1};
    FILE *f;
    int rc;

    snprintf(path, sizeof(path), "%s/host_%s.py", folder, lib);
    f = fopen(path, "w");
    if (!f || !env.sandbox_path || !ops ||
        osw_device_open(ops, 0, &env.device, &err) < 0)
        return fail("cannot begin");
    fprintf(f, source, lib, op);
    fclose(f);
    b.memory = osw_arena_create();
    b.box = osw_sandbox_start(&env, &err);
    if (!b.memory || !b.box)
        return fail("no sandbox");
    rc = osw_sandbox_load(b.box, &load, DEADLINE_NS, &err);
    if (rc < 0) {
        printf("%s: not measured: %s\n", lib, err.text);
        rc = 0;
    } else {
        memset(b.box->window.base, 0, 16 << 20);
        printf("%s.%s of 16 f32 on %s, medians and ranges of %d x %d turns\n",
               lib, op, device, REPEATS, TURNS);
        rc = measure(&b);
    }
    osw_sandbox_destroy(b.box);
    osw_arena_destroy(b.memory);
    unlink(path);
    return rc;
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";
    bool host = strcmp(device, "cpu") == 0;
    char folder[] = "/tmp/opsweep-host.XXXXXX";
    struct osw_error err = OSW_ERROR_INIT;
    const char *python = osw_paths_python(NULL, &err);
    int rc;

    if (!python) {
        printf("not measured: %s\n", err.text);
        return 0;
    }
    if (!mkdtemp(folder))
        return 1;
    rc = run(python, device, "torch", "neg", folder) < 0 ||
         (host && run(python, device, "numpy", "negative", folder) < 0);
    rmdir(folder);
    return rc;
}
