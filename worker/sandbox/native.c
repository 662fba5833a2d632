/* worker/sandbox/native.c - host of shared objects built from C and C++ */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "worker/sandbox/session.h"

typedef int call_f(const osw_call *call);
typedef int prepare_f(const osw_call *call, void **state);
typedef void finish_f(void *state);
typedef int work_f(const osw_call *call, osw_work *work);

struct native {
    char path[PATH_MAX], symbol[256];
    bool reference;
    call_f *run;
    call_f *meta;
    prepare_f *prepare;
    finish_f *finish;
    work_f *work;
};

/* Looks up <symbol><suffix>; NULL when it is not exported. */
static void *find(void *so, const char *symbol, const char *suffix)
{
    char name[512];

    if (snprintf(name, sizeof(name), "%s%s", symbol, suffix) >=
        (int)sizeof(name))
        return NULL;
    return dlsym(so, name);
}

/* dlsym yields an object pointer where we need a function's. */
#define FIND(field, so, symbol, suffix)                                        \
    do {                                                                       \
        void *found = find(so, symbol, suffix);                                \
        memcpy(&(field), &found, sizeof(field));                               \
    } while (0)

static int native_load(const struct osw_load *load, struct osw_loaded *out,
                       void **state, struct osw_error *err)
{
    const char *entry = load->reference ? "_reference" : "_kernel_impl";
    struct native *n = calloc(1, sizeof(*n));
    void *so;

    if (!n)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to load a file");
    so = dlopen(load->path, RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        const char *why = dlerror();

        free(n);
        return osw_fail(err, OSW_BAD_INPUT, "cannot load: %s",
                        why ? why : "unknown reason");
    }
    FIND(n->run, so, load->symbol, entry);
    if (!n->run) {
        bool other =
            find(so, load->symbol,
                 load->reference ? "_kernel_impl" : "_reference") != NULL;

        free(n);
        return osw_fail(err, OSW_BAD_INPUT, "exports no symbol '%s%s'%s%s%s",
                        load->symbol, entry, other ? ", but '" : "",
                        other ? load->symbol : "",
                        !other            ? ""
                        : load->reference ? "_kernel_impl'"
                                          : "_reference'");
    }
    snprintf(n->path, sizeof(n->path), "%s", load->path);
    snprintf(n->symbol, sizeof(n->symbol), "%s", load->symbol);
    n->reference = load->reference;
    FIND(n->meta, so, load->symbol, "_meta");
    FIND(n->prepare, so, load->symbol, "_prepare");
    FIND(n->finish, so, load->symbol, "_finish");
    FIND(n->work, so, load->symbol, "_work");
    out->has_meta = n->meta != NULL;
    out->has_prepare = n->prepare != NULL;
    out->has_finish = n->finish != NULL;
    out->has_work = n->work != NULL;
    *state = n;
    return 0;
}

/* The object stays loaded: threads that its code started may still run. */
static void native_unload(void *state)
{
    free(state);
}

/* A copy in memory: under another name it is another library. */
static int copy_to_memory(const char *path)
{
    int to = memfd_create("opsweep-op", MFD_CLOEXEC);
    int from = open(path, O_RDONLY | O_CLOEXEC);
    bool good = to >= 0 && from >= 0;
    ssize_t n = 1;

    while (good && n > 0)
        n = sendfile(to, from, NULL, 1 << 30);
    if (from >= 0)
        close(from);
    if (good && n == 0)
        return to;
    if (to >= 0)
        close(to);
    return -1;
}

static int native_reload(void **state, struct osw_error *err)
{
    const struct native *old = *state;
    char name[64];
    int fd = copy_to_memory(old->path), rc;
    struct osw_load load = {
        .path = name, .symbol = old->symbol, .reference = old->reference};
    struct osw_loaded loaded;

    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot copy '%s'", old->path);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    rc = native_load(&load, &loaded, state, err);
    if (rc == 0)
        memcpy(((struct native *)*state)->path, old->path, sizeof(old->path));
    close(fd);
    return rc;
}

static int native_meta(void *state, const osw_call *call)
{
    struct native *n = state;

    return n->meta ? n->meta(call) : OSW_UNSUPPORTED;
}

static int native_prepare(void *state, const osw_call *call, void **op_state)
{
    struct native *n = state;

    return n->prepare ? n->prepare(call, op_state) : 0;
}

static void native_finish(void *state, void *op_state)
{
    struct native *n = state;

    if (n->finish)
        n->finish(op_state);
}

static int native_run(void *state, const osw_call *call)
{
    return ((struct native *)state)->run(call);
}

static int native_work(void *state, const osw_call *call, osw_work *work)
{
    struct native *n = state;

    return n->work ? n->work(call, work) : OSW_UNSUPPORTED;
}

const struct osw_host_ops osw_host_native = {
    .suffix = ".so",
    .load = native_load,
    .unload = native_unload,
    .reload = native_reload,
    .meta = native_meta,
    .prepare = native_prepare,
    .finish = native_finish,
    .run = native_run,
    .work = native_work,
};

static const struct osw_host_ops *const hosts[] = {&osw_host_native,
                                                   &osw_host_python};

const struct osw_host_ops *osw_host_find(const char *path)
{
    size_t n = strlen(path);

    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        size_t m = strlen(hosts[i]->suffix);

        if (n >= m && strcmp(path + n - m, hosts[i]->suffix) == 0)
            return hosts[i];
    }
    return NULL;
}
