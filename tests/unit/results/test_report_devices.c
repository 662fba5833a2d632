/* tests/unit/results/test_report_devices.c - on what a campaign was judged */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/report/report_devices.h"
#include "tests/unit/results/fixture.h"

static struct folder folder;

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folder);
}

/* A row of /devices. */
struct there {
    int32_t rank;
    const char *host, *model, *health;
};

/* The lines of a file with these rows; the caller's to free. */
static struct osw_text lines_of(const struct there *rows, size_t n)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    osw_file_t *file;

    assert_int_equal(folder_make(&folder), 0);
    run = osw_run_create(folder.path, &info, false, &err);
    assert_non_null(run);
    for (size_t i = 0; i < n; i++) {
        struct osw_device_info d;

        osw_device_info_init(&d);
        strcpy(d.kind, "cuda");
        strcpy(d.name, rows[i].model);
        strcpy(d.uuid, "GPU-1");
        strcpy(d.health, rows[i].health);
        assert_int_equal(
            osw_run_device(run, rows[i].host, &d, rows[i].rank, &err), 0);
    }
    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
    file = osw_file_open(folder.path, &err);
    assert_non_null(file);
    osw_report_devices_lines(file, &t);
    osw_file_close(file);
    return t;
}

/* Ranks 1 and 2 were resumed on other nodes. */
static void a_rank_of_two_sessions_is_one_worker(void **state)
{
    static const struct there rows[] = {{1, "n1", "H200", "ok"},
                                        {2, "n1", "H200", "ok"},
                                        {1, "n2", "H200", "ok"},
                                        {2, "n3", "H200", "ok"}};
    struct osw_text t = lines_of(rows, 4);

    (void)state;
    assert_string_equal(osw_text_str(&t), "2 workers on H200\n");
    osw_text_free(&t);
}

static void a_rank_that_was_left_out_is_a_worker_elsewhere(void **state)
{
    static const struct there rows[] = {{1, "n1", "H200", "it smokes"},
                                        {1, "n2", "H200", "ok"},
                                        {2, "n2", "A100", "ok"}};
    struct osw_text t = lines_of(rows, 3);

    (void)state;
    assert_string_equal(osw_text_str(&t),
                        "1 worker on H200\n1 worker on A100\n"
                        "left out: rank 1 on n1, cuda -1, GPU-1: it smokes\n");
    osw_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_rank_of_two_sessions_is_one_worker,
                                  tear_down),
        cmocka_unit_test_teardown(
            a_rank_that_was_left_out_is_a_worker_elsewhere, tear_down),
    };

    return cmocka_run_group_tests_name("results/report_devices", tests, NULL,
                                       NULL);
}
