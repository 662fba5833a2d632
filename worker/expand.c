/* worker/expand.c - the expand phase: a generator's cases, run in a sandbox */
#include "worker/expand.h"

#include <stdlib.h>
#include <string.h>

#include "common/paths.h"
#include "worker/judge/box.h"

enum { WINDOW_BYTES = 256 << 20 /* only touched pages cost anything */ };

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int ask(const struct osw_expand_config *config, struct osw_box *box,
               const char *name, struct osw_expanded *out,
               struct osw_error *err)
{
    struct osw_writer w = osw_writer(box->message, sizeof(box->message));
    struct osw_reader r;

    osw_write_u8(&w, OSW_TALK_EXPAND);
    osw_write_u64(&w, config->seed);
    if (osw_box_send(box, &w) < 0 ||
        osw_box_receive(box, OSW_TALK_EXPANDED, config->deadline_ns, &r) < 0)
        return osw_fail(err, OSW_BAD_INPUT, "%s: %s", name, box->end.text);
    if (osw_protocol_get_expanded(&r, box->window.bytes, out, err) < 0)
        return -1;
    return out->ok ? 0
                   : osw_fail(err, OSW_BAD_INPUT, "%s: %s", name, out->text);
}

static int load(const struct osw_expand_config *config, struct osw_box *box,
                const char *path, const char *asked, struct osw_error *err)
{
    const char *name = name_of(path);
    struct osw_error why = OSW_ERROR_INIT;
    const struct osw_load load = {
        .window_bytes = WINDOW_BYTES,
        .n_threads = box->env->n_threads,
        .generator = true,
        .device = box->env->device->ops->kind,
        .path = path,
        .symbol = asked,
    };

    if (osw_box_load(box, &load, config->deadline_ns, &why) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT, "%s: %s", name,
                    osw_box_alive(box) ? why.text : box->end.text);
}

int osw_expand_run(const struct osw_expand_config *config, osw_arena_t *arena,
                   const char *path, const char *asked, const char **lines,
                   size_t *n, struct osw_error *err)
{
    struct osw_box_env env = {.sandbox_path = config->sandbox_path,
                              .window_bytes = WINDOW_BYTES,
                              .n_threads = 1};
    struct osw_expanded expanded;
    struct osw_box *box = NULL;
    char *copy;
    int rc = -1;

    env.python = osw_paths_python(config->python, err);
    if (!env.python || osw_device_cpu_ops.open(0, &env.device, err) < 0)
        return -1;
    box = osw_box_start(&env, err);
    if (!box || load(config, box, path, asked, err) < 0 ||
        ask(config, box, name_of(path), &expanded, err) < 0)
        goto out;
    copy = osw_arena_alloc(arena, expanded.bytes + 1);
    if (!copy) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
        goto out;
    }
    memcpy(copy, box->window.base, expanded.bytes);
    copy[expanded.bytes] = '\0';
    *lines = copy;
    *n = expanded.bytes;
    rc = 0;
out:
    osw_box_destroy(box);
    osw_device_cpu_ops.close(env.device);
    return rc;
}
