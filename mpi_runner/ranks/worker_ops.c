/* mpi_runner/ranks/worker_ops.c - the judge of worker/worker.h, as a table */
#include "mpi_runner/ranks/worker_ops.h"

enum { MAX_TOGETHER = 128 }; /* bundles that are judged together */

static void *judge_open(const struct osw_worker_config *config,
                        struct osw_error *err)
{
    return osw_worker_create(config, err);
}

static void judge_close(void *judge)
{
    osw_worker_destroy(judge);
}

static int judge_run(void *judge, const struct osw_bundle *bundles, uint32_t n,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err)
{
    return osw_worker_run(judge, bundles, n, emit, arg, err);
}

static void judge_abandon(void *judge)
{
    osw_worker_abandon(judge);
}

static void judge_expect(void *judge, uint32_t n_files)
{
    osw_worker_expect(judge, n_files);
}

static void judge_rest(void *judge)
{
    osw_worker_rest(judge);
}

static int judge_prove(void *judge, struct osw_error *err)
{
    return osw_worker_prove(judge, err);
}

const struct osw_worker_ops osw_judge_worker = {
    .open = judge_open,
    .close = judge_close,
    .abandon = judge_abandon,
    .expect = judge_expect,
    .rest = judge_rest,
    .prove = judge_prove,
    .together = MAX_TOGETHER,
    .run = judge_run,
};
