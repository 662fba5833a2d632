/* common/paths.c - where the installed program finds its own parts */
#include "common/paths.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part, by its place below the home of each layout, nearest first.  The
 * test says whether a folder is the one meant.
 */
struct part {
    const char *what;
    const char *test; /* must exist below the part, "" for the part itself */
    const char *places[4];
};

static const struct part sandbox = {"sandbox program",
                                    "",
                                    {"opsweep-sandbox",
                                     "libexec/opsweep/opsweep-sandbox",
                                     "build/opsweep-sandbox", NULL}};
static const struct part include_dir = {
    "header opsweep/op.h", "/opsweep/op.h", {"include", NULL}};
static const struct part library_dir = {
    "op library", "", {"share/opsweep/ops/library", "ops/library", NULL}};

static const struct part batch_script = {
    "batch script opsweep.sbatch",
    "",
    {"share/opsweep/slurm/opsweep.sbatch", "slurm/opsweep.sbatch", NULL}};

static const struct part objects_dir = {"objects of the op library",
                                        "",
                                        {"library-objects",
                                         "lib/opsweep/library-objects",
                                         "build/library-objects", NULL}};

/* What a function returns, until it finds something else: a thread may read it
 * while another one finds the same.
 */
static const char *keep(char *kept, const char *found)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&mutex);
    if (strcmp(kept, found) != 0)
        strcpy(kept, found);
    pthread_mutex_unlock(&mutex);
    return kept;
}

const char *osw_paths_self(struct osw_error *err)
{
    static char self[PATH_MAX];
    char found[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", found, sizeof(found) - 1);

    if (n < 0) {
        osw_fail_sys(err, errno, "cannot read '/proc/self/exe'");
        return NULL;
    }
    found[n] = '\0';
    return keep(self, found);
}

static bool found_below(const struct part *part, const char *home, char *out)
{
    for (int i = 0; part->places[i]; i++) {
        char probe[PATH_MAX];
        int n = snprintf(probe, sizeof(probe), "%s/%s%s", home, part->places[i],
                         part->test);

        if (n < 0 || (size_t)n >= sizeof(probe) || access(probe, R_OK) != 0)
            continue;
        snprintf(out, PATH_MAX, "%s/%s", home, part->places[i]);
        return true;
    }
    return false;
}

/* The home named by OPSWEEP_HOME, or else the executable's folder and those
 * above it, nearest first.
 */
static const char *find(const struct part *part, char *kept,
                        struct osw_error *err)
{
    const char *named = getenv("OPSWEEP_HOME");
    char home[PATH_MAX], found[PATH_MAX];
    const char *self;

    if (named && *named) {
        if (found_below(part, named, found))
            return keep(kept, found);
        osw_fail(err, OSW_BAD_INPUT, "OPSWEEP_HOME='%s': no %s there", named,
                 part->what);
        return NULL;
    }
    self = osw_paths_self(err);
    if (!self)
        return NULL;
    snprintf(home, sizeof(home), "%s", self);
    for (char *slash; (slash = strrchr(home, '/'));) {
        *slash = '\0';
        if (found_below(part, home, found))
            return keep(kept, found);
    }
    osw_fail(err, OSW_BAD_INPUT,
             "cannot find the %s near '%s' (OPSWEEP_HOME may name its home)",
             part->what, self);
    return NULL;
}

const char *osw_paths_sandbox(struct osw_error *err)
{
    static char path[PATH_MAX];

    return find(&sandbox, path, err);
}

const char *osw_paths_include_dir(struct osw_error *err)
{
    static char path[PATH_MAX];

    return find(&include_dir, path, err);
}

const char *osw_paths_library_dir(struct osw_error *err)
{
    static char path[PATH_MAX];

    return find(&library_dir, path, err);
}

const char *osw_paths_objects_dir(struct osw_error *err)
{
    static char path[PATH_MAX];

    return find(&objects_dir, path, err);
}

const char *osw_paths_batch_script(struct osw_error *err)
{
    static char path[PATH_MAX];

    return find(&batch_script, path, err);
}

/* --- the interpreter --- */

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

/* The first of PATH, in out; false when there is none. */
static bool search_path(const char *name, char *out)
{
    const char *at = getenv("PATH");

    while (at && *at) {
        size_t n = strcspn(at, ":");
        int used = snprintf(out, PATH_MAX, "%.*s/%s", (int)n, at, name);

        if (n > 0 && used > 0 && used < PATH_MAX && is_program(out))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

/* By its path, or the first of PATH, in out. */
static bool find_program(const char *name, char *out)
{
    if (!strchr(name, '/'))
        return search_path(name, out);
    snprintf(out, PATH_MAX, "%s", name);
    return is_program(out);
}

bool osw_paths_is_program(const char *name)
{
    char path[PATH_MAX];

    return find_program(name, path);
}

static int named_python(const char *who, const char *name, char *out,
                        struct osw_error *err)
{
    return find_program(name, out)
               ? 0
               : osw_fail(err, OSW_BAD_INPUT,
                          "%s '%s': expected a python3, found no program", who,
                          name);
}

static int find_python(const char *wanted, char *out, struct osw_error *err)
{
    const char *named = getenv("OPSWEEP_PYTHON");
    const char *venv = getenv("VIRTUAL_ENV");

    if (wanted && *wanted)
        return named_python("--python", wanted, out, err);
    if (named && *named)
        return named_python("OPSWEEP_PYTHON", named, out, err);
    if (venv && *venv &&
        snprintf(out, PATH_MAX, "%s/bin/python3", venv) < PATH_MAX &&
        is_program(out))
        return 0;
    return search_path("python3", out)
               ? 0
               : osw_fail(err, OSW_BAD_INPUT,
                          "no python3 in PATH (--python or OPSWEEP_PYTHON may "
                          "name one)");
}

const char *osw_paths_python(const char *wanted, struct osw_error *err)
{
    static char path[PATH_MAX];
    char found[PATH_MAX];

    return find_python(wanted, found, err) < 0 ? NULL : keep(path, found);
}

int osw_paths_make_folders(const char *path, unsigned mode,
                           struct osw_error *err)
{
    char part[PATH_MAX];

    if (!*path || strlen(path) >= sizeof(part))
        return *path
                   ? osw_fail(err, OSW_BAD_INPUT, "'%s': too long a path", path)
                   : 0;
    for (const char *at = path + 1; at[-1]; at++) {
        if (*at != '/' && *at)
            continue;
        snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
        if (mkdir(part, mode) < 0 && errno != EEXIST)
            return osw_fail_sys(err, errno, "cannot make '%s'", part);
    }
    return 0;
}

const char *osw_paths_temp_dir(void)
{
    const char *named = getenv("TMPDIR");

    return named && *named ? named : "/tmp";
}

int osw_paths_check_temp_dir(const char *dir, struct osw_error *err)
{
    const char *named = getenv("TMPDIR");
    char probe[PATH_MAX];
    int n = snprintf(probe, sizeof(probe), "%s/opsweep-try-XXXXXX", dir);

    if (n < (int)sizeof(probe) && mkdtemp(probe)) {
        (void)rmdir(probe);
        return 0;
    }
    return osw_fail(err, OSW_BAD_INPUT, "cannot make a folder in %s'%s': %s",
                    named && strcmp(named, dir) == 0 ? "TMPDIR " : "", dir,
                    strerror(n < (int)sizeof(probe) ? errno : ENAMETOOLONG));
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

void osw_paths_remove(const char *path)
{
    enum { DESCRIPTORS = 16 };

    (void)nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}
