/* results/journal/entry.c - what the records of a journal say */
#include "results/journal/entry.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/secret.h"
#include "common/wire.h"

static const char *const event_names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_EVENT_MAP(X)
#undef X
};

static const char *const env_allowed[] = {
    "CUDA_*=*",
    "NCCL_*=*",
    "SLURM_*=*",
    "OMP_*=*",
    "OPSWEEP_ISOLATION=*",
    "OPSWEEP_REVISION=*",
};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

const char *osw_event_name(enum osw_event_kind kind)
{
    return (size_t)kind < N_ELEM(event_names) ? event_names[kind] : "?";
}

bool osw_entry_env_allowed(const char *assignment)
{
    for (size_t i = 0; i < N_ELEM(env_allowed); i++)
        if (fnmatch(env_allowed[i], assignment, 0) == 0)
            return !osw_secret_name(assignment);
    return false;
}

/* Writing: into a text that grows, as common/wire.h would. */

#define PUT(t, v) osw_text_add_n(t, (const char *)&(v), sizeof(v))

/* Texts here may be long: u32 length, bytes, NUL. */
static void put_str(struct osw_text *t, const char *s)
{
    uint32_t n = s ? (uint32_t)strlen(s) : 0;

    PUT(t, n);
    osw_text_add_n(t, s ? s : "", n + 1);
}

static void put_env(struct osw_text *t, const char *const *env)
{
    struct osw_text all = OSW_TEXT_INIT;
    uint32_t n;

    for (size_t i = 0; env && env[i]; i++)
        if (osw_entry_env_allowed(env[i]))
            osw_text_add_n(&all, env[i], strlen(env[i]) + 1);
    n = (uint32_t)all.used;
    PUT(t, n);
    osw_text_add_n(t, all.data ? all.data : "", n);
    t->failed = t->failed || all.failed;
    osw_text_free(&all);
}

static void put_run(const struct osw_entry *e, struct osw_text *t)
{
    const struct osw_run_info *i = &e->run.info;

    put_str(t, i->uuid);
    put_str(t, i->campaign_path);
    put_str(t, i->campaign_json);
    put_str(t, i->campaign_resolved);
    put_str(t, i->command_line);
    put_str(t, i->hostname);
    put_str(t, i->tool_version);
    put_str(t, i->profile);
    PUT(t, i->seed);
    PUT(t, i->n_planned);
    PUT(t, i->mpi_size);
    PUT(t, i->t_start_ns);
    put_env(t, i->env);
}

static void put_plan(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->plan.n_planned);
    PUT(t, e->plan.sha256);
}

static void put_dict(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->dict.dict);
    PUT(t, e->dict.id);
    put_str(t, e->dict.text);
}

static void put_device(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->device.rank);
    put_str(t, e->device.host);
    put_str(t, e->device.device);
}

static void put_begin(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->begin.cell);
    PUT(t, e->begin.rank);
    PUT(t, e->begin.attempt);
}

static void put_result(const struct osw_entry *e, struct osw_text *t)
{
    unsigned char buffer[OSW_RECORD_MAX_BYTES];
    struct osw_writer w = osw_writer(buffer, sizeof(buffer));

    osw_record_encode(&e->result, &w);
    osw_text_add_n(t, (const char *)buffer, w.used);
    t->failed = t->failed || w.overrun;
}

static void put_event(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->event.t_ns);
    PUT(t, e->event.kind);
    PUT(t, e->event.rank);
    PUT(t, e->event.value);
    put_str(t, e->event.text);
}

static void put_end(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->end.t_ns);
    PUT(t, e->end.complete);
}

static void put_seal(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->seal.n_results);
    PUT(t, e->seal.complete);
}

static void put_rank(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->rank.rank);
    PUT(t, e->rank.host_id);
    PUT(t, e->rank.device_id);
#define X(field, units, text) PUT(t, e->rank.field);
    OSW_RANK_MAP(X)
#undef X
}

static void put_facts(const struct osw_entry *e, struct osw_text *t)
{
    unsigned char buffer[OSW_DEVICE_INFO_MAX_BYTES];
    struct osw_writer w = osw_writer(buffer, sizeof(buffer));

    PUT(t, e->facts.rank);
    osw_device_info_encode(&e->facts.info, &w);
    osw_text_add_n(t, (const char *)buffer, w.used);
    t->failed = t->failed || w.overrun;
}

static void put_source(const struct osw_entry *e, struct osw_text *t)
{
    put_str(t, e->source.op);
    put_str(t, e->source.file);
    PUT(t, e->source.sha256);
}

static void put_shard(const struct osw_entry *e, struct osw_text *t)
{
    PUT(t, e->shard.index);
    PUT(t, e->shard.n);
    PUT(t, e->shard.n_cells);
    PUT(t, e->shard.sha256);
}

/* Reading: no length is trusted. */

static const char *get_str(struct osw_reader *r)
{
    size_t n = osw_read_u32(r);
    const char *p = osw_read_raw(r, n + 1);

    if (p && (p[n] != '\0' || memchr(p, '\0', n))) {
        r->overrun = true;
        p = NULL;
    }
    return p ? p : "";
}

static void get_run(struct osw_reader *r, struct osw_entry *e)
{
    struct osw_run_info *i = &e->run.info;

    i->uuid = get_str(r);
    i->campaign_path = get_str(r);
    i->campaign_json = get_str(r);
    i->campaign_resolved = get_str(r);
    i->command_line = get_str(r);
    i->hostname = get_str(r);
    i->tool_version = get_str(r);
    i->profile = get_str(r);
    i->seed = osw_read_u64(r);
    i->n_planned = osw_read_u64(r);
    i->mpi_size = osw_read_u32(r);
    i->t_start_ns = osw_read_i64(r);
    e->run.env_bytes = osw_read_u32(r);
    e->run.env = osw_read_raw(r, e->run.env_bytes);
    if (r->overrun ||
        (e->run.env_bytes && e->run.env[e->run.env_bytes - 1] != '\0'))
        r->overrun = true;
}

static void get_plan(struct osw_reader *r, struct osw_entry *e)
{
    const void *p;

    e->plan.n_planned = osw_read_u64(r);
    p = osw_read_raw(r, sizeof(e->plan.sha256));
    if (p)
        memcpy(e->plan.sha256, p, sizeof(e->plan.sha256));
}

static void get_dict(struct osw_reader *r, struct osw_entry *e)
{
    e->dict.dict = osw_read_u8(r);
    e->dict.id = osw_read_u32(r);
    e->dict.text = get_str(r);
    if (e->dict.dict >= OSW_DICT_COUNT)
        r->overrun = true;
}

static void get_device(struct osw_reader *r, struct osw_entry *e)
{
    e->device.rank = osw_read_i32(r);
    e->device.host = get_str(r);
    e->device.device = get_str(r);
}

static void get_begin(struct osw_reader *r, struct osw_entry *e)
{
    e->begin.cell = osw_read_u64(r);
    e->begin.rank = osw_read_i32(r);
    e->begin.attempt = osw_read_u32(r);
}

static void get_event(struct osw_reader *r, struct osw_entry *e)
{
    e->event.t_ns = osw_read_i64(r);
    e->event.kind = osw_read_u8(r);
    e->event.rank = osw_read_i32(r);
    e->event.value = osw_read_i64(r);
    e->event.text = get_str(r);
    if (e->event.kind >= OSW_EVENT_COUNT)
        r->overrun = true;
}

static void get_end(struct osw_reader *r, struct osw_entry *e)
{
    e->end.t_ns = osw_read_i64(r);
    e->end.complete = osw_read_u8(r);
}

static void get_seal(struct osw_reader *r, struct osw_entry *e)
{
    e->seal.n_results = osw_read_u64(r);
    e->seal.complete = osw_read_u8(r);
}

static void get_rank(struct osw_reader *r, struct osw_entry *e)
{
    e->rank.rank = osw_read_i32(r);
    e->rank.host_id = osw_read_u32(r);
    e->rank.device_id = osw_read_u32(r);
#define X(field, units, text) e->rank.field = osw_read_i64(r);
    OSW_RANK_MAP(X)
#undef X
}

static void get_facts(struct osw_reader *r, struct osw_entry *e)
{
    e->facts.rank = osw_read_i32(r);
    if (osw_device_info_decode(r, &e->facts.info, NULL) < 0)
        r->overrun = true;
}

static void get_source(struct osw_reader *r, struct osw_entry *e)
{
    const void *p;

    e->source.op = get_str(r);
    e->source.file = get_str(r);
    p = osw_read_raw(r, sizeof(e->source.sha256));
    if (p)
        memcpy(e->source.sha256, p, sizeof(e->source.sha256));
}

static void get_shard(struct osw_reader *r, struct osw_entry *e)
{
    const void *p;

    e->shard.index = osw_read_u32(r);
    e->shard.n = osw_read_u32(r);
    e->shard.n_cells = osw_read_u64(r);
    p = osw_read_raw(r, sizeof(e->shard.sha256));
    if (p)
        memcpy(e->shard.sha256, p, sizeof(e->shard.sha256));
    if (e->shard.index == 0 || e->shard.index > e->shard.n)
        r->overrun = true;
}

/* The reader of results needs memory for samples and words its own errors. */
static void get_result(struct osw_reader *r, struct osw_entry *e)
{
    (void)e;
    r->overrun = true;
}

static const struct codec {
    const char *name;
    void (*put)(const struct osw_entry *e, struct osw_text *t);
    void (*get)(struct osw_reader *r, struct osw_entry *e);
} codecs[] = {
#define X(number, NAME, field) [number] = {#NAME, put_##field, get_##field},
    OSW_ENTRY_MAP(X)
#undef X
};

int osw_entry_encode(const struct osw_entry *entry, struct osw_text *out,
                     struct osw_error *err)
{
    osw_text_reset(out);
    codecs[entry->type].put(entry, out);
    if (out->failed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a journal record");
    return 0;
}

int osw_entry_decode(const struct osw_frame *frame, struct osw_entry *out,
                     float *samples, struct osw_error *err)
{
    struct osw_reader r = osw_reader(frame->payload, frame->payload_bytes);
    struct osw_error why = OSW_ERROR_INIT;
    const struct codec *codec;

    if (frame->type == 0 || frame->type >= N_ELEM(codecs) ||
        frame->version != OSW_ENTRY_VERSION)
        return 1;
    codec = &codecs[frame->type];
    memset(out, 0, sizeof(*out));
    out->type = (enum osw_entry_type)frame->type;
    if (out->type != OSW_ENTRY_RESULT)
        codec->get(&r, out);
    else if (osw_record_decode(&r, &out->result, samples, &why))
        return osw_fail(err, OSW_BAD_INPUT, "journal record %" PRIu64 ": %s",
                        frame->seq, why.text);
    if (!osw_reader_done(&r))
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record %" PRIu64 ": malformed %s", frame->seq,
                        codec->name);
    return 0;
}
