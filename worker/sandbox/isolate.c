/* worker/sandbox/isolate.c - what op code is kept from, by the kernel */
#include "worker/sandbox/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/confine.h"
#include "common/paths.h"
#include "worker/isolation.h"
#include "worker/sandbox/filter.inc"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* --- capabilities --- */

/* To read what root reads, and to pin memory. */
#define KEPT                                                                   \
    (1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH | 1U << CAP_IPC_LOCK)

/* A process may only inspect others that have no capability which it lacks.  So
 * root's sandbox has fewer than root's judge.  It can still read root's files.
 */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &head, data) < 0)
        return;
    data[0].permitted &= KEPT;
    data[0].effective &= KEPT;
    data[0].inheritable = 0;
    data[1] = (struct __user_cap_data_struct){0};
    (void)syscall(SYS_capset, &head, data);
}

/* Those beyond KEPT that it has. */
static uint64_t capabilities(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &head, data) < 0)
        return UINT64_MAX;
    return (uint64_t)data[1].permitted << 32 | (data[0].permitted & ~KEPT);
}

/* --- files --- */

/* By version of Landlock; older headers do not name them all. */
enum {
    WRITE_FILE = 1 << 1,
    READ = 1 << 2 | 1 << 3, /* files, folders */
    READ_FILE = 1 << 2,
    REFER = 1 << 13,          /* 2 */
    TRUNCATE = 1 << 14,       /* 3 */
    REMOVE_AND_MAKE = 0x1ff0, /* bits 4 to 12 */
    TCP = 3,                  /* 4: bind and connect */
    ABSTRACT_SOCKETS = 1,     /* 6 */
    SIGNALS = 2,              /* 6 */
};

struct ruleset {
    uint64_t files, network, scopes;
};

/* A device's driver talks to its like in other processes. */
static struct ruleset ruleset_of(int version, bool device)
{
    struct ruleset r = {.files = WRITE_FILE | REMOVE_AND_MAKE};

    if (version >= 2)
        r.files |= REFER;
    if (version >= 3)
        r.files |= TRUNCATE;
    if (version >= 4)
        r.network = TCP;
    if (version >= 6)
        r.scopes = device ? SIGNALS : SIGNALS | ABSTRACT_SOCKETS;
    return r;
}

/* The kernel refuses fields that it does not know. */
static size_t ruleset_size(int version)
{
    return version >= 6   ? sizeof(struct ruleset)
           : version >= 4 ? offsetof(struct ruleset, scopes)
                          : offsetof(struct ruleset, network);
}

/* Paths that may be written: a path, a pattern, or the paths that a variable
 * names (separated by ':').  DEVICE: only for sandboxes of a device; CACHES:
 * only where they are asked for.
 */
enum { ALL, DEVICE, CACHES };
static const struct writable {
    int where;
    const char *path; /* or "$NAME" */
} writables[] = {
    {ALL, "."},
    {ALL, "/dev/null"},
    {ALL, "/dev/zero"},
    {ALL, "/dev/full"},
    {CACHES, "$TRITON_CACHE_DIR"},
    {CACHES, "$TORCHINDUCTOR_CACHE_DIR"},
    {CACHES, "$TORCH_EXTENSIONS_DIR"},
    {CACHES, "$PYTORCH_KERNEL_CACHE_PATH"},
    {CACHES, "$NUMBA_CACHE_DIR"},
    {CACHES, "$CUPY_CACHE_DIR"},
    {CACHES, "$FLAGGEMS_CACHE_DIR"},
    {ALL, "$OPSWEEP_WRITABLE"},
    {DEVICE, "/dev/nvidia*"},
    {DEVICE, "/dev/nvidia-caps/*"},
    {DEVICE, "$CUDA_CACHE_PATH"},
};

/* What programs need to begin, wherever reading is limited. */
static const char *const readables[] = {
    "/usr",
    "/lib*",
    "/bin",
    "/sbin",
    "/opt",
    "/etc/ld.so.*",
    "/etc/alternatives",
    "/etc/localtime",
    "/proc",
    "/sys",
    "/dev/urandom",
    "/dev/random",
};

static void allow_path(int ruleset, uint64_t rights, const char *path)
{
    struct landlock_path_beneath_attr beneath = {
        .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat st;

    if (beneath.parent_fd < 0)
        return;
    beneath.allowed_access = rights;
    if (fstat(beneath.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
        beneath.allowed_access &= WRITE_FILE | READ_FILE | TRUNCATE;
    (void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
                  &beneath, 0);
    close(beneath.parent_fd);
}

static void allow_pattern(int ruleset, uint64_t rights, const char *pattern)
{
    glob_t found;

    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        allow_path(ruleset, rights, found.gl_pathv[i]);
    globfree(&found);
}

/* Where folders cannot be read any more: the one that holds what is found.  The
 * rules before allow no more of it.
 */
static void allow_folder_of(int ruleset, uint64_t rights, const char *pattern)
{
    char path[PATH_MAX];
    size_t n = strcspn(pattern, "*");

    while (n > 1 && pattern[n] != '/')
        n--;
    snprintf(path, sizeof(path), "%.*s", (int)n, pattern);
    allow_path(ruleset, rights, path);
}

static void allow_listed(int ruleset, uint64_t rights, const char *list)
{
    while (list && *list) {
        size_t n = strcspn(list, ":");
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%.*s", (int)n, list);
        if (n > 0 && n < sizeof(path))
            allow_path(ruleset, rights, path);
        list += n;
        list += *list == ':';
    }
}

/* NVIDIA's driver names its threads by writing to .../comm, and fails if it may
 * not.  A rule holds for the folder's inode: the folder is kept open, so that
 * the kernel does not drop the inode and create another one without the rule.
 */
static void allow_own_threads(int ruleset, uint64_t rights)
{
    static const char path[] = "/proc/self/task";

    allow_path(ruleset, rights & (WRITE_FILE | TRUNCATE), path);
    (void)!open(path, O_PATH | O_CLOEXEC);
}

static void allow_reads(int ruleset, bool ops)
{
    for (size_t i = 0; i < N_ELEM(readables); i++)
        allow_pattern(ruleset, READ, readables[i]);
    allow_listed(ruleset, READ, getenv(OSW_CONFINE_VARIABLE));
    if (ops)
        allow_listed(ruleset, READ, getenv(OSW_CONFINE_OPS_VARIABLE));
}

void osw_isolate_reads(bool ops)
{
    struct ruleset rules = {.files = READ};
    int version = osw_isolation_landlock(), fd;

    if (version == 0)
        return;
    fd = (int)syscall(SYS_landlock_create_ruleset, &rules,
                      ruleset_size(version), 0);
    if (fd < 0)
        return;
    allow_reads(fd, ops);
    allow_listed(fd, READ, getenv("TMPDIR"));
    allow_path(fd, READ, "/dev/null");
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
}

/* Of the calling thread.  `again`: signals, network and what may be read are
 * limited already.  Signals must not be a second time: threads with other rules
 * could no longer send them to each other.  0, or -1 with errno.
 */
static int restrict_files(bool device, bool caches, bool again)
{
    int version = osw_isolation_landlock(), fd, rc;
    struct ruleset rules = ruleset_of(version, device);

    if (version == 0)
        return 0;
    if (again)
        rules.network = rules.scopes = 0;
    else if (osw_confine_wanted())
        rules.files |= READ;
    fd = (int)syscall(SYS_landlock_create_ruleset, &rules,
                      ruleset_size(version), 0);
    if (fd < 0)
        return -1;
    for (size_t i = 0; i < N_ELEM(writables); i++) {
        const char *path = writables[i].path;

        if ((writables[i].where == DEVICE && !device) ||
            (writables[i].where == CACHES && !caches))
            continue;
        if (path[0] == '$')
            allow_listed(fd, rules.files, getenv(path + 1));
        else if (strchr(path, '*') && again)
            allow_folder_of(fd, rules.files, path);
        else if (strchr(path, '*'))
            allow_pattern(fd, rules.files, path);
        else
            allow_path(fd, rules.files, path);
    }
    if (device)
        allow_own_threads(fd, rules.files);
    if (rules.files & READ)
        allow_reads(fd, true);
    rc = (int)syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
    return rc;
}

/* --- calls --- */

/* Speculation stays as it is: op code is timed. */
static int filter_calls(bool device)
{
#ifdef OSW_NO_FILTER
    (void)device;
    errno = ENOSYS;
    return -1;
#else
    struct sock_fprog program = {
        .len = (unsigned short)(device ? N_ELEM(filter_device)
                                       : N_ELEM(filter_host)),
        .filter = (struct sock_filter *)(uintptr_t)(device ? filter_device
                                                           : filter_host)};

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
#endif
}

/* --- all of it --- */

static void use_scratch(void)
{
    char folder[PATH_MAX];

    if (getcwd(folder, sizeof(folder)))
        (void)setenv("TMPDIR", folder, 1);
}

static bool has_driver(const char *device)
{
    return strcmp(device, "cpu") != 0;
}

static enum osw_isolation wanted_level(void)
{
    return osw_isolation_level(getenv("OPSWEEP_ISOLATION"));
}

/* All but the filter. */
static void begin(const char *device, bool caches)
{
    enum osw_isolation level = wanted_level();

    use_scratch();
    if (level == OSW_ISOLATION_OFF)
        return;
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* Before: root's processes with capabilities are closed to those without,
     * and stay so.
     */
    osw_isolation_close(level);
    drop_capabilities();
    if (level != OSW_ISOLATION_BASIC)
        (void)restrict_files(has_driver(device), caches, false);
}

void osw_isolate(const char *device)
{
    begin(device, false);
    if (wanted_level() != OSW_ISOLATION_OFF)
        (void)filter_calls(has_driver(device));
}

void osw_isolate_begin(const char *device)
{
    begin(device, true);
}

int osw_isolate_end(const char *device, bool caches)
{
    enum osw_isolation level = wanted_level();
    int rc = 0;

    if (level == OSW_ISOLATION_OFF)
        return 0;
    if (level != OSW_ISOLATION_BASIC)
        rc = restrict_files(has_driver(device), caches, true);
    (void)filter_calls(has_driver(device));
    return rc;
}

/* --- in force? --- */

struct promise {
    const char *name;
    const char *text;           /* what it says */
    bool (*holds)(pid_t judge); /* in the sandbox */
};

static bool is_refused(int fd)
{
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static bool no_network(pid_t judge)
{
    (void)judge;
    return is_refused(socket(AF_INET, SOCK_STREAM, 0));
}

static bool no_calls(pid_t judge)
{
    (void)judge;
    return unshare(CLONE_FS) < 0; /* else anybody may */
}

static bool no_files(pid_t judge)
{
    (void)judge;
    return is_refused(open("../outside", O_CREAT | O_WRONLY, 0600)) &&
           !is_refused(open("inside", O_CREAT | O_WRONLY, 0600));
}

static bool no_judge(pid_t judge)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/mem", (int)judge);
    if (!is_refused(open(path, O_RDONLY)))
        return false;
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)judge);
    return is_refused(open(path, O_RDONLY));
}

static bool no_signals(pid_t judge)
{
    return kill(judge, 0) < 0;
}

static bool no_privileges(pid_t judge)
{
    (void)judge;
    return capabilities() == 0;
}

static const struct promise promises[] = {
    {"network", "no sockets but those it was given", no_network},
    {"calls", "no ptrace, namespaces, mounts, bpf, io_uring ...", no_calls},
    {"files", "written in its scratch folder and in caches alone", no_files},
    {"judge", "memory, descriptors, environment of others are closed",
     no_judge},
    {"signals", "none to processes outside", no_signals},
    {"privileges", "none of root's, but to read files", no_privileges},
};

static int say(const char *device, pid_t judge)
{
    osw_isolate(device);
    for (size_t i = 0; i < N_ELEM(promises); i++)
        printf("%s\t%s\t%s\n", promises[i].name,
               promises[i].holds(judge) ? "yes" : "no", promises[i].text);
    return fflush(stdout) == 0 ? 0 : 1;
}

static int clean(const char *folder, int code)
{
    static const char *const left[] = {"outside", "in/inside", "in", ""};
    char path[PATH_MAX + 16];

    for (size_t i = 0; i < N_ELEM(left); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, left[i]);
        (void)remove(path);
    }
    return code;
}

/* This process is what the child takes for its judge. */
int osw_isolate_probe(const char *device)
{
    char folder[PATH_MAX];
    int status = -1;
    pid_t pid;

    snprintf(folder, sizeof(folder), "%s/opsweep-probe-XXXXXX",
             osw_paths_temp_dir());
    if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("in", 0700) < 0 ||
        chdir("in") < 0) {
        fprintf(stderr, "cannot make folders in '%s' (TMPDIR): %s\n",
                osw_paths_temp_dir(), strerror(errno));
        return clean(folder, 1);
    }
    osw_isolation_close(osw_isolation_level(getenv("OPSWEEP_ISOLATION")));
    pid = fork();
    if (pid == 0)
        _exit(say(device, getppid()));
    if (pid > 0)
        (void)waitpid(pid, &status, 0);
    return clean(folder, status == 0 ? 0 : 1);
}
