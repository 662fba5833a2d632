/* worker/device/device_cuda.h - what the files of the CUDA device share
 *
 * Upstream: device_cuda.c (opening, memory, work), timing_cuda.c.  Downstream:
 * kernels_cuda.h.
 */
#ifndef OSW_WORKER_DEVICE_DEVICE_CUDA_H
#define OSW_WORKER_DEVICE_DEVICE_CUDA_H

#include <cuda_runtime_api.h>

#include "worker/device/device.h"
#include "worker/device/kernels_cuda.h"

enum { OSW_CUDA_GRANULE = 2 * 1024 * 1024 }; /* of memory */

/* What was captured: `samples` pairs of events around n_inner calls. */
struct osw_cuda_captured {
    uint64_t key;
    uint32_t n_inner, samples;
    bool cold, refused; /* refused: these calls cannot be captured */
    cudaGraphExec_t exec;
};

/* Words in the host's memory that kernels see. */
struct osw_cuda_gate {
    unsigned int open, late;
};

struct osw_cuda {
    struct osw_device base;
    cudaStream_t stream;
    cudaEvent_t events[2 * OSW_TIMING_GRAPH_SAMPLES];
    struct osw_cuda_hash *hash;    /* on the device */
    unsigned long long *hash_seen; /* [OSW_HASH_SLOTS] where the host looks */
    uint32_t hash_slot;            /* in use */
    bool hashing;                  /* something in this slot */
    struct osw_cuda_made made;     /* not launched yet: see hash_copy */
    bool waits;                    /* it is there */
    const void *pinned;            /* memory of the host, or NULL */
    uint64_t pinned_bytes;

    /* Of timing, NULL before the first request. */
    void *scrub;
    uint64_t scrub_bytes, scrub_at; /* read from there; twice as large */
    uint64_t moves;
    uint64_t key; /* of the calls timed last */
    unsigned int *sink;
    struct osw_cuda_gate *gate;
    unsigned int ticket;
    uint64_t waits_key; /* calls of this key wait for the stream */
    bool waited;        /* calls of this process did */
    struct osw_cuda_captured captured[2]; /* cold, warm */
    struct osw_cuda_edits *edits;         /* on the device */
};

static inline struct osw_cuda *osw_cuda_of(struct osw_device *dev)
{
    return (struct osw_cuda *)dev;
}

/* As osw_device_ops.time and .floors. */
enum osw_timer osw_cuda_time(struct osw_device *dev,
                             const struct osw_timing *ask, float *samples,
                             int *code);
void osw_cuda_floors(struct osw_device *dev, double *empty_ns, double *null_ns);

#endif /* OSW_WORKER_DEVICE_DEVICE_CUDA_H */
