/* mpi_runner/doctor/doctor_node.c - memory, cores, limits and file systems */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/kernel/control_group.h"
#include "common/paths.h"
#include "mpi_runner/campaign/preflight.h"
#include "mpi_runner/doctor/doctor.h"
#include "ops/build/build.h"
#include "ops/build/build_cache.h"
#include "ops/build/tool.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const double gib = 1024.0 * 1024 * 1024;

/* The word at the start of a small file, such as one of /proc. */
static bool read_word(const char *path, char *word, size_t size)
{
    FILE *f = fopen(path, "re");
    bool good = f && fgets(word, (int)size, f);

    if (f)
        fclose(f);
    if (good)
        word[strcspn(word, " \n")] = '\0';
    return good;
}

/* --- memory --- */

void osw_doctor_memory(struct osw_doctor *d,
                       const struct osw_doctor_check *self)
{
    struct osw_memory_left left = osw_memory_left("");
    bool limited = left.group < left.node;
    double least = (double)(limited ? left.group : left.node);
    const char *whose = limited ? "left to this job" : "available";

    if (least < gib)
        osw_doctor_bad(d, self, "end other work, or ask for more memory",
                       "%.2f GiB %s", least / gib, whose);
    else if (least < 4 * gib)
        osw_doctor_say(d, OSW_MARK_WARN, self->name,
                       "ask for more memory, or lower --max-bytes",
                       "%.1f GiB %s: larger cases will be skipped", least / gib,
                       whose);
    else
        osw_doctor_good(d, self, "%.1f GiB %s", least / gib, whose);
}

/* --- cores --- */

/* Cores that a quota of a container comes to; 0: none. */
static double quota_cores(void)
{
    double quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");

    if (f && fscanf(f, "%lf %lf", &quota, &period) != 2)
        quota = 0;
    if (f)
        fclose(f);
    return quota > 0 && period > 0 ? quota / period : 0;
}

void osw_doctor_cores(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    double quota = quota_cores();
    cpu_set_t set;
    int n = 0;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        n = CPU_COUNT(&set);
    if (quota > 0 && quota < n)
        osw_doctor_bad(d, self, "ask for whole cores instead of a quota",
                       "%d cores, but a quota of %.1f: times have gaps in them",
                       n, quota);
    else if (n == 1)
        osw_doctor_bad(d, self,
                       "mpirun --bind-to none; srun --cpus-per-task or "
                       "--cpu-bind=none",
                       "1 core of %ld: coordinator and worker share it",
                       online);
    else if (n < online)
        osw_doctor_note(d, self, "%d of %ld are ours", n, online);
    else
        osw_doctor_good(d, self, "%d, all of this node", n);
}

/* --- limits --- */

static const struct limit {
    __rlimit_resource_t resource;
    const char *name;
    rlim_t least;
    bool bytes;
    enum osw_mark mark; /* when it is less */
    rlim_t needed;      /* when it is less than this, it is a failure */
    const char *why, *cure;
} limits[] = {
    {RLIMIT_NOFILE, "open files", 1024, false, OSW_MARK_WARN,
     OSW_PREFLIGHT_OPEN_FILES, "a rank holds sockets and files",
     "ulimit -n 4096"},
    {RLIMIT_NPROC, "processes", 1024, false, OSW_MARK_WARN, 0,
     "each worker keeps several sandboxes", "ulimit -u 4096"},
    {RLIMIT_AS, "address space", RLIM_INFINITY, true, OSW_MARK_FAIL, 0,
     "arenas and CUDA reserve far more than they use", "ulimit -v unlimited"},
    {RLIMIT_MEMLOCK, "locked memory", 64 << 20, true, OSW_MARK_NOTE, 0,
     "InfiniBand and pinned copies lock pages",
     "ulimit -l unlimited; under Slurm PropagateResourceLimitsExcept=MEMLOCK"},
};

static void show_limit(const struct limit *l, rlim_t value, char *text,
                       size_t size)
{
    if (value == RLIM_INFINITY)
        snprintf(text, size, "unlimited");
    else if (l->bytes)
        snprintf(text, size, "%.3g MiB", (double)value / 0x1p20);
    else
        snprintf(text, size, "%llu", (unsigned long long)value);
}

void osw_doctor_limits(struct osw_doctor *d,
                       const struct osw_doctor_check *self)
{
    char all[256] = "", value[32];
    bool good = true;

    for (size_t i = 0; i < N_ELEM(limits); i++) {
        const struct limit *l = &limits[i];
        size_t used = strlen(all);
        struct rlimit now;

        if (getrlimit(l->resource, &now) < 0)
            continue;
        show_limit(l, now.rlim_cur, value, sizeof(value));
        snprintf(all + used, sizeof(all) - used, "%s%s %s", used ? ", " : "",
                 l->name, value);
        if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur >= l->least)
            continue;
        good = false;
        osw_doctor_say(d, now.rlim_cur < l->needed ? OSW_MARK_FAIL : l->mark,
                       self->name, l->cure, "%s %s: %s", l->name, value,
                       l->why);
    }
    if (good)
        osw_doctor_good(d, self, "%s", all);
}

/* --- file systems --- */

struct space {
    double free_bytes;
    bool no_inodes, no_exec;
};

static int measure_space(const char *path, struct space *out)
{
    struct statvfs s;

    if (statvfs(path, &s) < 0)
        return -1;
    out->free_bytes = (double)s.f_bavail * (double)s.f_frsize;
    out->no_inodes = s.f_files > 0 && s.f_favail == 0;
    out->no_exec = (s.f_flag & ST_NOEXEC) != 0;
    return 0;
}

void osw_doctor_folder(struct osw_doctor *d,
                       const struct osw_doctor_check *self)
{
    static const char cure[] = "name another folder, or make room";
    struct space s;
    struct stat st;

    if (measure_space(d->folder, &s) < 0)
        osw_doctor_bad(d, self, cure, "'%s': %s", d->folder, strerror(errno));
    else if (stat(d->folder, &st) == 0 && !S_ISDIR(st.st_mode))
        osw_doctor_bad(d, self, cure, "'%s' is no folder", d->folder);
    else if (access(d->folder, W_OK | X_OK) < 0)
        osw_doctor_bad(d, self, cure, "'%s' cannot be written: %s", d->folder,
                       strerror(errno));
    else if (s.no_inodes || s.free_bytes < gib / 8)
        osw_doctor_bad(d, self, cure, "'%s': %s", d->folder,
                       s.no_inodes ? "no inodes left"
                                   : "less than 128 MiB "
                                     "free");
    else if (s.free_bytes < 4 * gib)
        osw_doctor_say(d, OSW_MARK_WARN, self->name, cure,
                       "'%s': %.1f GiB free, little for journal and samples",
                       d->folder, s.free_bytes / gib);
    else
        osw_doctor_good(d, self, "'%s': %.0f GiB free", d->folder,
                        s.free_bytes / gib);
}

void osw_doctor_temp_dir(struct osw_doctor *d,
                         const struct osw_doctor_check *self)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *path = osw_paths_temp_dir();
    struct space s;

    if (osw_paths_check_temp_dir(path, &err) < 0)
        osw_doctor_bad(d, self, OSW_PREFLIGHT_TEMP_DIR_CURE, "%s", err.text);
    else if (measure_space(path, &s) == 0)
        osw_doctor_good(d, self, "'%s': %.0f GiB free", path,
                        s.free_bytes / gib);
}

void osw_doctor_shm(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    static const char cure[] = "give the container --shm-size=1g, or remove "
                               "what ended jobs left there";
    struct space s;

    if (measure_space("/dev/shm", &s) < 0)
        osw_doctor_bad(d, self, cure, "/dev/shm: %s", strerror(errno));
    else if (s.free_bytes < gib / 4)
        osw_doctor_bad(d, self, cure,
                       "/dev/shm has %.0f MiB free: ranks of a node talk "
                       "through it",
                       s.free_bytes / gib * 1024);
    else
        osw_doctor_good(d, self, "/dev/shm has %.1f GiB free",
                        s.free_bytes / gib);
}

void osw_doctor_cache(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    static const char cure[] = "name a folder of your own in OPSWEEP_CACHE";
    struct osw_error err = OSW_ERROR_INIT;
    char path[OSW_BUILD_MAX_PATH], probe[OSW_BUILD_MAX_PATH + 32];
    struct space s;
    int fd;

    if (osw_build_cache_dir(path, sizeof(path), &err) < 0) {
        osw_doctor_bad(d, self, cure, "%s", err.text);
        return;
    }
    snprintf(probe, sizeof(probe), "%s/doctor.XXXXXX", path);
    fd = mkostemp(probe, O_CLOEXEC);
    if (fd < 0) {
        osw_doctor_bad(d, self, cure, "'%s' cannot be written: %s", path,
                       strerror(errno));
        return;
    }
    close(fd);
    unlink(probe);
    if (measure_space(path, &s) < 0 || s.no_exec)
        osw_doctor_bad(d, self, cure, "'%s' is on a file system mounted noexec",
                       path);
    else if (s.free_bytes < gib)
        osw_doctor_say(d, OSW_MARK_WARN, self->name, cure,
                       "'%s': %.2f GiB free", path, s.free_bytes / gib);
    else
        osw_doctor_good(d, self, "'%s': %.0f GiB free", path,
                        s.free_bytes / gib);
}

/* --- clock --- */

static double ns_per_look(void)
{
    enum { N = 10000 };
    int64_t t0 = osw_clock_ns(), last = t0;

    for (int i = 0; i < N; i++)
        last = osw_clock_ns();
    return (double)(last - t0) / N;
}

void osw_doctor_clock(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    static const char file[] = "/sys/devices/system/clocksource/clocksource0/"
                               "current_clocksource";
    char source[64];
    double cost = ns_per_look();

    if (!read_word(file, source, sizeof(source)))
        snprintf(source, sizeof(source), "unknown source");
    if (cost > 500)
        osw_doctor_bad(d, self,
                       "boot with clocksource=tsc where the processor has an "
                       "invariant one",
                       "%s, %.0f ns to look at: short calls are timed poorly",
                       source, cost);
    else
        osw_doctor_good(d, self, "%s, %.0f ns to look at", source, cost);
}

/* --- isolation --- */

struct words {
    char text[2048];
    size_t n;
};

static void keep_words(void *arg, const char *bytes, size_t n)
{
    struct words *w = arg;
    size_t room = sizeof(w->text) - 1 - w->n;

    n = n < room ? n : room;
    memcpy(w->text + w->n, bytes, n);
    w->n += n;
}

/* A line of the probe: what, whether it holds, in which words; with tabs. */
static void say_promise(struct osw_doctor *d,
                        const struct osw_doctor_check *self, char *line)
{
    static const char cure[] =
        "Linux 5.13 or newer with Landlock (signals: 6.12), a build with "
        "libseccomp, and no OPSWEEP_ISOLATION";
    char *rest = NULL, name[64];
    const char *what = strtok_r(line, "\t", &rest);
    const char *holds = strtok_r(NULL, "\t", &rest);
    const char *text = strtok_r(NULL, "\t", &rest);
    bool good = holds && strcmp(holds, "yes") == 0;

    if (!text)
        return;
    snprintf(name, sizeof(name), "%s: %.40s", self->name, what);
    osw_doctor_say(d, good ? OSW_MARK_OK : self->severity, name,
                   good ? "" : cure, "%s%s",
                   good ? "" : "not in force: ", text);
}

/* By trying, in a sandbox: what a kernel has is not always what it allows. */
void osw_doctor_isolation(struct osw_doctor *d,
                          const struct osw_doctor_check *self)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *sandbox = osw_paths_sandbox(&err);
    const char *const argv[] = {sandbox, "--probe", d->device, NULL};
    struct words said = {.n = 0};
    const struct osw_tool tool = {
        .argv = argv,
        .deadline_ns = INT64_C(10000000000),
        .sink = keep_words,
        .sink_arg = &said,
    };
    struct osw_tool_end end;
    char *rest = NULL;

    if (!sandbox || osw_tool_run(&tool, &end, &err) < 0) {
        osw_doctor_bad(d, self, "", "%s", err.text);
        return;
    }
    if (end.exit_code != 0)
        osw_doctor_say(d, OSW_MARK_FAIL, self->name, "",
                       "a sandbox could not be tried: %s",
                       said.n ? said.text : "it ended without a word");
    for (char *line = strtok_r(said.text, "\n", &rest);
         end.exit_code == 0 && line; line = strtok_r(NULL, "\n", &rest))
        say_promise(d, self, line);
}
