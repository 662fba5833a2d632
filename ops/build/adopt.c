/* ops/build/adopt.c - finished files into the build cache */
#include "ops/build/adopt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/build/build_cache.h"

struct osw_adoption {
    pthread_t thread;
    bool threaded;
    atomic_bool ended;
    char dir[OSW_BUILD_CACHE_MAX_DIR];
    struct {
        char from[OSW_BUILD_MAX_PATH], to[OSW_BUILD_MAX_PATH];
    } files[OSW_ADOPTION_MOST];
    size_t n;
    int rc;
    struct osw_error err;
};

struct osw_adoption *osw_adoption_new(const char *dir, struct osw_error *err)
{
    struct osw_adoption *a = calloc(1, sizeof(*a));

    if (!a) {
        (void)osw_fail(err, OSW_NO_MEMORY, "no memory for the build cache");
        return NULL;
    }
    snprintf(a->dir, sizeof(a->dir), "%s", dir);
    return a;
}

void osw_adoption_add(struct osw_adoption *a, const char *from, const char *to)
{
    snprintf(a->files[a->n].from, sizeof(a->files[a->n].from), "%s", from);
    snprintf(a->files[a->n].to, sizeof(a->files[a->n].to), "%s", to);
    a->n++;
}

static void *adopt_all(void *arg)
{
    struct osw_adoption *a = arg;

    for (size_t i = 0; i < a->n && a->rc == 0; i++)
        a->rc = osw_build_cache_adopt(a->dir, a->files[i].from, a->files[i].to,
                                      &a->err);
    atomic_store(&a->ended, true);
    return NULL;
}

void osw_adoption_begin(struct osw_adoption *a)
{
    a->threaded = pthread_create(&a->thread, NULL, adopt_all, a) == 0;
    if (!a->threaded)
        adopt_all(a);
}

int osw_adoption_poll(struct osw_adoption **a, struct osw_error *err)
{
    struct osw_adoption *done = *a;
    int rc;

    if (!atomic_load(&done->ended))
        return 0;
    if (done->threaded)
        pthread_join(done->thread, NULL);
    rc = done->rc == 0 ? 1
                       : osw_fail(err, done->err.status, "%s", done->err.text);
    free(done);
    *a = NULL;
    return rc;
}
