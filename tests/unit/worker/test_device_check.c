/* tests/unit/worker/test_device_check.c - devices that may be judged on, and
 * not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/device_check.h"
#include "worker/health.h"

/* A processor's tables, made to look like a GPU's, with one thing wrong. */
static struct osw_device_ops ops;
static int32_t compute_mode;
static uint64_t bytes_left;

static int open_gpu(int index, struct osw_device **out, struct osw_error *err)
{
    struct osw_device *dev;

    if (osw_device_cpu_ops.open(index, out, err) < 0)
        return -1;
    dev = *out;
    dev->ops = &ops;
    dev->memory_bytes = UINT64_C(8) << 30;
    dev->n_cores = 132;
    dev->compute_mode = compute_mode;
    dev->max_clock_mhz = 1980;
    strcpy(dev->name, "GPU");
    strcpy(dev->uuid, "GPU-9");
    strcpy(dev->runtime, "12.8");
    strcpy(dev->capability, "9.0");
    return 0;
}

static uint64_t available(struct osw_device *dev)
{
    (void)dev;
    return bytes_left;
}

static int not_shared(struct osw_device *dev, uint64_t bytes,
                      struct osw_map *out, struct osw_error *err)
{
    (void)dev;
    (void)bytes;
    (void)out;
    return osw_fail(err, OSW_DEVICE, "no handles here");
}

static int no_memory(struct osw_device *dev, uint64_t bytes,
                     struct osw_map *out, struct osw_error *err)
{
    (void)dev;
    (void)bytes;
    (void)out;
    return osw_fail(err, OSW_NO_MEMORY, "no room for it");
}

static int set_up(void **state)
{
    (void)state;
    ops = osw_device_cpu_ops;
    ops.own_memory = true;
    ops.open = open_gpu;
    ops.available = available;
    compute_mode = 0;
    bytes_left = UINT64_C(4) << 30;
    setenv("OPSWEEP_NVML", "/nowhere/libnvidia-ml.so", 1);
    setenv("CUDA_MPS_PIPE_DIRECTORY", "/nowhere", 1);
    return 0;
}

static int check(struct osw_device_info *info, struct osw_error *err)
{
    struct osw_device *dev = NULL;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml;
    int rc;

    osw_device_info_init(info);
    assert_int_equal(ops.open(3, &dev, err), 0);
    rc = osw_device_check_ask(dev, info, &nvml, &gpu, err);
    osw_nvml_close(nvml);
    if (rc == 0)
        rc = osw_device_check_try(dev, info, err);
    osw_device_cpu_ops.close(dev);
    return rc;
}

static void a_sound_device_is_told_of_in_full(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_device_info info;

    (void)state;
    if (check(&info, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(osw_device_info_fit(&info));
    assert_string_equal(info.kind, "cpu");
    assert_int_equal(info.index, 3);
    assert_string_equal(info.uuid, "GPU-9");
    assert_string_equal(info.name, "GPU");
    assert_string_equal(info.driver, ""); /* no driver to ask */
    assert_string_equal(info.runtime, "12.8");
    assert_string_equal(info.capability, "9.0");
    assert_int_equal(info.cores, 132);
    assert_int_equal(info.memory_bytes, UINT64_C(8) << 30);
    assert_true(info.max_clock_mhz == 1980);
    assert_true(isnan(info.max_memory_clock_mhz));
    assert_true(info.check_ns > 0);
    print_message("  %.2f ms\n", (double)info.check_ns * 1e-6);
}

static void a_processor_is_told_of_in_full(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_device_info info;

    (void)state;
    ops = osw_device_cpu_ops;
    if (check(&info, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(osw_device_info_fit(&info));
    assert_string_equal(info.uuid, "");
    assert_true(*info.name && info.cores > 0);
    assert_true(info.memory_bytes > (UINT64_C(1) << 28));
}

static void each_ill_is_refused_with_its_cure(void **state)
{
    static const struct {
        int32_t mode;
        uint64_t left;
        int (*map_create)(struct osw_device *, uint64_t, struct osw_map *,
                          struct osw_error *);
        const char *why;
    } rows[] = {
        {3, 0, NULL,
         "compute mode EXCLUSIVE_PROCESS: judge and sandboxes are several "
         "processes; cure: nvidia-smi -i GPU-9 -c DEFAULT, as root"},
        {2, 0, NULL,
         "compute mode PROHIBITED; cure: nvidia-smi -i GPU-9 -c DEFAULT, as "
         "root"},
        {0, 1 << 28, NULL,
         "0.25 of 8.0 GiB of its memory are free, at least 1.0 GiB are "
         "needed; cure: end the other processes on it, or ask the batch "
         "system for whole GPUs"},
        {0, 0, not_shared,
         "no handles here; cure: in a container, give it --ipc=host and "
         "--pid=host"},
        {0, 0, no_memory,
         "no room for it; cure: end the other processes on it, or ask the "
         "batch system for whole GPUs"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_device_info info;

        set_up(NULL);
        compute_mode = rows[i].mode;
        if (rows[i].left)
            bytes_left = rows[i].left;
        if (rows[i].map_create)
            ops.map_create = rows[i].map_create;
        assert_int_equal(check(&info, &err), -1);
        assert_int_equal(err.status, OSW_DEVICE);
        assert_string_equal(err.text, rows[i].why);
        assert_string_equal(info.health, rows[i].why);
        assert_string_equal(info.uuid, "GPU-9"); /* known all the same */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_sound_device_is_told_of_in_full, set_up),
        cmocka_unit_test_setup(a_processor_is_told_of_in_full, set_up),
        cmocka_unit_test_setup(each_ill_is_refused_with_its_cure, set_up),
    };

    return cmocka_run_group_tests_name("worker/device_check", tests, NULL,
                                       NULL);
}
