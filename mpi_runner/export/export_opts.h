/* mpi_runner/export/export_opts.h - options of `opsweep export-ops` and
 * `opsweep package`
 *
 * Downstream: the tables of both commands; mpi_runner/export/gather.h.
 */
#ifndef OSW_MPI_RUNNER_EXPORT_OPTS_H
#define OSW_MPI_RUNNER_EXPORT_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cli/opt.h"

struct osw_export_opts {
    const char *output, *ns, *results, *ops_yaml;
    bool unjudged;
    bool dry_run; /* nothing is written */
    uint64_t cases, max_bytes, seed;
};

/* clang-format off */
#define OSW_EXPORT_OPTS_DEFAULT                                                \
    { .ns = "myops", .cases = 24, .max_bytes = 1 << 20 }

/* Rows of a table; `at` is the offset of a field of the struct. */
#define OSW_EXPORT_OPT_ROWS(at)                                                \
    { "output", OSW_OPT_STR, at(output), "make the package in this folder, which must not be there", \
      .letter = 'o', .value = "DIR" },                                         \
    { "namespace", OSW_OPT_STR, at(ns), "operators are torch.ops.NS.NAME, the package is NS", .value = "NS" }, \
    { "results", OSW_OPT_STR, at(results), "take the implementations that passed there, the fastest first", \
      .value = "FILE" },                                                       \
    { "ops-yaml", OSW_OPT_STR, at(ops_yaml), "these, too: the operators of an ExecuTorch file (.yaml, .pte)", .value = "FILE" }, \
    { "unjudged", OSW_OPT_FLAG, at(unjudged), "take implementations without results, too, after the others" }, \
    { "cases", OSW_OPT_U64, at(cases), "of each op's cases so many become tests", .letter = 'n', .value = "N" }, \
    { "max-bytes", OSW_OPT_SIZE, at(max_bytes), "leave out cases whose tensors are larger", .value = "SIZE" }, \
    { "seed", OSW_OPT_U64, at(seed), "seed of the tests' inputs", .value = "N" }, \
    { "dry-run", OSW_OPT_FLAG, at(dry_run), "only say which ops can be exported, and why others cannot" }
/* clang-format on */

#endif /* OSW_MPI_RUNNER_EXPORT_OPTS_H */
