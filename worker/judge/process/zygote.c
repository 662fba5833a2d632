/* worker/judge/process/zygote.c - a process that imports for Python's sandboxes
 */
#include "worker/judge/process/zygote.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "common/reaper.h"

#define IMPORT_NS INT64_C(120000000000) /* of torch, from afar */
#define FORK_NS   INT64_C(5000000000)   /* one that makes none is left */

enum { MAX_LINES = 1 << 16 };

void osw_zygote_end(struct osw_zygote *zygote)
{
    osw_sandbox_destroy(zygote->sandbox);
    zygote->sandbox = NULL;
    zygote->torch = false;
}

/* --- one that is left --- */

/* Its env has nothing of the one that left it. */
static struct {
    pthread_mutex_t lock;
    struct osw_zygote zygote;
    struct osw_device host;
    char python[PATH_MAX];
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void move_to_left(struct osw_zygote *zygote)
{
    snprintf(left.python, sizeof(left.python), "%s", zygote->env.python);
    left.host.ops = &osw_device_cpu_ops;
    left.zygote = (struct osw_zygote){
        .env = {.device = &left.host,
                .python = left.python,
                .zygote = true,
                .n_threads = zygote->env.n_threads},
        .sandbox = zygote->sandbox,
        .torch = zygote->torch,
    };
    left.zygote.sandbox->env = &left.zygote.env;
    left.zygote.sandbox->scratch[0] = '\0'; /* goes with what it is in */
    osw_reaper_remove(zygote->sandbox->pid);
    zygote->sandbox = NULL;
    zygote->torch = false;
}

void osw_zygote_leave(struct osw_zygote *zygote)
{
    pthread_mutex_lock(&left.lock);
    if (osw_sandbox_alive(zygote->sandbox)) {
        osw_zygote_end(&left.zygote);
        move_to_left(zygote);
    }
    pthread_mutex_unlock(&left.lock);
    osw_zygote_end(zygote);
}

void osw_zygote_end_left(void)
{
    pthread_mutex_lock(&left.lock);
    osw_zygote_end(&left.zygote);
    pthread_mutex_unlock(&left.lock);
}

static bool suits(const struct osw_zygote *zygote, bool torch)
{
    return osw_sandbox_alive(left.zygote.sandbox) &&
           strcmp(left.python, zygote->env.python) == 0 &&
           left.zygote.env.n_threads == zygote->env.n_threads &&
           (torch || !left.zygote.torch);
}

static void take_left(struct osw_zygote *zygote, bool torch)
{
    pthread_mutex_lock(&left.lock);
    if (suits(zygote, torch)) {
        zygote->sandbox = left.zygote.sandbox;
        zygote->sandbox->env = &zygote->env;
        zygote->torch = left.zygote.torch;
        osw_reaper_add(zygote->sandbox->pid);
        left.zygote.sandbox = NULL;
    }
    pthread_mutex_unlock(&left.lock);
}

/* --- */

/* True: it is ready. */
static bool ensure(struct osw_zygote *zygote, bool torch)
{
    if (osw_sandbox_alive(zygote->sandbox))
        return true;
    osw_zygote_end(zygote);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return false;
    take_left(zygote, torch);
    if (zygote->sandbox)
        return true;
    zygote->sandbox = osw_sandbox_start(&zygote->env, NULL);
    if (zygote->sandbox && osw_sandbox_await(zygote->sandbox, IMPORT_NS) == 0)
        return true;
    osw_zygote_end(zygote);
    return false;
}

struct osw_sandbox *osw_zygote_start(struct osw_zygote *zygote,
                                     const struct osw_sandbox_env *env,
                                     bool torch, struct osw_error *err)
{
    struct osw_sandbox *sandbox = NULL;

    if (ensure(zygote, torch)) {
        sandbox =
            osw_sandbox_fork(zygote->sandbox, env, torch ? "torch" : "",
                             torch && !zygote->torch ? IMPORT_NS : FORK_NS);
        zygote->torch = zygote->torch || torch;
    }
    return sandbox ? sandbox : osw_sandbox_start(env, err);
}

unsigned osw_zygote_mentions(const char *path, const char *const *words,
                             size_t n)
{
    const unsigned all = (1u << n) - 1;
    unsigned found = 0;
    char line[4096];
    FILE *f = fopen(path, "re");

    for (int i = 0; f && found != all && fgets(line, sizeof(line), f); i++)
        for (size_t k = 0; k < n; k++)
            if (i == MAX_LINES || strstr(line, words[k]))
                found |= 1u << k;
    if (f)
        fclose(f);
    return found;
}
