/* results/journal/replay.c - a journal, read back into what a file is made of
 */
#include "results/journal/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/grow.h"

/* The replay and what it owns, while and after loading. */
struct loading {
    struct osw_replay replay; /* first: it is what the caller sees */
    osw_arena_t *arena;
    size_t size_rows, size_devices, size_ranks, size_events, size_sources;
    bool has_run;
    bool borrows; /* the dictionaries, of which the journal has so many: */
    uint32_t n_read[OSW_DICT_COUNT];
    float *samples; /* [OSW_RECORD_MAX_SAMPLES], for the decoder */
};

/* Make room for one more of an array; false without memory. */
static bool grow(void *array, size_t n, size_t *size, size_t item)
{
    void **p = array;
    void *q = osw_grow(*p, n, size, item);

    if (q)
        *p = q;
    return q != NULL;
}

#define GROW(l, what)                                                          \
    grow(&(l)->replay.what, (l)->replay.n_##what, &(l)->size_##what,           \
         sizeof(*(l)->replay.what))

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to read the journal");
}

static int keep(struct loading *l, const char **s, struct osw_error *err)
{
    *s = osw_arena_strdup(l->arena, *s);
    return *s ? 0 : no_memory(err);
}

/* "K=V\0K=V\0..." into keys and values. */
static int add_env(struct loading *l, const char *env, size_t bytes,
                   struct osw_error *err)
{
    struct osw_replay *r = &l->replay;
    char *copy = osw_arena_strndup(l->arena, env ? env : "", bytes);
    const char **keys, **values;
    size_t n = 0;

    for (size_t i = 0; i < bytes; i++)
        n += env[i] == '\0';
    keys = osw_arena_array(l->arena, n, sizeof(*keys));
    values = osw_arena_array(l->arena, n, sizeof(*values));
    if (!copy || !keys || !values)
        return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(copy);
        char *equals = strchr(copy, '=');

        keys[i] = copy;
        values[i] = equals ? equals + 1 : "";
        if (equals)
            *equals = '\0';
        copy += len + 1;
    }
    r->n_env = n;
    r->env_keys = keys;
    r->env_values = values;
    return 0;
}

static int add_run(struct loading *l, const struct osw_entry *e,
                   const struct osw_frame *frame,
                   const struct osw_journal_place *place, struct osw_error *err)
{
    struct osw_run_info *i = &l->replay.info;

    (void)frame;
    (void)place;
    if (l->has_run)
        return 0; /* the first one is the run's */
    l->has_run = true;
    *i = e->run.info;
    l->replay.t_session_ns = i->t_start_ns;
    if (keep(l, &i->uuid, err) || keep(l, &i->campaign_path, err) ||
        keep(l, &i->campaign_json, err) ||
        keep(l, &i->campaign_resolved, err) || keep(l, &i->command_line, err) ||
        keep(l, &i->hostname, err) || keep(l, &i->tool_version, err) ||
        keep(l, &i->profile, err))
        return -1;
    return add_env(l, e->run.env, e->run.env_bytes, err);
}

static int add_plan(struct loading *l, const struct osw_entry *e,
                    const struct osw_frame *frame,
                    const struct osw_journal_place *place,
                    struct osw_error *err)
{
    (void)frame;
    (void)place;
    (void)err;
    l->replay.n_planned = e->plan.n_planned;
    memcpy(l->replay.plan_sha256, e->plan.sha256, 32);
    return 0;
}

static int add_dict(struct loading *l, const struct osw_entry *e,
                    const struct osw_frame *frame,
                    const struct osw_journal_place *place,
                    struct osw_error *err)
{
    enum osw_dict dict = (enum osw_dict)e->dict.dict;
    uint32_t id;
    bool is_new;

    (void)place;
    if (osw_dicts_intern(l->replay.dicts, dict, e->dict.text, &id, &is_new,
                         err))
        return -1;
    if (l->borrows && !is_new && id == l->n_read[dict]) {
        l->n_read[dict]++;
        return 0;
    }
    if (id != e->dict.id || !is_new)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record %" PRIu64
                        ": entry %u of /dict/%s is out of order",
                        frame->seq, e->dict.id, osw_dict_name(dict));
    return 0;
}

static int intern(struct loading *l, enum osw_dict dict, const char *text,
                  uint32_t *id, struct osw_error *err)
{
    bool is_new;

    if (osw_dicts_intern(l->replay.dicts, dict, text, id, &is_new, err))
        return -1;
    if (l->borrows && *id == l->n_read[dict])
        l->n_read[dict]++; /* of a journal that numbers no hosts */
    return 0;
}

static uint32_t n_entries(const struct loading *l, enum osw_dict dict)
{
    return l->borrows && !osw_dict_fixed(dict)
               ? l->n_read[dict]
               : osw_dicts_count(l->replay.dicts, dict);
}

static int add_device(struct loading *l, const struct osw_entry *e,
                      const struct osw_frame *frame,
                      const struct osw_journal_place *place,
                      struct osw_error *err)
{
    struct osw_replay_device d = {.rank = e->device.rank};

    (void)frame;
    (void)place;
    if (!GROW(l, devices))
        return no_memory(err);
    if (intern(l, OSW_DICT_HOST, e->device.host, &d.host_id, err) ||
        intern(l, OSW_DICT_DEVICE, e->device.device, &d.device_id, err))
        return -1;
    osw_device_info_init(&d.info);
    snprintf(d.info.name, sizeof(d.info.name), "%s", e->device.device);
    l->replay.devices[l->replay.n_devices++] = d;
    return 0;
}

/* Of the device that its rank has told of last. */
static int add_facts(struct loading *l, const struct osw_entry *e,
                     const struct osw_frame *frame,
                     const struct osw_journal_place *place,
                     struct osw_error *err)
{
    (void)place;
    for (size_t i = l->replay.n_devices; i-- > 0;)
        if (l->replay.devices[i].rank == e->facts.rank) {
            l->replay.devices[i].info = e->facts.info;
            return 0;
        }
    return osw_fail(err, OSW_BAD_INPUT,
                    "journal record %" PRIu64 ": no device of rank %d before",
                    frame->seq, (int)e->facts.rank);
}

/* Refuse ids without a dictionary entry: the file would show wrong texts. */
static int check_ids(const struct loading *l, const struct osw_record *r,
                     const struct osw_frame *frame, struct osw_error *err)
{
    const struct {
        enum osw_dict dict;
        uint32_t id;
    } ids[] = {
        {OSW_DICT_OP, r->op_id},
        {OSW_DICT_IMPL, r->impl_id},
        {OSW_DICT_CASE, r->case_id},
        {OSW_DICT_DTYPE, r->dtype_id},
        {OSW_DICT_FILL, r->fill_id},
        {OSW_DICT_HOST, r->host_id},
        {OSW_DICT_DEVICE, r->device_id},
        {OSW_DICT_REASON, r->reason_id},
        {OSW_DICT_OUTPUT, r->output_id},
        {OSW_DICT_REFERENCE, r->reference_id},
        {OSW_DICT_BASELINE, r->baseline_id},
    };

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        if (ids[i].id >= n_entries(l, ids[i].dict))
            return osw_fail(err, OSW_BAD_INPUT,
                            "journal record %" PRIu64
                            ": no entry %u in /dict/%s",
                            frame->seq, ids[i].id, osw_dict_name(ids[i].dict));
    return 0;
}

static int add_result(struct loading *l, const struct osw_entry *e,
                      const struct osw_frame *frame,
                      const struct osw_journal_place *place,
                      struct osw_error *err)
{
    const struct osw_record *r = &e->result;

    if (check_ids(l, r, frame, err))
        return -1;
    if (r->cell > OSW_REPLAY_MAX_CELL || r->sample_n > OSW_REPLAY_MAX_SAMPLES ||
        place->segment > OSW_REPLAY_MAX_SEGMENT ||
        place->payload_at > UINT32_MAX ||
        place->payload_bytes > OSW_REPLAY_MAX_PAYLOAD)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record %" PRIu64 ": cell %" PRIu64
                        " with %" PRIu32 " samples in segment %" PRIu32
                        ": cells are below %" PRIu64 ", segments below %d",
                        frame->seq, r->cell, r->sample_n, place->segment,
                        (uint64_t)OSW_REPLAY_MAX_CELL + 1,
                        OSW_REPLAY_MAX_SEGMENT + 1);
    if (!GROW(l, rows))
        return no_memory(err);
    l->replay.rows[l->replay.n_rows++] = (struct osw_replay_row){
        .cell = (uint32_t)r->cell,
        .payload_at = (uint32_t)place->payload_at,
        .segment = place->segment & OSW_REPLAY_MAX_SEGMENT,
        .sample_n = r->sample_n & OSW_REPLAY_MAX_SAMPLES,
        .payload_bytes = place->payload_bytes & OSW_REPLAY_MAX_PAYLOAD,
        .status = r->status_id,
    };
    return 0;
}

static int add_event(struct loading *l, const struct osw_entry *e,
                     const struct osw_frame *frame,
                     const struct osw_journal_place *place,
                     struct osw_error *err)
{
    struct osw_replay_event *event;

    (void)frame;
    (void)place;
    if (!GROW(l, events))
        return no_memory(err);
    event = &l->replay.events[l->replay.n_events++];
    event->t_ns = e->event.t_ns;
    event->value = e->event.value;
    event->rank = e->event.rank;
    event->kind = e->event.kind;
    event->text = e->event.text;
    if (event->kind == OSW_EVENT_RESUME) {
        l->replay.ended = l->replay.complete = false;
        l->replay.t_session_ns = event->t_ns;
        l->replay.prediction = (struct osw_run_prediction){.n_workers = 0};
    }
    return keep(l, &event->text, err);
}

static int add_end(struct loading *l, const struct osw_entry *e,
                   const struct osw_frame *frame,
                   const struct osw_journal_place *place, struct osw_error *err)
{
    (void)frame;
    (void)place;
    (void)err;
    l->replay.ended = true;
    l->replay.complete = e->end.complete != 0;
    l->replay.t_end_ns = e->end.t_ns;
    return 0;
}

static int add_rank(struct loading *l, const struct osw_entry *e,
                    const struct osw_frame *frame,
                    const struct osw_journal_place *place,
                    struct osw_error *err)
{
    (void)frame;
    (void)place;
    if (!GROW(l, ranks))
        return no_memory(err);
    l->replay.ranks[l->replay.n_ranks++] = e->rank;
    return 0;
}

static int add_source(struct loading *l, const struct osw_entry *e,
                      const struct osw_frame *frame,
                      const struct osw_journal_place *place,
                      struct osw_error *err)
{
    struct osw_run_source *source;

    (void)frame;
    (void)place;
    if (!GROW(l, sources))
        return no_memory(err);
    source = &l->replay.sources[l->replay.n_sources++];
    *source = e->source;
    return keep(l, &source->op, err) || keep(l, &source->file, err) ? -1 : 0;
}

static int add_shard(struct loading *l, const struct osw_entry *e,
                     const struct osw_frame *frame,
                     const struct osw_journal_place *place,
                     struct osw_error *err)
{
    (void)place;
    if (e->shard.n_cells < l->replay.n_planned)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record %" PRIu64 ": a shard of %" PRIu64
                        " cells in a campaign of %" PRIu64,
                        frame->seq, l->replay.n_planned, e->shard.n_cells);
    l->replay.info.shard = e->shard;
    return 0;
}

static int add_prediction(struct loading *l, const struct osw_entry *e,
                          const struct osw_frame *frame,
                          const struct osw_journal_place *place,
                          struct osw_error *err)
{
    (void)frame;
    (void)place;
    (void)err;
    l->replay.prediction = e->prediction;
    return 0;
}

static int pass_over(struct loading *l, const struct osw_entry *e,
                     const struct osw_frame *frame,
                     const struct osw_journal_place *place,
                     struct osw_error *err)
{
    (void)l;
    (void)e;
    (void)frame;
    (void)place;
    (void)err;
    return 0;
}

#define add_begin pass_over
#define add_seal  pass_over

static int (*const adders[])(struct loading *l, const struct osw_entry *e,
                             const struct osw_frame *frame,
                             const struct osw_journal_place *place,
                             struct osw_error *err) = {
#define X(number, NAME, field) [number] = add_##field,
    OSW_ENTRY_MAP(X)
#undef X
};

static int add(void *arg, const struct osw_frame *frame,
               const struct osw_journal_place *place, struct osw_error *err)
{
    struct loading *l = arg;
    struct osw_entry entry;
    int rc = osw_entry_decode(frame, &entry, l->samples, err);

    if (frame->type != OSW_ENTRY_SEAL)
        l->replay.last_seq = frame->seq;
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    return adders[entry.type](l, &entry, frame, place, err);
}

static int by_rank(const void *a, const void *b)
{
    const struct osw_rank_summary *x = a, *y = b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Its writer has no text that it does not hold. */
static int check_own(const struct loading *l, struct osw_error *err)
{
    for (int d = 0; l->borrows && d < OSW_DICT_COUNT; d++)
        if (n_entries(l, (enum osw_dict)d) !=
            osw_dicts_count(l->replay.dicts, (enum osw_dict)d))
            return osw_fail(err, OSW_BAD_INPUT,
                            "journal '%s' has %u entries in /dict/%s, its "
                            "writer %u",
                            l->replay.dir, n_entries(l, (enum osw_dict)d),
                            osw_dict_name((enum osw_dict)d),
                            osw_dicts_count(l->replay.dicts, (enum osw_dict)d));
    return 0;
}

static int load(struct loading *l, const char *dir, struct osw_error *err)
{
    struct osw_replay *r = &l->replay;
    struct osw_journal_tail tail;

    l->arena = osw_arena_create();
    l->samples = malloc(OSW_RECORD_MAX_SAMPLES * sizeof(*l->samples));
    if (!l->borrows)
        r->dicts = osw_dicts_create_lean();
    r->dir = strdup(dir);
    if (!l->arena || !l->samples || !r->dicts || !r->dir)
        return no_memory(err);
    if (osw_journal_scan(dir, add, l, &tail, err))
        return -1;
    if (!l->has_run)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal '%s' ends before it says what is run", dir);
    if (check_own(l, err))
        return -1;
    memcpy(r->campaign_sha256, tail.first.campaign_sha256, 32);
    r->dropped_bytes = tail.dropped_bytes;
    r->tail_seq = tail.last_seq;
    r->n_superseded = r->n_rows;
    r->n_rows = osw_replay_rows_settle(r->rows, r->n_rows);
    r->n_superseded -= r->n_rows;
    for (size_t i = 0; i < r->n_rows; i++)
        r->n_samples += r->rows[i].sample_n;
    if (r->n_ranks)
        qsort(r->ranks, r->n_ranks, sizeof(*r->ranks), by_rank);
    return 0;
}

struct osw_replay *osw_replay_load(const char *dir, struct osw_error *err)
{
    return osw_replay_load_own(dir, NULL, err);
}

struct osw_replay *osw_replay_load_own(const char *dir, osw_dicts_t *dicts,
                                       struct osw_error *err)
{
    struct loading *l = calloc(1, sizeof(*l));

    if (!l) {
        no_memory(err);
        return NULL;
    }
    l->borrows = dicts != NULL;
    l->replay.dicts = dicts;
    for (int d = 0; d < OSW_DICT_COUNT; d++)
        l->n_read[d] = 1; /* entry 0 is in none */
    if (load(l, dir, err)) {
        osw_replay_destroy(&l->replay);
        return NULL;
    }
    return &l->replay;
}

osw_dicts_t *osw_replay_take_dicts(struct osw_replay *replay)
{
    ((struct loading *)replay)->borrows = true;
    return replay->dicts;
}

void osw_replay_destroy(struct osw_replay *replay)
{
    struct loading *l = (struct loading *)replay;

    if (!l)
        return;
    if (!l->borrows)
        osw_dicts_destroy(replay->dicts);
    free(replay->dir);
    free(replay->rows);
    free(replay->devices);
    free(replay->ranks);
    free(replay->events);
    free(replay->sources);
    free(l->samples);
    osw_arena_destroy(l->arena);
    free(l);
}
