/* results/export/merge_tables.c - tables beside the results, merged */
#include <stdlib.h>
#include <string.h>

#include "results/export/merge_parts.h"
#include "results/file/file_sources.h"

static int add_devices(struct osw_merging *m, const struct osw_merge_input *in,
                       struct osw_error *err)
{
    size_t n;
    const struct osw_file_device *rows = osw_file_devices(in->file, &n);
    struct osw_replay_device *list =
        realloc(m->out.devices, (m->out.n_devices + n + 1) * sizeof(*list));

    if (!list)
        return osw_merge_no_memory(err);
    m->out.devices = list;
    for (size_t i = 0; i < n; i++) {
        struct osw_replay_device *d = &list[m->out.n_devices];

        *d = (struct osw_replay_device){.rank = rows[i].rank + in->rank_first,
                                        .host_id = rows[i].host_id,
                                        .device_id = rows[i].device_id,
                                        .info = rows[i].info};
        if (osw_merge_map_id(in, OSW_DICT_HOST, &d->host_id, err) ||
            osw_merge_map_id(in, OSW_DICT_DEVICE, &d->device_id, err))
            return -1;
        m->out.n_devices++;
    }
    return 0;
}

/* A column of a table into the members of an array of structs. */
static int fill(const struct osw_merge_input *in, const char *path,
                enum osw_column_type type, size_t bytes, size_t n, void *array,
                size_t stride, struct osw_error *err)
{
    char *values = malloc(n * bytes + 1);
    int rc = values ? osw_file_values(in->file, path, type, n, values, err)
                    : osw_merge_no_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++)
        memcpy((char *)array + i * stride, values + i * bytes, bytes);
    free(values);
    return rc;
}

#define FILL(path, type, member)                                               \
    fill(in, path, OSW_COLUMN_##type, sizeof(member), n, &(member),            \
         sizeof(*at), err)

static int add_ranks(struct osw_merging *m, const struct osw_merge_input *in,
                     struct osw_error *err)
{
    size_t n = (size_t)osw_file_rows(in->file, "/ranks");
    struct osw_rank_summary *list =
        realloc(m->out.ranks, (m->out.n_ranks + n + 1) * sizeof(*list));
    struct osw_rank_summary *at;

    if (!list)
        return osw_merge_no_memory(err);
    m->out.ranks = list;
    at = list + m->out.n_ranks;
    memset(at, 0, (n + 1) * sizeof(*at));
    if (n == 0)
        return 0;
    if (FILL("/ranks/rank", i32, at->rank) ||
        FILL("/ranks/host_id", u32, at->host_id) ||
        FILL("/ranks/device_id", u32, at->device_id))
        return -1;
#define X(field, units, text)                                                  \
    if (FILL("/ranks/" #field, i64, at->field))                                \
        return -1;
    OSW_RANK_MAP(X)
#undef X
    for (size_t i = 0; i < n; i++) {
        at[i].rank += in->rank_first;
        if (osw_merge_map_id(in, OSW_DICT_HOST, &at[i].host_id, err) ||
            osw_merge_map_id(in, OSW_DICT_DEVICE, &at[i].device_id, err))
            return -1;
    }
    m->out.n_ranks += n;
    return 0;
}

static uint8_t event_kind(const char *name)
{
    int kind = 0;

    while (kind < OSW_EVENT_COUNT &&
           strcmp(osw_event_name((enum osw_event_kind)kind), name) != 0)
        kind++;
    return (uint8_t)(kind < OSW_EVENT_COUNT ? kind : OSW_EVENT_NOTE);
}

static int add_events(struct osw_merging *m, const struct osw_merge_input *in,
                      struct osw_error *err)
{
    size_t n = (size_t)osw_file_rows(in->file, "/events");
    struct osw_replay_event *list =
        realloc(m->out.events, (m->out.n_events + n + 1) * sizeof(*list));
    const char *const *kinds, *const *texts;
    struct osw_replay_event *at;

    if (!list)
        return osw_merge_no_memory(err);
    m->out.events = list;
    at = list + m->out.n_events;
    if (n == 0)
        return 0;
    if (FILL("/events/t_ns", i64, at->t_ns) ||
        FILL("/events/rank", i32, at->rank) ||
        FILL("/events/value", i64, at->value) ||
        osw_file_texts(in->file, "/events/kind", n, &kinds, err) ||
        osw_file_texts(in->file, "/events/text", n, &texts, err))
        return -1;
    for (size_t i = 0; i < n; i++) {
        at[i].kind = event_kind(kinds[i]);
        at[i].text = texts[i];
        if (at[i].rank >= 0)
            at[i].rank += in->rank_first;
    }
    m->out.n_events += n;
    return 0;
}

/* Each assignment once. */
static int add_env(struct osw_merging *m, const struct osw_merge_input *in,
                   struct osw_error *err)
{
    size_t n = (size_t)osw_file_rows(in->file, "/provenance");
    size_t all = m->out.n_env;
    const char *const *keys, *const *values;
    const char **k, **v;

    if (n == 0)
        return 0;
    k = osw_arena_array(m->arena, all + n, sizeof(*k));
    v = osw_arena_array(m->arena, all + n, sizeof(*v));
    if (!k || !v)
        return osw_merge_no_memory(err);
    if (osw_file_texts(in->file, "/provenance/env_key", n, &keys, err) ||
        osw_file_texts(in->file, "/provenance/env_value", n, &values, err))
        return -1;
    for (size_t i = 0; i < all; i++) {
        k[i] = m->out.env_keys[i];
        v[i] = m->out.env_values[i];
    }
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;

        while (same < all && (strcmp(k[same], keys[i]) != 0 ||
                              strcmp(v[same], values[i]) != 0))
            same++;
        if (same < all)
            continue;
        k[all] = keys[i];
        v[all++] = values[i];
    }
    m->out.env_keys = k;
    m->out.env_values = v;
    m->out.n_env = all;
    return 0;
}

int osw_merge_tables(struct osw_merging *m, const struct osw_merge_input *in,
                     struct osw_error *err)
{
    return add_devices(m, in, err) || add_ranks(m, in, err) ||
                   add_events(m, in, err) || add_env(m, in, err) ||
                   osw_file_sources(in->file, &m->out.sources,
                                    &m->out.n_sources, err) ||
                   osw_generation_append(in->file, &m->generation, err)
               ? -1
               : 0;
}
