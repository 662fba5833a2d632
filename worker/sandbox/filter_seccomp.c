/* worker/sandbox/filter_seccomp.c - which system calls op code may not make
 *
 * A program of the build: prints the filters as C (filter.inc), so that a
 * sandbox neither needs libseccomp nor spends time on it.  What is refused
 * fails with an error that libraries know, and nothing is killed.  Everything
 * else is allowed: calls of a kernel that is newer than libseccomp too.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Sandboxes whose op code has a device's driver in its process. */
enum { HOST = 1, DEVICE = 2, BOTH = 3 };

/* To say so and do nothing: whoever asks goes on, and the process stays in the
 * group that its judge kills.
 */
enum { PRETEND = 0 };

#define ANY                                                                    \
    {                                                                          \
        0, SCMP_CMP_EQ, 0, 0                                                   \
    }
#define HAS(arg, bits)                                                         \
    {                                                                          \
        arg, SCMP_CMP_MASKED_EQ, bits, bits                                    \
    }
#define IS_NOT(arg, value)                                                     \
    {                                                                          \
        arg, SCMP_CMP_NE, value, 0                                             \
    }

/* clang-format off */
static const struct rule {
    const char *name;
    int where;
    int error;
    bool always;
    struct scmp_arg_cmp when; /* unless always */
} rules[] = {
    /* Other processes: their memory, registers, descriptors. */
    { "ptrace",            BOTH, EPERM, true, ANY },
    { "process_vm_readv",  BOTH, EPERM, true, ANY },
    { "process_vm_writev", BOTH, EPERM, true, ANY },
    { "process_madvise",   BOTH, EPERM, true, ANY },
    { "pidfd_getfd",       BOTH, EPERM, true, ANY },
    { "kcmp",              BOTH, EPERM, true, ANY },
    { "move_pages",        BOTH, EPERM, false, IS_NOT(0, 0) },
    { "migrate_pages",     BOTH, EPERM, false, IS_NOT(0, 0) },
    { "prlimit64",         BOTH, EPERM, false, IS_NOT(0, 0) },
    { "kill",              BOTH, EPERM, false, HAS(0, 0xffffffff) }, /* all */
    { "userfaultfd",       BOTH, EPERM, true, ANY },
    { "perf_event_open",   BOTH, EPERM, true, ANY },
    { "bpf",               BOTH, EPERM, true, ANY },
    /* Memory that other processes of the user may have. */
    { "shmget",            BOTH, EPERM, true, ANY },
    { "shmat",             BOTH, EPERM, true, ANY },
    { "shmctl",            BOTH, EPERM, true, ANY },
    { "semget",            BOTH, EPERM, true, ANY },
    { "semctl",            BOTH, EPERM, true, ANY },
    { "msgget",            BOTH, EPERM, true, ANY },
    { "msgctl",            BOTH, EPERM, true, ANY },
    { "mq_open",           BOTH, EPERM, true, ANY },
    { "mq_unlink",         BOTH, EPERM, true, ANY },
    /* The network, and services behind sockets of files; what is inherited and
     * pairs keep working.  A driver may talk to its own services.
     */
    { "socket",            HOST, EPERM, true, ANY },
    { "socket",          DEVICE, EPERM, false, IS_NOT(0, AF_UNIX) },
    /* Calls behind the filter's back. */
    { "io_uring_setup",    BOTH, EPERM, true, ANY },
    { "io_uring_enter",    BOTH, EPERM, true, ANY },
    { "io_uring_register", BOTH, EPERM, true, ANY },
    /* The group that is killed. */
    { "setsid",            BOTH, PRETEND, true, ANY },
    { "setpgid",           BOTH, PRETEND, true, ANY },
    /* Namespaces and mounts.  clone3 has its flags in memory, where no filter
     * looks; the C library then uses clone.
     */
    { "unshare",           BOTH, EPERM, true, ANY },
    { "setns",             BOTH, EPERM, true, ANY },
    { "clone3",            BOTH, ENOSYS, true, ANY },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWNS) },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWCGROUP) },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWUTS) },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWIPC) },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWUSER) },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWPID) },
    { "clone",             BOTH, EPERM, false, HAS(0, CLONE_NEWNET) },
    { "mount",             BOTH, EPERM, true, ANY },
    { "umount2",           BOTH, EPERM, true, ANY },
    { "pivot_root",        BOTH, EPERM, true, ANY },
    { "chroot",            BOTH, EPERM, true, ANY },
    { "move_mount",        BOTH, EPERM, true, ANY },
    { "open_tree",         BOTH, EPERM, true, ANY },
    { "fsopen",            BOTH, EPERM, true, ANY },
    { "fsconfig",          BOTH, EPERM, true, ANY },
    { "fsmount",           BOTH, EPERM, true, ANY },
    { "fspick",            BOTH, EPERM, true, ANY },
    { "mount_setattr",     BOTH, EPERM, true, ANY },
    { "open_by_handle_at", BOTH, EPERM, true, ANY },
    { "fanotify_init",     BOTH, EPERM, true, ANY },
    { "quotactl",          BOTH, EPERM, true, ANY },
    { "swapon",            BOTH, EPERM, true, ANY },
    { "swapoff",           BOTH, EPERM, true, ANY },
    /* Owners and attributes, which no rule on folders covers. */
    { "chown",             BOTH, EPERM, true, ANY },
    { "fchown",            BOTH, EPERM, true, ANY },
    { "lchown",            BOTH, EPERM, true, ANY },
    { "fchownat",          BOTH, EPERM, true, ANY },
    { "setxattr",          BOTH, EPERM, true, ANY },
    { "lsetxattr",         BOTH, EPERM, true, ANY },
    { "fsetxattr",         BOTH, EPERM, true, ANY },
    { "removexattr",       BOTH, EPERM, true, ANY },
    { "lremovexattr",      BOTH, EPERM, true, ANY },
    { "fremovexattr",      BOTH, EPERM, true, ANY },
    /* The kernel and the node. */
    { "kexec_load",        BOTH, EPERM, true, ANY },
    { "kexec_file_load",   BOTH, EPERM, true, ANY },
    { "init_module",       BOTH, EPERM, true, ANY },
    { "finit_module",      BOTH, EPERM, true, ANY },
    { "delete_module",     BOTH, EPERM, true, ANY },
    { "add_key",           BOTH, EPERM, true, ANY },
    { "request_key",       BOTH, EPERM, true, ANY },
    { "keyctl",            BOTH, EPERM, true, ANY },
    { "reboot",            BOTH, EPERM, true, ANY },
    { "settimeofday",      BOTH, EPERM, true, ANY },
    { "clock_settime",     BOTH, EPERM, true, ANY },
    { "clock_adjtime",     BOTH, EPERM, true, ANY },
    { "adjtimex",          BOTH, EPERM, true, ANY },
    { "sethostname",       BOTH, EPERM, true, ANY },
    { "setdomainname",     BOTH, EPERM, true, ANY },
    { "iopl",              BOTH, EPERM, true, ANY },
    { "ioperm",            BOTH, EPERM, true, ANY },
    { "acct",              BOTH, EPERM, true, ANY },
    { "syslog",            BOTH, EPERM, true, ANY },
    { "vhangup",           BOTH, EPERM, true, ANY },
};
/* clang-format on */

/* A rule for a call that this libseccomp or this processor does not know says
 * nothing.
 */
static int add(scmp_filter_ctx ctx, const struct rule *r)
{
    int call = seccomp_syscall_resolve_name(r->name);

    if (call < 0)
        return 0;
    return seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((unsigned)r->error), call,
                                  r->always ? 0 : 1, &r->when);
}

static int print(scmp_filter_ctx ctx, const char *name)
{
    struct sock_filter line;
    FILE *f = tmpfile();
    size_t n = 0;

    if (!f || seccomp_export_bpf(ctx, fileno(f)) != 0 || fseek(f, 0, SEEK_SET))
        return -1;
    printf("static const struct sock_filter %s[] = {\n", name);
    for (; fread(&line, sizeof(line), 1, f) == 1; n++)
        printf("    {0x%02x, %u, %u, 0x%08x},\n", (unsigned)line.code,
               (unsigned)line.jt, (unsigned)line.jf, (unsigned)line.k);
    printf("};\n");
    fclose(f);
    return n > 0 ? 0 : -1;
}

/* Sorted, so that frequent calls pass few comparisons.  Another processor's
 * calls (of 32 bits) are refused altogether.
 */
static int make(int where, const char *name)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
    int rc = ctx ? 0 : -1;

    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
                              SCMP_ACT_ERRNO(EPERM));
    if (rc == 0)
        rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; rc == 0 && i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].where & where)
            rc = add(ctx, &rules[i]);
        if (rc != 0)
            fprintf(stderr, "filter: '%s': %s\n", rules[i].name, strerror(-rc));
    }
    if (rc == 0)
        rc = print(ctx, name);
    seccomp_release(ctx);
    return rc;
}

int main(void)
{
    return make(HOST, "filter_host") == 0 && make(DEVICE, "filter_device") == 0
               ? 0
               : 1;
}
