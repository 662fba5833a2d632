/* ops/build/build_share.c - objects that another process of the campaign made
 */
#include "ops/build/build_share.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ops/build/build_cache.h"
#include "ops/build/build_command.h"

/* Between two looks at the deadline more time than this is no waiting. */
static const int64_t gap_ns = 200 * INT64_C(1000000);

static bool find_object(const char *dir, const char *id,
                        struct osw_build_result *result)
{
    struct stat st;

    osw_build_cache_path(dir, id, "so", result->path);
    if (stat(result->path, &st) == 0 && S_ISREG(st.st_mode))
        return true;
    result->path[0] = '\0';
    return false;
}

static bool find_refusal(const char *dir, const char *id,
                         struct osw_build_result *result)
{
    struct osw_text words = OSW_TEXT_INIT;
    char path[OSW_BUILD_MAX_PATH];

    osw_build_cache_path(dir, id, "err", path);
    result->failed =
        osw_build_cache_read(path, OSW_BUILD_MAX_OUTPUT - 1, &words, NULL);
    if (result->failed)
        snprintf(result->output, sizeof(result->output), "%s",
                 osw_text_str(&words));
    osw_text_free(&words);
    return result->failed;
}

static bool find(const struct osw_build_sharing *s,
                 const struct osw_build_request *request,
                 struct osw_build_result *result)
{
    const char *dir = request->share->dir;

    result->cached =
        find_object(dir, s->id, result) || find_refusal(dir, s->id, result);
    return result->cached;
}

static void unlock(struct osw_build_sharing *s,
                   const struct osw_build_request *request)
{
    if (s->locked)
        osw_build_cache_unlock(request->share->dir, s->id, s->lock_fd);
    s->locked = false;
}

int osw_build_sharing_begin(struct osw_build_sharing *s,
                            const struct osw_build_request *request,
                            struct osw_build_result *result)
{
    if (!request->share || osw_build_command_id(request, s->id, NULL) < 0)
        return -1;
    return find(s, request, result);
}

/* One process of a node at a time asks for an object. */
static int lock(struct osw_build_sharing *s,
                const struct osw_build_request *request,
                struct osw_build_result *result)
{
    int rc =
        osw_build_cache_lock(request->share->dir, s->id, &s->lock_fd, NULL);

    s->locked = rc == 1;
    if (rc < 0 || !find(s, request, result))
        return rc;
    unlock(s, request);
    return 1;
}

/* Does the process that asks for it not run any more? */
static bool is_vain(struct osw_build_sharing *s,
                    const struct osw_build_request *request, int64_t limit_ns,
                    int64_t now_ns)
{
    int64_t shown_ns = osw_build_wait_shown_ns(request->share->dir, s->id);

    return osw_build_wait_is_vain(&s->holder, shown_ns, limit_ns, now_ns);
}

void osw_build_sharing_show(struct osw_build_sharing *s)
{
    if (s->locked)
        osw_build_wait_show(s->lock_fd, &s->shown_ns);
}

static int ask(struct osw_build_sharing *s,
               const struct osw_build_request *request,
               struct osw_build_result *result)
{
    const struct osw_build_share *share = request->share;
    enum osw_build_answer answer = share->want(share->arg, s->id);
    bool found;

    s->asked = answer == OSW_BUILD_WAIT;
    s->making = answer == OSW_BUILD_MAKE;
    if (s->asked)
        return 0;
    if (s->making)
        return -1;
    found = answer == OSW_BUILD_STORED && find(s, request, result);
    unlock(s, request);
    return found ? 1 : -1;
}

int osw_build_sharing_step(struct osw_build_sharing *s,
                           const struct osw_build_request *request,
                           struct osw_build_result *result, int64_t limit_ns)
{
    const struct osw_build_share *share = request->share;
    int64_t now_ns = osw_clock_ns();
    int rc = 0;

    if (!s->deadline.looked_ns)
        s->deadline = osw_deadline_in(limit_ns, now_ns);
    if (!s->locked)
        rc = lock(s, request, result);
    if (s->locked)
        rc = ask(s, request, result);
    else if (rc == 0 && is_vain(s, request, limit_ns, now_ns))
        return -1;
    if (rc != 0 || osw_deadline_left(&s->deadline, now_ns, gap_ns) > 0)
        return rc;
    if (s->asked)
        share->give_up(share->arg, s->id);
    unlock(s, request);
    return -1;
}

void osw_build_sharing_end(struct osw_build_sharing *s,
                           const struct osw_build_request *request,
                           struct osw_build_result *result, bool kept)
{
    const struct osw_build_share *share = request->share;
    char path[OSW_BUILD_MAX_PATH];
    struct stat st;

    if (s->making) {
        share->offer(share->arg, s->id, kept ? result : NULL);
        osw_build_cache_path(share->dir, s->id, "so", path);
        if (kept && !result->failed && stat(path, &st) == 0)
            strcpy(result->path, path);
    }
    s->making = false;
    unlock(s, request);
}
