/* worker/judge/process/held.c - what the processes of a sandbox hold besides
 * memory of their own
 */
#include "worker/judge/process/held.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { BLOCK = 512 /* of st_blocks */ };

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* --- the folder --- */

static int open_at(int parent, const char *name, int how)
{
    return openat(parent, name, how | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Op code may make one that only it can write into. */
static int open_folder(int parent, const char *name)
{
    int fd = open_at(parent, name, O_RDONLY), place;
    char path[64];

    if (fd >= 0 || errno != EACCES)
        return fd;
    place = open_at(parent, name, O_PATH);
    if (place < 0)
        return -1;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
    (void)chmod(path, 0700);
    close(place);
    return open_at(parent, name, O_RDONLY);
}

static void add_folder(struct osw_held *held, int parent, const char *name,
                       int depth)
{
    int fd = open_folder(parent, name);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *e;
    struct stat st;

    if (!dir && fd >= 0)
        close(fd);
    while (dir && held->n_files <= OSW_HELD_FILES && (e = readdir(dir))) {
        if (is_dots(e->d_name) ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        held->n_files++;
        /* One that was removed meanwhile has no link left. */
        held->file_bytes += (uint64_t)st.st_blocks * BLOCK /
                            (st.st_nlink > 0 ? st.st_nlink : 1);
        if (S_ISDIR(st.st_mode) && depth < OSW_HELD_DEPTH)
            add_folder(held, dirfd(dir), e->d_name, depth + 1);
        else if (S_ISDIR(st.st_mode))
            held->too_deep = true;
    }
    if (dir)
        closedir(dir);
}

void osw_held_begin(struct osw_held *held, const char *folder)
{
    held->memory = held->file_bytes = 0;
    held->n_files = held->n_hidden = 0;
    held->n_nameless = 0;
    held->tick = NULL;
    held->too_deep = false;
    if (!folder[0] || !realpath(folder, held->folder))
        held->folder[0] = '\0';
    held->locked[0] = '\0';
    if (folder[0])
        add_folder(held, AT_FDCWD, folder, 0);
}

/* --- files without a name --- */

static void count(struct osw_held *held, const struct osw_held_file *file)
{
    uint64_t *sum = file->memory ? &held->memory : &held->file_bytes;

    *sum = file->bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + file->bytes;
}

static void note(struct osw_held *held, const struct osw_held_file *file)
{
    struct osw_held_file *old = held->files;
    const struct osw_held_file *end = old + held->n_nameless;

    while (old < end &&
           (old->inode != file->inode || old->device != file->device))
        old++;
    if (old == end && held->n_nameless == N_ELEM(held->files))
        count(held, file);
    else if (old == end)
        held->files[held->n_nameless++] = *file;
    else if (!old->exact && (file->exact || file->bytes > old->bytes))
        *old = *file;
}

void osw_held_except(struct osw_held *held, int fd)
{
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0)
        note(held, &(struct osw_held_file){
                       .device = st.st_dev, .inode = st.st_ino, .exact = true});
}

/* Its name in /proc, of a file that has no other. */
static bool is_memory(const char *name)
{
    static const char *const begins[] = {"/memfd:", "/dev/zero (deleted)",
                                         "/SYSV"};

    for (size_t i = 0; i < N_ELEM(begins); i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Is it open only for reading, and locked as a whole against all others?  By
 * the kernel's lines "flags: <octal>" and "lock: 1: FLOCK ADVISORY WRITE ...".
 */
static bool is_locked(pid_t pid, const char *fd)
{
    bool locked = false, reads = false;
    char path[64], line[256];
    unsigned flags;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", (int)pid, fd);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "flags: %o", &flags) == 1)
            reads = (flags & O_ACCMODE) == O_RDONLY;
        if (strncmp(line, "lock:", 5) == 0 && strstr(line, " FLOCK ") &&
            strstr(line, " WRITE "))
            locked = true;
    }
    if (f)
        fclose(f);
    return reads && locked;
}

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

static void add_descriptor(struct osw_held *held, pid_t pid, int dir,
                           const char *fd)
{
    char name[PATH_MAX];
    struct stat st;
    ssize_t n;

    if (fstatat(dir, fd, &st, 0) < 0 || !S_ISREG(st.st_mode))
        return;
    n = readlinkat(dir, fd, name, sizeof(name) - 1);
    name[n > 0 ? n : 0] = '\0';
    if (st.st_nlink == 0)
        note(held,
             &(struct osw_held_file){.device = st.st_dev,
                                     .inode = st.st_ino,
                                     .bytes = (uint64_t)st.st_blocks * BLOCK,
                                     .memory = is_memory(name),
                                     .exact = true});
    else if (!is_below(name, held->folder) && is_locked(pid, fd))
        snprintf(held->locked, sizeof(held->locked), "%.127s", name);
}

static void add_open(struct osw_held *held, pid_t pid)
{
    const struct dirent *e;
    char path[64];
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    dir = opendir(path);
    held->n_hidden += !dir && errno == EACCES;
    while (dir && (e = readdir(dir)))
        if (!is_dots(e->d_name))
            add_descriptor(held, pid, dirfd(dir), e->d_name);
    if (dir)
        closedir(dir);
}

/* Lines are "from-to modes offset major:minor inode name", in hexadecimal but
 * for the inode; a name may contain anything but a line's end.
 */
static void add_mapped(struct osw_held *held, pid_t pid)
{
    unsigned long long from, to, offset, inode;
    unsigned major_number, minor_number;
    char path[64], line[PATH_MAX + 256];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        int at = 0;

        if (!strstr(line, " (deleted)\n") ||
            sscanf(line, "%llx-%llx %*s %llx %x:%x %llu %n", &from, &to,
                   &offset, &major_number, &minor_number, &inode, &at) != 6 ||
            at == 0)
            continue;
        note(held, &(struct osw_held_file){
                       .device = makedev(major_number, minor_number),
                       .inode = inode,
                       .bytes = offset + (to - from),
                       .memory = is_memory(line + at)});
    }
    if (f)
        fclose(f);
}

void osw_held_add(struct osw_held *held, pid_t pid)
{
    if (held->tick)
        held->tick(held->tick_arg);
    add_open(held, pid);
    add_mapped(held, pid);
}

void osw_held_sum(struct osw_held *held)
{
    for (size_t i = 0; i < held->n_nameless; i++)
        count(held, &held->files[i]);
}
