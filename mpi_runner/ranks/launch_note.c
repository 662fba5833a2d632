/* mpi_runner/ranks/launch_note.c - what rank 0 leaves for the process that
 * started the ranks */
#include "mpi_runner/ranks/launch_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/paths.h"

enum { MAX_PATH = 4096, MAX_HOST = 256 };

const char osw_launch_note_variable[] = "OPSWEEP_OUTCOME";

static const char started_word[] = "started";
static const char room[] = "        "; /* for an exit code */

/* --- by rank 0 --- */

/* What is there is written over: that needs no space on the disk. */
int osw_launch_note_leave_code(int code, struct osw_error *err)
{
    const char *path = getenv(osw_launch_note_variable);
    int fd, n, errnum = 0;

    if (!path || !*path)
        return 0;
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    n = dprintf(fd, "%d\n", code);
    if (n < 0)
        errnum = errno;
    if (close(fd) < 0 && !errnum)
        errnum = errno;
    return errnum ? osw_fail_sys(err, errnum, "cannot write '%s'", path) : 0;
}

static void name_pid_file(const char *outcome, char *path, size_t size)
{
    snprintf(path, size, "%s.pid", outcome);
}

static bool has_rank_0(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (!rank)
        rank = getenv("PMIX_RANK");
    return rank && strcmp(rank, "0") == 0;
}

/* On another node the launcher's file is not there. */
static FILE *open_pid_file(const char *mode)
{
    const char *outcome = getenv(osw_launch_note_variable);
    char path[MAX_PATH];

    if (!outcome || !*outcome || !has_rank_0() || access(outcome, F_OK) < 0)
        return NULL;
    name_pid_file(outcome, path, sizeof(path));
    return fopen(path, mode);
}

void osw_launch_note_leave_pid(double patience_s)
{
    char host[MAX_HOST] = "";
    FILE *f = open_pid_file("w");

    if (!f)
        return;
    (void)gethostname(host, sizeof(host) - 1);
    fprintf(f, "%ld %s %.0f\n", (long)getpid(), host, patience_s);
    fclose(f);
}

void osw_launch_note_leave_started(void)
{
    FILE *f = open_pid_file("a");

    if (!f)
        return;
    fprintf(f, "%s\n", started_word);
    fclose(f);
}

void osw_launch_note_leave_file(const char *file)
{
    FILE *f = open_pid_file("a");

    if (!f)
        return;
    fprintf(f, "%s\n", file);
    fclose(f);
}

/* --- by the process that started the ranks --- */

int osw_launch_note_make(char *path, size_t size, struct osw_error *err)
{
    int fd, rc = 0;

    snprintf(path, size, "%s/opsweep-outcome-XXXXXX", osw_paths_temp_dir());
    fd = mkstemp(path);
    if (fd < 0) {
        int e = errno;

        return osw_paths_check_temp_dir(osw_paths_temp_dir(), err) < 0
                   ? -1
                   : osw_fail_sys(err, e, "cannot make '%s'", path);
    }
    if (write(fd, room, strlen(room)) != (ssize_t)strlen(room))
        rc = osw_fail_sys(err, errno, "cannot write '%s'", path);
    close(fd);
    if (rc < 0)
        unlink(path);
    return rc;
}

void osw_launch_note_remove(const char *path)
{
    char pid_file[MAX_PATH];

    unlink(path);
    name_pid_file(path, pid_file, sizeof(pid_file));
    unlink(pid_file);
}

int osw_launch_note_code(const char *path)
{
    FILE *f = fopen(path, "re");
    int code = -1;

    if (!f)
        return -1;
    if (fscanf(f, "%d", &code) != 1 || code > 255)
        code = -1;
    fclose(f);
    return code;
}

/* What rank 0 left, where it ran on this node. */
struct pid_file {
    long pid;
    char host[MAX_HOST];
    unsigned patience_s;
    char word[16]; /* started_word, or "" */
};

static bool read_pid_file(const char *outcome, struct pid_file *out)
{
    char path[MAX_PATH];
    bool whole;
    FILE *f;

    *out = (struct pid_file){0};
    name_pid_file(outcome, path, sizeof(path));
    f = fopen(path, "re");
    if (!f)
        return false;
    whole = fscanf(f, "%ld %255s %u %15s", &out->pid, out->host,
                   &out->patience_s, out->word) >= 3;
    fclose(f);
    return whole;
}

void osw_launch_note_file(const char *path, char *file, size_t size)
{
    char pid_file[MAX_PATH], line[MAX_PATH];
    FILE *f;

    *file = '\0';
    name_pid_file(path, pid_file, sizeof(pid_file));
    f = fopen(pid_file, "re");
    if (!f)
        return;
    for (int i = 1; fgets(line, sizeof(line), f); i++) {
        line[strcspn(line, "\n")] = '\0';
        if (i > 2)
            snprintf(file, size, "%s", line);
    }
    fclose(f);
}

bool osw_launch_note_failed_to_start(const char *path)
{
    struct pid_file left;

    return read_pid_file(path, &left) && strcmp(left.word, started_word) != 0;
}

static bool runs_this_program(pid_t pid)
{
    struct stat mine, theirs;
    char exe[64];

    snprintf(exe, sizeof(exe), "/proc/%ld/exe", (long)pid);
    return stat("/proc/self/exe", &mine) == 0 && stat(exe, &theirs) == 0 &&
           mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino;
}

pid_t osw_launch_note_coordinator(const char *path, unsigned *patience_s)
{
    char host[MAX_HOST] = "";
    struct pid_file left;

    if (!read_pid_file(path, &left))
        return 0;
    *patience_s = left.patience_s;
    (void)gethostname(host, sizeof(host) - 1);
    return strcmp(left.host, host) == 0 && left.pid > 1 &&
                   runs_this_program((pid_t)left.pid)
               ? (pid_t)left.pid
               : 0;
}
