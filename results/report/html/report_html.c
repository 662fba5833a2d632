/* results/report/html/report_html.c - one page that holds everything: frame and
 * header
 *
 * No other file is needed and nothing is asked for: style and script stand in
 * the page, and its Content-Security-Policy names them by their SHA-256, so
 * that no other script runs even if a text got through.
 */
#include "results/report/html/report_html.h"

#include <inttypes.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report_devices.h"
#include "results/report/report_kind.h"
#include "results/report/report_rows.h"
#include "results/report/report_versus.h"
#include "results/report/scores.h"

enum { MAX_REASONS = 12 };

static const char style[] = {
#include "results/report/html/report.css.inc"
};
static const char script[] = {
#include "results/report/html/report.js.inc"
};

/* --- frame --- */

static void put_base64(FILE *out, const uint8_t *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16 |
                     (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
                     (i + 2 < n ? (uint32_t)p[i + 2] : 0);

        putc(digits[v >> 18], out);
        putc(digits[v >> 12 & 63], out);
        putc(i + 1 < n ? digits[v >> 6 & 63] : '=', out);
        putc(i + 2 < n ? digits[v & 63] : '=', out);
    }
}

static void put_hash(FILE *out, const char *text, size_t n)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX sha;

    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)text, n);
    SHA256Final(digest, &sha);
    fputs("'sha256-", out);
    put_base64(out, digest, sizeof(digest));
    putc('\'', out);
}

static void put_head(const struct osw_report_html *h)
{
    FILE *out = h->out;

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\""
          "default-src 'none'; img-src data:; base-uri 'none'; "
          "form-action 'none'; style-src ",
          out);
    put_hash(out, style, sizeof(style));
    fputs("; script-src ", out);
    put_hash(out, script, sizeof(script));
    fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>opsweep: ",
          out);
    osw_report_html_text(out, osw_file_info(h->file)->path, 200);
    fputs("</title>\n<style>", out);
    fwrite(style, 1, sizeof(style), out);
    fputs("</style>\n</head>\n<body>\n"
          "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"defs\">"
          "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
          "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
          "<rect class=\"hatch-ground\" width=\"6\" height=\"6\"/>"
          "<rect class=\"hatch-line\" width=\"2\" height=\"6\"/>"
          "</pattern></defs></svg>\n",
          out);
}

static void put_tail(const struct osw_report_html *h)
{
    fputs("<script>", h->out);
    fwrite(script, 1, sizeof(script), h->out);
    fputs("</script>\n</body>\n</html>\n", h->out);
}

/* --- header: what was run, and the counts --- */

static const char *const group_classes[OSW_GROUP_COUNT] = {
    [OSW_GROUP_PASS] = "pass",   [OSW_GROUP_FAIL] = "fail",
    [OSW_GROUP_ERROR] = "error", [OSW_GROUP_NOT_JUDGED] = "unjudged",
    [OSW_GROUP_INFRA] = "infra",
};

static void put_share(FILE *out, uint64_t n, uint64_t of)
{
    if (of)
        fprintf(out, "%.1f %%", 100.0 * (double)n / (double)of);
    else
        fputs("n/a", out);
}

static void put_counts(const struct osw_report_html *h)
{
    const struct osw_report_row *t = &h->summary->total;
    uint64_t planned = osw_file_info(h->file)->n_planned;
    FILE *out = h->out;
    double x = 0;

    if (planned < t->n_cells)
        planned = t->n_cells;
    fputs("<ul class=\"counts\">\n", out);
    fprintf(out, "<li><b>%" PRIu64 "</b><span>cells planned</span></li>\n",
            planned);
    for (int g = 0; g < OSW_GROUP_COUNT; g++) {
        const char *name = osw_state_group_name((enum osw_state_group)g);

        fprintf(out,
                "<li class=\"g-%s\"><a href=\"#state=%s\"><b>%" PRIu64
                "</b><span>%s</span><small>",
                group_classes[g], group_classes[g], t->n_group[g], name);
        put_share(out, t->n_group[g], planned);
        fputs(" of planned</small></a></li>\n", out);
    }
    if (h->summary->n_missing)
        fprintf(out,
                "<li class=\"g-infra\"><b>%" PRIu64
                "</b><span>without a record</span></li>\n",
                h->summary->n_missing);
    fputs("</ul>\n<svg class=\"share\" width=\"100%\" height=\"12\" "
          "role=\"img\" aria-label=\"shares of the groups\">",
          out);
    for (int g = 0; g < OSW_GROUP_COUNT; g++) {
        double w =
            planned ? 100.0 * (double)t->n_group[g] / (double)planned : 0;

        if (w > 0)
            fprintf(out,
                    "<rect class=\"f-%s\" x=\"%.3f%%\" y=\"0\" width=\"%.3f%%\""
                    " height=\"12\"><title>%s: %" PRIu64 "</title></rect>",
                    group_classes[g], x, w,
                    osw_state_group_name((enum osw_state_group)g),
                    t->n_group[g]);
        x += w;
    }
    fputs("</svg>\n", out);
}

/* --- what the counts are made of --- */

/* Reasons of cells that could not be judged, and of those that were lost. */
static void put_not_judged(const struct osw_report_html *h)
{
    const struct osw_report_summary *s = h->summary;
    uint64_t rest = 0;
    FILE *out = h->out;
    char kind[256];

    if (s->n_totals == 0)
        return;
    fputs("<h3>Not judged, by reason</h3>\n<div class=\"scroll\"><table "
          "class=\"plain reasons\"><thead><tr><th class=\"n\">cells</th>"
          "<th>state</th><th>reason</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < s->n_totals; i++) {
        const struct osw_report_reason *r = &s->totals[i];
        const char *text =
            osw_file_text(h->file, OSW_DICT_REASON, r->reason_id);
        const char *name = osw_state_name(r->state);

        if (i >= MAX_REASONS) {
            rest += r->n;
            continue;
        }
        fprintf(out,
                "<tr><td class=\"n\">%" PRIu64
                "</td><td><a href=\"#state=%s\">%s</a></td><td>",
                r->n, name, name);
        snprintf(
            kind, sizeof(kind), "%.*s",
            (int)(r->several ? osw_report_kind_length(text) : sizeof(kind)),
            text);
        osw_report_html_text(out, *kind ? kind : "no reason given", 0);
        fputs("</td></tr>\n", out);
    }
    if (rest)
        fprintf(out,
                "<tr><td class=\"n\">%" PRIu64
                "</td><td></td><td>%zu more reasons</td></tr>\n",
                rest, s->n_totals - MAX_REASONS);
    fputs("</tbody></table></div>\n", out);
}

static void put_headlines(const struct osw_report_html *h)
{
    const struct osw_report_summary *s = h->summary;
    FILE *out = h->out;
    char text[160];

    fputs("<ul class=\"headlines\">\n", out);
    for (size_t i = 0; i < s->n_headlines; i++) {
        fputs("<li>speed-up <b>", out);
        osw_report_html_text(out,
                             osw_report_versus_name(
                                 h->file, s->headlines[i].baseline_id,
                                 s->headlines[i].device_id, text, sizeof(text)),
                             sizeof(text));
        fputs("</b>: ", out);
        osw_report_html_headline(h, &s->headlines[i]);
        fputs("</li>\n", out);
    }
    if (s->total.n_light)
        fprintf(out,
                "<li>speed of light: median <b>%s</b> of what bytes and "
                "operations allow, over %" PRIu64 " timed cells%s</li>\n",
                osw_report_percent(s->total.light_median, text, 32),
                s->total.n_light,
                s->several_models ? " of several models" : "");
    if (s->total.n_suspect)
        fprintf(out,
                "<li><b>%" PRIu64
                " cell%s suspect</b>, counted here: the device failed "
                "afterwards</li>\n",
                s->total.n_suspect, s->total.n_suspect == 1 ? " is" : "s are");
    if (s->total.n_freivalds)
        fprintf(out,
                "<li>%" PRIu64 " of the %" PRIu64
                " that pass were judged by freivalds</li>\n",
                s->total.n_freivalds, s->total.n_group[OSW_GROUP_PASS]);
    fputs("</ul>\n", out);
    if (s->total.n_baselines)
        fputs("<p class=\"note\">In brackets: 95&#160;% interval of the mean, "
              "in clusters of ops. Faster, slower: the cell&#8217;s own "
              "95&#160;% interval is above, below 1; of cells as fast as their "
              "baseline about one in 40 is each by chance.</p>\n",
              out);
    if (s->total.light_median > 1) /* false for NaN */
        fputs("<p class=\"note\">Speed of light above 100&#160;%: data that "
              "stays in a cache is faster than the rate of the memory, which "
              "is what is assumed on a processor.</p>\n",
              out);
}

static void put_fact(FILE *out, const char *name, const char *value)
{
    if (!*value)
        return;
    fprintf(out, "<dt>%s</dt><dd>", name);
    osw_report_html_text(out, value, 1000);
    fputs("</dd>\n", out);
}

static void put_devices(const struct osw_report_html *h)
{
    struct osw_text t = OSW_TEXT_INIT;
    char *save = NULL;

    osw_report_devices_lines(h->file, &t);
    for (char *line = t.data && !t.failed ? strtok_r(t.data, "\n", &save)
                                          : NULL;
         line; line = strtok_r(NULL, "\n", &save))
        put_fact(h->out, "device", line);
    osw_text_free(&t);
}

static void put_provenance(const struct osw_report_html *h)
{
    const struct osw_file_info *i = osw_file_info(h->file);
    FILE *out = h->out;

    fputs("<dl class=\"facts\">\n", out);
    put_fact(out, "command", i->command_line);
    put_devices(h);
    put_fact(out, "run on", i->hostname);
    put_fact(out, "begun", i->created_utc);
    fputs("</dl>\n<details><summary>More about the run</summary>\n"
          "<dl class=\"facts\">\n",
          out);
    put_fact(out, "campaign", i->campaign_path);
    fprintf(out, "<dt>workers</dt><dd>%" PRIu64 "</dd>\n",
            osw_report_workers(h->file));
    put_fact(out, "profile", i->profile);
    fprintf(out, "<dt>seed</dt><dd>%" PRIu64 "</dd>\n", i->seed);
    put_fact(out, "sealed", i->sealed_utc);
    put_fact(out, "run", i->run_uuid);
    put_fact(out, "campaign SHA-256", i->campaign_sha256);
    put_fact(out, "opsweep", i->tool_version);
    fputs("</dl></details>\n", out);
}

/* `baseline` is words of a file, the others are ours. */
static void put_score(FILE *out, const char *name, const char *baseline,
                      double value, uint64_t n, uint64_t of,
                      const char *of_what)
{
    fprintf(out, "<tr><td>%s</td><td>", name);
    osw_report_html_text(out, baseline, 60);
    if (value >= 0)
        fprintf(out, "</td><td class=\"n\">%.3f</td>", value);
    else
        fputs("</td><td class=\"n\">n/a</td>", out);
    fprintf(out, "<td>%" PRIu64 " of %" PRIu64 " %s</td></tr>\n", n, of,
            of_what);
}

static double ratio(uint64_t n, uint64_t of)
{
    return of ? (double)n / (double)of : -1;
}

/* Of one baseline. */
static void put_scores_versus(const struct osw_report_html *h,
                              const struct osw_report_versus *v)
{
    struct osw_scores_versus s;
    char name[64], by[160];

    osw_scores_add_up_versus(h->summary, v, &s);
    osw_report_versus_name(h->file, v->baseline_id, v->device_id, by,
                           sizeof(by));
    put_score(h->out, "performance, a failed test counting 1.0", by,
              s.n_ops_perf ? s.performance : -1, s.n_perf - s.n_perf_fail,
              s.n_perf, "performance tests passed (BackendBench)");
    for (int i = 0; i < OSW_SCORES_N_P; i++) {
        snprintf(name, sizeof(name), "perf@%.1f", osw_scores_p[i]);
        put_score(h->out, name, by, ratio(s.n_ops_above[i], s.n_ops_perf),
                  s.n_ops_above[i], s.n_ops_perf,
                  "operators with performance tests (BackendBench)");
    }
    for (int i = 0; i < OSW_SCORES_N_P; i++) {
        snprintf(name, sizeof(name), "fast_%.1f", osw_scores_p[i]);
        put_score(h->out, name, by, ratio(s.n_cells_above[i], s.n_perf),
                  s.n_cells_above[i], s.n_perf,
                  "performance tests (KernelBench)");
    }
}

static void put_scores(const struct osw_report_html *h)
{
    const struct osw_report_summary *sum = h->summary;
    struct osw_scores s;
    FILE *out = h->out;

    osw_scores_add_up(sum, osw_file_info(h->file)->n_planned, &s);
    fputs("<details><summary>Scores, each with its denominator</summary>\n"
          "<div class=\"scroll\"><table class=\"plain\"><thead><tr>"
          "<th>score</th><th>baseline</th><th class=\"n\">value</th>"
          "<th>of what</th></tr></thead><tbody>\n",
          out);
    put_score(out, "correctness", "", ratio(s.n_ops_correct, s.n_ops),
              s.n_ops_correct, s.n_ops,
              "operators (op and implementation; BackendBench)");
    put_score(out, "cells that pass, strict", "", ratio(s.n_pass, s.n_planned),
              s.n_pass, s.n_planned, "planned cells");
    for (size_t i = 0; i < sum->n_headlines; i++)
        if (!sum->headlines[i].oracle)
            put_scores_versus(h, &sum->headlines[i]);
    fputs("</tbody></table></div></details>\n", out);
}

void osw_report_html_head(const struct osw_report_html *h)
{
    const struct osw_file_info *i = osw_file_info(h->file);
    FILE *out = h->out;

    fputs("<header>\n<h1>opsweep <span>", out);
    osw_report_html_text(out, i->path, 200);
    fprintf(out,
            "</span> <em class=\"%s\">%s</em></h1>\n"
            "<nav aria-label=\"sections\"><a href=\"#map\">map</a> "
            "<a href=\"#speed\">speed-up</a> <a href=\"#roof\">roofline</a> %s"
            "<a href=\"#errors\">errors</a> <a href=\"#worst\">worst</a> %s%s"
            "<a href=\"#nodes\">nodes</a> <a href=\"#cells\">cells</a></nav>\n",
            i->complete ? "complete" : "incomplete",
            i->complete ? "complete" : "incomplete",
            osw_report_html_has_ranks(h) ? "<a href=\"#ranks\">bandwidth</a> "
                                         : "",
            osw_file_rows(h->file, "/generation/ops")
                ? "<a href=\"#generation\">generated</a> "
                : "",
            h->history ? "<a href=\"#history\">history</a> " : "");
    put_counts(h);
    put_headlines(h);
    put_not_judged(h);
    put_provenance(h);
    put_scores(h);
    fputs("</header>\n<main>\n", out);
}

/* --- cells --- */

static struct osw_report_html_cell
cell_of(const osw_file_t *file, const struct osw_record *r, uint64_t row)
{
    return (struct osw_report_html_cell){
        .key = r->cell_key,
        .row = (uint32_t)row,
        .op = r->op_id,
        .impl = r->impl_id,
        .case_id = r->case_id,
        .dtype = r->dtype_id,
        .host = r->host_id,
        .device = r->device_id,
        .reason = r->reason_id,
        .rank = r->rank,
        .state = r->status_id,
        .group = (uint8_t)osw_state_group((enum osw_state)r->status_id),
        .timer = r->timer_id,
        .throttled = osw_record_throttled(r->throttle),
        .baseline = r->baseline_id,
        .compared = osw_report_speedup_of(file, r) == OSW_REPORT_COMPARED,
        .wall_ns = r->wall_ns,
        .n_bad = r->n_bad,
        .n_elem = r->n_elem,
        .t_median_ns = r->t_median_ns,
        .speedup = r->speedup,
        .speedup_lo = r->speedup_lo,
        .speedup_hi = r->speedup_hi,
        .bytes = r->bytes,
        .flops = r->flops,
        .gbps = r->gbps,
        .gflops = r->gflops,
        .max_rel_err = r->max_rel_err,
        .err_of_allowed = r->err_of_allowed,
        .light = osw_report_light_of(r),
        .world = r->world,
        .coll_bytes = r->coll_bytes,
        .busbw = r->busbw,
        .clock_mhz = r->clock_mhz,
        .temperature_c = r->temperature_c,
    };
}

/* [n_results], the caller's to free. */
static struct osw_report_html_cell *read_cells(const osw_file_t *file,
                                               struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    struct osw_report_html_cell *cells = calloc(n + 1, sizeof(*cells));
    struct osw_report_rows rows;

    if (!cells) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
        return NULL;
    }
    if (osw_report_rows_open(&rows, file, OSW_REPORT_BLOCK, err)) {
        free(cells);
        return NULL;
    }
    for (uint64_t row = 0; row < n; row++) {
        const struct osw_record *r = osw_report_rows_at(&rows, row, err);

        if (!r) {
            free(cells);
            cells = NULL;
            break;
        }
        cells[row] = cell_of(file, r, row);
    }
    osw_report_rows_close(&rows);
    return cells;
}

static int write_page(const struct osw_report_html *h, struct osw_error *err)
{
    put_head(h);
    osw_report_html_head(h);
    if (osw_report_html_map(h, err) || osw_report_html_speed(h, err) ||
        osw_report_html_roof(h, err) || osw_report_html_ranks(h, err) ||
        osw_report_html_errors(h, err) || osw_report_html_lists(h, err) ||
        osw_report_html_generation(h, err))
        return -1;
    osw_report_html_history(h);
    if (osw_report_html_nodes(h, err) || osw_report_html_data(h, err))
        return -1;
    put_tail(h);
    return 0;
}

static int write_html(const osw_file_t *file,
                      const struct osw_report_options *options, FILE *out,
                      struct osw_error *err)
{
    struct osw_report_summary summary;
    struct osw_report_html h = {.file = file,
                                .summary = &summary,
                                .history = options->history,
                                .out = out};
    struct osw_report_html_cell *cells;
    int rc = -1;

    if (osw_report_summarize(file, &summary, err))
        return -1;
    cells = read_cells(file, err);
    if (cells) {
        h.cells = cells;
        h.n = osw_file_info(file)->n_results;
        rc = write_page(&h, err);
    }
    free(cells);
    osw_report_summary_free(&summary);
    return rc;
}

const struct osw_report_format osw_report_html = {
    .name = "html",
    .summary = "charts and all cells, one page for a browser",
    .write = write_html,
    .history = true,
};
