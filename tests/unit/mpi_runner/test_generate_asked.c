/* tests/unit/mpi_runner/test_generate_asked.c - the journal of a run that asks
 * models, and what requests cost
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_runner/generate/ask/asked.h"
#include "mpi_runner/generate/ask/price.h"
#include "worker/scratch.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    char folder[64], run[96], journal[128];
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    snprintf(f.folder, sizeof(f.folder), "/tmp/opsweep-asked.XXXXXX");
    assert_non_null(mkdtemp(f.folder));
    snprintf(f.run, sizeof(f.run), "%s/runs/run_a", f.folder);
    snprintf(f.journal, sizeof(f.journal), "%s/journal", f.run);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_scratch_remove(f->folder);
    return 0;
}

/* Two attempts at `relu`, the first judged, the second asked; one at `mm` that
 * is answered.
 */
static void write_run(struct fixture *f)
{
    osw_asked_t *asked = osw_asked_open(f->run, false, &f->err);
    struct osw_asked_op *op;
    struct osw_ask ask = {.reserved = 2.5, .prompt_sha256 = "aa"};
    struct osw_attempt end = {
        .number = 1,
        .outcome = OSW_OUTCOME_JUDGED,
        .verdict = {
            .n_planned = 4, .n_passed = 3, .n_timed = 2, .speedup = 1.25}};

    assert_non_null(asked);
    op = osw_asked_op(asked, "relu.default", &f->err);
    assert_int_equal(osw_asked_note_ask(asked, op, 0, &ask, &f->err), 0);
    ask.cost = 0.5;
    ask.used.in = 100;
    snprintf(ask.stop, sizeof(ask.stop), "end \"of\"\nturn");
    assert_int_equal(osw_asked_note_answer(asked, op, 1, OSW_OUTCOME_ANSWERED,
                                           &ask, &f->err),
                     0);
    assert_int_equal(osw_asked_note_end(asked, op, &end, &f->err), 0);
    assert_int_equal(osw_asked_note_ask(asked, op, 1, &ask, &f->err), 0);
    op = osw_asked_op(asked, "mm.default", &f->err);
    assert_int_equal(osw_asked_note_ask(asked, op, 0, &ask, &f->err), 0);
    assert_int_equal(osw_asked_note_answer(asked, op, 1, OSW_OUTCOME_ANSWERED,
                                           &ask, &f->err),
                     0);
    assert_float_equal(osw_asked_spent(asked), 0.5 + 2.5 + 0.5, 1e-12);
    osw_asked_close(asked);
}

static void a_run_is_read_back(void **state)
{
    struct fixture *f = *state;
    const struct osw_asked_op *ops;
    osw_asked_t *asked;
    size_t n;

    write_run(f);
    asked = osw_asked_open(f->run, true, &f->err);
    assert_non_null(asked);
    ops = osw_asked_ops(asked, &n);
    assert_int_equal(n, 2);
    assert_string_equal(ops[0].name, "relu.default");
    assert_int_equal(ops[0].n, 2);
    assert_int_equal(ops[0].attempts[0].outcome, OSW_OUTCOME_JUDGED);
    assert_int_equal(ops[0].attempts[0].verdict.n_passed, 3);
    assert_float_equal(ops[0].attempts[0].verdict.speedup, 1.25, 0);
    assert_string_equal(ops[0].asks[0].stop, "end \"of\"\nturn");
    assert_int_equal(ops[0].asks[0].used.in, 100);
    /* Never answered: its money counts as spent. */
    assert_int_equal(ops[0].attempts[1].outcome, OSW_OUTCOME_UNANSWERED);
    assert_int_equal(ops[0].attempts[1].parent, 1);
    assert_int_equal(ops[1].attempts[0].outcome, OSW_OUTCOME_ANSWERED);
    assert_float_equal(osw_asked_spent(asked), 0.5 + 2.5 + 0.5, 1e-12);
    osw_asked_close(asked);
}

/* Holds the journal's lock for so long.  Returns once it does. */
static pid_t hold(const struct fixture *f, int ms)
{
    int fds[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int fd = open(f->journal, O_RDWR);

        if (fd < 0 || flock(fd, LOCK_EX) < 0 || write(fds[1], "x", 1) != 1)
            _exit(1);
        usleep((useconds_t)ms * 1000);
        _exit(0);
    }
    assert_int_equal(read(fds[0], &byte, 1), 1);
    close(fds[0]);
    close(fds[1]);
    return pid;
}

static void one_process_at_a_time_is_at_a_run(void **state)
{
    struct fixture *f = *state;
    osw_asked_t *asked;
    pid_t pid;

    write_run(f);
    pid = hold(f, 60000);
    assert_null(osw_asked_open(f->run, true, &f->err));
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "another process is at the run"));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    /* One that was killed may take a moment to end. */
    pid = hold(f, 100);
    asked = osw_asked_open(f->run, true, &f->err);
    assert_non_null(asked);
    osw_asked_close(asked);
    waitpid(pid, NULL, 0);
}

static size_t copy_journal(const struct fixture *f, const char *run, size_t n)
{
    char bytes[8192], path[256];
    FILE *in = fopen(f->journal, "r"), *out;
    size_t all;

    assert_non_null(in);
    all = fread(bytes, 1, sizeof(bytes), in);
    fclose(in);
    assert_int_equal(mkdir(run, 0700), 0);
    snprintf(path, sizeof(path), "%s/journal", run);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n < all ? n : all, out),
                     n < all ? n : all);
    fclose(out);
    return all;
}

/* A process may be killed after any byte. */
static void any_prefix_can_be_gone_on_with(void **state)
{
    struct fixture *f = *state;
    char run[128];
    size_t all, last = 0;

    write_run(f);
    snprintf(run, sizeof(run), "%s/whole", f->folder);
    all = copy_journal(f, run, SIZE_MAX);
    for (size_t n = 0; n < all; n += 1 + n % 3) {
        osw_asked_t *asked;
        struct osw_asked_op *op;
        struct osw_ask ask = {.reserved = 1};
        size_t n_ops, n_asks = 0;
        const struct osw_asked_op *ops;

        snprintf(run, sizeof(run), "%s/%zu", f->folder, n);
        (void)copy_journal(f, run, n);
        asked = osw_asked_open(run, true, &f->err);
        if (!asked)
            print_message("%s\n", f->err.text);
        assert_non_null(asked);
        ops = osw_asked_ops(asked, &n_ops);
        for (size_t i = 0; i < n_ops; i++)
            n_asks += ops[i].n;
        assert_true(n_asks >= last); /* nothing that was noted is forgotten */
        last = n_asks;
        op = osw_asked_op(asked, "x.default", &f->err);
        assert_int_equal(osw_asked_note_ask(asked, op, 0, &ask, &f->err), 0);
        osw_asked_close(asked);
        asked = osw_asked_open(run, true, &f->err);
        assert_non_null(asked);
        osw_asked_close(asked);
        osw_scratch_remove(run);
    }
    assert_int_equal(last, 3);
}

static void damage_is_an_error(void **state)
{
    struct fixture *f = *state;
    int fd;

    write_run(f);
    fd = open(f->journal, O_WRONLY);
    assert_true(pwrite(fd, "X", 1, 40) == 1);
    close(fd);
    assert_null(osw_asked_open(f->run, true, &f->err));
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "journal:1: damaged"));
}

static void one_process_at_a_run(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_asked_t *asked = osw_asked_open(f->run, false, &f->err);

    assert_non_null(asked);
    assert_null(osw_asked_open(f->run, true, &f->err));
    assert_non_null(strstr(f->err.text, "another process"));
    osw_asked_close(asked);
    assert_null(osw_asked_open(f->run, false, &err));
    assert_non_null(strstr(err.text, "--resume"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_null(osw_asked_open(f->folder, true, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
}

static void files_are_whole(void **state)
{
    struct fixture *f = *state;
    osw_asked_t *asked = osw_asked_open(f->run, false, &f->err);
    char *bytes;
    size_t n;

    assert_int_equal(osw_asked_put(asked, "a/b/c.txt", "1\0002", 3, &f->err),
                     0);
    assert_int_equal(osw_asked_get(asked, "a/b/c.txt", 3, &bytes, &n, &f->err),
                     0);
    assert_int_equal(n, 3);
    assert_memory_equal(bytes, "1\0002", 4);
    free(bytes);
    assert_int_equal(osw_asked_get(asked, "a/b/c.txt", 2, &bytes, &n, &f->err),
                     -1);
    osw_asked_close(asked);
}

/* clang-format off */
static const struct {
    const char *text;
    int rc;
    struct osw_price want;
} prices[] = {
    {"3,15", 0, {3, 15, 3, 3}},
    {"3,15,0.3", 0, {3, 15, 0.3, 3}},
    {"3,15,0.3,3.75", 0, {3, 15, 0.3, 3.75}},
    {"0,0", 0, {0, 0, 0, 0}},
    {"3", -1, {0}},
    {"", -1, {0}},
    {"3,", -1, {0}},
    {"3,15,", -1, {0}},
    {"3,15,1,1,1", -1, {0}},
    {"3,-1", -1, {0}},
    {"3,nan", -1, {0}},
    {"3;15", -1, {0}},
    {"3,1e9", -1, {0}},
};
/* clang-format on */

static void prices_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(prices); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_price p;

        print_message("  price: %s\n", prices[i].text);
        assert_int_equal(osw_price_parse(prices[i].text, &p, &err),
                         prices[i].rc);
        if (prices[i].rc == 0)
            assert_memory_equal(&p, &prices[i].want, sizeof(p));
    }
}

static void what_is_reserved_covers_what_is_used(void **state)
{
    const struct osw_price p = {3, 15, 0.3, 3.75};
    const struct osw_usage used = {.in = 0, .cache_write = 500, .out = 1000};

    (void)state;
    assert_true(fabs(osw_price_of(&p, &used) - 0.016875) < 1e-12);
    assert_true(osw_price_most(&p, 1000, 1000) >= osw_price_of(&p, &used));
    assert_true(fabs(osw_price_most(&p, 0, 1000) - 0.015) < 1e-12);
    assert_true(osw_usage_known(&used));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_run_is_read_back),
        T(one_process_at_a_time_is_at_a_run),
        T(any_prefix_can_be_gone_on_with),
        T(damage_is_an_error),
        T(one_process_at_a_run),
        T(files_are_whole),
        cmocka_unit_test(prices_by_table),
        cmocka_unit_test(what_is_reserved_covers_what_is_used),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_asked", tests, NULL,
                                       NULL);
}
