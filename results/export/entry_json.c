/* results/export/entry_json.c - a record of the journal as one line of JSON */
#include "results/export/entry_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/json_out.h"
#include "results/report/report.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void put_hex(struct osw_json_out *o, const char *key,
                    const uint8_t sha[32])
{
    char hex[65];

    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", sha[i]);
    osw_json_out_str(o, key, hex);
}

static void put_run(struct osw_json_out *o, const struct osw_entry *e,
                    const osw_dicts_t *dicts)
{
    const struct osw_run_info *i = &e->run.info;

    (void)dicts;
    osw_json_out_str(o, "uuid", i->uuid);
    osw_json_out_str(o, "campaign_path", i->campaign_path);
    osw_json_out_str(o, "campaign_json", i->campaign_json);
    osw_json_out_str(o, "campaign_resolved", i->campaign_resolved);
    osw_json_out_str(o, "command_line", i->command_line);
    osw_json_out_str(o, "hostname", i->hostname);
    osw_json_out_str(o, "tool_version", i->tool_version);
    osw_json_out_str(o, "profile", i->profile);
    osw_json_out_u64(o, "seed", i->seed);
    osw_json_out_u64(o, "n_planned", i->n_planned);
    osw_json_out_u64(o, "mpi_size", i->mpi_size);
    osw_json_out_i64(o, "t_start_ns", i->t_start_ns);
    osw_json_out_list(o, "env");
    for (size_t at = 0; at < e->run.env_bytes;
         at += strlen(e->run.env + at) + 1)
        osw_json_out_str(o, NULL, e->run.env + at);
    osw_json_out_end(o);
}

static void put_plan(struct osw_json_out *o, const struct osw_entry *e,
                     const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_u64(o, "n_planned", e->plan.n_planned);
    put_hex(o, "sha256", e->plan.sha256);
}

static void put_dict(struct osw_json_out *o, const struct osw_entry *e,
                     const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_str(o, "dict", osw_dict_name((enum osw_dict)e->dict.dict));
    osw_json_out_u64(o, "id", e->dict.id);
    osw_json_out_str(o, "text", e->dict.text);
}

static void put_device(struct osw_json_out *o, const struct osw_entry *e,
                       const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_i64(o, "rank", e->device.rank);
    osw_json_out_str(o, "host", e->device.host);
    osw_json_out_str(o, "device", e->device.device);
}

static void put_begin(struct osw_json_out *o, const struct osw_entry *e,
                      const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_u64(o, "cell", e->begin.cell);
    osw_json_out_i64(o, "rank", e->begin.rank);
    osw_json_out_u64(o, "attempt", e->begin.attempt);
}

/* One column, unless it is missing: `none` is an empty record. */
static void put_column(struct osw_json_out *o, const struct osw_record *r,
                       const struct osw_record *none,
                       const struct osw_column *c, const osw_dicts_t *dicts)
{
    static const size_t bytes[] = {
        [OSW_COLUMN_u8] = 1,  [OSW_COLUMN_u32] = 4, [OSW_COLUMN_u64] = 8,
        [OSW_COLUMN_i32] = 4, [OSW_COLUMN_i64] = 8, [OSW_COLUMN_f64] = 8,
    };
    const char *p = (const char *)r + c->offset;
    enum osw_dict dict = osw_report_dict(c);
    uint64_t u = 0;
    int64_t i64;
    int32_t i32;
    double f64;

    if (memcmp(p, (const char *)none + c->offset, bytes[c->type]) == 0 &&
        strcmp(c->name, "cell") != 0)
        return;
    memcpy(&u, p, bytes[c->type]); /* the host is little-endian */
    if (dict != OSW_DICT_COUNT && osw_dicts_text(dicts, dict, (uint32_t)u)) {
        osw_json_out_str(o, osw_dict_name(dict),
                         osw_dicts_text(dicts, dict, (uint32_t)u));
    } else if (strcmp(c->name, "cell_key") == 0) {
        char key[19];

        snprintf(key, sizeof(key), "0x%016" PRIx64, u);
        osw_json_out_str(o, c->name, key);
    } else if (c->type == OSW_COLUMN_f64) {
        memcpy(&f64, p, sizeof(f64));
        osw_json_out_f64(o, c->name, f64);
    } else if (c->type == OSW_COLUMN_i64) {
        memcpy(&i64, p, sizeof(i64));
        osw_json_out_i64(o, c->name, i64);
    } else if (c->type == OSW_COLUMN_i32) {
        memcpy(&i32, p, sizeof(i32));
        osw_json_out_i64(o, c->name, i32);
    } else {
        osw_json_out_u64(o, c->name, u);
    }
}

static void put_result(struct osw_json_out *o, const struct osw_entry *e,
                       const osw_dicts_t *dicts)
{
    const struct osw_record *r = &e->result;
    const struct osw_column *columns;
    struct osw_record none;
    size_t n;

    osw_record_init(&none);
    columns = osw_record_columns(&n);
    for (size_t i = 0; i < n; i++)
        put_column(o, r, &none, &columns[i], dicts);
    if (r->sample_n == 0)
        return;
    osw_json_out_list(o, "samples");
    for (uint32_t i = 0; i < r->sample_n; i++)
        osw_json_out_f64(o, NULL, (double)r->samples[i]);
    osw_json_out_end(o);
}

static void put_event(struct osw_json_out *o, const struct osw_entry *e,
                      const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_i64(o, "t_ns", e->event.t_ns);
    osw_json_out_str(o, "kind",
                     osw_event_name((enum osw_event_kind)e->event.kind));
    osw_json_out_i64(o, "rank", e->event.rank);
    osw_json_out_i64(o, "value", e->event.value);
    osw_json_out_str(o, "text", e->event.text);
}

static void put_end(struct osw_json_out *o, const struct osw_entry *e,
                    const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_i64(o, "t_ns", e->end.t_ns);
    osw_json_out_bool(o, "complete", e->end.complete != 0);
}

static void put_seal(struct osw_json_out *o, const struct osw_entry *e,
                     const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_u64(o, "n_results", e->seal.n_results);
    osw_json_out_bool(o, "complete", e->seal.complete != 0);
}

static void put_rank(struct osw_json_out *o, const struct osw_entry *e,
                     const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_i64(o, "rank", e->rank.rank);
#define X(field, units, text) osw_json_out_i64(o, #field, e->rank.field);
    OSW_RANK_MAP(X)
#undef X
}

static void put_facts(struct osw_json_out *o, const struct osw_entry *e,
                      const osw_dicts_t *dicts)
{
    const struct osw_device_info *d = &e->facts.info;

    (void)dicts;
    osw_json_out_i64(o, "rank", e->facts.rank);
#define X(wire, type, field, units, text)                                      \
    osw_json_out_f64(o, #field, (double)d->field);
#define T(size, field, text) osw_json_out_str(o, #field, d->field);
    OSW_DEVICE_INFO_MAP(X, T)
#undef X
#undef T
}

static void put_source(struct osw_json_out *o, const struct osw_entry *e,
                       const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_str(o, "op", e->source.op);
    osw_json_out_str(o, "file", e->source.file);
    put_hex(o, "sha256", e->source.sha256);
}

static void put_shard(struct osw_json_out *o, const struct osw_entry *e,
                      const osw_dicts_t *dicts)
{
    (void)dicts;
    osw_json_out_u64(o, "index", e->shard.index);
    osw_json_out_u64(o, "n", e->shard.n);
    osw_json_out_u64(o, "n_cells", e->shard.n_cells);
    put_hex(o, "sha256", e->shard.sha256);
}

static const struct row {
    const char *name;
    void (*put)(struct osw_json_out *o, const struct osw_entry *e,
                const osw_dicts_t *dicts);
} rows[] = {
#define X(number, NAME, field) [number] = {#field, put_##field},
    OSW_ENTRY_MAP(X)
#undef X
};

const char *osw_entry_name(unsigned type)
{
    return type < N_ELEM(rows) && rows[type].name ? rows[type].name : "?";
}

/* Everything on one line: in JSON, line ends stand between values only. */
static void join_lines(struct osw_text *t, size_t from)
{
    size_t to = from;

    for (size_t i = from; i < t->used; i++) {
        if (t->data[i] != '\n') {
            t->data[to++] = t->data[i];
            continue;
        }
        while (i + 1 < t->used && t->data[i + 1] == ' ')
            i++;
        if (to > from && t->data[to - 1] == ',')
            t->data[to++] = ' ';
    }
    t->used = to;
}

int osw_entry_json(const struct osw_frame *frame,
                   const struct osw_journal_place *place,
                   const struct osw_entry *entry, osw_dicts_t *dicts,
                   struct osw_text *out, struct osw_error *err)
{
    struct osw_json_out o = osw_json_out(out);
    size_t from = out->used;
    uint32_t id;
    bool is_new;

    if (entry && entry->type == OSW_ENTRY_DICT &&
        osw_dicts_intern(dicts, (enum osw_dict)entry->dict.dict,
                         entry->dict.text, &id, &is_new, err))
        return -1;
    osw_json_out_object(&o, NULL);
    osw_json_out_u64(&o, "seq", frame->seq);
    osw_json_out_u64(&o, "segment", place->segment);
    osw_json_out_u64(&o, "offset", place->payload_at - OSW_FRAME_HEADER_BYTES);
    osw_json_out_str(&o, "type", osw_entry_name(frame->type));
    if (entry) {
        rows[entry->type].put(&o, entry, dicts);
    } else {
        osw_json_out_u64(&o, "number", frame->type);
        osw_json_out_u64(&o, "version", frame->version);
    }
    osw_json_out_end(&o);
    if (!out->failed)
        join_lines(out, from);
    osw_text_add(out, "\n");
    if (out->failed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to print a record");
    return 0;
}
