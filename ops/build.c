/* ops/build.c - sources to shared objects, once: the build cache */
#include "ops/build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <opsweep/op.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "ops/tool.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const int64_t default_deadline_ns = 120 * (int64_t)1000000000;

/* One row per language that is compiled. */
static const struct compiler {
    const char *suffix;
    const char *env, *program; /* its name, unless the variable is set */
    const char *flags_env, *flags;
    const char *always; /* words no one may leave out */
    const char *libs;
} compilers[] = {
    {".c", "CC", "cc", "OPSWEEP_CFLAGS", OSW_BUILD_CFLAGS, "-fPIC -shared",
     "-lm"},
};

/* What one build goes through. */
struct job {
    const struct osw_build_request *request;
    const struct compiler *compiler;
    struct osw_build_result *result;
    int64_t deadline_ns;
    char cache[OSW_BUILD_MAX_PATH - 256];
    char hex[SHA256_DIGEST_STRING_LENGTH];
    char tmp[OSW_BUILD_MAX_PATH - 128]; /* folder; "" before it is made */
};

/* A command under construction; the words live in `text`. */
struct words {
    char text[16384];
    size_t used;
    const char *at[OSW_BUILD_MAX_WORDS + 1];
    size_t n;
    bool full;
};

/* --- commands --- */

static void add_word(struct words *w, const char *word, size_t n)
{
    if (w->n == OSW_BUILD_MAX_WORDS || n >= sizeof(w->text) - w->used) {
        w->full = true;
        return;
    }
    memcpy(w->text + w->used, word, n);
    w->text[w->used + n] = '\0';
    w->at[w->n++] = w->text + w->used;
    w->used += n + 1;
}

static void add_one(struct words *w, const char *prefix, const char *word)
{
    char joined[OSW_BUILD_MAX_PATH + 8];
    int n = snprintf(joined, sizeof(joined), "%s%s", prefix, word);

    if (n < 0 || (size_t)n >= sizeof(joined))
        w->full = true;
    else
        add_word(w, joined, (size_t)n);
}

static void add_split(struct words *w, const char *text)
{
    static const char blanks[] = " \t\n";

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t n = strcspn(text, blanks);

        add_word(w, text, n);
        text += n;
    }
}

static const char *setting(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);

    return value && *value ? value : otherwise;
}

static void add_flags(const struct job *job, struct words *w)
{
    const struct osw_build_request *r = job->request;

    add_split(w, setting(job->compiler->env, job->compiler->program));
    add_split(w, setting(job->compiler->flags_env, job->compiler->flags));
    add_split(w, job->compiler->always);
    for (size_t i = 0; i < r->n_defines; i++)
        add_one(w, "-D", r->defines[i]);
    add_one(w, "-I", r->include_dir);
}

static void add_libs(const struct job *job, struct words *w)
{
    add_split(w, job->request->words ? job->request->words : "");
    add_split(w, job->compiler->libs);
}

static int run(const struct job *job, struct words *w, bool split,
               void (*sink)(void *arg, const char *bytes, size_t n),
               void *sink_arg, struct osw_tool_end *end, struct osw_error *err)
{
    const struct osw_tool tool = {
        .argv = w->at,
        .tmp_dir = job->tmp[0] ? job->tmp : NULL,
        .split = split,
        .deadline_ns = job->deadline_ns,
        .sink = sink,
        .sink_arg = sink_arg,
        .tick = job->request->tick,
        .tick_arg = job->request->tick_arg,
    };

    if (w->full)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': the compiler's command is longer than %d words "
                        "or %zu bytes",
                        job->request->source, OSW_BUILD_MAX_WORDS,
                        sizeof(w->text));
    w->at[w->n] = NULL;
    return osw_tool_run(&tool, end, err);
}

/* --- key --- */

static void hash_bytes(void *arg, const char *bytes, size_t n)
{
    SHA256Update(arg, (const uint8_t *)bytes, n);
}

static void hash_text(SHA2_CTX *sha, const char *text)
{
    SHA256Update(sha, (const uint8_t *)text, strlen(text) + 1);
}

/* What -march=native comes to: the processor's model and abilities. */
static void hash_processor(SHA2_CTX *sha)
{
    static const char *const keys[] = {"model name", "flags",    "Features",
                                       "CPU impl",   "CPU arch", "CPU var",
                                       "CPU part",   "isa"};
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[16384];

    while (f && fgets(line, sizeof(line), f) && line[0] != '\n')
        for (size_t i = 0; i < N_ELEM(keys); i++)
            if (strncmp(line, keys[i], strlen(keys[i])) == 0)
                hash_text(sha, line);
    if (f)
        fclose(f);
}

/* Everything that decides what the object will be.  The names of source and
 * object are left out: a moved tree finds its objects again.
 */
static int hash_inputs(struct job *job, struct osw_error *err)
{
    struct words version = {.n = 0}, command = {.n = 0}, expand = {.n = 0};
    struct osw_tool_end end;
    SHA2_CTX sha;

    SHA256Init(&sha);
    hash_text(&sha, "opsweep build 1");
    SHA256Update(&sha, (const uint8_t *)&(int){OSW_ABI_VERSION}, sizeof(int));
    hash_processor(&sha);

    add_split(&version, setting(job->compiler->env, job->compiler->program));
    add_word(&version, "--version", 9);
    if (run(job, &version, true, hash_bytes, &sha, &end, err) < 0)
        return -1;

    add_flags(job, &command);
    command.n--; /* the include folder: its contents count, not its name */
    add_libs(job, &command);
    for (size_t i = 0; i < command.n; i++)
        hash_text(&sha, command.at[i]);

    add_flags(job, &expand);
    add_one(&expand, "", "-E");
    add_one(&expand, "", "-P");
    add_one(&expand, "", job->request->source);
    if (run(job, &expand, true, hash_bytes, &sha, &end, err) < 0)
        return -1;
    /* What cannot be expanded cannot be compiled, which then says why; it
     * must not share its key with another such source. */
    if (end.exit_code != 0)
        hash_text(&sha, job->request->source);
    SHA256End(&sha, job->hex);
    return 0;
}

/* --- compile --- */

struct output {
    char *data; /* [OSW_BUILD_MAX_OUTPUT] */
    size_t used;
};

static void keep_output(void *arg, const char *bytes, size_t n)
{
    struct output *out = arg;
    size_t room = OSW_BUILD_MAX_OUTPUT - 1 - out->used;

    if (n > room)
        n = room;
    memcpy(out->data + out->used, bytes, n);
    out->used += n;
    out->data[out->used] = '\0';
}

/* Take the name of the temporary folder out of the compiler's words. */
static void scrub(char *text, const char *tmp)
{
    size_t n = strlen(tmp);

    for (char *at = strstr(text, tmp); at; at = strstr(at, tmp)) {
        size_t cut = n + (at[n] == '/');

        memmove(at, at + cut, strlen(at + cut) + 1);
    }
}

static int sync_path(const char *path, int flags, struct osw_error *err)
{
    int fd = open(path, flags | O_CLOEXEC);
    int rc = 0;

    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    if (fsync(fd) < 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", path);
    close(fd);
    return rc;
}

/* Compile into the temporary folder, then rename into the cache. */
static int compile(struct job *job, struct osw_error *err)
{
    struct osw_build_result *result = job->result;
    struct output output = {.data = result->output};
    char object[OSW_BUILD_MAX_PATH];
    struct words w = {.n = 0};
    struct osw_tool_end end;

    snprintf(object, sizeof(object), "%s/op.so", job->tmp);
    add_flags(job, &w);
    add_one(&w, "", "-o");
    add_one(&w, "", object);
    add_one(&w, "", job->request->source);
    add_libs(job, &w);
    if (run(job, &w, false, keep_output, &output, &end, err) < 0)
        return -1;
    scrub(result->output, job->tmp);
    result->failed = end.late || end.exit_code != 0;
    if (end.late)
        snprintf(result->output, sizeof(result->output),
                 "the compiler was stopped at its deadline");
    else if (end.signal)
        snprintf(result->output, sizeof(result->output),
                 "the compiler was ended by signal %d", end.signal);
    if (result->failed)
        return 0;
    if (sync_path(object, O_RDONLY, err) < 0)
        return -1;
    if (rename(object, result->path) < 0)
        return osw_fail_sys(err, errno, "cannot rename '%s' to '%s'", object,
                            result->path);
    return sync_path(job->cache, O_RDONLY | O_DIRECTORY, err);
}

/* Also what a compiler left that was stopped: plain files. */
static void remove_tmp(const struct job *job)
{
    DIR *dir = opendir(job->tmp);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(job->tmp);
}

static bool is_there(const struct job *job)
{
    struct stat st;

    return stat(job->result->path, &st) == 0 && S_ISREG(st.st_mode);
}

static int lock(const struct job *job, int fd, struct osw_error *err)
{
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return osw_fail_sys(err, errno, "cannot lock '%s/%s.lock'",
                                job->cache, job->hex);
        if (osw_clock_ns() >= job->deadline_ns)
            return osw_fail(err, OSW_TIMEOUT,
                            "another process still builds '%s'",
                            job->request->source);
        osw_clock_sleep_ns(10000000);
        if (job->request->tick)
            job->request->tick(job->request->tick_arg);
    }
    return 0;
}

/* One process at a time compiles; who had to wait finds the object. */
static int build_locked(struct job *job, struct osw_error *err)
{
    char path[OSW_BUILD_MAX_PATH];
    int rc = -1, fd;

    snprintf(path, sizeof(path), "%s/%s.lock", job->cache, job->hex);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    if (lock(job, fd, err) < 0)
        goto out;
    if (is_there(job)) {
        job->result->cached = true;
        rc = 0;
        goto out;
    }
    snprintf(job->tmp, sizeof(job->tmp), "%s/tmp.XXXXXX", job->cache);
    if (!mkdtemp(job->tmp)) {
        osw_fail_sys(err, errno, "cannot make a folder in '%s'", job->cache);
        goto out;
    }
    rc = compile(job, err);
    remove_tmp(job);
out:
    close(fd); /* which unlocks */
    return rc;
}

/* --- the cache's folder --- */

static int make_folders(const char *path, struct osw_error *err)
{
    char part[OSW_BUILD_MAX_PATH];
    struct stat st;

    for (const char *at = path + 1; at[-1]; at++) {
        if (*at != '/' && *at)
            continue;
        snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return osw_fail_sys(err, errno, "cannot make '%s'", part);
    }
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return osw_fail(err, OSW_SYSTEM, "'%s' is no folder", path);
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return osw_fail(err, OSW_BAD_INPUT,
                        "build cache '%s': expected a folder that only we can "
                        "write",
                        path);
    return 0;
}

int osw_build_cache_dir(char *path, size_t size, struct osw_error *err)
{
    const char *own = getenv("OPSWEEP_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n;

    if (own && *own)
        n = snprintf(path, size, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(path, size, "%s/opsweep", xdg);
    else if (home && *home == '/')
        n = snprintf(path, size, "%s/.cache/opsweep", home);
    else
        n = snprintf(path, size, "/tmp/opsweep-%u", (unsigned)geteuid());
    if (n < 0 || (size_t)n >= size)
        return osw_fail(err, OSW_BAD_INPUT,
                        "build cache: a path of %d bytes, expected fewer than "
                        "%zu",
                        n, size);
    return make_folders(path, err);
}

/* --- the whole --- */

static const char *suffix_of(const char *path)
{
    const char *base = strrchr(path, '/');
    const char *dot = strrchr(base ? base : path, '.');

    return dot ? dot : "";
}

static const struct compiler *find_compiler(const char *suffix)
{
    for (size_t i = 0; i < N_ELEM(compilers); i++)
        if (strcmp(compilers[i].suffix, suffix) == 0)
            return &compilers[i];
    return NULL;
}

static int set_cache(struct job *job, struct osw_error *err)
{
    const char *given = job->request->cache_dir;

    if (!given)
        return osw_build_cache_dir(job->cache, sizeof(job->cache), err);
    if (strlen(given) >= sizeof(job->cache))
        return osw_fail(err, OSW_BAD_INPUT, "build cache: path too long");
    strcpy(job->cache, given);
    return make_folders(job->cache, err);
}

static int get_compiled(struct job *job, struct osw_error *err)
{
    struct osw_build_result *result = job->result;

    if (set_cache(job, err) < 0 || hash_inputs(job, err) < 0)
        return -1;
    snprintf(result->path, sizeof(result->path), "%s/%s.so", job->cache,
             job->hex);
    result->cached = is_there(job);
    if (!result->cached && build_locked(job, err) < 0)
        return -1;
    if (result->failed)
        result->path[0] = '\0';
    return 0;
}

int osw_build_get(const struct osw_build_request *request,
                  struct osw_build_result *result, struct osw_error *err)
{
    const char *suffix = suffix_of(request->source);
    int64_t start_ns = osw_clock_ns();
    struct job job = {
        .request = request,
        .result = result,
        .compiler = find_compiler(suffix),
        .deadline_ns =
            start_ns + (request->deadline_ns > 0 ? request->deadline_ns
                                                 : default_deadline_ns),
    };
    int rc = 0;

    memset(result, 0, sizeof(*result));
    if (access(request->source, R_OK) < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", request->source);
    if (strcmp(suffix, ".so") == 0) {
        result->cached = true;
        snprintf(result->path, sizeof(result->path), "%s", request->source);
    } else if (job.compiler) {
        rc = get_compiled(&job, err);
    } else {
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s': expected a file ending in .c or .so",
                      request->source);
    }
    result->duration_ns = osw_clock_ns() - start_ns;
    return rc;
}
