/* ops/build/build.c - sources to shared objects, once: the build cache */
#include "ops/build/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/confine.h"
#include "common/deadline.h"
#include "common/death.h"
#include "common/kernel/kernel_file.h"
#include "common/paths.h"
#include "ops/build/adopt.h"
#include "ops/build/build_cache.h"
#include "ops/build/build_command.h"
#include "ops/build/build_confine.h"
#include "ops/build/build_deps.h"
#include "ops/build/build_share.h"
#include "ops/build/build_wait.h"
#include "ops/build/compiler_limits.h"
#include "ops/build/tool.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const int64_t default_deadline_ns = 120 * INT64_C(1000000000);
static const int64_t tick_ns = 20 * INT64_C(1000000);
static const int64_t compiler_nap_ns = 2 * INT64_C(1000000);
static const int64_t sharing_nap_ns = 500 * INT64_C(1000);
static const int64_t lock_nap_ns = 20 * INT64_C(1000000);

enum stage {
    STAGE_NEW,
    STAGE_SHARING, /* may come from another process of the campaign */
    STAGE_WAITING, /* for another process that builds the same */
    STAGE_RUNNING, /* our compiler */
    STAGE_KEEPING, /* the disk, for what it made */
    STAGE_DONE,
};

/* What one build goes through. */
struct job {
    const struct osw_build_request *request;
    struct osw_build_result *result;
    enum stage stage;
    struct osw_build_sharing sharing;
    bool kept; /* the result is one that others may use */
    int64_t start_ns;
    struct osw_deadline lock; /* of waiting for it, less what we spent on other
                                 builds; looked at when it is tried */
    struct osw_build_wait holder; /* of the lock */
    char dir[OSW_BUILD_CACHE_MAX_DIR];
    struct osw_build_command command;
    struct osw_adoption *adoption; /* while keeping */
    int lock_fd;      /* while running; -1: its holder is not waited for */
    int64_t shown_ns; /* when its file was touched */
    char tmp[OSW_BUILD_CACHE_MAX_TMP]; /* while running */
    int64_t compile_unix_ns;
    const char *limited[OSW_BUILD_MAX_WORDS + 3]; /* the command */
    struct osw_tool tool;
    struct osw_tool_process process;
    size_t output_used;
    int64_t killed_ns; /* when the compiler was killed; 0: it was not; -1: it
                          was started again */
};

static int64_t deadline_of(const struct job *job)
{
    return job->request->deadline_ns > 0 ? job->request->deadline_ns
                                         : default_deadline_ns;
}

static void file_in(const char *dir, const char *name, char *path)
{
    snprintf(path, OSW_BUILD_MAX_PATH, "%s/%s", dir, name);
}

/* --- what is there already --- */

/* A refusal counts only for requests that were made before it: its cause may be
 * something that the key does not contain.
 */
static bool find_refusal(struct job *job, const char *name)
{
    struct osw_build_result *result = job->result;
    struct osw_text words = OSW_TEXT_INIT;
    char path[OSW_BUILD_MAX_PATH];
    int64_t written_ns;

    osw_build_cache_path(job->dir, name, "err", path);
    if (osw_build_cache_read(path, OSW_BUILD_MAX_OUTPUT - 1, &words,
                             &written_ns) &&
        written_ns >= osw_kernel_start_unix_ns() &&
        written_ns >= job->request->since_unix_ns) {
        snprintf(result->output, sizeof(result->output), "%s",
                 osw_text_str(&words));
        result->failed = true;
    }
    osw_text_free(&words);
    return result->failed;
}

static bool find_object(struct job *job, const char *dir, const char *name)
{
    struct stat st;

    osw_build_cache_path(dir, name, "so", job->result->path);
    if (stat(job->result->path, &st) == 0 && S_ISREG(st.st_mode))
        return true;
    job->result->path[0] = '\0';
    return false;
}

static struct osw_build_roots roots_of(const struct job *job)
{
    return (struct osw_build_roots){
        .source = job->request->source,
        .include_dir = job->request->include_dir,
    };
}

/* The name that a build would give its object now, by the manifest in `dir`. */
static bool find_name(const struct job *job, const char *dir,
                      char name[OSW_BUILD_NAME_SIZE])
{
    struct osw_build_roots roots = roots_of(job);
    struct osw_text manifest = OSW_TEXT_INIT;
    const char *key = job->command.key;
    char path[OSW_BUILD_MAX_PATH];
    bool named;

    osw_build_cache_path(dir, key, "deps", path);
    named =
        osw_build_cache_read(path, OSW_BUILD_DEPS_MAX_BYTES, &manifest, NULL) &&
        osw_build_deps_name(osw_text_str(&manifest), manifest.used, &roots, key,
                            name, NULL) == 0;
    osw_text_free(&manifest);
    return named;
}

/* Of the read-only cache refusals do not count: the next one to compile may
 * have what was missing.
 */
static bool find_result(struct job *job)
{
    const char *shipped = job->request->objects_dir;
    char name[OSW_BUILD_NAME_SIZE];
    bool found;

    found = find_name(job, job->dir, name) &&
            (find_object(job, job->dir, name) || find_refusal(job, name));
    if (!found && shipped)
        found =
            find_name(job, shipped, name) && find_object(job, shipped, name);
    found = found || find_refusal(job, job->command.key);
    job->result->cached = job->kept = found;
    return found;
}

/* --- keep what the compiler made --- */

/* What is known of the files that a compiler read. */
enum listed {
    LISTED,   /* all of them: others will find the result */
    UNLISTED, /* nothing: the compiler did not say */
    CHANGED,  /* they were written to while it read them */
};

static enum listed list_files(const struct job *job, struct osw_text *manifest,
                              char *name)
{
    struct osw_build_roots roots = roots_of(job);
    struct osw_text rule = OSW_TEXT_INIT;
    struct osw_build_command again;
    enum listed listed = UNLISTED;
    char path[OSW_BUILD_MAX_PATH];
    int64_t newest_ns;

    if (osw_build_command_make(job->request, &again, NULL) < 0 ||
        strcmp(again.key, job->command.key) != 0)
        return CHANGED;
    file_in(job->tmp, "op.d", path);
    if (osw_build_cache_read(path, OSW_BUILD_DEPS_MAX_BYTES, &rule, NULL) &&
        osw_build_deps_from_rule(osw_text_str(&rule), rule.used, &roots,
                                 manifest) == 0 &&
        osw_build_deps_name(osw_text_str(manifest), manifest->used, &roots,
                            again.key, name, &newest_ns) == 0)
        listed = newest_ns < job->compile_unix_ns ? LISTED : CHANGED;
    osw_text_free(&rule);
    return listed;
}

/* Text for the file NAME.SUFFIX of the cache. */
static int keep_text(struct job *job, const char *name, const char *suffix,
                     const char *bytes, size_t n, struct osw_error *err)
{
    char from[OSW_BUILD_MAX_PATH], to[OSW_BUILD_MAX_PATH], file[16];

    snprintf(file, sizeof(file), "op.%s", suffix);
    file_in(job->tmp, file, from);
    osw_build_cache_path(job->dir, name, suffix, to);
    if (osw_build_cache_put(from, bytes, n, err) < 0)
        return -1;
    osw_adoption_add(job->adoption, from, to);
    return 0;
}

/* An unlisted build has a key only; no lookup uses that, so nothing is kept.
 * 1: there is nothing to keep; 0: keeping began; -1 failed with err set.
 */
static int keep_result(struct job *job, enum listed listed, const char *name,
                       const struct osw_text *manifest, struct osw_error *err)
{
    struct osw_build_result *result = job->result;
    const char *key = job->command.key;
    char from[OSW_BUILD_MAX_PATH];
    int rc = 0;

    if (result->failed &&
        (listed == CHANGED || osw_build_command_is_passing(result->output)))
        return 1;
    job->adoption = osw_adoption_new(job->dir, err);
    if (!job->adoption)
        return -1;
    if (listed != LISTED)
        name = key;
    if (result->failed) {
        rc = keep_text(job, name, "err", result->output, strlen(result->output),
                       err);
    } else {
        file_in(job->tmp, "op.so", from);
        osw_build_cache_path(job->dir, name, "so", result->path);
        osw_adoption_add(job->adoption, from, result->path);
    }
    if (rc == 0 && listed == LISTED)
        rc = keep_text(job, key, "deps", osw_text_str(manifest), manifest->used,
                       err);
    if (rc == 0) {
        osw_adoption_begin(job->adoption);
        job->stage = STAGE_KEEPING;
    }
    return rc;
}

/* --- compile --- */

static void keep_output(void *arg, const char *bytes, size_t n)
{
    struct job *job = arg;
    size_t room = OSW_BUILD_MAX_OUTPUT - 1 - job->output_used;

    if (n > room)
        n = room;
    memcpy(job->result->output + job->output_used, bytes, n);
    job->output_used += n;
    job->result->output[job->output_used] = '\0';
}

static void release(struct job *job)
{
    free(job->adoption);
    job->adoption = NULL;
    if (job->tmp[0])
        osw_build_cache_tmp_remove(job->tmp);
    job->tmp[0] = '\0';
    if (job->lock_fd >= 0)
        osw_build_cache_unlock(job->dir, job->command.key, job->lock_fd);
    job->stage = STAGE_DONE;
}

/* Into the temporary folder. */
static int start_compiler(struct job *job, struct osw_error *err)
{
    char object[OSW_BUILD_MAX_PATH], rule[OSW_BUILD_MAX_PATH];

    if (osw_build_cache_tmp_make(job->dir, job->tmp, err) < 0)
        return -1;
    file_in(job->tmp, "op.so", object);
    file_in(job->tmp, "op.d", rule);
    if (osw_build_command_outputs(&job->command, object, rule, err) < 0)
        return -1;
    job->compile_unix_ns = osw_clock_unix_ns();
    job->tool = (struct osw_tool){
        .argv = osw_compiler_limits_command(
            job->command.at, job->request->source, job->limited, err),
        .tmp_dir = job->tmp,
        .deadline_ns = deadline_of(job),
        .sink = keep_output,
        .sink_arg = job,
    };
    return job->tool.argv ? osw_tool_start(&job->tool, &job->process, err) : -1;
}

/* As keep_result. */
static int finish(struct job *job, const struct osw_tool_end *end,
                  struct osw_error *err)
{
    struct osw_build_result *result = job->result;
    struct osw_text manifest = OSW_TEXT_INIT;
    char name[OSW_BUILD_NAME_SIZE];
    enum listed listed;
    int rc;

    osw_build_command_scrub(result->output, job->tmp);
    result->failed = end->late || end->exit_code != 0;
    if (end->late)
        snprintf(result->output, sizeof(result->output),
                 "the compiler was stopped at its deadline");
    else if (result->failed &&
             osw_compiler_limits_say(end->signal, result->output,
                                     sizeof(result->output)))
        return 1; /* not kept: another node may have more memory */
    else if (end->signal)
        snprintf(result->output, sizeof(result->output),
                 "the compiler was ended by signal %d", end->signal);
    if (end->late || end->signal)
        return 1;
    listed = list_files(job, &manifest, name);
    rc = keep_result(job, listed, name, &manifest, err);
    osw_text_free(&manifest);
    return rc;
}

/* --- one build, step by step: 1 done, 0 later, -1 failed with err set --- */

/* By way of the build cache. */
static int open_build(struct job *job, struct osw_error *err)
{
    const struct osw_build_request *request = job->request;

    job->stage = STAGE_WAITING;
    if (access(request->source, R_OK) < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", request->source);
    if (osw_build_cache_open(request->cache_dir, job->dir, err) < 0 ||
        osw_build_command_make(request, &job->command, err) < 0)
        return -1;
    return find_result(job);
}

/* A file that is its own object. */
static int take_as_it_is(struct job *job, struct osw_error *err)
{
    const char *source = job->request->source;

    if (access(source, R_OK) < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", source);
    job->result->cached = true;
    snprintf(job->result->path, sizeof(job->result->path), "%s", source);
    return 1;
}

static int open_job(struct job *job, struct osw_error *err)
{
    const char *source = job->request->source;
    const char *suffix = strrchr(source, '.');
    int rc;

    memset(job->result, 0, sizeof(*job->result));
    job->start_ns = osw_clock_ns();
    if (suffix && (strcmp(suffix, ".so") == 0 || strcmp(suffix, ".py") == 0))
        return take_as_it_is(job, err);
    if (!osw_build_command_knows(source))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected a file ending in .c, .cu, .so or .py",
                        source);
    rc = osw_build_sharing_begin(&job->sharing, job->request, job->result);
    job->stage = STAGE_SHARING;
    return rc < 0 ? open_build(job, err) : rc;
}

static int share(struct job *job, struct osw_error *err)
{
    int rc = osw_build_sharing_step(&job->sharing, job->request, job->result,
                                    deadline_of(job));

    return rc < 0 ? open_build(job, err) : rc;
}

/* 0 later; 1: its holder is stopped or worse, build beside it. */
static int wait_for_lock(struct job *job, struct osw_error *err)
{
    int64_t now_ns = osw_clock_ns();
    int64_t shown_ns = osw_build_wait_shown_ns(job->dir, job->command.key);

    if (!job->lock.looked_ns)
        job->lock = osw_deadline_in(deadline_of(job), now_ns);
    if (osw_deadline_left(&job->lock, now_ns, 10 * lock_nap_ns) <= 0)
        return osw_fail(err, OSW_TIMEOUT, "another process still builds '%s'",
                        job->request->source);
    return osw_build_wait_is_vain(&job->holder, shown_ns, deadline_of(job),
                                  now_ns);
}

/* One process at a time compiles; processes that waited find the result. */
static int try_build(struct job *job, struct osw_error *err)
{
    int rc;

    if (osw_clock_ns() - job->lock.looked_ns < lock_nap_ns)
        return 0;
    rc = osw_build_cache_lock(job->dir, job->command.key, &job->lock_fd, err);
    if (rc == 0) {
        job->lock_fd = -1;
        rc = wait_for_lock(job, err);
    }
    if (rc <= 0)
        return rc;
    job->stage = STAGE_RUNNING;
    rc = find_result(job);
    if (rc == 0)
        rc = start_compiler(job, err);
    if (rc != 0)
        release(job);
    return rc;
}

/* What ends a job kills compilers before their worker, which must not blame the
 * source meanwhile: a compiler that was killed is started once more, later.
 */
static int start_again(struct job *job, struct osw_error *err)
{
    if (osw_clock_ns() - job->killed_ns < OSW_DEATH_KILLS_NS)
        return 0;
    job->killed_ns = -1;
    job->output_used = 0;
    job->result->output[0] = '\0';
    return osw_tool_start(&job->tool, &job->process, err);
}

static int poll_compiler(struct job *job, struct osw_error *err)
{
    struct osw_tool_end end = {.late = false};
    int rc = job->killed_ns > 0 ? start_again(job, err)
                                : osw_tool_poll(&job->process, &end, err);

    if (rc > 0 && !end.late && job->killed_ns == 0 &&
        osw_compiler_was_killed(end.signal, job->result->output)) {
        job->killed_ns = osw_clock_ns();
        return 0;
    }
    if (rc > 0)
        rc = finish(job, &end, err);
    else if (rc == 0)
        return 0;
    if (rc != 0)
        release(job);
    return rc;
}

static int poll_adoption(struct job *job, struct osw_error *err)
{
    int rc = osw_adoption_poll(&job->adoption, err);

    job->kept = rc > 0;
    if (rc != 0)
        release(job);
    return rc;
}

/* Ours, and not yet in the cache. */
static bool is_made(const struct job *job)
{
    return job->stage == STAGE_RUNNING || job->stage == STAGE_KEEPING;
}

/* Processes that wait for us see that we are not stopped. */
static void show(struct job *job)
{
    if (is_made(job) && job->lock_fd >= 0)
        osw_build_wait_show(job->lock_fd, &job->shown_ns);
    osw_build_sharing_show(&job->sharing);
}

static int (*const steps[])(struct job *job, struct osw_error *err) = {
    [STAGE_NEW] = open_job,          [STAGE_SHARING] = share,
    [STAGE_WAITING] = try_build,     [STAGE_RUNNING] = poll_compiler,
    [STAGE_KEEPING] = poll_adoption,
};

static int advance(struct job *job, struct osw_error *err)
{
    enum stage stage;
    int rc;

    do {
        stage = job->stage;
        rc = steps[stage](job, err);
    } while (rc == 0 && job->stage != stage);
    if (rc == 0)
        return 0;
    job->stage = STAGE_DONE;
    osw_build_sharing_end(&job->sharing, job->request, job->result,
                          rc > 0 && job->kept);
    job->result->duration_ns = osw_clock_ns() - job->start_ns;
    return rc;
}

/* --- the whole --- */

static void nap(bool sharing, bool compiling,
                const struct osw_build_request *request)
{
    osw_clock_sleep_ns(sharing     ? sharing_nap_ns
                       : compiling ? compiler_nap_ns
                                   : lock_nap_ns);
    if (request->tick)
        request->tick(request->tick_arg);
}

int osw_build_get(const struct osw_build_request *request,
                  struct osw_build_result *result, struct osw_error *err)
{
    struct job job = {.request = request, .result = result};
    int rc;

    while ((rc = advance(&job, err)) == 0) {
        show(&job);
        nap(job.stage == STAGE_SHARING, is_made(&job), request);
    }
    return rc < 0 ? -1 : 0;
}

/* Several builds, and how many of them compile. */
struct batch {
    struct job *jobs;
    size_t n, n_running, n_left;
    bool sharing; /* some job waits for another process's object */
    int64_t ticked_ns;
};

static void advance_one(struct batch *batch, struct job *job)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool was_running = is_made(job);
    int rc = advance(job, &err);

    batch->n_running += is_made(job);
    batch->n_running -= was_running;
    batch->n_left -= rc != 0;
    if (rc < 0) {
        job->result->failed = true;
        job->result->cached = false;
        job->result->path[0] = '\0';
        snprintf(job->result->output, sizeof(job->result->output), "%s",
                 err.text);
    }
}

static void advance_all(struct batch *batch, uint32_t limit)
{
    const struct osw_build_request *first = batch->jobs[0].request;

    batch->sharing = false;
    for (size_t i = 0; i < batch->n; i++) {
        struct job *job = &batch->jobs[i];

        if (is_made(job) ||
            (job->stage != STAGE_DONE && batch->n_running < limit))
            advance_one(batch, job);
        show(job);
        batch->sharing |= job->stage == STAGE_SHARING;
        if (first->tick && osw_clock_ns() - batch->ticked_ns >= tick_ns) {
            first->tick(first->tick_arg);
            batch->ticked_ns = osw_clock_ns();
        }
    }
}

int osw_build_get_all(const struct osw_build_request *requests,
                      struct osw_build_result *results, size_t n, uint32_t jobs,
                      struct osw_error *err)
{
    struct batch batch = {.n = n, .n_left = n, .ticked_ns = osw_clock_ns()};

    if (n == 0)
        return 0;
    batch.jobs = calloc(n, sizeof(*batch.jobs));
    if (!batch.jobs)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu builds", n);
    for (size_t i = 0; i < n; i++) {
        batch.jobs[i].request = &requests[i];
        batch.jobs[i].result = &results[i];
    }
    for (;;) {
        advance_all(&batch, jobs > 0 ? jobs : 1);
        if (batch.n_left == 0)
            break;
        nap(batch.sharing, batch.n_running > 0, requests);
    }
    free(batch.jobs);
    return 0;
}
