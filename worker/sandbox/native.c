/* worker/sandbox/native.c - host of shared objects built from C and C++ */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/sandbox/session.h"

typedef int call_f(const osw_call *call);
typedef int prepare_f(const osw_call *call, void **state);
typedef void finish_f(void *state);
typedef int work_f(const osw_call *call, osw_work *work);

struct native {
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
    FIND(n->meta, so, load->symbol, "_meta");
    FIND(n->prepare, so, load->symbol, "_prepare");
    FIND(n->finish, so, load->symbol, "_finish");
    FIND(n->work, so, load->symbol, "_work");
    out->has_meta = n->meta != NULL;
    out->has_prepare = n->prepare != NULL;
    out->has_work = n->work != NULL;
    *state = n;
    return 0; /* never dlclose: the code may have left threads behind */
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
    .meta = native_meta,
    .prepare = native_prepare,
    .finish = native_finish,
    .run = native_run,
    .work = native_work,
};

static const struct osw_host_ops *const hosts[] = {&osw_host_native};

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
