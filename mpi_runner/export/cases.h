/* mpi_runner/export/cases.h - cases of a package's tests, with expected results
 *
 * Upstream: an op's cases, whose reference a worker runs.  Downstream:
 * ops/export/kit/test_ops.py reads tests/cases.json and tests/OP.bin.
 */
#ifndef OSW_MPI_RUNNER_EXPORT_CASES_H
#define OSW_MPI_RUNNER_EXPORT_CASES_H

#include <stdint.h>

#include "common/error.h"
#include "common/json_out.h"
#include "common/text.h"
#include "worker/made.h"

/* The cases of one op as they are collected. */
struct osw_export_cases {
    struct osw_json_out *json; /* inside the list of cases */
    const char *text;          /* of the case being made */
    struct osw_text data;      /* bytes of all tensors so far; owned */
    uint64_t max_bytes;        /* of one case */
    uint64_t n_cases, n_large;
};

/* Add a case: osw_worker_make() calls it, with the struct as arg.  One that is
 * larger than max_bytes is counted and left out.
 */
void osw_export_cases_add(void *arg, const struct osw_made *made);

#endif /* OSW_MPI_RUNNER_EXPORT_CASES_H */
