/* mpi_runner/diagnose/instrument.c - a command under a sanitizer or a profiler
 */
#include "mpi_runner/diagnose/instrument.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/clock.h"
#include "common/deadline.h"
#include "common/whole_file.h"
#include "ops/build/build.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum {
    FOUND = 86, /* exit code that we ask a tool for when it found errors */
    CANNOT_EXEC = 127,
    MAX_PATH = 4096,
    MAX_LINE = 4096,
    TICK_MS = 20,
    GRACE_MS = 2000,
};

const char *const osw_instrument_sanitizers[] = {
    "memcheck", "racecheck", "initcheck", "synccheck", NULL};
const char *const osw_instrument_profilers[] = {"ncu", NULL};

/* --- the tools --- */

/* Words of a tool; {tool}, {dir} (for logs, which end in .log) and {output}
 * are filled in.
 */
static const char *const compute_sanitizer_words[] = {
    "--tool",
    "{tool}",
    "--target-processes",
    "all",
    "--target-processes-filter",
    "opsweep-sandbox",
    "--check-exit-code",
    "no",
    "--error-exitcode",
    "86",
    "--log-file",
    "{dir}/tool.log",
    NULL};

static const char *const valgrind_words[] = {
    "--tool={tool}",
    "--trace-children=yes",
    "--trace-children-skip=*/cc,*/gcc*,*/clang*,*/c++*,*/nvcc*",
    "--child-silent-after-fork=yes",
    "--vgdb=no", /* its pipes would stay in /tmp */
    "--track-origins=yes",
    "--error-markers=<error>,</error>",
    "--log-file={dir}/%p.log",
    NULL};

static const char *const ncu_words[] = {"--target-processes",
                                        "all",
                                        "--target-processes-filter",
                                        "opsweep-sandbox",
                                        "--log-file",
                                        "{dir}/tool.log",
                                        NULL};

static const char *const ncu_export[] = {"--set",
                                         "full",
                                         "--import-source",
                                         "yes",
                                         "--force-overwrite",
                                         "--export",
                                         "{output}",
                                         NULL};

/* Names of lines in the code, and nothing that valgrind cannot decode. */
#if defined(__x86_64__)
#define VALGRIND_FLAGS " -O1 -g -mno-avx512f"
#else
#define VALGRIND_FLAGS " -O1 -g"
#endif

static const struct tool {
    const char *name, *device, *program;
    const char *from; /* what brings it */
    const char *const *words;
    const char *const *export; /* with an output; NULL: that is the log */
    const char *error;  /* begins an error in a log; NULL: exit code FOUND */
    const char *broken; /* in a log: it could not do its work; or NULL */
    const char *of;     /* logs of this program count; NULL: all */
    const char *cflags, *cxxflags; /* for ops that are built for it; or NULL */
} tools[] = {
/* clang-format off */
#define SANITIZER(name) { name, "cuda", "compute-sanitizer", "the CUDA toolkit", \
      compute_sanitizer_words, NULL, NULL, NULL, NULL, NULL, NULL }
    SANITIZER("memcheck"),
    SANITIZER("racecheck"),
    SANITIZER("initcheck"),
    SANITIZER("synccheck"),
#undef SANITIZER
    { "memcheck", "cpu", "valgrind", "the package valgrind",
      valgrind_words, NULL, "<error>", NULL, "opsweep-sandbox",
      OSW_BUILD_CFLAGS VALGRIND_FLAGS, OSW_BUILD_CXXFLAGS VALGRIND_FLAGS },
    { "ncu", "cuda", "ncu", "the CUDA toolkit (Nsight Compute)",
      ncu_words, ncu_export, NULL, "==ERROR==", NULL, NULL, NULL },
    /* clang-format on */
};

static const struct tool *find_tool(const char *name, const char *device,
                                    struct osw_error *err)
{
    const struct tool *other = NULL;

    for (size_t i = 0; i < N_ELEM(tools); i++) {
        if (strcmp(tools[i].name, name) != 0)
            continue;
        if (strcmp(tools[i].device, device) == 0)
            return &tools[i];
        other = &tools[i];
    }
    osw_fail(err, OSW_BAD_INPUT,
             "'%s' looks at cells on %s, this one ran on %s", name,
             other ? other->device : "no device", device);
    return NULL;
}

static bool is_program(char *path, const char *dir, int n, const char *name)
{
    int used = snprintf(path, MAX_PATH, "%.*s/%s", n, dir, name);

    return used > 0 && used < MAX_PATH && access(path, X_OK) == 0;
}

static bool is_in_path(char *path, const char *name)
{
    for (const char *at = getenv("PATH"); at && *at;) {
        int n = (int)strcspn(at, ":");

        if (n > 0 && is_program(path, at, n, name))
            return true;
        at += n;
        at += *at == ':';
    }
    return false;
}

/* Tools of the CUDA toolkit are often not in PATH. */
static bool is_in_toolkit(char *path, const char *name)
{
    const char *dirs[] = {getenv("CUDA_HOME"), "/usr/local/cuda"};
    char dir[MAX_PATH];

    for (size_t i = 0; i < N_ELEM(dirs); i++) {
        snprintf(dir, sizeof(dir), "%s/bin", dirs[i] ? dirs[i] : "");
        if (dirs[i] && is_program(path, dir, (int)strlen(dir), name))
            return true;
    }
    return false;
}

/* Where it lies, into path[MAX_PATH]. */
static int find_program(const struct tool *tool, char *path,
                        struct osw_error *err)
{
    bool cuda = strcmp(tool->device, "cuda") == 0;

    if (is_in_path(path, tool->program) ||
        (cuda && is_in_toolkit(path, tool->program)))
        return 0;
    return osw_fail(err, OSW_SYSTEM, "no '%s' in PATH%s: it comes with %s",
                    tool->program, cuda ? " or in /usr/local/cuda/bin" : "",
                    tool->from);
}

int osw_instrument_check(const char *name, const char *device,
                         struct osw_error *err)
{
    const struct tool *tool = find_tool(name, device, err);
    char path[MAX_PATH];

    if (!tool || find_program(tool, path, err) < 0)
        return -1;
    if (tool->cflags && (setenv("OPSWEEP_CFLAGS", tool->cflags, 0) < 0 ||
                         setenv("OPSWEEP_CXXFLAGS", tool->cxxflags, 0) < 0))
        return osw_fail_sys(err, errno, "cannot set OPSWEEP_CFLAGS");
    /* Tools talk to the watched process through sockets and files of their own.
     */
    if (setenv("OPSWEEP_ISOLATION", "off", 0) < 0)
        return osw_fail_sys(err, errno, "cannot set OPSWEEP_ISOLATION");
    return 0;
}

/* --- its command --- */

struct run {
    const struct osw_instrument_job *job;
    const struct tool *tool;
    osw_arena_t *memory;
    char program[MAX_PATH];
    char dir[64]; /* logs, and what it said; "" before it is made */
    const char **words;
    size_t n_words;
    struct osw_error *err;
};

static int no_memory(const struct run *r)
{
    return osw_fail(r->err, OSW_NO_MEMORY, "no memory for '%s'",
                    r->tool->program);
}

/* A word with its place filled in. */
static const char *fill_in(const struct run *r, const char *word)
{
    const struct {
        const char *name, *value;
    } places[] = {
        {"{tool}", r->tool->name},
        {"{dir}", r->dir},
        {"{output}", r->job->output},
    };

    for (size_t i = 0; i < N_ELEM(places); i++) {
        const char *at = strstr(word, places[i].name);

        if (at)
            return osw_arena_printf(r->memory, "%.*s%s%s", (int)(at - word),
                                    word, places[i].value,
                                    at + strlen(places[i].name));
    }
    return word;
}

static size_t count_words(const char *const *words)
{
    size_t n = 0;

    while (words && words[n])
        n++;
    return n;
}

static int add_words(struct run *r, const char *const *words, bool places)
{
    for (size_t i = 0; words && words[i]; i++) {
        const char *word = places ? fill_in(r, words[i]) : words[i];

        if (!word)
            return no_memory(r);
        r->words[r->n_words++] = word;
    }
    return 0;
}

static int make_words(struct run *r)
{
    const char *const *export = r->job->output ? r->tool->export : NULL;

    r->words =
        osw_arena_array(r->memory,
                        2 + count_words(r->tool->words) + count_words(export) +
                            count_words(r->job->command),
                        sizeof(*r->words));
    if (!r->words)
        return no_memory(r);
    r->words[r->n_words++] = r->program;
    if (add_words(r, r->tool->words, true) < 0 ||
        add_words(r, export, true) < 0)
        return -1;
    return add_words(r, r->job->command, false);
}

/* --- its run --- */

static void become(const struct run *r, int said)
{
    int null = open("/dev/null", O_RDONLY);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    execv(r->words[0], (char *const *)r->words);
    _exit(CANNOT_EXEC);
}

static const char *said_path(const struct run *r)
{
    const char *path = osw_arena_printf(r->memory, "%s/said", r->dir);

    return path ? path : "";
}

/* The tool ends its own processes after the first signal; the second one kills.
 */
static int stop(const struct run *r, pid_t pid)
{
    int status;

    kill(pid, SIGTERM);
    for (int i = 0; i < GRACE_MS / TICK_MS; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            goto ended;
        osw_clock_sleep_ns(TICK_MS * INT64_C(1000000));
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
ended:
    return osw_fail(r->err, OSW_CHILD,
                    "%s did not end within %.0f s: --timeout S gives it more",
                    r->tool->program, r->job->limit_s);
}

/* The tool's status, or -1 with err set where it takes too long. */
static int await(const struct run *r, pid_t pid)
{
    struct osw_deadline deadline =
        osw_deadline_in((int64_t)(r->job->limit_s * 1e9), osw_clock_ns());
    int status;

    for (;;) {
        pid_t got = waitpid(pid, &status, r->job->limit_s > 0 ? WNOHANG : 0);

        if (got == pid)
            return status;
        if (got < 0 && errno != EINTR)
            return osw_fail_sys(r->err, errno, "cannot wait for '%s'",
                                r->program);
        if (got == 0 && osw_deadline_left(&deadline, osw_clock_ns(),
                                          4 * TICK_MS * INT64_C(1000000)) <= 0)
            return stop(r, pid);
        if (got == 0)
            osw_clock_sleep_ns(TICK_MS * INT64_C(1000000));
    }
}

/* A terminal's Ctrl-C is the tool's: we wait for its end, and clean up.
 * Returns its status, or -1 with err set.
 */
static int run_tool(struct run *r)
{
    const char *path = said_path(r);
    int said = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    void (*before_int)(int), (*before_quit)(int);
    int status = -1;
    pid_t pid;

    if (said < 0)
        return osw_fail_sys(r->err, errno, "cannot write '%s'", path);
    fflush(NULL);
    before_int = signal(SIGINT, SIG_IGN);
    before_quit = signal(SIGQUIT, SIG_IGN);
    pid = fork();
    if (pid == 0)
        become(r, said);
    if (pid < 0)
        osw_fail_sys(r->err, errno, "cannot start '%s'", r->program);
    else
        status = await(r, pid);
    signal(SIGINT, before_int);
    signal(SIGQUIT, before_quit);
    close(said);
    return status;
}

/* --- its logs --- */

/* The last line that says something, into line[MAX_LINE]. */
static void last_line(const char *path, char *line)
{
    FILE *f = fopen(path, "re");
    char next[MAX_LINE];

    line[0] = '\0';
    while (f && fgets(next, sizeof(next), f)) {
        next[strcspn(next, "\r\n")] = '\0';
        if (next[strspn(next, " \t")])
            strcpy(line, next);
    }
    if (f)
        fclose(f);
}

/* What the logs say, all of them together. */
struct findings {
    uint64_t n_errors;
    char broken[MAX_LINE]; /* "": all is well */
};

/* Does the log belong to a process that counts?  Tools say the command near
 * the top.
 */
static bool counts(const struct run *r, FILE *log)
{
    char line[MAX_LINE];
    bool found = !r->tool->of;

    for (int i = 0; !found && i < 16 && fgets(line, sizeof(line), log); i++)
        found = strstr(line, "Command: ") && strstr(line, r->tool->of);
    rewind(log);
    return found;
}

static void read_log(const struct run *r, FILE *log, FILE *out,
                     struct findings *f)
{
    char line[MAX_LINE];

    while (fgets(line, sizeof(line), log)) {
        fputs(line, out);
        if (r->tool->error && strstr(line, r->tool->error))
            f->n_errors++;
        if (r->tool->broken && strstr(line, r->tool->broken) && !*f->broken) {
            line[strcspn(line, "\r\n")] = '\0';
            strcpy(f->broken, line);
        }
    }
}

static int is_log(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".log") == 0;
}

static int read_logs(const struct run *r, FILE *out, struct findings *f)
{
    struct dirent **entries;
    int n = scandir(r->dir, &entries, is_log, alphasort);

    if (n < 0)
        return osw_fail_sys(r->err, errno, "cannot read '%s'", r->dir);
    for (int i = 0; i < n; i++) {
        char path[MAX_PATH];
        FILE *log;

        snprintf(path, sizeof(path), "%s/%s", r->dir, entries[i]->d_name);
        log = fopen(path, "re");
        if (log && counts(r, log))
            read_log(r, log, out, f);
        if (log)
            fclose(log);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

/* Whole or not at all, unless the tool itself writes the output. */
static int write_report(const struct run *r, struct findings *f)
{
    const char *output = r->tool->export ? NULL : r->job->output;
    struct osw_whole_file out;

    if (!output)
        return read_logs(r, r->job->out, f);
    if (osw_whole_file_open(&out, output, r->err) < 0)
        return -1;
    return osw_whole_file_close(&out, read_logs(r, out.file, f), r->err);
}

/* --- what came of it --- */

static int conclude(const struct run *r, int status, const struct findings *f)
{
    char line[MAX_LINE];

    if (*f->broken)
        return osw_fail(r->err, OSW_CHILD, "%s: %s", r->tool->program,
                        f->broken);
    if (WIFEXITED(status) && WEXITSTATUS(status) == FOUND && !r->tool->error)
        return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return f->n_errors > 0;
    last_line(said_path(r), line);
    if (WIFSIGNALED(status))
        return osw_fail(r->err, OSW_CHILD, "%s was ended by signal %d%s%s",
                        r->tool->program, WTERMSIG(status), *line ? ": " : "",
                        line);
    return osw_fail(r->err, OSW_CHILD, "%s ended with exit status %d%s%s",
                    r->tool->program, WEXITSTATUS(status), *line ? ": " : "",
                    line);
}

static int make_dir(struct run *r)
{
    const char *tmp = getenv("TMPDIR");

    if (!tmp || !tmp[0] || strlen(tmp) > 32 || strchr(tmp, '%'))
        tmp = "/tmp";
    snprintf(r->dir, sizeof(r->dir), "%s/opsweep-tool-XXXXXX", tmp);
    if (mkdtemp(r->dir))
        return 0;
    r->dir[0] = '\0';
    return osw_fail_sys(r->err, errno, "cannot make a folder in '%s'", tmp);
}

static void remove_dir(const struct run *r)
{
    DIR *dir = opendir(r->dir);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(r->dir);
}

int osw_instrument_run(const struct osw_instrument_job *job,
                       struct osw_error *err)
{
    struct run r = {.job = job, .err = err, .memory = osw_arena_create()};
    struct findings f = {.n_errors = 0};
    int rc = -1, status;

    if (!r.memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", job->tool);
    r.tool = find_tool(job->tool, job->device, err);
    if (r.tool && find_program(r.tool, r.program, err) == 0 &&
        make_dir(&r) == 0 && make_words(&r) == 0) {
        status = run_tool(&r);
        if (status >= 0 && write_report(&r, &f) == 0)
            rc = conclude(&r, status, &f);
    }
    if (*r.dir)
        remove_dir(&r);
    osw_arena_destroy(r.memory);
    return rc;
}
