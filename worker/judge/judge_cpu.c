/* worker/judge/judge_cpu.c - what a judge does to the host's memory */
#include <math.h>
#include <string.h>

#include "worker/hash.h"
#include "worker/judge/breath.h"
#include "worker/judge/fill.h"
#include "worker/judge/guard.h"
#include "worker/judge/judge_ops.h"
#include "worker/judge/weak.h"

static void fill(struct osw_device *dev, const struct osw_view *v,
                 const struct osw_fill *how, uint64_t seed, uint32_t tensor,
                 uint32_t rep)
{
    (void)dev;
    osw_fill_tensor(v, how, seed, tensor, rep);
}

static void set(struct osw_device *dev, void *data, unsigned char byte,
                uint64_t n)
{
    (void)dev;
    osw_breath((int64_t)(n / 8));
    osw_guard_fill(data, n, byte);
}

static void copy(struct osw_device *dev, void *to, const void *from, uint64_t n)
{
    (void)dev;
    osw_breath((int64_t)(n / 8));
    if (n > 0)
        memcpy(to, from, n);
}

static int64_t check(struct osw_device *dev, const void *data, uint64_t n,
                     unsigned char pattern)
{
    (void)dev;
    osw_breath((int64_t)(n / 8));
    return osw_guard_check(data, n, pattern);
}

static int64_t differs(struct osw_device *dev, const void *a, const void *b,
                       uint64_t n)
{
    (void)dev;
    osw_breath((int64_t)(n / 8));
    return osw_guard_differs(a, b, n);
}

static int64_t check_gaps(struct osw_device *dev, const struct osw_view *v,
                          unsigned char pattern)
{
    (void)dev;
    return osw_guard_check_gaps(v, pattern);
}

static uint64_t hash(struct osw_device *dev, const void *data, uint64_t n,
                     uint64_t seed)
{
    (void)dev;
    osw_breath((int64_t)(n / 8));
    return osw_hash_bytes(data, (size_t)n, seed);
}

static void compare(struct osw_device *dev, const struct osw_view *got,
                    const struct osw_expected *want,
                    const struct osw_accept *accept, struct osw_errors *out)
{
    (void)dev;
    osw_compare(got, want, accept, out);
}

static bool passes(struct osw_device *dev, const struct osw_view *got,
                   const struct osw_expected *want,
                   const struct osw_accept *accept)
{
    (void)dev;
    return osw_compare_passes(got, want, accept);
}

static double mean(struct osw_device *dev, const struct osw_expected *want,
                   int64_t numel)
{
    (void)dev;
    return osw_weak_mean(want, numel);
}

static int sync(struct osw_device *dev, struct osw_error *err)
{
    (void)dev;
    (void)err;
    return 0;
}

const struct osw_judge_ops osw_judge_cpu_ops = {
    .kind = "cpu",
    .fill = fill,
    .set = set,
    .copy = copy,
    .check = check,
    .differs = differs,
    .check_gaps = check_gaps,
    .hash = hash,
    .compare = compare,
    .passes = passes,
    .mean = mean,
    .sync = sync,
};
