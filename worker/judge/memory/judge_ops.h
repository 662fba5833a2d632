/* worker/judge/memory/judge_ops.h - what a judge does to memory, on any device
 *
 * One row per place that memory can be in: the host's here, a GPU's in a
 * plugin (judge_cuda.c).  All functions of a row work in the order in which
 * they were called, and a function that returns a value has waited for it.
 * The same inputs give the same bits and the same verdicts in every row;
 * sums of errors may differ in their last places.
 *
 * Upstream: trial, oracle, verdict, weak.  Only the judge has these: a
 * sandbox never loads them.
 */
#ifndef OSW_WORKER_JUDGE_JUDGE_OPS_H
#define OSW_WORKER_JUDGE_JUDGE_OPS_H

#include "ops/inputs/fill.h"
#include "worker/device/device.h"
#include "worker/judge/compare/compare.h"
#include "worker/judge/memory/view.h"

/* Views hold addresses of the row's memory, and descriptors of the host's.
 * `dev` is the device that the memory is of; the host's row ignores it.
 */
struct osw_judge_ops {
    const char *kind; /* of the device: "cpu", "cuda" */

    /* Fill a tensor: see fill.h.  Bits are the same in every row. */
    void (*fill)(struct osw_device *dev, const struct osw_view *v,
                 const struct osw_fill *fill, uint64_t seed, uint32_t tensor,
                 uint32_t rep);
    /* Set data[0..n) to one byte. */
    void (*set)(struct osw_device *dev, void *data, unsigned char byte,
                uint64_t n);
    /* Copy; either side may be the host's.  Host memory may be reused on
     * return.
     */
    void (*copy)(struct osw_device *dev, void *to, const void *from,
                 uint64_t n);

    /* Offset of the first byte of data[0..n) that is not `pattern`, or -1. */
    int64_t (*check)(struct osw_device *dev, const void *data, uint64_t n,
                     unsigned char pattern);
    /* Offset of the first byte in which a and b differ, or -1. */
    int64_t (*differs)(struct osw_device *dev, const void *a, const void *b,
                       uint64_t n);
    /* As osw_guard_check_gaps: bytes between elements of a strided view. */
    int64_t (*check_gaps)(struct osw_device *dev, const struct osw_view *v,
                          unsigned char pattern);
    /* As osw_hash_bytes. */
    uint64_t (*hash)(struct osw_device *dev, const void *data, uint64_t n,
                     uint64_t seed);
    /* Copy within the row's memory, and the hash of what the copy holds, in
     * which each byte of `from` is read once.
     */
    uint64_t (*copy_hash)(struct osw_device *dev, void *to, const void *from,
                          uint64_t n, uint64_t seed);

    /* As osw_compare and osw_compare_passes. */
    void (*compare)(struct osw_device *dev, const struct osw_view *got,
                    const struct osw_expected *want,
                    const struct osw_accept *accept, struct osw_errors *out);
    bool (*passes)(struct osw_device *dev, const struct osw_view *got,
                   const struct osw_expected *want,
                   const struct osw_accept *accept);
    /* Mean of the finite expected values; of complex ones, the real parts. */
    double (*mean)(struct osw_device *dev, const struct osw_expected *want,
                   int64_t numel);

    /* Wait for all of it.  0, or -1 with err OSW_DEVICE: the device failed,
     * and nothing that was returned since the last call means anything.
     */
    int (*sync)(struct osw_device *dev, struct osw_error *err);
};

extern const struct osw_judge_ops osw_judge_cpu_ops;

/* The row for a kind of device, or NULL: loads its plugin when needed. */
const struct osw_judge_ops *osw_judge_ops_find(const char *kind);

#endif /* OSW_WORKER_JUDGE_JUDGE_OPS_H */
