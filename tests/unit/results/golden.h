/* tests/unit/results/golden.h - a report against a file kept in the tree
 *
 * A name with "all." is that of a table of all implementations.
 * UPDATE_GOLDEN=1 writes the files instead; look at the difference then.
 */
#ifndef OSW_TESTS_UNIT_RESULTS_GOLDEN_H
#define OSW_TESTS_UNIT_RESULTS_GOLDEN_H

#include <math.h>

#include "results/report/report.h"
#include "tests/unit/results/fixture.h"

/* Write the report of the fixture under the name run.h5, from its folder, so
 * that the path in it is always the same; what the clock said becomes NOW.
 */
static inline void golden_write(const struct folder *f, const char *format,
                                unsigned width, bool colour, const char *to)
{
    struct osw_report_options options = {
        .width = width, .colour = colour, .all = strstr(to, "all.") != NULL};
    struct osw_error err = OSW_ERROR_INIT;
    char command[1500], cwd[1024], path[600];
    osw_file_t *file;
    FILE *out;

    assert_non_null(getcwd(cwd, sizeof(cwd)));
    assert_int_equal(chdir(f->dir), 0);
    file = osw_file_open("run.h5", &err);
    assert_int_equal(chdir(cwd), 0);
    if (!file)
        fail_msg("%s", err.text);
    snprintf(path, sizeof(path), "%s/%s", f->dir, to);
    out = fopen(path, "w");
    assert_non_null(out);
    if (osw_report_write(osw_report_find(format), file, &options, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    snprintf(command, sizeof(command), "sed -i 's/%s/NOW/' '%s'",
             osw_file_info(file)->sealed_utc, path);
    osw_file_close(file);
    assert_int_equal(system(command), 0);
}

static inline void golden_check(const struct folder *f, const char *format,
                                unsigned width, bool colour, const char *want)
{
    char command[1500];

    golden_write(f, format, width, colour, want);
    snprintf(command, sizeof(command), "%s '%s/%s' 'tests/data/results/%s'",
             getenv("UPDATE_GOLDEN") ? "cp" : "diff -u", f->dir, want, want);
    assert_int_equal(system(command), 0);
}

/* The fixture's file; with `leave_out` as in fixture_start(). */
static inline int golden_make(struct folder *f, unsigned leave_out)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    int rc;

    if (folder_make(f))
        return -1;
    run = fixture_start(f->path, leave_out, &err);
    rc = run ? osw_run_seal(run, leave_out == 0, &err) : -1;
    osw_run_close(run);
    return rc;
}

/* A file of n cells; set() changes the fixture's record and names for cell i.
 */
typedef void golden_set(const void *cells, size_t i, struct osw_record *r,
                        struct osw_cell_names *names);

static inline int golden_make_of(struct folder *f, golden_set *set,
                                 const void *cells, size_t n)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    int rc = 0;

    if (folder_make(f))
        return -1;
    info.n_planned = n;
    run = osw_run_create(f->path, &info, false, &err);
    for (size_t i = 0; run && rc == 0 && i < n; i++) {
        struct osw_cell_names names = fixture_names(0);
        struct osw_record r = fixture_record(0);

        set(cells, i, &r, &names);
        rc = osw_run_result(run, &r, &names, &err);
    }
    rc = run && rc == 0 ? osw_run_seal(run, true, &err) : -1;
    osw_run_close(run);
    return rc;
}

struct golden_cell {
    const char *op, *impl, *baseline, *device;
    double speedup, lo, hi, light;
    enum osw_state state;
};

static inline void golden_set_cell(const void *cells, size_t i,
                                   struct osw_record *r,
                                   struct osw_cell_names *names)
{
    const struct golden_cell *c = (const struct golden_cell *)cells + i;

    names->op = c->op;
    names->impl = c->impl;
    names->device = c->device;
    r->cell = i;
    r->cell_key = 0xfedcba9876543210u + i;
    r->status_id = (uint8_t)c->state;
    r->baseline = c->baseline;
    r->speedup = c->speedup;
    r->speedup_lo = c->lo;
    r->speedup_hi = c->hi;
    r->t_median_ns = 2000;
    r->t_light_ns = c->light * r->t_median_ns;
    r->err_of_allowed = c->state == OSW_STATE_PASS ? 0.25 : 30;
    r->reason = c->state == OSW_STATE_PASS ? "" : "wrong at 7";
}

static inline int golden_make_cells(struct folder *f,
                                    const struct golden_cell *cells, size_t n)
{
    return golden_make_of(f, golden_set_cell, cells, n);
}

/* The same, opened. */
static inline osw_file_t *
golden_open_cells(struct folder *f, const struct golden_cell *cells, size_t n)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file;

    assert_int_equal(golden_make_cells(f, cells, n), 0);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    return file;
}

/* A run of several baselines:
 *
 *   op   impl      baseline   speedup  interval     light
 *   add  fast      plain      2        1.9 to 2.1   0.5
 *   add  fast      openblas   0.5      0.4 to 0.6   0.25
 *   add  plain     plain      1        (its own)    0.1
 *   mm   fast      openblas   4        0.9 to 9     0.75
 *   mm   openblas  openblas   1        (its own)    0.8
 *   mm   slow      reference  100      90 to 110    -
 *   mm   slow      plain      failed
 *   rms  fast      -          timed alone           0.2
 */
static inline int golden_make_baselines(struct folder *f)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "plain", "cpu", 2, 1.9, 2.1, 0.5, OSW_STATE_PASS},
        {"add", "fast", "openblas", "cpu", 0.5, 0.4, 0.6, 0.25, OSW_STATE_PASS},
        {"add", "plain", "plain", "cpu", 1, 1, 1, 0.1, OSW_STATE_PASS},
        {"mm", "fast", "openblas", "cpu", 4, 0.9, 9, 0.75, OSW_STATE_PASS},
        {"mm", "openblas", "openblas", "cpu", 1, 1, 1, 0.8, OSW_STATE_PASS},
        {"mm", "slow", "reference", "cpu", 100, 90, 110, NAN, OSW_STATE_PASS},
        {"mm", "slow", "plain", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_VALUE},
        {"rms", "fast", "", "cpu", NAN, NAN, NAN, 0.2, OSW_STATE_PASS},
    };

    return golden_make_cells(f, cells, sizeof(cells) / sizeof(cells[0]));
}

/* The same implementation on two models of device:
 *
 *   op   impl   device  speedup  interval
 *   add  fast   a100    4        3.9 to 4.1
 *   add  fast   h100    0.5      0.4 to 0.6
 *   add  fast   h100    0.5      0.4 to 0.6
 *   add  half   a100    8        7 to 9
 *   add  half   h100    failed
 *   mm   fast   h100    2        1 to 3
 *   mm   small  h100    6        5 to 7
 *   mm   fast   h100    2        1 to 3
 */
static inline int golden_make_models(struct folder *f)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "plain", "a100", 4, 3.9, 4.1, 0.5, OSW_STATE_PASS},
        {"add", "fast", "plain", "h100", 0.5, 0.4, 0.6, 0.5, OSW_STATE_PASS},
        {"add", "fast", "plain", "h100", 0.5, 0.4, 0.6, 0.5, OSW_STATE_PASS},
        {"add", "half", "plain", "a100", 8, 7, 9, 0.5, OSW_STATE_PASS},
        {"add", "half", "", "h100", NAN, NAN, NAN, NAN, OSW_STATE_VALUE},
        {"mm", "fast", "plain", "h100", 2, 1, 3, 0.5, OSW_STATE_PASS},
        {"mm", "small", "plain", "h100", 6, 5, 7, 0.5, OSW_STATE_PASS},
        {"mm", "fast", "plain", "h100", 2, 1, 3, 0.5, OSW_STATE_PASS},
    };

    return golden_make_cells(f, cells, sizeof(cells) / sizeof(cells[0]));
}

struct golden_rank_cell {
    const char *op, *impl;
    uint32_t world;
    enum osw_redop redop;
    double count, bytes, time_ns, bus, skew_ns;
    enum osw_state state;
};

static inline void golden_set_rank_cell(const void *cells, size_t i,
                                        struct osw_record *r,
                                        struct osw_cell_names *names)
{
    const struct golden_rank_cell *c =
        (const struct golden_rank_cell *)cells + i;

    names->op = c->op;
    names->impl = c->impl;
    r->cell = i;
    r->cell_key = 0xfedcba9876543210u + i;
    r->status_id = (uint8_t)c->state;
    r->baseline = "";
    r->speedup = r->speedup_lo = r->speedup_hi = r->t_light_ns = NAN;
    r->world = c->world;
    r->redop_id = (uint8_t)c->redop;
    r->coll_count = c->count;
    r->coll_bytes = c->bytes;
    r->t_median_ns = c->time_ns;
    r->algbw = c->bytes / c->time_ns;
    r->busbw = r->algbw * c->bus;
    r->skew_ns = c->skew_ns;
}

/* Collective ops as they come out of order: all_reduce on 2 and 4 ranks, of one
 * size twice, one that failed, one that was not timed; broadcast.
 */
static inline int golden_make_ranks(struct folder *f)
{
    static const struct golden_rank_cell cells[] = {
        /* clang-format off */
        {"all_reduce", "nccl", 4, OSW_REDOP_SUM, 256, 1024, 8000, 1.5, 120, OSW_STATE_PASS},
        {"all_reduce", "nccl", 2, OSW_REDOP_SUM, 1 << 28, 1 << 30, 3.2e6, 1, 4000, OSW_STATE_PASS},
        {"all_reduce", "ring", 2, OSW_REDOP_SUM, 1 << 28, 1 << 30, 3e6, 1, 5000, OSW_STATE_PASS},
        {"all_reduce", "ring", 2, OSW_REDOP_SUM, 256, 1024, 12e3, 1, 90, OSW_STATE_PASS},
        {"all_reduce", "nccl", 2, OSW_REDOP_SUM, 256, 1024, 8e3, 1, 80, OSW_STATE_PASS},
        {"all_reduce", "a_long_name_of_one", 2, OSW_REDOP_MAX, 256, 1024, 4e3, 1, 0, OSW_STATE_PASS},
        {"all_reduce", "wrong", 2, OSW_REDOP_SUM, 256, 1024, 1e3, 1, 1, OSW_STATE_VALUE},
        {"all_reduce", "untimed", 2, OSW_REDOP_SUM, 256, 1024, NAN, 1, NAN, OSW_STATE_PASS},
        {"broadcast", "nccl", 4, OSW_REDOP_NONE, 300, 1200, 6e3, 1, 10, OSW_STATE_PASS},
        /* clang-format on */
    };

    return golden_make_of(f, golden_set_rank_cell, cells,
                          sizeof(cells) / sizeof(cells[0]));
}

static inline void golden_set_rank_of_model(const void *cells, size_t i,
                                            struct osw_record *r,
                                            struct osw_cell_names *names)
{
    const char *const *devices = (const char *const *)cells;

    names->op = i < 3 ? "all_reduce" : "\x1b[2J";
    names->dtype = i < 3 ? "f32" : "\x1b[3J";
    names->device = devices[i];
    r->cell = r->cell_key = i;
    r->baseline = "";
    r->speedup = r->speedup_lo = r->speedup_hi = NAN;
    r->world = 2;
    r->redop_id = OSW_REDOP_SUM;
    r->coll_count = 256;
    r->coll_bytes = 1024;
    r->t_median_ns = 8000;
    r->algbw = r->busbw = 0.125;
    r->skew_ns = 80;
}

/* all_reduce on 2 ranks of two models of device, as they come out of order; the
 * names of the dtype and of the op of one more try to steer a terminal.
 */
static inline int golden_make_ranks_of_models(struct folder *f)
{
    static const char *const devices[] = {"h100", "a100", "h100", "a100"};

    return golden_make_of(f, golden_set_rank_of_model, devices, 4);
}

#endif /* OSW_TESTS_UNIT_RESULTS_GOLDEN_H */
