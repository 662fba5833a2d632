/* tests/bench/bench_cells.c - what a tiny cell costs through judge and sandbox
 *
 * One worker, verdicts only: inputs, reference, two poisoned runs of the
 * implementation and one on other inputs, guards, inputs, values, each cell
 * with its record.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/paths.h"
#include "worker/worker.h"

static uint64_t n_records, n_passed;

static void count(void *arg, const struct osw_record *record)
{
    (void)arg;
    n_records++;
    n_passed += record->status_id == 1;
}

static int fail(const struct osw_error *err)
{
    fprintf(stderr, "bench_cells: %s\n", err->text);
    return 1;
}

enum { TOGETHER = 128 };

/* n bundles of `n_impls` implementations, `together` at a time. */
static int run(osw_worker_t *worker, const char *op_dir, uint32_t n_impls,
               uint32_t together, uint64_t n, struct osw_error *err)
{
    static const char *const impls[] = {"simd", "plain"};
    static const uint64_t keys[] = {0, 0};
    static struct osw_bundle b[TOGETHER];

    for (uint64_t i = 0; i < n; i += together) {
        for (uint32_t k = 0; k < together; k++)
            b[k] = (struct osw_bundle){.first_cell = (i + k) * n_impls,
                                       .attempt = 1,
                                       .op_dir = op_dir,
                                       .case_text =
                                           "((T([16], f32), T([16], f32)), {})",
                                       .fill = "normal,normal",
                                       .baselines = "",
                                       .check = OSW_CHECK_FULL,
                                       .flops = NAN,
                                       .bytes = NAN,
                                       .n_impls = n_impls,
                                       .impls = impls,
                                       .cell_keys = keys};
        if (osw_worker_run(worker, b, together, count, NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* One line of the table.  0, or -1 with err. */
static int measure(osw_worker_t *worker, const char *op_dir, uint32_t n_impls,
                   uint32_t together, struct osw_error *err)
{
    uint64_t n = 20480 / n_impls;
    int64_t t0;
    double s;
    char name[64];

    if (run(worker, op_dir, n_impls, together, TOGETHER, err) < 0)
        return -1;
    n_records = n_passed = 0;
    t0 = osw_clock_ns();
    if (run(worker, op_dir, n_impls, together, n, err) < 0)
        return -1;
    s = (double)(osw_clock_ns() - t0) * 1e-9;
    snprintf(name, sizeof(name), "%u implementation%s a case, %s", n_impls,
             n_impls > 1 ? "s" : "",
             together > 1 ? "many together" : "one at a time");
    printf("%-44s %10llu %12.1f %12.0f\n", name, (unsigned long long)n_records,
           s * 1e6 / (double)n_records, (double)n_records / s);
    if (n_passed == n_records)
        return 0;
    return osw_fail(err, OSW_SYSTEM, "%llu of %llu cells passed",
                    (unsigned long long)n_passed,
                    (unsigned long long)n_records);
}

int main(void)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_worker_config config = {
        .device = "cpu",
        .n_local = 2,
        .max_bytes = 1 << 28,
        .profile = osw_profile_find("correct"),
        .include_dir = osw_paths_include_dir(&err),
        .sandbox_path = osw_paths_sandbox(&err),
    };
    const char *library = osw_paths_library_dir(&err);
    osw_worker_t *worker;
    char op_dir[4096];

    if (!library || !config.include_dir || !config.sandbox_path)
        return fail(&err);
    worker = osw_worker_create(&config, &err);
    if (!worker)
        return fail(&err);
    snprintf(op_dir, sizeof(op_dir), "%s/add__Tensor", library);
    printf("%-44s %10s %12s %12s\n", "tiny cells, add of 16 f32, one worker",
           "cells", "us per cell", "cells/s");
    for (uint32_t k = 1; k <= 2; k++)
        if (measure(worker, op_dir, k, 1, &err) < 0 ||
            measure(worker, op_dir, k, TOGETHER, &err) < 0)
            return fail(&err);
    osw_worker_destroy(worker);
    return 0;
}
