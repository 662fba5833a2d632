/* worker/sandbox/gang_nccl.c - NCCL's communicator of a gang */
#include "worker/sandbox/gang_nccl.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "worker/isolation.h"
#include "worker/sandbox/communicator.h"
#include "worker/sandbox/sockets.h"

/* As NCCL numbers them. */
enum { SUCCESS = 0, IN_PROGRESS = 7, FLOAT = 7, SUM = 0 };

#define LOOK_NS INT64_C(10000000)

struct id {
    char bytes[128];
};

struct osw_nccl {
    struct osw_communicator_state *gang;
    void *library;
    void *comm;  /* NULL: there is none, and why says it */
    void *fresh; /* written by the thread that makes it */
    struct id id;
    int (*get_unique_id)(struct id *id);
    int (*comm_init_rank)(void **comm, int n, struct id id, int rank);
    int (*all_reduce)(const void *from, void *to, size_t n, int type, int op,
                      void *comm, void *stream);
    int (*comm_get_async_error)(void *comm, int *error);
    int (*comm_abort)(void *comm);
    const char *(*get_error_string)(int code);
    const char *(*get_last_error)(void *comm); /* NULL: NCCL before 2.13 */
    int code;                                  /* of comm_init_rank */
    atomic_bool made, aborted;
    char why[256]; /* written before `aborted` is set */
};

static void *fail(const struct osw_communicator_state *s, const char *text)
{
    s->say(s->say_arg, text);
    return NULL;
}

/* No communicator, now and later. */
static void *refuse(struct osw_nccl *n, const char *text)
{
    if (text != n->why)
        snprintf(n->why, sizeof(n->why), "%s", text);
    return fail(n->gang, n->why);
}

/* --- the library --- */

/* Where it is beside the loader's own folders: in Python's packages. */
static const char *const places[] = {
    "%s/lib/python3*/site-packages/nvidia/nccl/lib/libnccl.so.2",
    "%s/lib/python3*/dist-packages/nvidia/nccl/lib/libnccl.so.2",
};

static void *open_in(const char *prefix)
{
    void *library = NULL;

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char pattern[PATH_MAX];
        glob_t found;

        snprintf(pattern, sizeof(pattern), places[i], prefix);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; !library && k < found.gl_pathc; k++)
            library = dlopen(found.gl_pathv[k], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    return library;
}

/* Below the folders beside those of PATH that programs are in. */
static void *open_beside_path(void)
{
    const char *path = getenv("PATH");
    void *library = NULL;

    for (; !library && path && *path; path += *path == ':') {
        size_t n = strcspn(path, ":");
        char prefix[PATH_MAX];

        if (n > 4 && n < sizeof(prefix) &&
            strncmp(path + n - 4, "/bin", 4) == 0) {
            snprintf(prefix, sizeof(prefix), "%.*s", (int)n - 4, path);
            library = open_in(prefix);
        }
        path += n;
    }
    return library;
}

static void *open_library(void)
{
    const char *named = getenv("OPSWEEP_NCCL");
    void *library;

    if (named && *named)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    return library ? library : open_beside_path();
}

/* dlsym yields an object pointer where a function's is needed. */
#define FIND(n, field, name) (*(void **)&(n)->field = dlsym((n)->library, name))

static bool find_functions(struct osw_nccl *n)
{
    (void)FIND(n, get_last_error, "ncclGetLastError");
    return FIND(n, get_unique_id, "ncclGetUniqueId") &&
           FIND(n, comm_init_rank, "ncclCommInitRank") &&
           FIND(n, all_reduce, "ncclAllReduce") &&
           FIND(n, comm_get_async_error, "ncclCommGetAsyncError") &&
           FIND(n, comm_abort, "ncclCommAbort") &&
           FIND(n, get_error_string, "ncclGetErrorString");
}

/* No network, no memory of others by name, no tools: what a sandbox has not.
 * Memory is shared by CUDA's IPC.
 */
static void set_environment(void)
{
    static const char *const settings[][2] = {
        {"NCCL_CUMEM_ENABLE", "0"},        {"NCCL_NET", "Socket"},
        {"NCCL_NET_PLUGIN", "none"},       {"NCCL_IB_DISABLE", "1"},
        {"NCCL_RAS_ENABLE", "0"},          {"NCCL_SOCKET_IFNAME", "lo"},
        {"NCCL_SOCKET_FAMILY", "AF_INET"},
    };

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        (void)setenv(settings[i][0], settings[i][1], 1);
    (void)unsetenv("NCCL_COMM_ID");
}

/* Between nodes it is the user's network and NCCL's own settings. */
static const char *load(struct osw_nccl *n)
{
    if (n->gang->face.one_node) {
        set_environment();
        osw_sockets_begin();
    }
    n->library = open_library();
    if (!n->library)
        return "no NCCL: libnccl.so.2 is not found; name it in OPSWEEP_NCCL";
    return find_functions(n) ? NULL : "no NCCL: expected version 2.8 or newer";
}

/* --- the communicator --- */

/* What each member tells all others before they begin. */
struct hello {
    char device[48];
    struct id id; /* of rank 0 */
    uint8_t ready;
};

static bool exchange(const osw_communicator *c, struct hello all[])
{
    for (int step = 1; step < c->size; step++) {
        int to = (c->rank + step) % c->size;
        int from = (c->rank + c->size - step) % c->size;

        if (c->sendrecv(c, to, &all[c->rank], sizeof(all[0]), from, &all[from],
                        sizeof(all[0])) != 0)
            return false;
    }
    return true;
}

/* Of two members on one device, or one without NCCL: why there is no
 * communicator.
 */
static bool can_begin(const struct hello all[], int n, char *why, size_t size)
{
    for (int i = 0; i < n; i++) {
        if (!all[i].ready) {
            snprintf(why, size, "rank %d has no NCCL", i);
            return false;
        }
        for (int k = 0; k < i; k++)
            if (memcmp(all[i].device, all[k].device, sizeof(all[i].device)) ==
                0) {
                snprintf(why, size,
                         "no NCCL: ranks %d and %d share GPU %.47s, expected "
                         "one each (--share-gpus)",
                         k, i, all[i].device);
                return false;
            }
    }
    return true;
}

static void *make(void *arg)
{
    struct osw_nccl *n = arg;
    const osw_communicator *c = &n->gang->face;

    n->code = n->comm_init_rank(&n->fresh, c->size, n->id, c->rank);
    atomic_store(&n->made, true);
    return NULL;
}

static void put_error(struct osw_nccl *n, const char *what, int code)
{
    const char *last = n->get_last_error ? n->get_last_error(NULL) : "";

    snprintf(n->why, sizeof(n->why), "NCCL: %s: %s%s%.160s", what,
             n->get_error_string(code), last && *last ? ": " : "",
             last ? last : "");
    for (char *c = n->why; *c; c++)
        if (*c == '\n')
            *c = ' ';
}

static bool has_ended(struct osw_nccl *n)
{
    uint32_t ended = osw_communicator_ended(n->gang);

    if (ended > 0)
        snprintf(n->why, sizeof(n->why), "rank %u has ended", ended - 1);
    return ended > 0;
}

/* An abort ends what waits on the device and in NCCL's functions. */
static void *watch(void *arg)
{
    struct osw_nccl *n = arg;
    int error = SUCCESS;

    while (!has_ended(n)) {
        osw_clock_sleep_ns(LOOK_NS);
        if (n->comm_get_async_error(n->comm, &error) == SUCCESS &&
            error != SUCCESS && error != IN_PROGRESS) {
            put_error(n, "communication", error);
            break;
        }
    }
    atomic_store(&n->aborted, true);
    (void)n->comm_abort(n->comm);
    return NULL;
}

static bool start(void *(*run)(void *arg), struct osw_nccl *n)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, run, n) == 0 &&
           pthread_detach(thread) == 0;
}

/* A thread of its own: the one that begins it looks whether a member ended.  A
 * communicator that does not block would make each operation a thread.
 */
static void *begin(struct osw_nccl *n)
{
    if (!start(make, n))
        return refuse(n, "cannot start a thread for NCCL");
    while (!atomic_load(&n->made)) {
        if (has_ended(n))
            return refuse(n, n->why);
        osw_clock_sleep_ns(LOOK_NS / 10);
    }
    if (n->code != SUCCESS) {
        put_error(n, "ncclCommInitRank", n->code);
        return refuse(n, n->why);
    }
    n->comm = n->fresh;
    if (!start(watch, n)) {
        n->comm = NULL;
        return refuse(n, "cannot start a thread for NCCL");
    }
    /* Connects what meeting needs, which no capture of calls should do. */
    osw_gang_nccl_meet(n->gang, NULL);
    return n->comm;
}

static void *meet(struct osw_nccl *n)
{
    const osw_communicator *c = &n->gang->face;
    struct hello all[OSW_GANG_MAX], *mine = &all[c->rank];
    const char *missing = load(n);
    int code = SUCCESS;

    memset(mine, 0, sizeof(*mine));
    snprintf(mine->device, sizeof(mine->device), "%s", n->gang->device);
    if (!missing && c->rank == 0)
        code = n->get_unique_id(&mine->id);
    mine->ready = !missing && code == SUCCESS;
    if (!exchange(c, all)) {
        snprintf(n->why, sizeof(n->why), "no NCCL: ranks could not meet");
        return NULL; /* what failed is said */
    }
    if (missing)
        return refuse(n, missing);
    if (code != SUCCESS) {
        put_error(n, "ncclGetUniqueId", code);
        return refuse(n, n->why);
    }
    if (!can_begin(all, c->size, n->why, sizeof(n->why)))
        return refuse(n, n->why);
    n->id = all[0].id;
    return begin(n);
}

/* Messages of members go between the host's memory here. */
static void *meet_by_host(struct osw_nccl *n)
{
    struct osw_communicator_state *s = n->gang;
    bool (*copy)(void *, void *, const void *, uint64_t) = s->copy;
    void *comm;

    s->copy = NULL;
    comm = meet(n);
    s->copy = copy;
    return comm;
}

static bool has_network(void)
{
    return osw_isolation_level(getenv("OPSWEEP_ISOLATION")) ==
           OSW_ISOLATION_OFF;
}

void *osw_gang_nccl(struct osw_communicator_state *s, const char *symbol)
{
    if (symbol)
        return s->nccl && s->nccl->comm ? dlsym(s->nccl->library, symbol)
                                        : NULL;
    if (!s->device)
        return fail(s, "no NCCL on a processor: expected --device cuda");
    if (!s->face.one_node && !has_network()) {
        s->out_of_reach = true;
        return fail(s, "no NCCL between nodes: sandboxes have no network "
                       "(OPSWEEP_ISOLATION=off gives them one)");
    }
    if (s->nccl && (!s->nccl->comm || atomic_load(&s->nccl->aborted)))
        return fail(s, s->nccl->why);
    if (s->nccl)
        return s->nccl->comm;
    s->nccl = calloc(1, sizeof(*s->nccl));
    if (!s->nccl)
        return fail(s, "no memory for NCCL");
    s->nccl->gang = s;
    return meet_by_host(s->nccl);
}

void osw_gang_nccl_meet(const struct osw_communicator_state *s, void *stream)
{
    const struct osw_nccl *n = s->nccl;

    if (n->comm && !atomic_load(&n->aborted))
        (void)n->all_reduce(s->token, s->token, 1, FLOAT, SUM, n->comm, stream);
}

const char *osw_gang_nccl_failure(const struct osw_communicator_state *s)
{
    return s->nccl && atomic_load(&s->nccl->aborted) ? s->nccl->why : NULL;
}
