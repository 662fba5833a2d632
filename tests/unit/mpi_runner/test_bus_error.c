/* tests/unit/mpi_runner/test_bus_error.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_runner/transport/bus_error.h"

enum { BYTES = 8192 };

struct page {
    int fd;
    volatile unsigned char *at;
    bool done;
};

static struct page map_page(void)
{
    struct page p = {.fd = memfd_create("page", 0)};

    assert_true(p.fd >= 0);
    assert_int_equal(ftruncate(p.fd, BYTES), 0);
    p.at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0);
    assert_true(p.at != MAP_FAILED);
    return p;
}

static void unmap_page(struct page *p)
{
    munmap((void *)(uintptr_t)p->at, BYTES);
    close(p->fd);
}

static void touch(void *arg)
{
    struct page *p = arg;

    p->at[BYTES - 1]++;
    p->done = true;
}

static void a_file_that_is_cut_ends_the_attempt_and_no_process(void **state)
{
    struct page p = map_page();

    (void)state;
    assert_true(osw_bus_error_try(touch, &p));
    assert_int_equal(p.at[BYTES - 1], 1);
    for (int again = 0; again < 3; again++) {
        p.done = false;
        assert_int_equal(ftruncate(p.fd, 10), 0);
        assert_false(osw_bus_error_try(touch, &p));
        assert_false(p.done);
        assert_int_equal(ftruncate(p.fd, BYTES), 0);
        assert_true(osw_bus_error_try(touch, &p));
        assert_true(p.done);
    }
    unmap_page(&p);
}

static void outside_of_an_attempt_a_bus_error_ends_the_process(void **state)
{
    struct page p;
    int status = 0;
    pid_t pid;

    (void)state;
    pid = fork();
    if (pid == 0) {
        signal(SIGBUS, SIG_DFL); /* cmocka handles it */
        p = map_page();
        if (!osw_bus_error_try(touch, &p) || ftruncate(p.fd, 10) < 0)
            _exit(1);
        touch(&p);
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* first: it decides what a bus error is outside of an attempt */
        cmocka_unit_test(outside_of_an_attempt_a_bus_error_ends_the_process),
        cmocka_unit_test(a_file_that_is_cut_ends_the_attempt_and_no_process),
    };

    return cmocka_run_group_tests_name("mpi_runner/bus_error", tests, NULL,
                                       NULL);
}
