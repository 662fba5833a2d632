/* worker/judge/memory/judge_cpu.c - what a judge does to the host's memory */
#include <math.h>
#include <string.h>

#include "worker/hash.h"
#include "worker/judge/compare/weak.h"
#include "worker/judge/inputs/fill.h"
#include "worker/judge/memory/guard.h"
#include "worker/judge/memory/heartbeat.h"
#include "worker/judge/memory/judge_ops.h"

static void fill(struct osw_device *dev, const struct osw_view *v,
                 const struct osw_fill *how, uint64_t seed, uint32_t tensor,
                 uint32_t rep)
{
    (void)dev;
    osw_fill_tensor(v, how, seed, tensor, rep);
}

/* Bytes from `at` on to process before the next heartbeat: enough for the
 * library to use its copy for large memory.
 */
static uint64_t part(uint64_t at, uint64_t n)
{
    const uint64_t most = UINT64_C(64) << 20, left = n - at;

    osw_heartbeat((int64_t)((left < most ? left : most) / 8));
    return left < most ? left : most;
}

static void set(struct osw_device *dev, void *data, unsigned char byte,
                uint64_t n)
{
    (void)dev;
    for (uint64_t at = 0, k; at < n; at += k) {
        k = part(at, n);
        osw_guard_fill((char *)data + at, k, byte);
    }
}

static void copy(struct osw_device *dev, void *to, const void *from, uint64_t n)
{
    (void)dev;
    for (uint64_t at = 0, k; at < n; at += k) {
        k = part(at, n);
        memcpy((char *)to + at, (const char *)from + at, k);
    }
}

static int64_t check(struct osw_device *dev, const void *data, uint64_t n,
                     unsigned char pattern)
{
    (void)dev;
    for (uint64_t at = 0, k; at < n; at += k) {
        int64_t found;

        k = part(at, n);
        found = osw_guard_check((const char *)data + at, k, pattern);
        if (found >= 0)
            return (int64_t)at + found;
    }
    return -1;
}

static int64_t differs(struct osw_device *dev, const void *a, const void *b,
                       uint64_t n)
{
    (void)dev;
    for (uint64_t at = 0, k; at < n; at += k) {
        int64_t found;

        k = part(at, n);
        found =
            osw_guard_differs((const char *)a + at, (const char *)b + at, k);
        if (found >= 0)
            return (int64_t)at + found;
    }
    return -1;
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
    osw_heartbeat((int64_t)(n / 8));
    return osw_hash_bytes(data, (size_t)n, seed);
}

static uint64_t copy_hash(struct osw_device *dev, void *to, const void *from,
                          uint64_t n, uint64_t seed)
{
    (void)dev;
    osw_heartbeat((int64_t)(n / 8));
    return osw_hash_copy(to, from, (size_t)n, seed);
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
    .copy_hash = copy_hash,
    .compare = compare,
    .passes = passes,
    .mean = mean,
    .sync = sync,
};
