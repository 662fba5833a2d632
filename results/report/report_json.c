/* results/report/report_json.c - everything, for programs
 *
 * {"format": "opsweep.report", "version": 1, "run": {}, "totals": {},
 *  "ops": [], "cells": []}.  Keys are only added within a version.  NaN and
 * infinities are null, cell keys are strings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "results/report/report.h"
#include "results/report/report_devices.h"
#include "results/report/report_generation.h"
#include "results/report/report_kind.h"
#include "results/report/report_versus.h"
#include "results/report/scores.h"

enum { VERSION = 1, FLUSH_BYTES = 1 << 16 };

static void put_run(struct osw_json_out *o, const osw_file_t *file)
{
    const struct osw_file_info *i = osw_file_info(file);

    osw_json_out_object(o, "run");
    osw_json_out_str(o, "file", i->path);
    osw_json_out_str(o, "run_uuid", i->run_uuid);
    osw_json_out_str(o, "created_utc", i->created_utc);
    osw_json_out_str(o, "sealed_utc", i->sealed_utc);
    osw_json_out_bool(o, "complete", i->complete);
    osw_json_out_u64(o, "n_planned", i->n_planned);
    osw_json_out_u64(o, "n_results", i->n_results);
    osw_json_out_str(o, "campaign_sha256", i->campaign_sha256);
    osw_json_out_str(o, "tool_version", i->tool_version);
    osw_json_out_str(o, "command_line", i->command_line);
    osw_json_out_str(o, "hostname", i->hostname);
    osw_json_out_str(o, "profile", i->profile);
    osw_json_out_u64(o, "seed", i->seed);
    osw_json_out_u64(o, "mpi_size", i->mpi_size);
    if (i->shard.n) {
        osw_json_out_u64(o, "shard", i->shard.index);
        osw_json_out_u64(o, "n_shards", i->shard.n);
    }
    osw_json_out_end(o);
    osw_report_devices_json(file, o);
}

/* Keys as in the root attributes of the file. */
static void put_counts(struct osw_json_out *o, const struct osw_report_row *r)
{
    osw_json_out_u64(o, "n_cells", r->n_cells);
    osw_json_out_u64(o, "n_pass", r->n_group[OSW_GROUP_PASS]);
    osw_json_out_u64(o, "n_fail", r->n_group[OSW_GROUP_FAIL]);
    osw_json_out_u64(o, "n_error", r->n_group[OSW_GROUP_ERROR]);
    osw_json_out_u64(o, "n_not_judged", r->n_group[OSW_GROUP_NOT_JUDGED]);
    osw_json_out_u64(o, "n_infra", r->n_group[OSW_GROUP_INFRA]);
    osw_json_out_u64(o, "n_pass_by_freivalds", r->n_freivalds);
    osw_json_out_u64(o, "n_suspect", r->n_suspect);
    osw_json_out_u64(o, "n_timed", r->n_timed);
    osw_json_out_u64(o, "n_faster", r->n_faster);
    osw_json_out_u64(o, "n_slower", r->n_slower);
    osw_json_out_u64(o, "n_measured", r->n_measured);
    osw_json_out_u64(o, "n_as_baseline", r->n_own);
    osw_json_out_u64(o, "n_baselines", r->n_baselines);
    osw_json_out_f64(o, "speedup_geomean", osw_report_geomean(r));
    osw_json_out_f64(o, "max_rel_err", r->max_rel_err);
    osw_json_out_f64(o, "max_abs_err", r->max_abs_err);
    osw_json_out_f64(o, "max_err_of_allowed", r->max_of_allowed);
    osw_json_out_u64(o, "n_light", r->n_light);
    osw_json_out_f64(o, "light_share_median", r->light_median);
    osw_json_out_object(o, "states");
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        if (r->n_state[osw_state_at(i)])
            osw_json_out_u64(o, osw_state_name(osw_state_at(i)),
                             r->n_state[osw_state_at(i)]);
    osw_json_out_end(o);
}

/* null: all compared cells are of one. */
static void put_model(struct osw_json_out *o, const osw_file_t *file,
                      uint32_t device_id)
{
    if (device_id == OSW_REPORT_ONE_MODEL)
        osw_json_out_null(o, "device");
    else
        osw_json_out_str(o, "device",
                         osw_file_text(file, OSW_DICT_DEVICE, device_id));
}

/* Speedups against one baseline; oracle: not counted elsewhere. */
static void put_versus(struct osw_json_out *o, const osw_file_t *file,
                       const struct osw_report_versus *v)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "baseline",
                     osw_file_text(file, OSW_DICT_BASELINE, v->baseline_id));
    put_model(o, file, v->device_id);
    osw_json_out_bool(o, "oracle", v->oracle);
    osw_json_out_u64(o, "n_timed", v->n);
    osw_json_out_u64(o, "n_faster", v->n_faster);
    osw_json_out_u64(o, "n_slower", v->n_slower);
    osw_json_out_f64(o, "speedup_geomean", osw_report_versus_geomean(v));
    if (v->row == UINT32_MAX) {
        osw_json_out_u64(o, "n_ops", v->n_ops);
        osw_json_out_f64(o, "speedup_geomean_lo", v->lo);
        osw_json_out_f64(o, "speedup_geomean_hi", v->hi);
    }
    osw_json_out_end(o);
}

static void put_headlines(struct osw_json_out *o, const osw_file_t *file,
                          const struct osw_report_summary *s)
{
    bool one = s->total.n_baselines == 1;

    osw_json_out_f64(o, "speedup_geomean_lo", one ? s->headlines[0].lo : NAN);
    osw_json_out_f64(o, "speedup_geomean_hi", one ? s->headlines[0].hi : NAN);
    osw_json_out_list(o, "speedups");
    for (size_t i = 0; i < s->n_headlines; i++)
        put_versus(o, file, &s->headlines[i]);
    osw_json_out_end(o);
}

/* Of reasons that differ, what holds for all. */
static void put_reason(struct osw_json_out *o, const osw_file_t *file,
                       const struct osw_report_reason *r)
{
    const char *reason = osw_file_text(file, OSW_DICT_REASON, r->reason_id);
    char *kind = NULL;

    if (r->several) {
        kind = strndup(reason, osw_report_kind_length(reason));
        o->text->failed |= !kind;
    }
    osw_json_out_str(o, "reason", kind ? kind : reason);
    osw_json_out_bool(o, "several", r->several);
    free(kind);
}

static void put_reasons(struct osw_json_out *o, const osw_file_t *file,
                        const struct osw_report_reason *reasons, size_t n,
                        uint32_t row)
{
    osw_json_out_list(o, "not_judged");
    for (size_t i = 0; i < n; i++) {
        if (reasons[i].row != row)
            continue;
        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "status", osw_state_name(reasons[i].state));
        put_reason(o, file, &reasons[i]);
        osw_json_out_u64(o, "n", reasons[i].n);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

static int flush(struct osw_text *t, size_t above, FILE *out,
                 struct osw_error *err)
{
    if (t->failed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    if (t->used <= above)
        return 0;
    fwrite(t->data, 1, t->used, out);
    osw_text_reset(t);
    return 0;
}

static int put_ops(struct osw_json_out *o, const osw_file_t *file,
                   const struct osw_report_summary *s, FILE *out,
                   struct osw_error *err)
{
    size_t at = 0;

    osw_json_out_list(o, "ops");
    for (size_t i = 0; i < s->n_rows; i++) {
        size_t end = at;

        while (end < s->n_reasons && s->reasons[end].row == i)
            end++;
        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "op",
                         osw_file_text(file, OSW_DICT_OP, s->rows[i].op_id));
        osw_json_out_str(
            o, "impl", osw_file_text(file, OSW_DICT_IMPL, s->rows[i].impl_id));
        put_counts(o, &s->rows[i]);
        osw_json_out_list(o, "speedups");
        for (const struct osw_report_versus *v =
                 osw_report_versus_next(s, i, NULL);
             v; v = osw_report_versus_next(s, i, v))
            put_versus(o, file, v);
        osw_json_out_end(o);
        put_reasons(o, file, end > at ? s->reasons + at : NULL, end - at,
                    (uint32_t)i);
        osw_json_out_end(o);
        at = end;
        if (flush(o->text, FLUSH_BYTES, out, err))
            return -1;
    }
    osw_json_out_end(o);
    return 0;
}

void osw_report_json_value(struct osw_json_out *o, const osw_file_t *file,
                           const struct osw_record *r,
                           const struct osw_column *c)
{
    const void *p = (const char *)r + c->offset;
    enum osw_dict dict = osw_report_dict(c);
    char text[64];
    uint64_t u = 0;
    int64_t i = 0;
    int32_t i32;
    double d;

    if (dict != OSW_DICT_COUNT || strcmp(c->name, "cell_key") == 0) {
        osw_json_out_str(o,
                         dict == OSW_DICT_COUNT ? c->name : osw_dict_name(dict),
                         osw_report_value(file, r, c, text, sizeof(text)));
        return;
    }
    switch (c->type) {
    case OSW_COLUMN_u8:
    case OSW_COLUMN_u32:
    case OSW_COLUMN_u64:
        memcpy(&u, p,
               c->type == OSW_COLUMN_u8    ? 1
               : c->type == OSW_COLUMN_u32 ? 4
                                           : 8);
        osw_json_out_u64(o, c->name, u);
        break;
    case OSW_COLUMN_i32:
        memcpy(&i32, p, sizeof(i32));
        osw_json_out_i64(o, c->name, i32);
        break;
    case OSW_COLUMN_i64:
        memcpy(&i, p, sizeof(i));
        osw_json_out_i64(o, c->name, i);
        break;
    case OSW_COLUMN_f64:
        memcpy(&d, p, sizeof(d));
        osw_json_out_f64(o, c->name, d);
        break;
    }
}

static int put_cells(struct osw_json_out *o, const osw_file_t *file,
                     struct osw_record *records, FILE *out,
                     struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    size_t n_columns;
    const struct osw_column *columns = osw_record_columns(&n_columns);

    osw_json_out_list(o, "cells");
    for (uint64_t row = 0; row < n; row++) {
        size_t i = (size_t)(row % OSW_REPORT_BLOCK);
        size_t k =
            n - row < OSW_REPORT_BLOCK ? (size_t)(n - row) : OSW_REPORT_BLOCK;

        if (i == 0 && osw_file_records(file, row, k, records, err))
            return -1;
        osw_json_out_object(o, NULL);
        osw_json_out_u64(o, "row", row);
        for (size_t c = 0; c < n_columns; c++)
            osw_report_json_value(o, file, &records[i], &columns[c]);
        osw_json_out_end(o);
        if (flush(o->text, FLUSH_BYTES, out, err))
            return -1;
    }
    osw_json_out_end(o);
    return 0;
}

/* An operator with several baselines has no mean: then `n_ops` is NULL. */
static void put_above(struct osw_json_out *o, const uint64_t *n_ops,
                      const uint64_t *n_cells)
{
    osw_json_out_list(o, "at");
    for (int i = 0; i < OSW_SCORES_N_P; i++) {
        osw_json_out_object(o, NULL);
        osw_json_out_f64(o, "p", osw_scores_p[i]);
        if (n_ops)
            osw_json_out_u64(o, "n_operators_above", n_ops[i]);
        else
            osw_json_out_f64(o, "n_operators_above", NAN);
        osw_json_out_u64(o, "n_cells_above", n_cells[i]);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

static void put_scores_versus(struct osw_json_out *o, const osw_file_t *file,
                              const struct osw_report_summary *s)
{
    osw_json_out_list(o, "by_baseline");
    for (size_t i = 0; i < s->n_headlines; i++) {
        struct osw_scores_versus k;

        if (s->headlines[i].oracle)
            continue;
        osw_scores_add_up_versus(s, &s->headlines[i], &k);
        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "baseline",
                         osw_file_text(file, OSW_DICT_BASELINE, k.baseline_id));
        put_model(o, file, k.device_id);
        osw_json_out_u64(o, "n_operators_with_performance", k.n_ops_perf);
        osw_json_out_u64(o, "n_performance_tests", k.n_perf);
        osw_json_out_u64(o, "n_performance_tests_failed", k.n_perf_fail);
        osw_json_out_f64(o, "backendbench_performance", k.performance);
        put_above(o, k.n_ops_above, k.n_cells_above);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

/* By the definitions in scores.h; "n" of "of". */
static void put_scores(struct osw_json_out *o, const osw_file_t *file,
                       const struct osw_report_summary *s)
{
    struct osw_scores k;

    osw_scores_add_up(s, osw_file_info(file)->n_planned, &k);
    osw_json_out_object(o, "scores");
    osw_json_out_u64(o, "n_operators", k.n_ops);
    osw_json_out_u64(o, "n_operators_without_tests", k.n_ops_without);
    osw_json_out_u64(o, "n_operators_correct", k.n_ops_correct);
    osw_json_out_f64(o, "backendbench_correctness",
                     k.n_ops ? (double)k.n_ops_correct / (double)k.n_ops : NAN);
    osw_json_out_u64(o, "n_operators_with_performance", k.n_ops_perf);
    osw_json_out_u64(o, "n_performance_tests", k.n_perf);
    osw_json_out_u64(o, "n_performance_tests_failed", k.n_perf_fail);
    osw_json_out_f64(o, "backendbench_performance", k.performance);
    osw_json_out_u64(o, "n_tests", k.n_tests);
    osw_json_out_u64(o, "n_planned", k.n_planned);
    put_above(o, k.n_baselines > 1 ? NULL : k.n_ops_above, k.n_cells_above);
    put_scores_versus(o, file, s);
    osw_json_out_end(o);
}

static int put_report(struct osw_json_out *o, const osw_file_t *file,
                      const struct osw_report_summary *s,
                      struct osw_record *records, FILE *out,
                      struct osw_error *err)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "format", "opsweep.report");
    osw_json_out_i64(o, "version", VERSION);
    put_run(o, file);
    osw_json_out_object(o, "totals");
    osw_json_out_u64(o, "n_planned", osw_file_info(file)->n_planned);
    osw_json_out_u64(o, "n_missing", s->n_missing);
    put_counts(o, &s->total);
    put_headlines(o, file, s);
    put_reasons(o, file, s->totals, s->n_totals, UINT32_MAX);
    osw_json_out_end(o);
    put_scores(o, file, s);
    if (osw_report_generation_json(file, o, err))
        return -1;
    if (put_ops(o, file, s, out, err) || put_cells(o, file, records, out, err))
        return -1;
    osw_json_out_end(o);
    return flush(o->text, 0, out, err);
}

static int write_json(const osw_file_t *file,
                      const struct osw_report_options *options, FILE *out,
                      struct osw_error *err)
{
    struct osw_record *records = malloc(OSW_REPORT_BLOCK * sizeof(*records));
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);
    struct osw_report_summary summary;
    int rc = -1;

    (void)options;
    if (!records) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    } else if (osw_report_summarize(file, &summary, err) == 0) {
        rc = put_report(&o, file, &summary, records, out, err);
        osw_report_summary_free(&summary);
    }
    osw_text_free(&text);
    free(records);
    return rc;
}

const struct osw_report_format osw_report_json = {
    .name = "json",
    .summary = "run, totals, per op and per cell; format opsweep.report 1",
    .write = write_json,
};
