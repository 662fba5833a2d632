/* tests/unit/sandbox/test_zone_move.c - a zone of the host's memory lies
 * elsewhere
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "worker/sandbox/zone_move.h"

enum { BYTES = 5 << 20 };

static unsigned char *make_zone(void)
{
    int fd = memfd_create("zone", MFD_CLOEXEC);
    void *p;

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, BYTES), 0);
    p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    close(fd);
    return p;
}

/* The signal that reading a byte at `at` ends a process with; 0: none. */
static int signal_of_a_read(const volatile unsigned char *at)
{
    pid_t pid = fork();
    int status = 0;

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        (void)signal(SIGSEGV, SIG_DFL);
        _exit(*at == 255);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void what_is_in_it_moves_along(void **state)
{
    unsigned char *zone = make_zone();
    struct osw_zone_move move = {NULL};
    void *base = zone;

    (void)state;
    zone[0] = 1;
    zone[BYTES - 1] = 2;
    osw_zone_move(&move, &base, BYTES);
    assert_ptr_not_equal(base, zone);
    assert_int_equal(((unsigned char *)base)[0], 1);
    assert_int_equal(((unsigned char *)base)[BYTES - 1], 2);
    assert_ptr_equal(move.left, zone);
    osw_zone_move_end(&move, BYTES);
    munmap(base, BYTES);
}

static void where_it_lay_there_is_no_memory(void **state)
{
    unsigned char *zone = make_zone();
    struct osw_zone_move move = {NULL};
    void *base = zone;

    (void)state;
    assert_int_equal(signal_of_a_read(zone + 4096), 0);
    osw_zone_move(&move, &base, BYTES);
    assert_int_equal(signal_of_a_read(zone + 4096), SIGSEGV);
    assert_int_equal(signal_of_a_read((unsigned char *)base + 4096), 0);
    osw_zone_move_end(&move, BYTES);
    munmap(base, BYTES);
}

static void it_comes_back_the_next_time(void **state)
{
    unsigned char *zone = make_zone(), *second;
    struct osw_zone_move move = {NULL};
    void *base = zone;

    (void)state;
    osw_zone_move(&move, &base, BYTES);
    second = base;
    osw_zone_move(&move, &base, BYTES);
    assert_ptr_equal(base, zone);
    assert_ptr_equal(move.left, second);
    assert_int_equal(signal_of_a_read(second), SIGSEGV);
    osw_zone_move_end(&move, BYTES);
    assert_null(move.left);
    munmap(base, BYTES);
}

/* Code may have unmapped a part of it. */
static void it_stays_where_the_system_refuses(void **state)
{
    unsigned char *zone = make_zone();
    struct osw_zone_move move = {NULL};
    void *base = zone;

    (void)state;
    zone[BYTES - 1] = 1;
    assert_int_equal(munmap(zone, 4096), 0);
    osw_zone_move(&move, &base, BYTES);
    assert_ptr_equal(base, zone);
    assert_null(move.left);
    assert_int_equal(zone[BYTES - 1], 1);
    munmap(zone + 4096, BYTES - 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_it_moves_along),
        cmocka_unit_test(where_it_lay_there_is_no_memory),
        cmocka_unit_test(it_comes_back_the_next_time),
        cmocka_unit_test(it_stays_where_the_system_refuses),
    };

    return cmocka_run_group_tests_name("sandbox/zone_move", tests, NULL, NULL);
}
