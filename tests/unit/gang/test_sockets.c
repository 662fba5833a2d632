/* tests/unit/gang/test_sockets.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/sandbox/shared_files.h"
#include "worker/sandbox/sockets.h"

enum { LONG = 3 << 20 };

static int domain_of(int fd)
{
    int domain = -1;
    socklen_t size = sizeof(domain);

    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size), 0);
    return domain;
}

/* The first test: nothing has begun. */
static void before_it_begins_all_is_as_in_the_c_library(void **state)
{
    int fd = osw_sockets_socket(AF_INET, SOCK_STREAM, 0);
    char path[] = "/tmp/opsweep-sockets-XXXXXX";
    struct ifaddrs *list = NULL;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(domain_of(fd), AF_INET);
    close(fd);
    assert_int_equal(osw_sockets_getifaddrs(&list), 0);
    osw_sockets_freeifaddrs(list);
    fd = osw_shared_files_mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fd = osw_shared_files_open(path, O_RDONLY);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(osw_shared_files_unlink(path), 0);
    assert_int_equal(access(path, F_OK), -1);
}

/* As the sandboxes of a gang, which have the descriptor of one segment. */
static void begin(void)
{
    static int segment = -1;

    if (segment < 0)
        segment = memfd_create("segment", MFD_CLOEXEC);
    osw_sockets_name(segment);
    osw_sockets_begin();
}

static int listen_at(struct sockaddr_in *at)
{
    socklen_t size = sizeof(*at);
    int fd = osw_sockets_socket(AF_INET, SOCK_STREAM, 0);

    *at = (struct sockaddr_in){.sin_family = AF_INET};
    assert_true(fd >= 0);
    assert_int_equal(domain_of(fd), AF_UNIX);
    assert_int_equal(osw_sockets_bind(fd, (struct sockaddr *)at, sizeof(*at)),
                     0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(osw_sockets_getsockname(fd, (struct sockaddr *)at, &size),
                     0);
    assert_int_equal(at->sin_family, AF_INET);
    assert_int_not_equal(at->sin_port, 0);
    return fd;
}

static int call(const struct sockaddr_in *at)
{
    const int yes = 1;
    int fd = osw_sockets_socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(
        osw_sockets_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)),
        0);
    if (osw_sockets_connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0)
        return fd;
    close(fd);
    return -1;
}

static unsigned char byte_of(size_t i)
{
    return (unsigned char)(i * 7 + i / 251);
}

/* A child sends more than a socket holds, in pieces of other sizes. */
static void a_stream_arrives_in_another_process(void **state)
{
    struct sockaddr_in at, from = {.sin_family = 0};
    socklen_t size = sizeof(from);
    static unsigned char data[LONG];
    size_t got = 0;
    int fd, end, status;
    pid_t pid;

    (void)state;
    begin();
    fd = listen_at(&at);
    pid = fork();
    if (pid == 0) {
        end = call(&at);
        for (size_t i = 0; i < LONG; i++)
            data[i] = byte_of(i);
        for (size_t done = 0; done < LONG;) {
            ssize_t n = write(end, data + done, LONG - done);

            if (n <= 0)
                _exit(1);
            done += (size_t)n;
        }
        _exit(0);
    }
    end = osw_sockets_accept(fd, (struct sockaddr *)&from, &size);
    assert_true(end >= 0);
    assert_int_equal(from.sin_family, AF_INET);
    for (ssize_t n = 1; n > 0; got += n > 0 ? (size_t)n : 0)
        n = read(end, data + got,
                 got % 1000 + 1 < LONG - got ? got % 1000 + 1 : LONG - got);
    assert_int_equal(got, LONG);
    for (size_t i = 0; i < LONG; i++)
        if (data[i] != byte_of(i))
            fail_msg("byte %zu", i);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(end);
    close(fd);
}

static void a_port_without_a_listener_refuses(void **state)
{
    struct sockaddr_in at;
    int fd;

    (void)state;
    begin();
    fd = listen_at(&at);
    close(fd);
    assert_int_equal(call(&at), -1);
    assert_int_equal(errno, ECONNREFUSED);
}

static void flags_are_kept_and_a_listener_need_not_block(void **state)
{
    struct sockaddr_in at;
    int fd, end, own;

    (void)state;
    begin();
    fd = listen_at(&at);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(osw_sockets_accept(fd, NULL, NULL), -1);
    assert_true(errno == EAGAIN);
    own = osw_sockets_socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(fcntl(own, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(
        osw_sockets_connect(own, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_true(fcntl(own, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(own, F_GETFD) & FD_CLOEXEC);
    end = osw_sockets_accept4(fd, NULL, NULL, SOCK_NONBLOCK);
    assert_true(end >= 0);
    assert_true(fcntl(end, F_GETFL) & O_NONBLOCK);
    assert_false(fcntl(end, F_GETFD) & FD_CLOEXEC);
    close(end);
    close(own);
    close(fd);
}

static void a_datagrams_socket_gets_nothing(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0x-test"};
    int fd;
    struct pollfd ready = {.events = POLLIN | POLLHUP};

    (void)state;
    begin();
    fd = osw_sockets_socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(
        osw_sockets_bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    ready.fd = fd;
    assert_int_equal(poll(&ready, 1, 20), 0);
    close(fd);
}

/* Other local sockets are left as they are. */
static void local_sockets_are_the_kernels(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(name);
    int fd;

    (void)state;
    begin();
    fd = osw_sockets_socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(
        osw_sockets_bind(fd, (struct sockaddr *)&name, sizeof(sa_family_t)), 0);
    assert_int_equal(
        osw_sockets_getsockname(fd, (struct sockaddr *)&name, &size), 0);
    assert_int_equal(name.sun_family, AF_UNIX);
    close(fd);
}

static void there_is_one_interface(void **state)
{
    struct ifaddrs *list;

    (void)state;
    begin();
    assert_int_equal(osw_sockets_getifaddrs(&list), 0);
    assert_string_equal(list->ifa_name, "lo");
    assert_int_equal(list->ifa_addr->sa_family, AF_INET);
    assert_null(list->ifa_next);
    osw_sockets_freeifaddrs(list);
}

/* A child maps what its parent made, by the name, and leaves a word there. */
static void memory_is_shared_by_the_name_of_a_file(void **state)
{
    char path[] = "/dev/shm/nccl-XXXXXX", other[] = "/dev/shm/nccl-XXXXXX";
    int fd, status;
    uint32_t *word;
    pid_t pid;

    (void)state;
    begin();
    fd = osw_shared_files_mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(ftruncate(fd, 4096), 0);
    word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(word, MAP_FAILED);
    close(fd);
    pid = fork();
    if (pid == 0) {
        uint32_t *theirs;

        fd = osw_shared_files_open(path, O_RDWR, 0600);
        theirs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (theirs == MAP_FAILED)
            _exit(1);
        *theirs = 42;
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(*word, 42);
    fd = osw_shared_files_mkstemp(other);
    assert_true(fd >= 0);
    assert_string_not_equal(other, path);
    close(fd);
    assert_int_equal(osw_shared_files_unlink(path), 0);
    munmap(word, 4096);
    assert_int_equal(
        osw_shared_files_open("/dev/shm/nccl-none00", O_RDWR, 0600), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_it_begins_all_is_as_in_the_c_library),
        cmocka_unit_test(a_stream_arrives_in_another_process),
        cmocka_unit_test(a_port_without_a_listener_refuses),
        cmocka_unit_test(flags_are_kept_and_a_listener_need_not_block),
        cmocka_unit_test(a_datagrams_socket_gets_nothing),
        cmocka_unit_test(local_sockets_are_the_kernels),
        cmocka_unit_test(there_is_one_interface),
        cmocka_unit_test(memory_is_shared_by_the_name_of_a_file),
    };

    return cmocka_run_group_tests_name("gang/sockets", tests, NULL, NULL);
}
