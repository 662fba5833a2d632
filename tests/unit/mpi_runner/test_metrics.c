/* tests/unit/mpi_runner/test_metrics.c - what Prometheus reads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "mpi_runner/ranks/metrics.h"

static const int64_t second = 1000000000;

static const struct osw_totals totals = {
    .n_planned = 40,
    .n_recorded = 10,
    .n_state = {[OSW_STATE_PASS] = 8, [OSW_STATE_VALUE] = 2},
    .n_group = {8, 2},
};

static struct osw_metrics_state make_state(void)
{
    return (struct osw_metrics_state){
        .file = "run.h5",
        .totals = &totals,
        .running = true,
        .n_workers = 3,
        .n_lost = 1,
        .n_left_out = 2,
        .n_judged = 10,
        .fraction = 0.25,
        .elapsed_ns = 20 * second,
        .now_unix_ns = 1700000000 * second,
    };
}

static void expect_line(const struct osw_text *t, const char *line)
{
    char whole[400];

    snprintf(whole, sizeof(whole), "\n%s\n", line);
    if (!strstr(t->data, whole))
        fail_msg("no line '%s' in:\n%s", line, t->data);
}

static void every_number_has_its_line(void **state)
{
    struct osw_metrics_state s = make_state();
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_metrics_text(&s, &t);
    assert_non_null(osw_text_str(&t));
    assert_int_equal(strncmp(t.data, "# HELP opsweep_cells_total ", 27), 0);
    expect_line(&t, "# TYPE opsweep_cells_total counter");
    expect_line(&t, "opsweep_cells_total{file=\"run.h5\",state=\"pass\"} 8");
    expect_line(&t, "opsweep_cells_total{file=\"run.h5\",state=\"value\"} 2");
    expect_line(&t, "opsweep_cells_total{file=\"run.h5\",state=\"lost\"} 0");
    expect_line(&t, "# TYPE opsweep_cells_planned gauge");
    expect_line(&t, "opsweep_cells_planned{file=\"run.h5\"} 40");
    expect_line(&t, "opsweep_running{file=\"run.h5\"} 1");
    expect_line(&t, "opsweep_workers{file=\"run.h5\"} 3");
    expect_line(&t, "opsweep_workers_lost{file=\"run.h5\"} 1");
    expect_line(&t, "opsweep_workers_left_out{file=\"run.h5\"} 2");
    expect_line(&t, "opsweep_rate_cells_per_second{file=\"run.h5\"} 0.5");
    expect_line(&t, "opsweep_progress_ratio{file=\"run.h5\"} 0.25");
    expect_line(&t, "opsweep_elapsed_seconds{file=\"run.h5\"} 20");
    expect_line(&t, "opsweep_left_seconds{file=\"run.h5\"} 60");
    expect_line(
        &t, "opsweep_updated_timestamp_seconds{file=\"run.h5\"} 1700000000");
    osw_text_free(&t);
}

static void time_left_may_be_unknown_or_none(void **state)
{
    const struct osw_totals done = {.n_planned = 10, .n_recorded = 10};
    struct osw_metrics_state s = make_state();
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    s.n_judged = 0;
    s.elapsed_ns = 0;
    osw_metrics_text(&s, &t);
    expect_line(&t, "opsweep_left_seconds{file=\"run.h5\"} NaN");
    expect_line(&t, "opsweep_rate_cells_per_second{file=\"run.h5\"} 0");
    osw_text_reset(&t);
    s = make_state();
    s.fraction = s.fraction_before + 0.00003;
    osw_metrics_text(&s, &t);
    expect_line(&t, "opsweep_left_seconds{file=\"run.h5\"} NaN");
    osw_text_reset(&t);
    s.totals = &done;
    s.running = false;
    osw_metrics_text(&s, &t);
    expect_line(&t, "opsweep_left_seconds{file=\"run.h5\"} 0");
    expect_line(&t, "opsweep_running{file=\"run.h5\"} 0");
    osw_text_free(&t);
}

static void names_of_files_are_escaped(void **state)
{
    struct osw_metrics_state s = make_state();
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    s.file = "a \"b\"\\c\nd.h5";
    osw_metrics_text(&s, &t);
    expect_line(&t, "opsweep_workers{file=\"a \\\"b\\\"\\\\c\\nd.h5\"} 3");
    osw_text_free(&t);
}

static void file_is_due_at_once_and_then_every_five_seconds(void **state)
{
    char path[] = "/tmp/test_metrics.XXXXXX";
    int fd = mkstemp(path);
    struct osw_metrics_state s = make_state();
    osw_metrics_t *m = osw_metrics_create(path, "x.h5");
    char text[8000] = "";
    FILE *f;

    (void)state;
    assert_true(fd >= 0);
    assert_non_null(m);
    assert_true(osw_metrics_due(m, 7));
    osw_metrics_write(m, &s, 7);
    assert_false(osw_metrics_due(m, 7 + 4 * second));
    assert_true(osw_metrics_due(m, 7 + 5 * second));
    f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof(text) - 1, f) > 1000);
    assert_non_null(strstr(text, "opsweep_workers{file=\"x.h5\"} 3\n"));
    fclose(f);
    close(fd);
    unlink(path);
    osw_metrics_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_its_line),
        cmocka_unit_test(time_left_may_be_unknown_or_none),
        cmocka_unit_test(names_of_files_are_escaped),
        cmocka_unit_test(file_is_due_at_once_and_then_every_five_seconds),
    };

    return cmocka_run_group_tests_name("mpi_runner/metrics", tests, NULL, NULL);
}
