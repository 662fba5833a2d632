/* tests/unit/worker/test_sandbox.c - sandboxes that are nothing but shell lines
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/judge/process/sandbox.h"
#include "worker/judge/process/watch.h"

static struct osw_device *device;
static char script_path[64];

static void write_script(const char *line)
{
    FILE *f = fopen(script_path, "w");

    assert_non_null(f);
    fprintf(f, "#!/bin/bash\n%s\n", line);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(script_path, 0700), 0);
}

/* Each row says what the judge must conclude from the first request. */
static const struct {
    const char *what;
    const char *script; /* descriptor 3 is the socket */
    int64_t deadline_ms;
    enum osw_state want;
    int signal, exit_code;
    const char *text;
} rows[] = {
    /* clang-format off */
    { "exits at once",       "exit 3",           5000, OSW_STATE_EXITED, 0, 3,
      "exit status 3" },
    { "exits as if well",    "exit 0",           5000, OSW_STATE_EXITED, 0, 0,
      "exit status 0" },
    { "dies by a signal",    "kill -SEGV $$",    5000, OSW_STATE_CRASH, SIGSEGV,
      0, "signal 11" },
    { "is killed",           "kill -KILL $$",    5000, OSW_STATE_CRASH, SIGKILL,
      0, "want of memory" },
    { "says nothing",        "sleep 60",          200, OSW_STATE_TIMEOUT, 0, 0,
      "deadline of 0.2 s" },
    { "floods and hangs",    "yes spam; sleep 60", 300, OSW_STATE_TIMEOUT, 0, 0,
      "deadline" },
    { "talks nonsense",      "printf nonsense >&3; sleep 60", 5000,
      OSW_STATE_CRASH, 0, 0, "an answer to no question" },
    { "talks too much",
      "exec python3 -c 'import socket, time; "
      "s = socket.socket(fileno=3); s.send(bytes(140000)); time.sleep(60)'", 5000,
      OSW_STATE_CRASH, 0, 0, "message too long" },
    { "has a child answer",  "(printf '@A' >&3); sleep 60", 5000,
      OSW_STATE_CRASH, 0, 0, "another process answered" },
    { "shuts its socket",    "exec 3>&-; sleep 60", 5000, OSW_STATE_CRASH, 0, 0,
      "closed its socket" },
    { "compiles, then ends", /* 'F': OSW_TALK_PROGRESS */
      "for i in 1 2 3 4 5 6 7 8; do printf F >&3; sleep 0.1; done; exit 7", 300,
      OSW_STATE_EXITED, 0, 7, "exit status 7" },
    { "compiles for ever",   "while :; do printf F >&3; done", 150,
      OSW_STATE_TIMEOUT, 0, 0, "deadline" },
    { "leaves a child",      "sleep 60 & exit 4", 5000, OSW_STATE_TIMEOUT, 0, 0,
      "" }, /* the child keeps the socket open: only the deadline tells */
    /* clang-format on */
};

static void every_end_is_told_apart(void **state)
{
    struct osw_sandbox_env env = {.device = device,
                                  .sandbox_path = script_path,
                                  .work_dir = "/tmp",
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    struct osw_load load = {
        .device = "cpu", .path = "/nowhere.so", .symbol = "x"};

    (void)state;
    (void)osw_watch_oom(); /* of another process, at some time before */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_sandbox *sandbox;
        int64_t ms = rows[i].deadline_ms;

        if (rows[i].want == OSW_STATE_TIMEOUT && ms > 1000)
            ms = 300;
        print_message("  case: %s\n", rows[i].what);
        write_script(rows[i].script);
        sandbox = osw_sandbox_start(&env, &err);
        assert_non_null(sandbox);
        assert_int_equal(osw_sandbox_load(sandbox, &load, ms * 1000000, &err),
                         -1);
        assert_false(osw_sandbox_alive(sandbox));
        if (sandbox->end.state != rows[i].want)
            print_message("  ends by '%s'\n", sandbox->end.text);
        assert_int_equal(sandbox->end.state, rows[i].want);
        assert_int_equal(sandbox->end.signal, rows[i].signal);
        assert_int_equal(sandbox->end.exit_code, rows[i].exit_code);
        if (!strstr(sandbox->end.text, rows[i].text))
            fail_msg("found \"%s\"", sandbox->end.text);
        assert_true(sandbox->end.early);
        osw_sandbox_destroy(sandbox);
    }
}

/* '@' is READY, 'A' LOADED: six flags and no words. */
static const char *const loaded_words =
    "import socket, time\n"
    "s = socket.socket(fileno=3)\n"
    "s.send(b'@')\n"
    "s.recv(200000)\n"
    "s.send(b'A' + bytes([1] * 6) + bytes(3))\n";

static struct osw_sandbox *load_python(const char *lines)
{
    static struct osw_sandbox_env env = {
        .work_dir = "/tmp", .window_bytes = 1 << 20, .n_threads = 1};
    struct osw_load load = {
        .device = "cpu", .path = "/nowhere.so", .symbol = "x"};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox *sandbox;
    char script[1024];

    env.device = device;
    env.sandbox_path = script_path;
    snprintf(script, sizeof(script), "exec python3 -c \"%s%s\"", loaded_words,
             lines);
    write_script(script);
    sandbox = osw_sandbox_start(&env, &err);
    assert_non_null(sandbox);
    if (osw_sandbox_load(sandbox, &load, 10000000000, &err) < 0)
        fail_msg("%s%s", err.text, sandbox->end.text);
    return sandbox;
}

static int send_bytes(struct osw_sandbox *sandbox, size_t n)
{
    static unsigned char bytes[64 * 1024];
    struct osw_writer w = osw_writer(bytes, sizeof(bytes));

    w.used = n;
    return osw_sandbox_send(sandbox, &w);
}

static void requests_that_are_not_read_do_not_hold_the_judge(void **state)
{
    struct osw_sandbox *sandbox = load_python("time.sleep(60)");
    int rc = 0;

    (void)state;
    for (int i = 0; i < 100 && rc == 0; i++)
        rc = send_bytes(sandbox, 64 * 1024);
    assert_int_equal(rc, -1);
    assert_int_equal(sandbox->end.state, OSW_STATE_TIMEOUT);
    assert_non_null(strstr(sandbox->end.text, "does not read its requests"));
    osw_sandbox_destroy(sandbox);
}

/* Signals take a moment. */
static bool is_stopped_soon(pid_t pid, bool want)
{
    for (int i = 0; i < 1000 && osw_watch_is_stopped(pid) != want; i++)
        usleep(1000);
    return osw_watch_is_stopped(pid);
}

static void a_sandbox_stands_still_until_it_may_go_on(void **state)
{
    struct osw_sandbox *sandbox = load_python("time.sleep(60)\n");

    (void)state;
    osw_sandbox_stop(sandbox);
    assert_true(is_stopped_soon(sandbox->pid, true));
    osw_sandbox_continue(sandbox);
    assert_false(is_stopped_soon(sandbox->pid, false));
    assert_true(osw_sandbox_alive(sandbox));
    osw_sandbox_stop(sandbox);
    osw_sandbox_destroy(sandbox); /* a stopped one ends, too */
    osw_sandbox_stop(NULL);
}

static void an_answer_before_its_question_is_none(void **state)
{
    struct osw_sandbox *sandbox =
        load_python("s.send(b'B')\nprint('sent', flush=True)\ntime.sleep(60)");

    (void)state;
    while (!strstr(osw_sandbox_take_output(sandbox), "sent"))
        osw_clock_sleep_ns(10000000);
    assert_int_equal(send_bytes(sandbox, 1), -1);
    assert_int_equal(sandbox->end.state, OSW_STATE_CRASH);
    assert_non_null(strstr(sandbox->end.text, "before it was asked"));
    osw_sandbox_destroy(sandbox);
}

static void await_ended(const struct osw_sandbox *sandbox)
{
    for (int i = 0; i < 1000 && !osw_sandbox_has_ended(sandbox); i++)
        osw_clock_sleep_ns(10000000);
    assert_true(osw_sandbox_has_ended(sandbox));
}

/* Only its last output tells why. */
static void an_interpreter_that_does_not_start_is_named(void **state)
{
    struct osw_sandbox_env env = {.device = device,
                                  .sandbox_path = script_path,
                                  .python = "/bin/ls",
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox *sandbox;

    (void)state;
    write_script("echo no such file >&2; exit 2");
    sandbox = osw_sandbox_start(&env, &err);
    assert_non_null(sandbox);
    assert_int_equal(osw_sandbox_await(sandbox, 5000000000), -1);
    assert_string_equal(sandbox->end.text,
                        "the interpreter '/bin/ls' ended the process with exit "
                        "status 2: no such file");
    osw_sandbox_destroy(sandbox);
}

static void an_end_before_a_file_is_given_is_early_and_says_why(void **state)
{
    static const struct {
        const char *script; /* '@': OSW_TALK_READY */
        bool ready, early;
        const char *text; /* after its exit status, which is 6 */
    } cases[] = {
        {"exit 6", false, true, ""},
        {"echo no GPU >&2; exit 6", false, true, ": no GPU"},
        {"printf 'one\\ntwo\\n \\n'; exit 6", false, true, ": two"},
        {"printf 'a\\tb\\033[1mc\\177'; exit 6", false, true, ": a?b?[1mc?"},
        {"printf '%0300d' 7; exit 6", false, true, NULL}, /* too long */
        {"printf @ >&3; echo gone; exit 6", true, true, ": gone"},
        {"printf @ >&3; python3 -c 'import socket; "
         "socket.socket(fileno=3).recv(9)'; echo gone; exit 6",
         true, false, ""},
    };
    struct osw_sandbox_env env = {.device = device,
                                  .sandbox_path = script_path,
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    struct osw_load load = {
        .device = "cpu", .path = "/nowhere.so", .symbol = "x"};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static const char status[] = "ended the process with exit status 6";
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_sandbox *sandbox;
        const char *text;

        print_message("  case: %s\n", cases[i].script);
        write_script(cases[i].script);
        sandbox = osw_sandbox_start(&env, &err);
        assert_non_null(sandbox);
        if (cases[i].ready)
            assert_int_equal(osw_sandbox_await(sandbox, 5000000000), 0);
        if (cases[i].early)
            await_ended(sandbox);
        else
            assert_false(osw_sandbox_has_ended(sandbox));
        assert_int_equal(osw_sandbox_load(sandbox, &load, 5000000000, &err),
                         -1);
        assert_int_equal(sandbox->end.early, cases[i].early);
        assert_int_equal(strncmp(sandbox->end.text, status, strlen(status)), 0);
        text = sandbox->end.text + strlen(status);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
        else
            assert_int_equal(strlen(text),
                             sizeof(sandbox->end.text) - 1 - strlen(status));
        osw_sandbox_destroy(sandbox);
    }
}

/* Processes of a group that run or could run; a zombie is none. */
static int n_alive(pid_t group)
{
    DIR *proc = opendir("/proc");
    struct dirent *e;
    int n = 0;

    assert_non_null(proc);
    while ((e = readdir(proc)) != NULL) {
        char path[300], mode = 'X';
        int pgrp = 0;
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
        f = fopen(path, "r");
        if (!f)
            continue;
        if (fscanf(f, "%*d (%*[^)]) %c %*d %d", &mode, &pgrp) == 2 &&
            pgrp == group && mode != 'Z' && mode != 'X')
            n++;
        fclose(f);
    }
    closedir(proc);
    return n;
}

static void no_process_of_the_group_outlives_its_box(void **state)
{
    struct osw_sandbox_env env = {.device = device,
                                  .sandbox_path = script_path,
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox *sandbox;
    pid_t group;

    (void)state;
    write_script("sleep 61 & sleep 62 & wait");
    sandbox = osw_sandbox_start(&env, &err);
    assert_non_null(sandbox);
    group = sandbox->pid;
    osw_clock_sleep_ns(100000000);
    assert_int_equal(n_alive(group), 3);
    osw_sandbox_destroy(sandbox);
    for (int i = 0; i < 100 && n_alive(group) > 0; i++)
        osw_clock_sleep_ns(10000000);
    assert_int_equal(n_alive(group), 0);
}

static void output_is_kept_to_its_cap_with_a_note(void **state)
{
    struct osw_sandbox_env env = {.device = device,
                                  .sandbox_path = script_path,
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    struct osw_load load = {.device = "cpu", .path = "/x.so", .symbol = "x"};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox *sandbox;
    const char *text;

    (void)state;
    write_script(
        "printf 'first words\\n'; head -c 100000 /dev/zero | tr '\\0' x;"
        " exit 1");
    sandbox = osw_sandbox_start(&env, &err);
    assert_non_null(sandbox);
    assert_int_equal(osw_sandbox_load(sandbox, &load, 5000000000, &err), -1);
    text = osw_sandbox_take_output(sandbox);
    assert_true(strncmp(text, "first words\n", 12) == 0);
    assert_true(strlen(text) < OSW_SANDBOX_OUTPUT_BYTES);
    assert_non_null(strstr(text, "more bytes]"));
    assert_string_equal(osw_sandbox_take_output(sandbox), "");
    osw_sandbox_destroy(sandbox);
}

static void a_missing_program_is_our_error(void **state)
{
    struct osw_sandbox_env env = {.device = device,
                                  .sandbox_path = "/nowhere/sandbox",
                                  .window_bytes = 1 << 20,
                                  .n_threads = 1};
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(osw_sandbox_start(&env, &err));
    assert_non_null(strstr(err.text, "/nowhere/sandbox"));
}

static void *wait_for_end(void *arg)
{
    pthread_mutex_lock(arg);
    pthread_mutex_unlock(arg);
    return NULL;
}

/* Threads that sleep would make claims of any time look true. */
static void more_threads_than_cores_count_for_nothing(void **state)
{
    struct osw_sandbox self = {.pid = getpid()};
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[3];
    cpu_set_t all, one;

    (void)state;
    assert_int_equal(osw_sandbox_threads(&self), 1);
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_end, &gate),
                         0);
    assert_int_equal(osw_sandbox_threads(&self),
                     CPU_COUNT(&all) < 4 ? CPU_COUNT(&all) : 4);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(osw_sandbox_threads(&self), 1);
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static int set_up(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    snprintf(script_path, sizeof(script_path), "/tmp/osw-test-sandbox-%d",
             (int)getpid());
    return osw_device_cpu_ops.open(0, &device, &err);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(script_path);
    osw_device_cpu_ops.close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_is_told_apart),
        cmocka_unit_test(requests_that_are_not_read_do_not_hold_the_judge),
        cmocka_unit_test(a_sandbox_stands_still_until_it_may_go_on),
        cmocka_unit_test(an_answer_before_its_question_is_none),
        cmocka_unit_test(an_end_before_a_file_is_given_is_early_and_says_why),
        cmocka_unit_test(an_interpreter_that_does_not_start_is_named),
        cmocka_unit_test(no_process_of_the_group_outlives_its_box),
        cmocka_unit_test(output_is_kept_to_its_cap_with_a_note),
        cmocka_unit_test(a_missing_program_is_our_error),
        cmocka_unit_test(more_threads_than_cores_count_for_nothing),
    };

    return cmocka_run_group_tests_name("worker/sandbox", tests, set_up,
                                       tear_down);
}
