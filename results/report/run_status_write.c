/* results/report/run_status_write.c - how far a run is, for people and programs
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/utf8.h"
#include "results/report/run_status.h"

enum { REASON_COLUMNS = 100, LOST_COLUMNS = 120, NAME_COLUMNS = 200 };

const char *osw_run_phase_name(enum osw_run_phase phase)
{
    static const char *const names[] = {
        [OSW_RUN_GOING] = "running",
        [OSW_RUN_CUT_OFF] = "cut off",
        [OSW_RUN_INCOMPLETE] = "incomplete",
        [OSW_RUN_COMPLETE] = "complete",
    };

    return names[phase];
}

/* 7 s as "0:07", 3725 s as "1:02:05". */
static void add_duration(struct osw_text *t, double seconds)
{
    uint64_t s = seconds > 0 ? (uint64_t)(fmin(seconds, 1e9) + 0.5) : 0;

    if (s >= 3600)
        osw_text_printf(t, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                        s / 60 % 60, s % 60);
    else
        osw_text_printf(t, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

/* Texts of journals and of op code, as a terminal may get them: [n] bytes, cut
 * where they are more than `most`.
 */
static void add_words(struct osw_text *t, const char *words, size_t n,
                      size_t most)
{
    size_t cut = n;

    if (n > most)
        for (cut = most; cut > 0 && ((unsigned char)words[cut] & 0xc0) == 0x80;)
            cut--; /* no part of a character */
    osw_utf8_add_visible(t, words, cut);
    if (cut < n)
        osw_text_add(t, "...");
}

static void add_name(struct osw_text *t, const char *name)
{
    add_words(t, name, strlen(name), NAME_COLUMNS);
}

/* What goes on from what the journal holds. */
static void add_next(const struct osw_run_status *s, struct osw_text *t)
{
    uint64_t n = s->n_group[OSW_GROUP_INFRA];

    osw_text_add(t, "; opsweep run --resume ");
    osw_text_add_shell(t, s->path);
    osw_text_add(t, s->n_lost_cells ? " --retry-lost " : " ");
    if (s->phase == OSW_RUN_CUT_OFF || s->n_done < s->n_planned)
        osw_text_add(t, "goes on");
    else if (n)
        osw_text_printf(t, "judges %" PRIu64 " cell%s again", n, osw_plural(n));
    else
        osw_text_add(t, "writes it");
}

/* Which of the two was read, where both are there. */
static void add_read(const struct osw_run_status *s, struct osw_text *t)
{
    if (s->beside)
        osw_text_printf(t, "read     '%s'; '%s' %sholds %" PRIu64 " cell%s\n",
                        s->journal, s->path,
                        s->other_run ? "is of another run and " : "",
                        s->n_in_file, osw_plural(s->n_in_file));
    if (!s->damage)
        return;
    osw_text_add(t, "damaged  ");
    add_words(t, s->damage, strlen(s->damage), LOST_COLUMNS);
    osw_text_add(t, "; opsweep journal verify ");
    osw_text_add_shell(t, s->path);
    osw_text_add(t, "\n");
}

static void add_head(const struct osw_run_status *s, struct osw_text *t)
{
    osw_text_printf(t, "%s: %s", s->path, osw_run_phase_name(s->phase));
    if (s->phase == OSW_RUN_GOING) {
        osw_text_add(t, ", written by ");
        add_name(t, s->who);
    }
    if (s->phase == OSW_RUN_INCOMPLETE && s->no_file)
        osw_text_add(t, ", not written");
    if (s->no_journal && s->n_shards && !s->shard)
        osw_text_add(t, "; opsweep merge adds the shards that are missing");
    else if (s->no_journal)
        osw_text_printf(t, "; no run can go on: '%s.journal' is not there",
                        s->path);
    else if (s->other_run)
        osw_text_add(t, "; another run's file is in the way");
    else if (s->phase == OSW_RUN_CUT_OFF || s->phase == OSW_RUN_INCOMPLETE)
        add_next(s, t);
    osw_text_add(t, "\n");
    add_read(s, t);
    if (s->silent_ns > 0) {
        osw_text_add(t, "silent   ");
        add_duration(t, (double)s->silent_ns * 1e-9);
        osw_text_add(t, " without a heartbeat of that process\n");
    }
    if (s->n_shards && s->shard)
        osw_text_printf(t, "shard    %" PRIu32 "/%" PRIu32 "\n", s->shard,
                        s->n_shards);
}

static void add_cells(const struct osw_run_status *s, struct osw_text *t)
{
    const char *sep = ": ";
    uint64_t percent = s->n_planned ? s->n_done * 100 / s->n_planned : 0;

    osw_text_printf(t, "cells    %" PRIu64 " of %" PRIu64 " (%" PRIu64 " %%)",
                    s->n_done, s->n_planned, percent);
    for (int g = 0; g < OSW_GROUP_COUNT; g++) {
        if (!s->n_group[g])
            continue;
        osw_text_printf(t, "%s%" PRIu64 " %s", sep, s->n_group[g],
                        osw_state_group_name((enum osw_state_group)g));
        sep = ", ";
    }
    osw_text_add(t, "\n");
}

static void add_time(const struct osw_run_status *s, struct osw_text *t)
{
    osw_text_add(t, "time     ");
    add_duration(t, (double)s->elapsed_ns * 1e-9);
    if (s->phase == OSW_RUN_CUT_OFF)
        osw_text_add(t, " until its last result");
    if (s->predicted_ns > 0) {
        osw_text_add(t, " of predicted ");
        add_duration(t, (double)s->predicted_ns * 1e-9);
    }
    if (s->n_sessions > 1)
        osw_text_printf(t, " in session %" PRIu32, s->n_sessions);
    if (!isnan(s->rate))
        osw_text_printf(t, ", %.3g cells/s", s->rate);
    if (s->phase == OSW_RUN_GOING && s->n_done < s->n_planned) {
        if (!isnan(s->recent_rate))
            osw_text_printf(t, ", lately %.3g/s", s->recent_rate);
        osw_text_add(t, ", ");
        if (isnan(s->left_s)) {
            osw_text_add(t, "time left unknown");
        } else {
            add_duration(t, s->left_s);
            osw_text_add(t, " left at that rate");
        }
    }
    osw_text_add(t, "\n");
}

static void add_workers(const struct osw_run_status *s, struct osw_text *t)
{
    osw_text_printf(t, "workers  %" PRIu32, s->n_workers);
    if (s->n_left_out)
        osw_text_printf(t, ", %" PRIu32 " left out", s->n_left_out);
    if (s->n_lost)
        osw_text_printf(t, ", %" PRIu32 " rank%s lost", s->n_lost,
                        osw_plural(s->n_lost));
    if (*s->lost) {
        osw_text_add(t, " (last: ");
        add_words(t, s->lost, strlen(s->lost), LOST_COLUMNS);
        osw_text_add(t, ")");
    }
    osw_text_add(t, "\n");
}

/* The first line of it, as far as it fits. */
static void add_reason(const char *reason, struct osw_text *t)
{
    size_t n = strcspn(reason, "\n");

    if (n == 0)
        return;
    osw_text_add(t, ": ");
    add_words(t, reason, n, REASON_COLUMNS);
}

static void add_failures(const struct osw_run_status *s, struct osw_text *t)
{
    for (size_t i = 0; i < s->n_failures; i++) {
        const struct osw_run_failure *f = &s->failures[i];

        osw_text_printf(t, "%s%" PRIu64 " %s ", i ? "         " : "failed   ",
                        f->n, osw_state_name(f->state));
        add_name(t, f->op);
        osw_text_add(t, "/");
        add_name(t, f->impl);
        add_reason(f->reason, t);
        osw_text_add(t, "\n");
    }
    if (s->n_failure_kinds > s->n_failures) {
        osw_text_printf(t, "         and %zu more; opsweep report ",
                        s->n_failure_kinds - s->n_failures);
        osw_text_add_shell(t, s->path);
        osw_text_add(t, "\n");
    }
}

void osw_run_status_text(const struct osw_run_status *s, struct osw_text *out)
{
    add_head(s, out);
    add_cells(s, out);
    add_time(s, out);
    add_workers(s, out);
    add_failures(s, out);
}

static const char *const group_keys[OSW_GROUP_COUNT] = {
    [OSW_GROUP_PASS] = "n_pass",   [OSW_GROUP_FAIL] = "n_fail",
    [OSW_GROUP_ERROR] = "n_error", [OSW_GROUP_NOT_JUDGED] = "n_not_judged",
    [OSW_GROUP_INFRA] = "n_infra",
};

void osw_run_status_json(const struct osw_run_status *s, const char *key,
                         struct osw_json_out *out)
{
    osw_json_out_object(out, key);
    osw_json_out_str(out, "format", "opsweep.status");
    osw_json_out_u64(out, "version", 1);
    osw_json_out_str(out, "file", s->path);
    osw_json_out_str(out, "state", osw_run_phase_name(s->phase));
    osw_json_out_str(out, "read", s->journal ? s->journal : s->path);
    if (s->damage)
        osw_json_out_str(out, "damage", s->damage);
    else
        osw_json_out_null(out, "damage");
    if (s->beside)
        osw_json_out_u64(out, "n_in_file", s->n_in_file);
    else
        osw_json_out_null(out, "n_in_file");
    osw_json_out_bool(out, "other_run", s->other_run);
    osw_json_out_str(out, "writer", s->who);
    osw_json_out_f64(out, "silent_s", (double)s->silent_ns * 1e-9);
    osw_json_out_u64(out, "shard", s->shard);
    osw_json_out_u64(out, "n_shards", s->n_shards);
    osw_json_out_u64(out, "n_sessions", s->n_sessions);
    osw_json_out_u64(out, "n_planned", s->n_planned);
    osw_json_out_u64(out, "n_done", s->n_done);
    for (int g = 0; g < OSW_GROUP_COUNT; g++)
        osw_json_out_u64(out, group_keys[g], s->n_group[g]);
    osw_json_out_f64(out, "elapsed_s", (double)s->elapsed_ns * 1e-9);
    osw_json_out_f64(out, "predicted_s",
                     s->predicted_ns ? (double)s->predicted_ns * 1e-9 : NAN);
    osw_json_out_f64(out, "cells_per_s", s->rate);
    osw_json_out_f64(out, "recent_cells_per_s", s->recent_rate);
    osw_json_out_f64(out, "left_s", s->left_s);
    osw_json_out_u64(out, "n_workers", s->n_workers);
    osw_json_out_u64(out, "n_lost", s->n_lost);
    osw_json_out_u64(out, "n_left_out", s->n_left_out);
    osw_json_out_str(out, "last_lost", s->lost);
    osw_json_out_u64(out, "n_failure_kinds", s->n_failure_kinds);
    osw_json_out_list(out, "failures");
    for (size_t i = 0; i < s->n_failures; i++) {
        const struct osw_run_failure *f = &s->failures[i];

        osw_json_out_object(out, NULL);
        osw_json_out_str(out, "op", f->op);
        osw_json_out_str(out, "impl", f->impl);
        osw_json_out_str(out, "status", osw_state_name(f->state));
        osw_json_out_u64(out, "n_cells", f->n);
        osw_json_out_str(out, "reason", f->reason);
        osw_json_out_end(out);
    }
    osw_json_out_end(out);
    osw_json_out_end(out);
}
