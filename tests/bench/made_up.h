/* tests/bench/made_up.h - result files that are made up, for benchmarks
 *
 * Random values come from one fixed seed: the same files every time.
 */
#ifndef OSW_TESTS_BENCH_MADE_UP_H
#define OSW_TESTS_BENCH_MADE_UP_H

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/file/run.h"

/* In (0, 1). */
static inline double made_unit(void)
{
    static uint64_t state = 88172645463325252U;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static inline double made_normal(void)
{
    return sqrt(-2 * log(made_unit())) * cos(6.283185307179586 * made_unit());
}

/* Student's t of 3 degrees of freedom, scaled to a deviation of about 1. */
static inline double made_tailed(void)
{
    double a = made_normal(), b = made_normal(), c = made_normal();

    return made_normal() / sqrt((a * a + b * b + c * c) / 3) / 1.7;
}

static inline _Noreturn void made_die(const struct osw_error *err)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
    exit(1);
}

/* What a file of n cells says of its campaign. */
static inline struct osw_run_info made_info(uint64_t n)
{
    return (struct osw_run_info){
        .uuid = "01234567-89ab-4cde-8f01-23456789abcd",
        .campaign_path = "",
        .campaign_json = "",
        .campaign_resolved = "{}",
        .command_line = program_invocation_short_name,
        .hostname = "head",
        .tool_version = "0",
        .profile = "sweep",
        .n_planned = n,
        .mpi_size = 1,
    };
}

static inline osw_run_t *made_run(const char *path,
                                  const struct osw_run_info *info)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = osw_run_create(path, info, true, &err);

    if (!run)
        made_die(&err);
    return run;
}

/* A cell that passed; the caller adds times. */
static inline struct osw_record made_record(uint64_t cell)
{
    struct osw_record r;

    osw_record_init(&r);
    r.cell = cell;
    r.cell_key = (cell + 1) * UINT64_C(0x9e3779b97f4a7c15);
    r.rank = 1;
    r.attempt = 1;
    r.status_id = OSW_STATE_PASS;
    return r;
}

/* Add it, as case i % 500 of op i / 500, by the node `host`. */
static inline void made_add(osw_run_t *run, const struct osw_record *r,
                            const char *host)
{
    struct osw_error err = OSW_ERROR_INIT;
    char op[48], text[64];
    const struct osw_cell_names names = {op,       "fast", text,  "f32",
                                         "normal", host,   "H200"};

    snprintf(op, sizeof(op), "aten.op%llu.default",
             (unsigned long long)r->cell / 500);
    snprintf(text, sizeof(text), "((T([%llu], f32),), {})",
             (unsigned long long)r->cell % 500);
    if (osw_run_result(run, r, &names, &err) < 0)
        made_die(&err);
}

static inline void made_seal(osw_run_t *run)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_run_seal(run, true, &err) < 0)
        made_die(&err);
    osw_run_close(run);
}

#endif /* OSW_TESTS_BENCH_MADE_UP_H */
