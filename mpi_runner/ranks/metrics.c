/* mpi_runner/ranks/metrics.c - how far a campaign is, for Prometheus */
#include "mpi_runner/ranks/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/whole_file.h"
#include "mpi_runner/ranks/progress.h"

static const int64_t period_ns = INT64_C(5000000000);

/* --- the text --- */

/* Of a label: \, " and the end of a line are escaped. */
static void add_label(struct osw_text *t, const char *value)
{
    for (; *value; value++)
        switch (*value) {
        case '\\':
            osw_text_add(t, "\\\\");
            break;
        case '"':
            osw_text_add(t, "\\\"");
            break;
        case '\n':
            osw_text_add(t, "\\n");
            break;
        default:
            osw_text_add_n(t, value, 1);
        }
}

static void add_number(struct osw_text *t, double v)
{
    if (isnan(v))
        osw_text_add(t, "NaN");
    else
        osw_text_printf(t, "%.17g", v);
}

/* One sample; `state` NULL: without that label. */
static void add_sample(struct osw_text *t, const char *name, const char *file,
                       const char *state, double v)
{
    osw_text_printf(t, "%s{file=\"", name);
    add_label(t, file);
    if (state)
        osw_text_printf(t, "\",state=\"%s", state);
    osw_text_add(t, "\"} ");
    add_number(t, v);
    osw_text_add(t, "\n");
}

static void add_head(struct osw_text *t, const char *name, const char *type,
                     const char *help)
{
    osw_text_printf(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_states(struct osw_text *t, const struct osw_metrics_state *s)
{
    static const char name[] = "opsweep_cells_total";

    add_head(t, name, "counter",
             "Cells with a result, by the state they are in.");
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state state = osw_state_at(i);

        add_sample(t, name, s->file, osw_state_name(state),
                   (double)s->totals->n_state[state]);
    }
}

/* Predicted by what was done of the predicted cost; NaN: unknown. */
static double left_s(const struct osw_metrics_state *s)
{
    if (s->totals->n_recorded == s->totals->n_planned)
        return 0;
    return s->n_judged ? osw_progress_left_s((double)s->elapsed_ns * 1e-9,
                                             s->fraction_before, s->fraction)
                       : NAN;
}

void osw_metrics_text(const struct osw_metrics_state *s, struct osw_text *out)
{
    double elapsed_s = (double)s->elapsed_ns * 1e-9;
    const struct {
        const char *name, *type, *help;
        double value;
    } rows[] = {
        {"opsweep_cells_planned", "gauge", "Cells of the campaign.",
         (double)s->totals->n_planned},
        {"opsweep_running", "gauge", "1 while the campaign goes on, then 0.",
         s->running},
        {"opsweep_workers", "gauge", "Workers that judge cells.", s->n_workers},
        {"opsweep_workers_lost", "gauge", "Workers that were lost so far.",
         s->n_lost},
        {"opsweep_workers_left_out", "gauge",
         "Workers whose device cannot be used.", s->n_left_out},
        {"opsweep_rate_cells_per_second", "gauge",
         "Cells judged per second since this session began.",
         elapsed_s > 0 ? (double)s->n_judged / elapsed_s : 0},
        {"opsweep_progress_ratio", "gauge",
         "Part of the predicted cost that is done, 0 to 1.", s->fraction},
        {"opsweep_elapsed_seconds", "gauge", "Time since this session began.",
         elapsed_s},
        {"opsweep_left_seconds", "gauge",
         "Predicted time to the end; NaN: not known.", left_s(s)},
        {"opsweep_updated_timestamp_seconds", "gauge",
         "Unix time at which this file was written.",
         (double)s->now_unix_ns * 1e-9},
    };

    add_states(out, s);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        add_head(out, rows[i].name, rows[i].type, rows[i].help);
        add_sample(out, rows[i].name, s->file, NULL, rows[i].value);
    }
}

/* --- the file --- */

struct osw_metrics {
    const char *path, *file;
    int64_t written_ns;
    bool written, failed;
};

osw_metrics_t *osw_metrics_create(const char *path, const char *file)
{
    osw_metrics_t *m = calloc(1, sizeof(*m));

    if (!m)
        return NULL;
    m->path = path;
    m->file = file;
    return m;
}

void osw_metrics_destroy(osw_metrics_t *metrics)
{
    free(metrics);
}

bool osw_metrics_due(const osw_metrics_t *metrics, int64_t now_ns)
{
    return !metrics->written || now_ns - metrics->written_ns >= period_ns;
}

static int put(const osw_metrics_t *m, const struct osw_text *t,
               struct osw_error *err)
{
    struct osw_whole_file out;
    int rc;

    if (t->failed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for metrics");
    if (osw_whole_file_open(&out, m->path, err) < 0)
        return -1;
    rc = fwrite(t->data, 1, t->used, out.file) == t->used
             ? 0
             : osw_fail(err, OSW_SYSTEM, "cannot be written");
    return osw_whole_file_close(&out, rc, err);
}

void osw_metrics_write(osw_metrics_t *metrics, struct osw_metrics_state *state,
                       int64_t now_ns)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text text = OSW_TEXT_INIT;

    state->file = metrics->file;
    osw_metrics_text(state, &text);
    if (put(metrics, &text, &err) < 0 && !metrics->failed) {
        osw_log(OSW_LOG_WARNING,
                "option '--metrics-file': %s; the campaign "
                "goes on without it",
                err.text);
        metrics->failed = true;
    }
    osw_text_free(&text);
    metrics->written = true;
    metrics->written_ns = now_ns;
}
