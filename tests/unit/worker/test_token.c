/* tests/unit/worker/test_token.c - which process may time now */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "worker/judge/timing/token.h"

/* A process that has the token of that file. */
static pid_t start_holder(int fd)
{
    int told[2];
    char word;
    pid_t pid;

    assert_int_equal(pipe(told), 0);
    pid = fork();
    if (pid == 0) {
        (void)osw_token_take(fd, NULL, NULL);
        (void)!write(told[1], "!", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(told[0], &word, 1), 1);
    close(told[0]);
    close(told[1]);
    return pid;
}

static void end_holder(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The wait lasts until a process ends it, here the wait's own tick. */
static void end_it(void *arg)
{
    pid_t *pid = arg;

    end_holder(*pid);
    *pid = 0;
}

static void who_runs_is_waited_for(void **state)
{
    FILE *f = tmpfile();
    pid_t pid = start_holder(fileno(f));

    (void)state;
    (void)osw_token_take(fileno(f), end_it, &pid);
    assert_int_equal(pid, 0);
    fclose(f);
}

/* Without end: the alarm is what fails this test. */
static void who_is_stopped_is_not(void **state)
{
    FILE *f = tmpfile();
    pid_t stopped = start_holder(fileno(f)), next;

    (void)state;
    kill(stopped, SIGSTOP);
    assert_int_equal(waitpid(stopped, NULL, WUNTRACED), stopped);
    alarm(60);
    next = start_holder(fileno(f));
    alarm(0);
    (void)osw_token_take(fileno(f), end_it, &next); /* any process */
    assert_int_equal(next, 0);
    osw_token_give(fileno(f));
    end_holder(stopped);
    fclose(f);
}

/* As op code could, which may open the file for reading: locks of all kinds. */
static void who_reads_the_file_keeps_nobody_waiting(void **state)
{
    FILE *f = tmpfile();
    char path[64], word;
    int told[2];
    pid_t reader;

    (void)state;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(f));
    assert_int_equal(pipe(told), 0);
    reader = fork();
    if (reader == 0) {
        int fd = open(path, O_RDONLY);
        struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

        (void)!write(told[1],
                     flock(fd, LOCK_EX) == 0 && fcntl(fd, F_SETLK, &all) == 0
                         ? "!"
                         : "?",
                     1);
        for (;;)
            pause();
    }
    assert_int_equal(read(told[0], &word, 1), 1);
    assert_int_equal(word, '!');
    alarm(60);
    (void)osw_token_take(fileno(f), NULL, NULL);
    alarm(0);
    osw_token_give(fileno(f));
    end_holder(reader);
    close(told[0]);
    close(told[1]);
    fclose(f);
}

/* A number that was given to another process since. */
static void who_is_gone_is_not_waited_for(void **state)
{
    FILE *f = tmpfile();
    uint64_t other = (uint64_t)getppid() << 32 | 1;

    (void)state;
    end_holder(start_holder(fileno(f)));
    alarm(60);
    (void)osw_token_take(fileno(f), NULL, NULL);
    osw_token_give(fileno(f));
    assert_int_equal(pwrite(fileno(f), &other, sizeof(other), 0),
                     sizeof(other));
    (void)osw_token_take(fileno(f), NULL, NULL);
    osw_token_give(fileno(f));
    alarm(0);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_runs_is_waited_for),
        cmocka_unit_test(who_is_stopped_is_not),
        cmocka_unit_test(who_reads_the_file_keeps_nobody_waiting),
        cmocka_unit_test(who_is_gone_is_not_waited_for),
    };

    return cmocka_run_group_tests_name("worker/token", tests, NULL, NULL);
}
