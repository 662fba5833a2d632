/* tests/unit/worker/test_nvml.c - a library that is not the driver's */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/nvml/fake_nvml.h"
#include "tests/unit/chaos.h"
#include "worker/device/device_faults.h"
#include "worker/device/nvml_async.h"

static const char first_uuid[] = "GPU-00000000-1111-2222-3333-444444444444";
static const char second_uuid[] = "GPU-00000001-1111-2222-3333-444444444444";

static int build(void **state)
{
    (void)state;
    fake_nvml_wrong("");
    return fake_nvml_build("");
}

/* The library with the second GPU, of which `words` are wrong. */
static osw_nvml_t *open_wrong(const char *words, struct osw_nvml_gpu *gpu)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_nvml_t *nvml;

    fake_nvml_wrong(words);
    nvml = osw_nvml_open(&err);
    assert_non_null(nvml);
    assert_int_equal(osw_nvml_at(nvml, 1, gpu, &err), 0);
    return nvml;
}

static void facts_are_what_the_driver_says(void **state)
{
    struct osw_nvml_driver driver;
    struct osw_nvml_facts f;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("", &gpu);
    char pci[OSW_NVML_PCI];
    size_t n = 0;

    (void)state;
    assert_int_equal(osw_nvml_count(nvml, &n, NULL), 0);
    assert_int_equal(n, 2);
    osw_nvml_driver(nvml, &driver);
    assert_string_equal(driver.version, "580.65.06");
    assert_int_equal(driver.cuda_version, 13000);
    osw_nvml_facts(&gpu, &f);
    assert_string_equal(f.name, "Fake H100 80GB");
    assert_string_equal(f.uuid, second_uuid);
    assert_string_equal(f.pci, "00000000:4C:00.0");
    osw_nvml_pci(&gpu, pci);
    assert_string_equal(pci, f.pci);
    osw_nvml_pci(&(struct osw_nvml_gpu){NULL, NULL}, pci);
    assert_string_equal(pci, "");
    assert_string_equal(f.serial, "165392301");
    assert_string_equal(f.vbios, "96.00.74.00.0D");
    assert_int_equal(f.capability, 90);
    assert_int_equal(f.compute_mode, OSW_COMPUTE_DEFAULT);
    assert_int_equal(f.persistence, 1);
    assert_int_equal(f.ecc, 1);
    assert_int_equal(f.mig, 0);
    assert_true(fabs(f.power_limit_w - 700) < 1e-9);
    assert_true(fabs(f.max_sm_mhz - 1980) < 1e-9);
    assert_true(fabs(f.max_memory_mhz - 2619) < 1e-9);
    assert_int_equal(f.bus_bits, 5120);
    assert_int_equal(f.pcie_gen, 5);
    assert_int_equal(f.pcie_width, 16);
    assert_int_equal(f.remapped_uncorrected, 0);
    assert_int_equal(f.remap_pending, 0);
    assert_int_equal(f.remap_failed, 0);
    assert_int_equal(f.recovery, 0);
    assert_true(f.memory_bytes == INT64_C(85899345920));
    assert_true(f.free_bytes == INT64_C(85028896768));
    assert_int_equal(f.n_processes, 0);
    osw_nvml_close(nvml);
}

static void what_is_wrong_is_seen(void **state)
{
    struct osw_nvml_facts f;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml =
        open_wrong("exclusive mig noecc remapped pending failed recovery "
                   "foreign narrow nopersist",
                   &gpu);

    (void)state;
    osw_nvml_facts(&gpu, &f);
    assert_int_equal(f.compute_mode, OSW_COMPUTE_EXCLUSIVE_PROCESS);
    assert_int_equal(f.mig, 1);
    assert_int_equal(f.ecc, 0);
    assert_int_equal(f.remapped_uncorrected, 2);
    assert_int_equal(f.remap_pending, 1);
    assert_int_equal(f.remap_failed, 1);
    assert_int_equal(f.recovery, 1);
    assert_int_equal(f.n_processes, 2);
    assert_int_equal(f.pids[0], 4000001);
    assert_int_equal(f.pids[1], 4000002);
    assert_int_equal(f.pcie_width, 4);
    assert_int_equal(f.persistence, 0);
    fake_nvml_wrong("crowd nofields");
    osw_nvml_facts(&gpu, &f);
    assert_int_equal(f.n_processes, 1000);
    assert_int_equal(f.pids[63], 4000064);
    assert_int_equal(f.recovery, -1);
    osw_nvml_close(nvml);
}

static void a_gpu_is_found_by_its_uuid(void **state)
{
    static const struct {
        const char *id;
        const char *uuid; /* NULL: not there */
    } rows[] = {
        {first_uuid, first_uuid},
        {second_uuid, second_uuid},
        {"GPU-00000009-1111-2222-3333-444444444444", NULL},
        {"", NULL},
    };
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("", &gpu);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_nvml_facts f;
        int rc = osw_nvml_find(nvml, rows[i].id, &gpu, &err);

        print_message("  case: %s\n", rows[i].id);
        assert_int_equal(rc, rows[i].uuid ? 0 : -1);
        assert_int_equal(err.status, rows[i].uuid ? OSW_OK : OSW_DEVICE);
        if (rc < 0)
            continue;
        osw_nvml_facts(&gpu, &f);
        assert_string_equal(f.uuid, rows[i].uuid);
    }
    osw_nvml_close(nvml);
}

static void samples_show_clocks_throttling_and_errors(void **state)
{
    struct osw_telemetry a, b;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("", &gpu);

    (void)state;
    osw_nvml_sample(&gpu, &a);
    fake_nvml_wrong("throttle ecc");
    osw_nvml_sample(&gpu, &b);
    assert_true(a.at_ns > 0 && b.at_ns >= a.at_ns);
    assert_true(fabs(a.sm_mhz - 1755) < 1e-9);
    assert_true(fabs(a.temperature_c - 54) < 1e-9);
    assert_true(fabs(a.power_w - 350.5) < 1e-9);
    assert_int_equal(a.reasons, OSW_REASON_SW_POWER_CAP);
    assert_int_equal(a.ecc_uncorrected, 0);
    assert_int_equal(a.power_capped_ns, 74000000);
    assert_int_equal(a.thermal_ns, 75000000);
    assert_int_equal(b.energy_mj - a.energy_mj, 200000);
    assert_true(fabs(b.sm_mhz - 990) < 1e-9);
    assert_int_equal(b.reasons, OSW_REASON_HW_SLOWDOWN | OSW_REASON_HW_THERMAL);
    assert_int_equal(b.ecc_uncorrected, 3);
    assert_false(b.lost);
    osw_nvml_close(nvml);
}

static void a_sample_beside_other_work_is_there_in_the_end(void **state)
{
    struct osw_nvml_async a = {.busy = false};
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("", &gpu);

    (void)state;
    osw_nvml_async_end(&a); /* nothing was begun */
    assert_int_equal(a.sample.at_ns, 0);
    osw_nvml_async_begin(&a, &gpu);
    osw_nvml_async_end(&a);
    assert_true(a.sample.at_ns > 0);
    assert_true(fabs(a.sample.sm_mhz - 1755) < 1e-9);
    fake_nvml_wrong("throttle");
    osw_nvml_async_begin(&a, &gpu);
    osw_nvml_async_begin(&a, &gpu); /* after the first */
    osw_nvml_async_end(&a);
    osw_nvml_async_end(&a);
    assert_true(fabs(a.sample.sm_mhz - 990) < 1e-9);
    osw_nvml_close(nvml);
}

static void a_lost_gpu_is_told_and_all_else_unknown(void **state)
{
    struct osw_nvml_facts f;
    struct osw_telemetry t;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("lost noenergy", &gpu);

    (void)state;
    osw_nvml_sample(&gpu, &t);
    assert_true(t.lost);
    assert_true(isnan(t.sm_mhz) && isnan(t.power_w));
    assert_int_equal(t.energy_mj, -1);
    osw_nvml_facts(&gpu, &f);
    assert_string_equal(f.name, "");
    assert_int_equal(f.compute_mode, -1);
    osw_nvml_close(nvml);
}

static void a_library_of_few_functions_leaves_the_rest_unknown(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_nvml_driver driver;
    struct osw_nvml_facts f;
    struct osw_telemetry t;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml;

    (void)state;
    assert_int_equal(fake_nvml_build("-DFAKE_NVML_BARE"), 0);
    nvml = open_wrong("", &gpu);
    osw_nvml_driver(nvml, &driver);
    assert_string_equal(driver.version, "");
    assert_int_equal(driver.cuda_version, -1);
    osw_nvml_facts(&gpu, &f);
    assert_string_equal(f.uuid, second_uuid);
    assert_string_equal(f.name, "");
    assert_string_equal(f.pci, "");
    assert_true(isnan(f.power_limit_w) && isnan(f.max_sm_mhz));
    assert_int_equal(f.capability, -1);
    assert_int_equal(f.compute_mode, -1);
    assert_int_equal(f.ecc, -1);
    assert_int_equal(f.mig, -1);
    assert_int_equal(f.remap_pending, -1);
    assert_int_equal(f.recovery, -1);
    assert_int_equal(f.n_processes, -1);
    assert_true(f.memory_bytes == -1);
    osw_nvml_sample(&gpu, &t);
    assert_true(isnan(t.sm_mhz) && isnan(t.temperature_c));
    assert_int_equal(t.reasons, -1);
    assert_int_equal(t.power_capped_ns, -1);
    assert_false(t.lost);
    assert_int_equal(osw_nvml_find(nvml, first_uuid, &gpu, &err), 0);
    osw_nvml_facts(&gpu, &f);
    assert_string_equal(f.uuid, first_uuid);
    osw_nvml_close(nvml);
    assert_int_equal(fake_nvml_build(""), 0);
}

/* Each row is wrong in one way; the message names it. */
static void what_cannot_be_opened_says_why(void **state)
{
    static const struct {
        const char *file; /* NULL: the fake */
        const char *wrong;
        enum osw_status status;
        const char *text;
    } rows[] = {
        {"/nowhere/libnvidia-ml.so.1", "", OSW_NOTHING, "/nowhere"},
        {"libm.so.6", "", OSW_DEVICE, "'libm.so.6' is no NVML"},
        {NULL, "noinit", OSW_DEVICE, "Driver Not Loaded (9)"},
    };
    char *fake = strdup(getenv("OPSWEEP_NVML"));

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  case: %s\n", rows[i].text);
        setenv("OPSWEEP_NVML", rows[i].file ? rows[i].file : fake, 1);
        fake_nvml_wrong(rows[i].wrong);
        assert_null(osw_nvml_open(&err));
        assert_int_equal(err.status, rows[i].status);
        assert_non_null(strstr(err.text, rows[i].text));
    }
    setenv("OPSWEEP_NVML", fake, 1);
    free(fake);
}

static void what_cannot_be_counted_or_seen_says_why(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("nocount", &gpu);
    size_t n;

    (void)state;
    assert_int_equal(osw_nvml_count(nvml, &n, &err), -1);
    assert_non_null(strstr(err.text, "cannot count"));
    fake_nvml_wrong("unseen");
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_nvml_at(nvml, 1, &gpu, &err), -1);
    assert_non_null(strstr(err.text, "GPU 1: "));
    assert_int_equal(osw_nvml_at(nvml, 2, &gpu, NULL), -1);
    osw_nvml_close(nvml);
}

/* Each error comes once; from a library that keeps none there are none. */
static void errors_come_as_they_happen(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[] = "/tmp/test_nvml_XXXXXX";
    int fd = mkstemp(path);
    struct osw_nvml_gpu gpu;
    osw_nvml_t *nvml = open_wrong("", &gpu);

    (void)state;
    assert_true(fd >= 0);
    setenv("FAKE_NVML_XID", path, 1);
    assert_int_equal(osw_nvml_next_xid(nvml), 0);
    assert_int_equal(osw_nvml_watch(nvml, &gpu, &err), 0);
    assert_int_equal(osw_nvml_next_xid(nvml), 0);
    assert_int_equal(write(fd, "79", 2), 2);
    assert_int_equal(osw_nvml_next_xid(nvml), 79);
    osw_nvml_close(nvml);
    nvml = open_wrong("noevents", &gpu);
    assert_int_equal(osw_nvml_watch(nvml, &gpu, &err), -1);
    assert_string_equal(err.text, "NVML keeps no errors: Some Error");
    osw_nvml_close(nvml);
    close(fd);
    unlink(path);
}

static void only_some_errors_are_the_gpus_own(void **state)
{
    static const struct {
        uint64_t xid;
        bool unfit;
    } rows[] = {{0, false},  {13, false}, {31, false}, {43, false},
                {45, false}, {48, true},  {63, false}, {64, true},
                {79, true},  {95, true},  {119, true}, {999, false}};
    struct osw_device_fault fault;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(osw_device_faults_xid(rows[i].xid, &fault),
                         rows[i].unfit);
    assert_true(osw_device_faults_xid(79, &fault));
    assert_int_equal(fault.weight, OSW_DEVICE_FAULT_UNFIT);
    assert_string_equal(fault.text,
                        "the driver reports Xid 79: it fell off the bus");
}

static void without_memory_there_is_no_library(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    fake_nvml_wrong("");
    chaos_arm(0);
    assert_null(osw_nvml_open(&err));
    chaos_struck();
    assert_int_equal(err.status, OSW_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_what_the_driver_says),
        cmocka_unit_test(what_is_wrong_is_seen),
        cmocka_unit_test(a_gpu_is_found_by_its_uuid),
        cmocka_unit_test(samples_show_clocks_throttling_and_errors),
        cmocka_unit_test(a_sample_beside_other_work_is_there_in_the_end),
        cmocka_unit_test(a_lost_gpu_is_told_and_all_else_unknown),
        cmocka_unit_test(a_library_of_few_functions_leaves_the_rest_unknown),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(what_cannot_be_counted_or_seen_says_why),
        cmocka_unit_test(errors_come_as_they_happen),
        cmocka_unit_test(only_some_errors_are_the_gpus_own),
        cmocka_unit_test(without_memory_there_is_no_library),
    };

    return cmocka_run_group_tests_name("worker/nvml", tests, build, NULL);
}
