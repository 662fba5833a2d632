/* tests/unit/results/fixture.h - a folder to write in, and a run worked by hand
 *
 * Six cells of two ops, and what is known about them:
 *
 *   cell  op   impl  state    check      speedup  max_rel  samples
 *   0     add  fast  pass     full       2        1e-7     10 11 12
 *   1     add  slow  pass     full       0.5      2e-7     40 41
 *   2     add  fast  value    full       -        0.25     -
 *   3     mm   fast  pass     freivalds  8        3e-6     5
 *   4     mm   fast  crash    none       -        -        -
 *   5     rms  ""    skipped  none       -        -        -
 */
#ifndef OSW_TESTS_UNIT_RESULTS_FIXTURE_H
#define OSW_TESTS_UNIT_RESULTS_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/file/run.h"

enum { FIXTURE_CELLS = 6 };

/* A new folder under TMPDIR, and a path in it. */
struct folder {
    char dir[256];
    char path[512]; /* dir/run.h5 */
    char journal[600];
};

static inline int folder_make(struct folder *f)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(f->dir, sizeof(f->dir), "%s/osw-results-XXXXXX",
             tmp ? tmp : "/tmp");
    if (!mkdtemp(f->dir))
        return -1;
    snprintf(f->path, sizeof(f->path), "%s/run.h5", f->dir);
    snprintf(f->journal, sizeof(f->journal), "%s.journal", f->path);
    return 0;
}

static inline int folder_remove(struct folder *f)
{
    char command[300];

    snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
    return system(command);
}

static inline struct osw_run_info fixture_info(void)
{
    static const char *const env[] = {
        "OMP_NUM_THREADS=2", "SECRET_TOKEN=hunter2", "SLURM_JOB_ID=7", NULL};

    return (struct osw_run_info){
        .uuid = "01234567-89ab-4cde-8f01-23456789abcd",
        .campaign_path = "a.json",
        .campaign_json = "{ \"suite\": \"smoke\" }\n",
        .campaign_resolved = "{\"suite\": \"smoke\", \"device\": \"cpu\"}",
        .command_line = "opsweep run a.json -o run.h5",
        .hostname = "head",
        .tool_version = "1.2.3",
        .profile = "smoke",
        .seed = 42,
        .n_planned = FIXTURE_CELLS,
        .mpi_size = 3,
        .t_start_ns = 1767225600000000000, /* 2026-01-01T00:00:00Z */
        .env = env,
    };
}

static inline struct osw_cell_names fixture_names(uint64_t cell)
{
    static const struct osw_cell_names names[FIXTURE_CELLS] = {
        {"add", "fast", "((T([4], f32)), {})", "f32", "normal", "n1", "cpu"},
        {"add", "slow", "((T([4], f32)), {})", "f32", "normal", "n1", "cpu"},
        {"add", "fast", "((T([8], f16)), {})", "f16", "normal", "n2", "cpu"},
        {"mm", "fast", "((T([2, 2], f32), T([2, 2], f32)), {})", "f32",
         "int(-3, 3),int(-3, 3)", "n2", "cpu"},
        {"mm", "fast", "((T([3, 3], f32), T([3, 3], f32)), {})", "f32",
         "int(-3, 3),int(-3, 3)", "n2", "cpu"},
        {"rms", "", "((T([0]), {'s': 'it\\'s'}), {})", "", "", "", ""},
    };

    return names[cell];
}

static inline void fixture_timed(struct osw_record *r, const float *samples,
                                 uint32_t n, double speedup)
{
    r->samples = samples;
    r->sample_n = n;
    r->stop_id = OSW_STOP_CONVERGED;
    r->t_min_ns = (double)samples[0];
    r->t_median_ns = (double)samples[n / 2];
    r->t_max_ns = (double)samples[n - 1];
    r->speedup = speedup;
    r->speedup_lo = speedup * 0.4; /* that of 2 may be 0.8 */
    r->speedup_hi = speedup / 0.4;
    r->baseline = "plain";
    r->t_light_ns = r->t_median_ns / 2;
}

static inline struct osw_record fixture_record(uint64_t cell)
{
    static const float a[] = {10, 11, 12}, b[] = {40, 41}, c[] = {5};
    static const enum osw_state states[FIXTURE_CELLS] = {
        OSW_STATE_PASS, OSW_STATE_PASS,  OSW_STATE_VALUE,
        OSW_STATE_PASS, OSW_STATE_CRASH, OSW_STATE_SKIPPED};
    static const double rel[FIXTURE_CELLS] = {1e-7, 2e-7, 0.25, 3e-6};
    static const double allowed[FIXTURE_CELLS] = {0.1, 0.2, 250, 0.003};
    struct osw_record r;

    osw_record_init(&r);
    r.cell = cell;
    r.cell_key = 0xfedcba9876543210u + cell;
    r.rank = cell < 5 ? 1 + (int32_t)(cell / 2) : -1;
    r.attempt = 1;
    r.status_id = (uint8_t)states[cell];
    r.phase_id = OSW_PHASE_VERIFY;
    r.check_id = cell == 3  ? OSW_CHECK_FREIVALDS
                 : cell < 4 ? OSW_CHECK_FULL
                            : OSW_CHECK_NONE;
    r.t_start_ns = 1767225600000000000 + 1000 * (int64_t)cell;
    r.run_ns = 3;
    r.verify_ns = 4;
    r.wall_ns = 7;
    if (cell < 4) {
        r.max_rel_err = rel[cell];
        r.err_of_allowed = allowed[cell];
        r.reference = "add_reference.c";
    }
    if (cell == 0)
        fixture_timed(&r, a, 3, 2);
    if (cell == 1)
        fixture_timed(&r, b, 2, 0.5);
    if (cell == 3)
        fixture_timed(&r, c, 1, 8);
    if (cell == 2) {
        r.n_bad = 1;
        r.first_bad = 5;
        r.bad_output = 0;
        r.reason = "element 5: found 1.25, expected 1";
    }
    if (cell == 4) {
        r.signal = 11;
        r.reason = "killed by signal 11";
        r.output = "first line\nsecond, \"quoted\"\xff\n";
    }
    if (cell == 5)
        r.reason = "no op";
    return r;
}

/* Of rank 1, a processor; of rank 2, a GPU that failed its check. */
static inline struct osw_device_info fixture_device(int i)
{
    struct osw_device_info d;

    osw_device_info_init(&d);
    d.index = i;
    strcpy(d.kind, i ? "cuda" : "cpu");
    strcpy(d.name, "cpu");
    d.cores = 4;
    d.memory_bytes = UINT64_C(1) << 33;
    d.check_ns = 1500000;
    if (i == 0)
        return d;
    strcpy(d.uuid, "GPU-00000001-1111-2222-3333-444444444444");
    strcpy(d.driver, "580.65.06");
    strcpy(d.runtime, "12.8");
    strcpy(d.driver_cuda, "13.0");
    strcpy(d.capability, "9.0");
    strcpy(d.notes, "ECC is off");
    strcpy(d.health, "it smokes; cure: water");
    d.max_clock_mhz = 1980;
    d.max_memory_clock_mhz = 2619;
    return d;
}

/* Start the run and record its cells but those of `leave_out` (a bit each). */
static inline osw_run_t *fixture_start(const char *path, unsigned leave_out,
                                       struct osw_error *err)
{
    struct osw_run_info info = fixture_info();
    osw_run_t *run = osw_run_create(path, &info, false, err);
    struct osw_rank_summary rank = {.rank = 2, .wall_ns = 100, .idle_ns = 93};
    const struct osw_device_info devices[] = {fixture_device(0),
                                              fixture_device(1)};
    int rc = run ? 0 : -1;

    if (rc == 0)
        rc = osw_run_device(run, "n1", &devices[0], 1, err);
    if (rc == 0)
        rc = osw_run_device(run, "n2", &devices[1], 2, err);
    for (uint64_t i = FIXTURE_CELLS; rc == 0 && i-- > 0;) {
        struct osw_record r = fixture_record(i);
        struct osw_cell_names names = fixture_names(i);

        if (leave_out >> i & 1)
            continue;
        rc = osw_run_begin(run, i, r.rank, 1, err);
        if (rc == 0)
            rc = osw_run_result(run, &r, &names, err);
    }
    if (rc == 0)
        rc = osw_run_rank(run, &rank, err);
    if (rc == 0)
        return run;
    osw_run_close(run);
    return NULL;
}

/* The sealed file of a complete run. */
static inline int fixture_file(const char *path, struct osw_error *err)
{
    osw_run_t *run = fixture_start(path, 0, err);
    int rc = run ? osw_run_seal(run, true, err) : -1;

    osw_run_close(run);
    return rc;
}

#endif /* OSW_TESTS_UNIT_RESULTS_FIXTURE_H */
