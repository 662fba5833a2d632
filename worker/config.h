/* worker/config.h - what a worker is told once
 *
 * Upstream: mpi_runner's worker loop.  Downstream: worker.c and worker/judge.
 */
#ifndef OSW_WORKER_CONFIG_H
#define OSW_WORKER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/record/device_info.h"
#include "worker/capture.h"
#include "worker/profile.h"

struct osw_build_share;

struct osw_worker_config {
    const char *device;  /* "cpu": a row of the device table */
    int32_t rank;        /* for records */
    int32_t local_index; /* among the workers of this node, from 0 */
    int32_t n_local;     /* workers on this node, >= 1 */
    uint32_t n_threads;  /* host threads an op may use; 0: cores / n_local */
    uint64_t seed;       /* of the fills */
    uint64_t max_bytes;  /* memory of one bundle; 0: from free memory */
    const struct osw_profile *profile;
    int64_t deadline_ns;   /* floor of every phase's deadline; 0: the default */
    int64_t least_ns;      /* the same, also where op.json says less; 0: none */
    bool cold;             /* clear caches before each timed sample */
    bool signed_zero;      /* +0 and -0 differ in floating outputs */
    uint32_t n_files;      /* that will be loaded, about; 0: unknown */
    bool share_devices;    /* more workers on the node than devices are fine */
    bool keep_going;       /* go on after three crashes of a file */
    bool one_by_one;       /* small cases do not go together */
    uint64_t max_rss;      /* host memory of a sandbox; 0: from free memory */
    const char *cache_dir; /* build cache; NULL: the user's default */
    const char *objects_dir; /* objects of the shipped library; NULL: none */
    const struct osw_build_share *share; /* objects by way of other ranks; NULL:
                                            none */
    int64_t since_unix_ns;               /* as of struct osw_build_request */
    const char *include_dir;             /* folder that holds opsweep/op.h */
    const char *sandbox_path;            /* the sandbox program */
    const char *python; /* interpreter of Python files; NULL: found */
    bool op_db; /* inputs come from torch's op database: begin to load it */
    /* Called at least every 100 ms while a bundle runs (not during one pass
     * over memory), for heartbeats.  May be NULL.
     */
    void (*tick)(void *arg);
    void *tick_arg;
    /* Where to describe its device while the worker is made, also when the
     * device cannot be used and none is; kind is "" when no device was found.
     * May be NULL.
     */
    struct osw_device_info *info;
    const bool *stop; /* once set, by tick: no more bundles are begun; may be
                         NULL */
    osw_capture_f capture; /* looks at the tensors of each cell; may be NULL */
    void *capture_arg;
};

#endif /* OSW_WORKER_CONFIG_H */
