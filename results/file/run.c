/* results/file/run.c - the results of one run: what the coordinator calls */
#include "results/file/run.h"

#include <errno.h>
#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/grow.h"
#include "results/file/run_place.h"
#include "results/file/seal.h"
#include "results/journal/journal.h"
#include "results/journal/lock.h"
#include "results/journal/replay.h"

struct rank_device {
    int32_t rank;
    uint32_t host_id, device_id;
};

struct osw_run {
    char *path;
    char *journal_dir;
    char uuid[37];
    uint64_t n_numbers;     /* numbers of cells are below */
    osw_journal_t *journal; /* NULL once it was removed */
    osw_dicts_t *dicts;
    struct rank_device *ranks; /* [n_ranks] */
    size_t n_ranks, size_ranks;
    struct osw_text payload; /* of the entry being written */
    struct osw_entry entry;  /* and the entry; large, so kept */
    uint64_t n_results;
    uint64_t n_in_group[OSW_GROUP_COUNT];
};

/* A random UUID, version 4. */
static int make_uuid(char out[37], struct osw_error *err)
{
    unsigned char b[16];

    if (getrandom(b, sizeof(b), 0) != sizeof(b))
        return osw_fail_sys(err, errno, "no random numbers");
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(out, 37,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
             b[11], b[12], b[13], b[14], b[15]);
    return 0;
}

/* Of the campaign file, or of what was made of flags alone. */
static void hash_campaign(const struct osw_run_info *info, uint8_t out[32])
{
    const char *text = info->campaign_json;
    SHA2_CTX sha;

    if (!text || !*text)
        text = info->campaign_resolved ? info->campaign_resolved : "";
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)text, strlen(text));
    SHA256Final(out, &sha);
}

/* Append run->entry to the journal. */
static int put(osw_run_t *run, enum osw_entry_type type, struct osw_error *err)
{
    run->entry.type = type;
    if (!run->journal)
        return osw_fail(err, OSW_INTERNAL, "run '%s' is sealed", run->path);
    if (osw_entry_encode(&run->entry, &run->payload, err))
        return -1;
    return osw_journal_append(run->journal, (uint16_t)type, OSW_ENTRY_VERSION,
                              run->payload.data, run->payload.used, err);
}

static int open_journal(osw_run_t *run, const char *dir,
                        const struct osw_run_info *info, struct osw_error *err)
{
    uint8_t sha[32];
    struct osw_journal_config config = {
        .uuid = run->uuid,
        .campaign_sha256 = sha,
        .tool_version = info->tool_version ? info->tool_version : "",
    };

    hash_campaign(info, sha);
    run->journal = osw_journal_create(dir, &config, err);
    if (!run->journal)
        return osw_error_in(err, "cannot write the result file '%s'",
                            run->path);
    return 0;
}

static int put_start(osw_run_t *run, const struct osw_run_info *info,
                     struct osw_error *err)
{
    run->entry.run.info = *info;
    run->entry.run.info.uuid = run->uuid;
    if (put(run, OSW_ENTRY_RUN, err))
        return -1;
    memset(&run->entry, 0, sizeof(run->entry));
    run->entry.plan.n_planned = info->n_planned;
    if (info->plan_sha256)
        memcpy(run->entry.plan.sha256, info->plan_sha256, 32);
    if (put(run, OSW_ENTRY_PLAN, err))
        return -1;
    run->entry.shard = info->shard;
    if (info->shard.n && put(run, OSW_ENTRY_SHARD, err))
        return -1;
    for (size_t i = 0; i < info->n_sources; i++) {
        const struct osw_run_source *source = &info->sources[i];

        run->entry.source.op = source->op;
        run->entry.source.file = source->file;
        memcpy(run->entry.source.sha256, source->sha256, 32);
        if (put(run, OSW_ENTRY_SOURCE, err))
            return -1;
    }
    return osw_journal_commit(run->journal, err);
}

static osw_run_t *new_run(const char *path, const struct osw_run_info *info)
{
    osw_run_t *run = calloc(1, sizeof(*run));

    if (!run)
        return NULL;
    run->path = strdup(path);
    run->journal_dir = malloc(strlen(path) + sizeof(".journal"));
    run->dicts = osw_dicts_create_lean();
    run->n_numbers = info->shard.n ? info->shard.n_cells : info->n_planned;
    if (!run->path || !run->journal_dir || !run->dicts) {
        osw_run_close(run);
        return NULL;
    }
    sprintf(run->journal_dir, "%s.journal", path);
    return run;
}

/* Make the journal under another name, "<dir>.new": what is called FILE.journal
 * says what is run, whenever this process ends.
 */
static int make_journal(osw_run_t *run, const char *temp,
                        const struct osw_run_info *info, struct osw_error *err)
{
    if (access(temp, F_OK) == 0 && osw_journal_discard(temp, err))
        return -1;
    if (open_journal(run, temp, info, err))
        return -1;
    return put_start(run, info, err);
}

/* Put the new journal in the place of an old one, if that is wanted. */
static int start_journal(osw_run_t *run, const struct osw_run_info *info,
                         bool force, struct osw_error *err)
{
    struct osw_text temp = OSW_TEXT_INIT;
    osw_journal_t *journal;
    int rc = -1;

    osw_text_printf(&temp, "%s.new", run->journal_dir);
    if (temp.failed)
        osw_fail(err, OSW_NO_MEMORY, "no memory for run '%s'", run->path);
    else
        rc = make_journal(run, osw_text_str(&temp), info, err);
    if (rc == 0 && force && access(run->journal_dir, F_OK) == 0)
        rc = osw_journal_discard(run->journal_dir, err);
    if (rc == 0)
        rc = osw_journal_rename(run->journal, run->journal_dir, err);
    if (rc && run->journal) {
        journal = run->journal;
        run->journal = NULL;
        (void)!osw_journal_remove(journal, err); /* err has the cause */
    }
    osw_text_free(&temp);
    return rc;
}

/* Make the journal, in the place of an old one if that is wanted. */
static int start(osw_run_t *run, const struct osw_run_info *info, bool force,
                 struct osw_error *err)
{
    if (info->uuid && strlen(info->uuid) != 36)
        return osw_fail(err, OSW_INTERNAL, "'%s' is no uuid", info->uuid);
    if (info->uuid)
        memcpy(run->uuid, info->uuid, sizeof(run->uuid));
    else if (make_uuid(run->uuid, err))
        return -1;
    if (osw_run_place_check(run->path, run->journal_dir, force, err) ||
        start_journal(run, info, force, err))
        return -1;
    /* Only now, when there is something to take its place. */
    if (force && unlink(run->path) && errno != ENOENT)
        return osw_fail_sys(err, errno, "cannot remove '%s'", run->path);
    return 0;
}

osw_run_t *osw_run_create(const char *path, const struct osw_run_info *info,
                          bool force, struct osw_error *err)
{
    osw_run_t *run = new_run(path, info);

    if (!run) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for run '%s'", path);
        return NULL;
    }
    if (start(run, info, force, err)) {
        osw_run_close(run);
        return NULL;
    }
    return run;
}

/* What the journal has numbered and counted already. */
static void take_in(osw_run_t *run, struct osw_replay *r)
{
    memcpy(run->uuid, r->info.uuid, sizeof(run->uuid));
    run->n_numbers = osw_replay_n_numbers(r);
    osw_dicts_destroy(run->dicts);
    run->dicts = osw_replay_take_dicts(r);
    for (size_t i = 0; i < r->n_rows; i++) {
        enum osw_state state = (enum osw_state)r->rows[i].status;

        if (osw_state_group(state) == OSW_GROUP_INFRA)
            continue; /* they will be tried again */
        run->n_results++;
        run->n_in_group[osw_state_group(state)]++;
    }
}

static int reopen(osw_run_t *run, uint64_t expected_seq,
                  const struct osw_run_info *info, struct osw_error *err)
{
    static const struct osw_journal_config config = {.patience_ns =
                                                         OSW_LOCK_PATIENCE_NS};
    struct osw_replay *replay;

    run->journal = osw_journal_open(run->journal_dir, &config, err);
    if (!run->journal)
        return -1;
    if (expected_seq && osw_journal_committed(run->journal) != expected_seq)
        return osw_fail(err, OSW_BAD_INPUT,
                        "another opsweep wrote to '%s' meanwhile: try again",
                        run->journal_dir);
    replay = osw_replay_load(run->journal_dir, err);
    if (!replay)
        return -1;
    take_in(run, replay);
    osw_replay_destroy(replay);
    if (!info)
        return 0;
    return osw_run_event(run, OSW_EVENT_RESUME, -1, (int64_t)info->mpi_size,
                         info->command_line, err) ||
                   osw_journal_commit(run->journal, err)
               ? -1
               : 0;
}

osw_run_t *osw_run_open(const char *path, uint64_t expected_seq,
                        const struct osw_run_info *info, struct osw_error *err)
{
    static const struct osw_run_info none;
    osw_run_t *run = new_run(path, info ? info : &none);

    if (!run) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for run '%s'", path);
        return NULL;
    }
    if (reopen(run, expected_seq, info, err)) {
        osw_run_close(run);
        return NULL;
    }
    return run;
}

void osw_run_set_relaxed(osw_run_t *run, bool relaxed)
{
    if (run->journal)
        osw_journal_set_relaxed(run->journal, relaxed);
}

void osw_run_close(osw_run_t *run)
{
    if (!run)
        return;
    osw_journal_close(run->journal);
    osw_dicts_destroy(run->dicts);
    osw_text_free(&run->payload);
    free(run->ranks);
    free(run->path);
    free(run->journal_dir);
    free(run);
}

const char *osw_run_uuid(const osw_run_t *run)
{
    return run->uuid;
}

const char *osw_run_journal(const osw_run_t *run)
{
    return run->journal_dir;
}

/* The id of a text; a new one is written before its first use. */
static int intern(osw_run_t *run, enum osw_dict dict, const char *text,
                  uint32_t *id, struct osw_error *err)
{
    bool is_new;

    if (osw_dicts_intern(run->dicts, dict, text, id, &is_new, err))
        return -1;
    if (!is_new)
        return 0;
    run->entry.dict.dict = (uint8_t)dict;
    run->entry.dict.id = *id;
    run->entry.dict.text = osw_dicts_text(run->dicts, dict, *id);
    if (put(run, OSW_ENTRY_DICT, err) == 0)
        return 0;
    osw_dicts_forget(run->dicts, dict);
    return -1;
}

int osw_run_device_again(osw_run_t *run, const struct osw_device_info *device,
                         int32_t rank, struct osw_error *err)
{
    run->entry.facts.rank = rank;
    run->entry.facts.info = *device;
    return put(run, OSW_ENTRY_FACTS, err);
}

int osw_run_device(osw_run_t *run, const char *host,
                   const struct osw_device_info *device, int32_t rank,
                   struct osw_error *err)
{
    struct rank_device d = {.rank = rank};
    struct rank_device *p =
        osw_grow(run->ranks, run->n_ranks, &run->size_ranks, sizeof(*p));

    if (!p)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for rank %d", rank);
    run->ranks = p;
    if (intern(run, OSW_DICT_HOST, host, &d.host_id, err) ||
        intern(run, OSW_DICT_DEVICE, device->name, &d.device_id, err))
        return -1;
    run->entry.device.rank = rank;
    run->entry.device.host =
        osw_dicts_text(run->dicts, OSW_DICT_HOST, d.host_id);
    run->entry.device.device =
        osw_dicts_text(run->dicts, OSW_DICT_DEVICE, d.device_id);
    if (put(run, OSW_ENTRY_DEVICE, err))
        return -1;
    if (osw_run_device_again(run, device, rank, err))
        return -1;
    run->ranks[run->n_ranks++] = d;
    return 0;
}

int osw_run_begin(osw_run_t *run, uint64_t cell, int32_t rank, uint32_t attempt,
                  struct osw_error *err)
{
    run->entry.begin.cell = cell;
    run->entry.begin.rank = rank;
    run->entry.begin.attempt = attempt;
    return put(run, OSW_ENTRY_BEGIN, err);
}

/* A text of the record, at most as long as a message could carry it. */
static int intern_cut(osw_run_t *run, enum osw_dict dict, const char *text,
                      uint32_t *id, struct osw_error *err)
{
    char cut[OSW_RECORD_MAX_TEXT];
    size_t n = text ? strnlen(text, sizeof(cut)) : 0;

    if (n < sizeof(cut))
        return intern(run, dict, text, id, err);
    memcpy(cut, text, sizeof(cut) - 4);
    memcpy(cut + sizeof(cut) - 4, "...", 4);
    return intern(run, dict, cut, id, err);
}

int osw_run_result(osw_run_t *run, const struct osw_record *record,
                   const struct osw_cell_names *names, struct osw_error *err)
{
    struct osw_record r = *record;

    if (r.cell >= run->n_numbers)
        return osw_fail(err, OSW_BAD_INPUT,
                        "result of cell %" PRIu64 ", but %" PRIu64
                        " are planned",
                        r.cell, run->n_numbers);
    if (!osw_state_known(r.status_id) || r.sample_n > OSW_RECORD_MAX_SAMPLES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "result of cell %" PRIu64 " with status %u, %u samples",
                        r.cell, r.status_id, r.sample_n);
    if (intern(run, OSW_DICT_OP, names->op, &r.op_id, err) ||
        intern(run, OSW_DICT_IMPL, names->impl, &r.impl_id, err) ||
        intern(run, OSW_DICT_CASE, names->case_text, &r.case_id, err) ||
        intern(run, OSW_DICT_DTYPE, names->dtype, &r.dtype_id, err) ||
        intern(run, OSW_DICT_FILL, names->fill, &r.fill_id, err) ||
        intern(run, OSW_DICT_HOST, names->host, &r.host_id, err) ||
        intern(run, OSW_DICT_DEVICE, names->device, &r.device_id, err) ||
        intern_cut(run, OSW_DICT_REASON, r.reason, &r.reason_id, err) ||
        intern_cut(run, OSW_DICT_OUTPUT, r.output, &r.output_id, err) ||
        intern_cut(run, OSW_DICT_REFERENCE, r.reference, &r.reference_id,
                   err) ||
        intern_cut(run, OSW_DICT_BASELINE, r.baseline, &r.baseline_id, err))
        return -1;
    r.reason = r.output = r.reference = r.baseline = "";
    run->entry.result = r;
    if (put(run, OSW_ENTRY_RESULT, err))
        return -1;
    run->n_results++;
    run->n_in_group[osw_state_group((enum osw_state)r.status_id)]++;
    return 0;
}

int osw_run_event(osw_run_t *run, enum osw_event_kind kind, int32_t rank,
                  int64_t value, const char *text, struct osw_error *err)
{
    if ((size_t)kind >= OSW_EVENT_COUNT)
        return osw_fail(err, OSW_INTERNAL, "unknown kind of event %d",
                        (int)kind);
    run->entry.event.t_ns = osw_clock_unix_ns();
    run->entry.event.kind = (uint8_t)kind;
    run->entry.event.rank = rank;
    run->entry.event.value = value;
    run->entry.event.text = text;
    return put(run, OSW_ENTRY_EVENT, err);
}

int osw_run_rank(osw_run_t *run, const struct osw_rank_summary *summary,
                 struct osw_error *err)
{
    struct osw_rank_summary s = *summary;

    s.host_id = s.device_id = 0;
    for (size_t i = 0; i < run->n_ranks; i++)
        if (run->ranks[i].rank == s.rank) {
            s.host_id = run->ranks[i].host_id;
            s.device_id = run->ranks[i].device_id;
        }
    run->entry.rank = s;
    return put(run, OSW_ENTRY_RANK, err);
}

int osw_run_predict(osw_run_t *run, const struct osw_run_prediction *prediction,
                    struct osw_error *err)
{
    run->entry.prediction = *prediction;
    return put(run, OSW_ENTRY_PREDICTION, err);
}

bool osw_run_commit_due(const osw_run_t *run, int64_t now_ns)
{
    return run->journal && osw_journal_due(run->journal, now_ns);
}

int osw_run_commit(osw_run_t *run, struct osw_error *err)
{
    if (!run->journal)
        return 0;
    return osw_journal_commit(run->journal, err);
}

int osw_run_push(osw_run_t *run, struct osw_error *err)
{
    return run->journal ? osw_journal_push(run->journal, err) : 0;
}

uint64_t osw_run_n_results(const osw_run_t *run)
{
    return run->n_results;
}

uint64_t osw_run_n_in_group(const osw_run_t *run, enum osw_state_group group)
{
    return (size_t)group < OSW_GROUP_COUNT ? run->n_in_group[group] : 0;
}

int osw_run_discard(osw_run_t *run, struct osw_error *err)
{
    osw_journal_t *journal = run->journal;

    run->journal = NULL;
    return journal ? osw_journal_remove(journal, err) : 0;
}

/* Cells that a resume would try again. */
static bool has_infra(const struct osw_replay *replay)
{
    for (size_t i = 0; i < replay->n_rows; i++)
        if (osw_state_group((enum osw_state)replay->rows[i].status) ==
            OSW_GROUP_INFRA)
            return true;
    return false;
}

/* The file is there: say so in the journal that stays, or remove it. */
static int settle_journal(osw_run_t *run, const struct osw_replay *replay,
                          struct osw_error *err)
{
    osw_journal_t *journal = run->journal;

    run->entry.seal.n_results = replay->n_rows;
    run->entry.seal.complete = osw_seal_is_complete(replay);
    if (put(run, OSW_ENTRY_SEAL, err) || osw_journal_commit(run->journal, err))
        return -1;
    if (!osw_seal_is_complete(replay) || has_infra(replay))
        return 0;
    run->journal = NULL;
    return osw_journal_remove(journal, err);
}

/* Write FILE from what the journal holds. */
static int seal_journal(osw_run_t *run, bool claimed, struct osw_error *err)
{
    struct osw_replay *replay =
        osw_replay_load_own(run->journal_dir, run->dicts, err);
    int rc = -1;

    if (!replay)
        return -1;
    if (osw_seal(replay, run->path, err) == 0)
        rc = settle_journal(run, replay, err);
    if (rc == 0 && claimed && !osw_seal_is_complete(replay))
        rc = osw_fail(err, OSW_INCOMPLETE,
                      "'%s' holds %zu of %" PRIu64 " planned cells", run->path,
                      replay->n_rows, replay->n_planned);
    osw_replay_destroy(replay);
    return rc;
}

void osw_run_show_alive(void *arg)
{
    const osw_run_t *run = arg;
    struct osw_error err = OSW_ERROR_INIT;

    (void)!osw_lock_heartbeat(run->journal_dir, &err); /* sealed by now? */
}

int osw_run_seal(osw_run_t *run, bool complete, struct osw_error *err)
{
    run->entry.end.t_ns = osw_clock_unix_ns();
    run->entry.end.complete = complete;
    if (put(run, OSW_ENTRY_END, err) || osw_journal_commit(run->journal, err))
        return -1;
    return seal_journal(run, complete, err);
}

int osw_run_recover(osw_run_t *run, struct osw_error *err)
{
    return seal_journal(run, false, err);
}
