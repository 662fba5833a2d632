/* tests/bench/bench_cells.c - what a tiny cell costs through judge and sandbox
 *
 * One worker, verdicts only: inputs, reference, two poisoned runs of the
 * implementation, guards, inputs, values, each cell with its record.
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

/* n bundles of `n_impls` times the same implementation. */
static int run(osw_worker_t *worker, const char *op_dir, const char *impl,
               const char *text, const char *fill, uint32_t n_impls, uint64_t n,
               struct osw_error *err)
{
    const char *impls[8];
    uint64_t keys[8] = {0};
    struct osw_bundle b = {.attempt = 1,
                           .op_dir = op_dir,
                           .case_text = text,
                           .fill = fill,
                           .baseline = "",
                           .check = OSW_CHECK_FULL,
                           .flops = NAN,
                           .bytes = NAN,
                           .n_impls = n_impls,
                           .impls = impls,
                           .cell_keys = keys};

    for (uint32_t i = 0; i < n_impls; i++)
        impls[i] = impl;
    for (uint64_t i = 0; i < n; i++) {
        b.first_cell = i * n_impls;
        if (osw_worker_run(worker, &b, 1, count, NULL, err) < 0)
            return -1;
    }
    return 0;
}

int main(void)
{
    static const char text[] = "((T([16], f32), T([16], f32)), {})";
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
    for (uint32_t k = 1; k <= 4; k *= 2) {
        uint64_t n = 20000 / k;
        int64_t t0;
        double s;
        char name[64];

        if (run(worker, op_dir, "simd", text, "normal,normal", k, 100, &err) <
            0)
            return fail(&err);
        n_records = n_passed = 0;
        t0 = osw_clock_ns();
        if (run(worker, op_dir, "simd", text, "normal,normal", k, n, &err) < 0)
            return fail(&err);
        s = (double)(osw_clock_ns() - t0) * 1e-9;
        snprintf(name, sizeof(name), "%u implementation%s a case", k,
                 k > 1 ? "s" : "");
        printf("%-44s %10llu %12.1f %12.0f\n", name,
               (unsigned long long)n_records, s * 1e6 / (double)n_records,
               (double)n_records / s);
        if (n_passed != n_records) {
            fprintf(stderr, "bench_cells: %llu of %llu cells passed\n",
                    (unsigned long long)n_passed,
                    (unsigned long long)n_records);
            return 1;
        }
    }
    osw_worker_destroy(worker);
    return 0;
}
