/* tests/bench/bench_faults.c - from a fault to the verdict of the next cell
 *
 * An implementation does harm in one case and is right in the next one, which
 * needs a fresh sandbox: the time from the harm, as its own code saw it, to the
 * record of that next cell.  Of an endless call: from the end of its deadline.
 * Also what a sandbox takes to start, isolated and not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "worker/judge/process/sandbox.h"
#include "worker/worker.h"

enum { N_FAULTS = 100, N_STARTS = 200 };
#define DEADLINE_NS INT64_C(100000000)

static const struct fault {
    const char *name;
    const char *code;
    int status; /* of its record */
    int64_t after_ns;
} faults[] = {
    {"segfault", "*(volatile int *)8 = 1;", OSW_STATE_CRASH, 0},
    {"abort", "abort();", OSW_STATE_CRASH, 0},
    {"exit0", "exit(0);", OSW_STATE_EXITED, 0},
    {"endless", "for (;;) __asm__ volatile(\"\");", OSW_STATE_TIMEOUT,
     DEADLINE_NS},
};

/* The moment of the harm is left in a file that op code may write. */
static const char head[] =
    "#include <stdlib.h>\n"
    "#include <time.h>\n"
    "#include <fcntl.h>\n"
    "#include <unistd.h>\n"
    "#include <opsweep/elements.h>\n"
    "static int stamp(void)\n"
    "{\n"
    "    struct timespec t;\n"
    "    int fd = open(\"%s/stamp\", O_WRONLY);\n"
    "    clock_gettime(CLOCK_MONOTONIC, &t);\n"
    "    (void)!write(fd, &t, sizeof(t));\n"
    "    return close(fd);\n"
    "}\n"
    "int fault_%s(const osw_call *call)\n"
    "{\n"
    "    const osw_tensor *x = osw_arg_tensor(call, 0);\n"
    "    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);\n"
    "    for (int64_t i = 0; i < x->shape[0]; i++)\n"
    "        osw_set(y, i, osw_get(x, i));\n"
    "    if (x->shape[0] == 13 && stamp() == 0) { %s }\n"
    "    return 0;\n"
    "}\n";

struct bench {
    char dir[64], op[80], stamp[80];
    int status;
    int64_t at_ns; /* of the last record */
};

static int fail(const char *what)
{
    fprintf(stderr, "bench_faults: %s\n", what);
    return 1;
}

static int write_file(const struct bench *b, const char *name,
                      const char *symbol, const char *code)
{
    char path[160];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", b->op, name);
    f = fopen(path, "we");
    if (!f)
        return -1;
    fprintf(f, head, b->dir, symbol, code); /* NOLINT: of this file */
    return fclose(f);
}

static int make_op(struct bench *b)
{
    const char *tmp = getenv("TMPDIR");
    char path[160];
    FILE *f;

    snprintf(b->dir, sizeof(b->dir), "%.30s/opsweep-faults-XXXXXX",
             tmp && tmp[0] ? tmp : "/tmp");
    if (!mkdtemp(b->dir))
        return -1;
    snprintf(b->op, sizeof(b->op), "%s/fault", b->dir);
    snprintf(b->stamp, sizeof(b->stamp), "%s/stamp", b->dir);
    if (mkdir(b->op, 0700) < 0 || setenv("OPSWEEP_WRITABLE", b->dir, 1) < 0)
        return -1;
    f = fopen(b->stamp, "we");
    if (!f || fclose(f) != 0)
        return -1;
    snprintf(path, sizeof(path), "%s/gen_input.json", b->op);
    f = fopen(path, "we");
    if (!f || fputs("{\"correctness\": []}\n", f) < 0 || fclose(f) != 0)
        return -1;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        snprintf(path, sizeof(path), "fault_%s.c", faults[i].name);
        if (write_file(b, path, "kernel_impl", faults[i].code) < 0)
            return -1;
    }
    return write_file(b, "fault_reference.c", "reference", "");
}

static void clean(const struct bench *b)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", b->dir);
    (void)!system(command);
}

static void take(void *arg, const struct osw_record *record)
{
    struct bench *b = arg;

    b->status = record->status_id;
    b->at_ns = osw_clock_ns();
}

static int judge(osw_worker_t *worker, struct bench *b, const char *impl, int n,
                 int want)
{
    static const uint64_t key;
    struct osw_error err = OSW_ERROR_INIT;
    char text[64];
    struct osw_bundle bundle = {.attempt = 1,
                                .op_dir = b->op,
                                .case_text = text,
                                .fill = "normal",
                                .baselines = "",
                                .check = OSW_CHECK_FULL,
                                .flops = NAN,
                                .bytes = NAN,
                                .n_impls = 1,
                                .impls = &impl,
                                .cell_keys = &key};

    snprintf(text, sizeof(text), "((T([%d], f32),), {})", n);
    if (osw_worker_run(worker, &bundle, 1, take, b, &err) < 0)
        return fail(err.text);
    if (b->status != want)
        fprintf(stderr, "bench_faults: %s on %d ended as %s\n", impl, n,
                osw_state_name((enum osw_state)b->status));
    return b->status == want ? 0 : 1;
}

static int64_t read_stamp(const struct bench *b)
{
    struct timespec t = {0};
    FILE *f = fopen(b->stamp, "re");

    if (f) {
        (void)!fread(&t, sizeof(t), 1, f);
        fclose(f);
    }
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int measure(osw_worker_t *worker, struct bench *b,
                   const struct fault *fault)
{
    double ms[N_FAULTS];

    for (int i = 0; i < N_FAULTS; i++) {
        if (judge(worker, b, fault->name, 13, fault->status) ||
            judge(worker, b, fault->name, 14, OSW_STATE_PASS))
            return 1;
        ms[i] = (double)(b->at_ns - read_stamp(b) - fault->after_ns) * 1e-6;
    }
    qsort(ms, N_FAULTS, sizeof(ms[0]), compare);
    printf("%-44s %10.2f %10.2f %10.2f\n", fault->name, ms[N_FAULTS / 2],
           ms[N_FAULTS * 95 / 100], ms[N_FAULTS - 1]);
    return 0;
}

static int start(const char *level)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox_env env = {.sandbox_path = osw_paths_sandbox(&err),
                                  .work_dir = "/tmp",
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    double ms[N_STARTS];

    if (!env.sandbox_path || setenv("OPSWEEP_ISOLATION", level, 1) < 0 ||
        osw_device_cpu_ops.open(0, &env.device, &err) < 0)
        return fail(err.text);
    for (int i = 0; i < N_STARTS; i++) {
        int64_t t0 = osw_clock_ns();
        struct osw_sandbox *box = osw_sandbox_start(&env, &err);

        if (!box || osw_sandbox_await(box, DEADLINE_NS * 10) < 0)
            return fail(err.text);
        ms[i] = (double)(osw_clock_ns() - t0) * 1e-6;
        osw_sandbox_destroy(box);
    }
    qsort(ms, N_STARTS, sizeof(ms[0]), compare);
    printf("start of a sandbox, isolation %-14s %10.2f %10.2f %10.2f\n", level,
           ms[N_STARTS / 2], ms[N_STARTS * 95 / 100], ms[N_STARTS - 1]);
    osw_device_cpu_ops.close(env.device);
    return 0;
}

int main(void)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_worker_config config = {
        .device = "cpu",
        .n_local = 2,
        .max_bytes = 1 << 26,
        .deadline_ns = DEADLINE_NS,
        .keep_going = true,
        .profile = osw_profile_find("correct"),
        .include_dir = osw_paths_include_dir(&err),
        .sandbox_path = osw_paths_sandbox(&err),
    };
    struct bench b = {.dir = ""};
    osw_worker_t *worker;
    int rc = 0;

    if (!config.include_dir || !config.sandbox_path)
        return fail(err.text);
    if (make_op(&b) < 0)
        return fail("cannot write an op");
    worker = osw_worker_create(&config, &err);
    if (!worker)
        return fail(err.text);
    printf("%-44s %10s %10s %10s\n", "fault to the next cell, same file",
           "median ms", "95 % ms", "largest ms");
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]) && rc == 0; i++)
        rc = measure(worker, &b, &faults[i]);
    osw_worker_destroy(worker);
    clean(&b);
    return rc || start("off") || start("full");
}
