/* worker/sandbox/launch_probe.c - what copies take in this process
 *
 * No op code runs here: see worker/launch_floor.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/launch_floor.h"

enum {
    MOST_SAMPLES = 40,
    LEAST_SAMPLES = 8,
    SHORT_BYTES = 64 << 10,
    LONG_BYTES = 128 << 20,
    COPIES_NS = 20000000, /* of all samples of a size, about */
};

struct copy {
    struct osw_device *dev;
    unsigned char *base; /* of twice LONG_BYTES */
    uint64_t bytes;
};

static void before_nothing(void *arg)
{
    (void)arg;
}

static int make_copy(void *arg)
{
    const struct copy *c = arg;

    c->dev->ops->copy(c->dev, c->base + LONG_BYTES, c->base, c->bytes);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static bool time_copies(const struct copy *copy, float *samples, uint32_t n)
{
    const struct osw_timing ask = {.n_samples = n,
                                   .n_inner = 1,
                                   .cold = true,
                                   .key = copy->bytes,
                                   .before = before_nothing,
                                   .call = make_copy,
                                   .arg = (void *)(uintptr_t)copy};
    int code;

    return copy->dev->ops->time(copy->dev, &ask, samples, &code) !=
           OSW_TIMER_NONE;
}

/* ns, with cold caches; below 0: it cannot be timed. */
static double median_copy(struct osw_device *dev, void *base, uint64_t bytes)
{
    const struct copy copy = {dev, base, bytes};
    float samples[MOST_SAMPLES];
    uint32_t n = MOST_SAMPLES;

    if (!time_copies(&copy, samples, 2))
        return -1;
    if (samples[1] * MOST_SAMPLES > COPIES_NS)
        n = (uint32_t)(COPIES_NS / samples[1]);
    if (n < LEAST_SAMPLES)
        n = LEAST_SAMPLES;
    if (!time_copies(&copy, samples, n))
        return -1;
    qsort(samples, n, sizeof(samples[0]), by_value);
    return 0.5 * ((double)samples[(n - 1) / 2] + (double)samples[n / 2]);
}

static int say(struct osw_device *dev, struct osw_error *err)
{
    struct osw_map map = {.fd = -1};
    double short_ns, long_ns;

    if (dev->ops->map_private(dev, 2 * LONG_BYTES, &map, err) < 0)
        return -1;
    dev->ops->set(dev, map.base, 1, 2 * LONG_BYTES);
    short_ns = median_copy(dev, map.base, SHORT_BYTES);
    long_ns = median_copy(dev, map.base, LONG_BYTES);
    dev->ops->map_destroy(dev, &map);
    if (short_ns < 0 || long_ns < 0)
        return osw_fail(err, OSW_DEVICE, "copies cannot be timed");
    printf("%.3f %.3f\n", short_ns, long_ns);
    return fflush(stdout) == 0
               ? 0
               : osw_fail_sys(err, errno, "cannot write what copies take");
}

int osw_launch_probe(int argc, char **argv)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_device_ops *ops;
    struct osw_device *dev = NULL;
    int rc = -1;

    if (argc < 5)
        return 2;
    if (strchr(argv[4], '='))
        (void)putenv(argv[4]);
    ops = osw_device_find(argv[2]);
    if (!ops)
        osw_fail(&err, OSW_DEVICE, "device '%s': %s", argv[2],
                 osw_device_missing(argv[2]));
    if (ops && osw_device_open(ops, atoi(argv[3]), &dev, &err) == 0) {
        rc = say(dev, &err);
        ops->close(dev);
    }
    if (rc < 0)
        fprintf(stderr, "%s\n", err.text);
    return rc < 0;
}
