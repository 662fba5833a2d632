/* tests/gpu/test_device.c - what a sandbox asks a GPU for, against the host
 *
 * Steps as those of a batch: inputs come from a slice of the host's memory, a
 * call is made on them, its outputs are hashed and shown in the slice, and the
 * next slice's inputs take their place.  Without a GPU it says so and passes.
 *
 * takes 5 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "worker/device/device.h"
#include "worker/hash.h"

enum {
    STEPS = 7,
    MOST = 600 << 10,
    WINDOW = STEPS * MOST,
    MADE = 0x37, /* what a call makes of its outputs, and the step */
};

static struct osw_device *dev;
static struct osw_map zone; /* of the device */
static unsigned char *window, *expected;
static int context_before; /* it was opened */

/* Two outputs in the upper half of `bytes`, the second one `off` bytes after a
 * multiple of 16.
 */
struct outputs {
    size_t at[2], bytes[2];
};

static struct outputs outputs_of(size_t bytes, size_t off)
{
    struct outputs o = {{bytes / 2 / 16 * 16, 0}, {bytes / 8, 0}};

    o.at[1] = (o.at[0] + o.bytes[0] + 15) / 16 * 16 + off;
    if (o.at[1] < bytes)
        o.bytes[1] = (bytes - o.at[1]) / 2;
    else
        o.at[1] = bytes;
    return o;
}

static unsigned char *slice(unsigned char *base, int step)
{
    return base + (size_t)step * MOST;
}

static void take_step(int step, size_t bytes, const struct outputs *o,
                      unsigned n_outputs)
{
    const struct osw_device_ops *ops = dev->ops;
    unsigned char *here = zone.base;

    ops->copy(dev, here, slice(window, step), bytes);
    for (unsigned i = 0; i < n_outputs; i++)
        ops->set(dev, here + o->at[i], MADE + step, o->bytes[i]);
    ops->hash_begin(dev, (uint32_t)step);
    for (unsigned i = 0; i + 1 < n_outputs; i++)
        ops->hash(dev, here + o->at[i], o->bytes[i], i);
    if (n_outputs)
        ops->hash_copy(dev, here + o->at[n_outputs - 1],
                       o->bytes[n_outputs - 1], n_outputs - 1,
                       slice(window, step), here, bytes);
    else
        ops->copy(dev, slice(window, step), here, bytes);
}

static uint64_t expect(int step, size_t bytes, const struct outputs *o,
                       unsigned n_outputs)
{
    unsigned char *p = slice(expected, step);
    uint64_t sum = 0;

    for (size_t k = 0; k < MOST; k++)
        p[k] = (unsigned char)(k * 13 + (k >> 8) * 7 + (size_t)step + bytes);
    memcpy(slice(window, step), p, MOST);
    for (unsigned i = 0; i < n_outputs; i++)
        memset(p + o->at[i], MADE + step, o->bytes[i]);
    for (unsigned i = 0; i < n_outputs; i++)
        sum += osw_hash_bytes(p + o->at[i], o->bytes[i], i);
    return sum;
}

static void check_steps(size_t bytes, size_t off, unsigned n_outputs)
{
    struct outputs o = outputs_of(bytes, off);
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t want[STEPS];
    bool lost;

    for (int i = 0; i < STEPS; i++)
        want[i] = expect(i, bytes, &o, n_outputs);
    for (int i = 0; i < STEPS; i++)
        take_step(i, bytes, &o, n_outputs);
    if (dev->ops->sync(dev, &lost, &err) != 0)
        fail_msg("%zu bytes: %s", bytes, err.text);
    for (int i = 0; i < STEPS; i++) {
        if (memcmp(slice(window, i), slice(expected, i), MOST) != 0)
            fail_msg("%zu bytes, off %zu, %u outputs: slice %d differs", bytes,
                     off, n_outputs, i);
        if (n_outputs && dev->ops->hash_sum(dev, (uint32_t)i) != want[i])
            fail_msg("%zu bytes, off %zu, %u outputs: hash %d differs", bytes,
                     off, n_outputs, i);
    }
}

static void steps_show_what_calls_made(void **state)
{
    static const size_t sizes[] = {0,     1,     17,    256,    4096,   20011,
                                   65535, 65536, 65537, 262144, 262160, MOST};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t off = 0; off < 16; off += 4)
            for (unsigned n = 0; n <= 2; n++)
                check_steps(sizes[i], off, n);
}

/* Slices that overlap, or other memory, come in order all the same. */
static void what_comes_next_may_be_anything(void **state)
{
    const struct osw_device_ops *ops = dev->ops;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char *here = zone.base;
    uint64_t want;
    bool lost;

    (void)state;
    memset(window, 1, 4096);
    ops->copy(dev, here, window, 4096);
    ops->hash_begin(dev, 0);
    want = osw_hash_bytes(window, 4096, 0);
    ops->set(dev, here + 4096, 2, 4096);
    ops->hash_copy(dev, here, 4096, 0, window + 4096, here, 8192);
    ops->copy(dev, here, window + 8192, 4096); /* just shown: all 2 */
    ops->hash_copy(dev, here, 4096, 0, window + 16384, here, 4096);
    ops->set(dev, here, 3, 4096);
    ops->copy(dev, window + 20480, here, 4096);
    assert_int_equal(ops->sync(dev, &lost, &err), 0);
    for (size_t k = 0; k < 4096; k++) {
        assert_int_equal(window[4096 + k], 1);
        assert_int_equal(window[8192 + k], 2);
        assert_int_equal(window[16384 + k], 2);
        assert_int_equal(window[20480 + k], 3);
    }
    want += osw_hash_bytes(window + 8192, 4096, 0);
    assert_true(ops->hash_sum(dev, 0) == want);
}

/* Does this process have a context on device 0?  -1: it cannot be told. */
static int has_context(void)
{
    int (*state)(int, unsigned *, int *);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    unsigned flags = 0;
    int active = 0;

    if (!driver)
        return -1;
    *(void **)&state = dlsym(driver, "cuDevicePrimaryCtxGetState");
    return state && state(0, &flags, &active) == 0 ? active : -1;
}

/* Before any other test: a process that only looks at a device, as workers of a
 * node do, holds no memory of it.
 */
static int look_at_it(const struct osw_device_ops *ops, struct osw_error *err)
{
    struct osw_device *seen;

    if (ops->open(0, &seen, err) < 0)
        return -1;
    ops->close(seen);
    return has_context();
}

static void to_look_at_a_device_makes_no_context(void **state)
{
    (void)state;
    assert_int_equal(context_before, 0);
    assert_int_equal(has_context(), 1);
}

/* NULL, or why nothing can be tested here. */
static const char *open_device(struct osw_error *err)
{
    const struct osw_device_ops *ops = osw_device_find("cuda");
    size_t n = 0;

    if (!ops)
        return osw_device_missing("cuda");
    if (ops->count(&n, err) < 0)
        return err->text;
    if (n == 0)
        return "there is no GPU";
    window = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    expected = malloc(WINDOW);
    if (window == MAP_FAILED || !expected)
        return "no memory";
    context_before = look_at_it(ops, err);
    if (osw_device_open(ops, 0, &dev, err) < 0 ||
        ops->pin(dev, window, WINDOW, err) < 0 ||
        ops->map_private(dev, WINDOW, &zone, err) < 0)
        return err->text;
    return NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_show_what_calls_made),
        cmocka_unit_test(what_comes_next_may_be_anything),
        cmocka_unit_test(to_look_at_a_device_makes_no_context),
    };
    struct osw_error err = OSW_ERROR_INIT;
    const char *why = open_device(&err);

    if (why) {
        printf("skipped: %s\n", why);
        return 0;
    }
    return cmocka_run_group_tests_name("gpu/device", tests, NULL, NULL);
}
