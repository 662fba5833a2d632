/* worker/expand.c - the expand phase: a generator's cases, run in a sandbox */
#include "worker/expand.h"

#include <stdlib.h>
#include <string.h>

#include "common/kernel/control_group.h"
#include "common/paths.h"
#include "common/reaper.h"
#include "worker/isolation.h"
#include "worker/judge/process/zygote.h"
#include "worker/scratch.h"
#include "worker/worker.h"

enum { WINDOW_BYTES = 256 << 20 /* only touched pages cost anything */ };

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Generators that speak of torch have it from the second zygote.  One that does
 * not has its values from numpy, whatever others import.
 */
struct osw_expander {
    struct osw_expand_config config;
    struct osw_sandbox_env env;
    struct osw_zygote zygotes[2];
    char work_dir[64];
    int work_fd;
};

/* The generator's processes, which work in parallel: all are started, then all
 * load, then all are asked; then their answers are read one after the other.
 */
struct generators {
    struct osw_expander *expander;
    const char *path, *name;
    size_t n;
    struct osw_sandbox **sandboxes; /* [n] */
    uint64_t *used;                 /* [n] bytes of lines in their windows */
};

/* Of the host's memory that one of n generators may hold. */
static uint64_t ceiling_of(const struct osw_expand_config *config, size_t n)
{
    return config->max_rss ? config->max_rss
                           : osw_memory_left_bytes() / n / 4 * 3;
}

static int start(struct generators *c, struct osw_error *err)
{
    struct osw_expander *e = c->expander;
    static const char *const words[] = {"torch"};
    bool torch = osw_zygote_mentions(c->path, words, 1) != 0;

    e->env.max_rss = ceiling_of(&e->config, c->n);
    for (size_t i = 0; i < c->n; i++) {
        c->sandboxes[i] =
            osw_zygote_start(&e->zygotes[torch], &e->env, torch, err);
        if (!c->sandboxes[i])
            return -1;
    }
    return 0;
}

static int died(const struct generators *c, const struct osw_sandbox *sandbox,
                const struct osw_error *why, struct osw_error *err)
{
    return osw_fail(err, OSW_BAD_INPUT, "%s: %s", c->name,
                    osw_sandbox_alive(sandbox) ? why->text : sandbox->end.text);
}

static int load(const struct generators *c, osw_arena_t *arena,
                const char *asked, size_t n_shares, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;

    for (size_t i = 0; i < c->n; i++) {
        const struct osw_sandbox_env *env = c->sandboxes[i]->env;
        const struct osw_load load = {
            .window_bytes = WINDOW_BYTES,
            .n_threads = env->n_threads,
            .generator = true,
            .device = env->device->ops->kind,
            .path = c->path,
            .symbol = n_shares ? osw_arena_printf(arena, "%s %zu/%zu", asked, i,
                                                  n_shares)
                               : asked,
        };

        if (!load.symbol)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
        if (osw_sandbox_begin_load(c->sandboxes[i], &load, &why) < 0)
            return died(c, c->sandboxes[i], &why, err);
    }
    for (size_t i = 0; i < c->n; i++)
        if (osw_sandbox_end_load(c->sandboxes[i],
                                 c->expander->config.deadline_ns, &why) < 0)
            return died(c, c->sandboxes[i], &why, err);
    return 0;
}

static int ask(const struct generators *c, struct osw_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        struct osw_sandbox *sandbox = c->sandboxes[i];
        struct osw_writer w = osw_sandbox_writer(sandbox);

        osw_write_u8(&w, OSW_TALK_EXPAND);
        osw_write_u64(&w, c->expander->config.seed);
        if (osw_sandbox_send(sandbox, &w) < 0)
            return died(c, sandbox, NULL, err);
    }
    for (size_t i = 0; i < c->n; i++) {
        struct osw_sandbox *sandbox = c->sandboxes[i];
        struct osw_expanded out;
        struct osw_reader r;

        if (osw_sandbox_receive(sandbox, OSW_TALK_EXPANDED,
                                c->expander->config.deadline_ns, &r) < 0)
            return died(c, sandbox, NULL, err);
        if (osw_protocol_get_expanded(&r, sandbox->env->window_bytes, &out,
                                      err) < 0)
            return -1;
        if (!out.ok)
            return osw_fail(err, OSW_BAD_INPUT, "%s: %s", c->name, out.text);
        c->used[i] = out.bytes;
    }
    return 0;
}

static int join(const struct generators *c, osw_arena_t *arena,
                const char **lines, size_t *n, struct osw_error *err)
{
    uint64_t total = 0, at = 0;
    char *copy;

    for (size_t i = 0; i < c->n; i++)
        total += c->used[i];
    copy = osw_arena_alloc(arena, total + 1);
    if (!copy)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    for (size_t i = 0; i < c->n; i++) {
        memcpy(copy + at, c->sandboxes[i]->window.base, c->used[i]);
        at += c->used[i];
        if (i + 1 < c->n && at > 0 && copy[at - 1] != '\n')
            return osw_fail(err, OSW_BAD_INPUT,
                            "%s: share %zu of %zu: lines that are cut short",
                            c->name, i, c->n);
    }
    copy[total] = '\0';
    *lines = copy;
    *n = total;
    return 0;
}

/* As a worker does before it starts sandboxes.  Their processes are ended and
 * their files removed also when this process is killed.  Its memory is closed
 * to them.
 */
static int enter(struct osw_expander *e, struct osw_error *err)
{
    osw_reaper_start(e->config.sandbox_path);
    osw_isolation_close(osw_isolation_level(getenv("OPSWEEP_ISOLATION")));
    e->work_fd = osw_scratch_open(e->work_dir, sizeof(e->work_dir), err);
    return e->work_fd < 0 ? -1 : 0;
}

osw_expander_t *osw_expander_open(const struct osw_expand_config *config,
                                  struct osw_error *err)
{
    const struct osw_worker_config alone = {.n_threads = config->n_threads};
    struct osw_expander *e = calloc(1, sizeof(*e));

    if (!e) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for generators");
        return NULL;
    }
    e->config = *config;
    e->env = (struct osw_sandbox_env){
        .sandbox_path = config->sandbox_path,
        .python = osw_paths_python(config->python, err),
        .work_dir = e->work_dir,
        .window_bytes = WINDOW_BYTES,
        .n_threads = osw_worker_n_threads(&alone)};
    if (!e->env.python || osw_device_cpu_ops.open(0, &e->env.device, err) < 0) {
        free(e);
        return NULL;
    }
    if (enter(e, err) < 0) {
        osw_expander_close(e);
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        e->zygotes[i].env = e->env;
        e->zygotes[i].env.zygote = true;
    }
    return e;
}

void osw_expander_close(osw_expander_t *expander)
{
    if (!expander)
        return;
    for (int i = 0; i < 2; i++)
        osw_zygote_leave(&expander->zygotes[i]);
    osw_scratch_close(expander->work_fd, expander->work_dir);
    osw_reaper_stop();
    osw_device_cpu_ops.close(expander->env.device);
    free(expander);
}

void osw_expander_end_left(void)
{
    osw_zygote_end_left();
}

int osw_expander_run(osw_expander_t *expander, osw_arena_t *arena,
                     const char *path, const char *asked, size_t n_shares,
                     const char **lines, size_t *n, struct osw_error *err)
{
    struct generators c = {.expander = expander,
                           .path = path,
                           .name = name_of(path),
                           .n = n_shares ? n_shares : 1};
    int rc = -1;

    c.sandboxes = osw_arena_array(arena, c.n, sizeof(struct osw_sandbox *));
    c.used = osw_arena_array(arena, c.n, sizeof(*c.used));
    if (!c.sandboxes || !c.used)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for generators");
    if (start(&c, err) == 0 && load(&c, arena, asked, n_shares, err) == 0 &&
        ask(&c, err) == 0)
        rc = join(&c, arena, lines, n, err);
    for (size_t i = 0; i < c.n; i++)
        osw_sandbox_destroy(c.sandboxes[i]);
    return rc;
}
