/* tests/unit/worker/test_health.c - a working device, and ones with faults */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker/health.h"

enum { MIB = 1 << 20 };

static void a_sound_device_is_found_sound(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_health h;

    (void)state;
    for (int quick = 0; quick < 2; quick++) {
        assert_int_equal(
            osw_health_check(&osw_device_cpu_ops, 0, 64 * MIB, quick, &h, &err),
            0);
        print_message("  %s; %s; %s\n", h.memory.text, h.share.text,
                      h.sandbox.text);
        assert_true(h.memory.good && h.share.good && h.sandbox.good);
        assert_true(h.name[0] != '\0');
        assert_true(h.open_ns >= 0);
        assert_true(h.tested_bytes == 64 * MIB);
        assert_true(h.copy_bytes_per_s > 1e6);
    }
}

/* The first bytes of a map lie in its second half, too. */
static int mirrored(struct osw_device *dev, uint64_t bytes, struct osw_map *out,
                    struct osw_error *err)
{
    int fd = memfd_create("mirrored", MFD_CLOEXEC);
    char *p;

    (void)dev;
    (void)err;
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_ptr_not_equal(mmap(p + 32 * MIB, 4096, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, fd, 0),
                         MAP_FAILED);
    close(fd);
    *out = (struct osw_map){.base = p, .bytes = bytes, .fd = -1};
    return 0;
}

static void two_addresses_of_one_cell_are_found(void **state)
{
    struct osw_device_ops ops = osw_device_cpu_ops;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_health h;

    (void)state;
    ops.map_private = mirrored;
    assert_int_equal(osw_health_check(&ops, 0, 64 * MIB, false, &h, &err), 0);
    assert_false(h.memory.good);
    assert_string_equal(h.memory.text,
                        "byte 0 of 67108864 does not keep its value");
    assert_true(h.share.good);
}

/* What travels is a descriptor of other memory. */
static int not_shared(struct osw_device *dev, uint64_t bytes,
                      struct osw_map *out, struct osw_error *err)
{
    struct osw_map sent;
    void *mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(mine, MAP_FAILED);
    assert_int_equal(osw_device_cpu_ops.map_create(dev, bytes, &sent, err), 0);
    munmap(sent.base, sent.bytes);
    sent.base = mine;
    *out = sent;
    return 0;
}

/* It can be read over there, and what is written there stays there. */
static int one_way(struct osw_device *dev, struct osw_map *map,
                   struct osw_error *err)
{
    void *p =
        mmap(NULL, map->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, map->fd, 0);

    (void)dev;
    (void)err;
    assert_ptr_not_equal(p, MAP_FAILED);
    map->base = p;
    return 0;
}

static int no_map(struct osw_device *dev, struct osw_map *map,
                  struct osw_error *err)
{
    (void)dev;
    (void)map;
    return osw_fail(err, OSW_DEVICE, "invalid device context");
}

static int dies(struct osw_device *dev, struct osw_map *map,
                struct osw_error *err)
{
    (void)dev;
    (void)map;
    (void)err;
    _exit(7);
}

static int no_memory(struct osw_device *dev, uint64_t bytes,
                     struct osw_map *out, struct osw_error *err)
{
    (void)dev;
    (void)bytes;
    (void)out;
    return osw_fail(err, OSW_NO_MEMORY, "out of memory on the device");
}

static void memory_that_is_not_shared_is_found(void **state)
{
    static const struct {
        int (*create)(struct osw_device *, uint64_t, struct osw_map *,
                      struct osw_error *);
        int (*open)(struct osw_device *, struct osw_map *, struct osw_error *);
        const char *text;
    } rows[] = {
        {not_shared, NULL,
         "in another process: byte 0 is not what was written"},
        {NULL, one_way, "byte 0 is not what another process wrote"},
        {NULL, no_map, "in another process: invalid device context"},
        {NULL, dies, "another process does not answer"},
        {no_memory, NULL, "out of memory on the device"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_device_ops ops = osw_device_cpu_ops;
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_health h;

        print_message("  case: %s\n", rows[i].text);
        if (rows[i].create)
            ops.map_create = rows[i].create;
        if (rows[i].open)
            ops.map_open = rows[i].open;
        assert_int_equal(osw_health_check(&ops, 0, 8 * MIB, true, &h, &err), 0);
        assert_false(h.share.good);
        assert_string_equal(h.share.text, rows[i].text);
        assert_true(h.memory.good);
    }
}

static int half_of_it(struct osw_device *dev, uint64_t bytes,
                      struct osw_map *out, struct osw_error *err)
{
    if (bytes > 32 * MIB)
        return osw_fail(err, OSW_NO_MEMORY, "out of memory on the device");
    return osw_device_cpu_ops.map_private(dev, bytes, out, err);
}

static void a_budget_that_is_too_large_is_cut(void **state)
{
    struct osw_device_ops ops = osw_device_cpu_ops;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_health h;

    (void)state;
    ops.map_private = half_of_it;
    assert_int_equal(osw_health_check(&ops, 0, 64 * MIB, true, &h, &err), 0);
    assert_true(h.memory.good);
    assert_in_range(h.tested_bytes, 24 * MIB, 32 * MIB);
    ops.map_private = no_memory;
    assert_int_equal(osw_health_check(&ops, 0, 64 * MIB, true, &h, &err), 0);
    assert_false(h.memory.good);
    assert_string_equal(h.memory.text, "out of memory on the device");
    assert_true(h.share.good);
}

static int no_device(int index, struct osw_device **out, struct osw_error *err)
{
    (void)out;
    return osw_fail(err, OSW_DEVICE, "device %d: unknown error", index);
}

static void a_device_that_cannot_be_opened_is_an_error(void **state)
{
    struct osw_device_ops ops = osw_device_cpu_ops;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_health h = {.name = "as before"};

    (void)state;
    ops.open = no_device;
    assert_int_equal(osw_health_check(&ops, 3, 0, true, &h, &err), -1);
    assert_int_equal(err.status, OSW_DEVICE);
    assert_string_equal(err.text, "1 devices of kind 'cpu' can be used");
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_health_check(&ops, 0, 0, true, &h, &err), -1);
    assert_int_equal(err.status, OSW_DEVICE);
    assert_string_equal(err.text, "device 0: unknown error");
    assert_string_equal(h.name, "as before");
    err = (struct osw_error)OSW_ERROR_INIT;
    ops.kind = "abacus";
    assert_int_equal(osw_health_check(&ops, 0, 0, true, &h, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "'abacus'"));
}

static void a_missing_sandbox_program_is_found(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_health h;

    (void)state;
    setenv("OPSWEEP_HOME", "/nowhere", 1);
    assert_int_equal(
        osw_health_check(&osw_device_cpu_ops, 0, 8 * MIB, true, &h, &err), 0);
    unsetenv("OPSWEEP_HOME");
    assert_true(h.memory.good && h.share.good);
    assert_false(h.sandbox.good);
    assert_non_null(strstr(h.sandbox.text, "/nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_device_is_found_sound),
        cmocka_unit_test(two_addresses_of_one_cell_are_found),
        cmocka_unit_test(memory_that_is_not_shared_is_found),
        cmocka_unit_test(a_budget_that_is_too_large_is_cut),
        cmocka_unit_test(a_device_that_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_missing_sandbox_program_is_found),
    };

    return cmocka_run_group_tests_name("worker/health", tests, NULL, NULL);
}
