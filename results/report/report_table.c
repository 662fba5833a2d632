/* results/report/report_table.c - one screen for people
 *
 * What failed comes first, then what is slower than its baseline, then a line
 * per op; sums are last, where a terminal shows them.
 */
#include "results/report/report_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_devices.h"
#include "results/report/report_generation.h"
#include "results/report/report_headlines.h"
#include "results/report/report_number.h"
#include "results/report/report_versus.h"

enum {
    DEFAULT_WIDTH = 100,
    MIN_WIDTH = 80,
    MAX_WIDTH = 120,
    MAX_REASONS = 8,
    MAX_BASELINE = 12, /* columns of its name in a line */
    MAX_MODEL = 14, /* columns of the model of device, where there are more */
    MAX_LINES = 4,  /* of what was left out, and why */
};

typedef struct osw_report_page page_t;

void osw_report_paint(const page_t *p, enum osw_report_paint paint)
{
    static const char *const codes[] = {
        [OSW_REPORT_RED] = "\033[31m",
        [OSW_REPORT_YELLOW] = "\033[33m",
        [OSW_REPORT_BOLD] = "\033[1m",
        [OSW_REPORT_PLAIN] = "\033[0m",
    };

    if (p->colour)
        fputs(codes[paint], p->out);
}

static const char *or_dash(const char *s)
{
    return *s ? s : "-";
}

const char *osw_report_op_name(const page_t *p, uint32_t op_id)
{
    return or_dash(osw_file_text(p->file, OSW_DICT_OP, op_id));
}

const char *osw_report_impl_name(const page_t *p, uint32_t impl_id)
{
    return or_dash(osw_file_text(p->file, OSW_DICT_IMPL, impl_id));
}

void osw_report_put_count(const page_t *p, uint64_t n, int width,
                          enum osw_report_paint paint)
{
    bool painted = n && paint != OSW_REPORT_PLAIN;

    if (painted)
        osw_report_paint(p, paint);
    fprintf(p->out, " %*" PRIu64, width - 1, n);
    if (painted)
        osw_report_paint(p, OSW_REPORT_PLAIN);
}

const char *osw_report_versus_text(const page_t *p,
                                   const struct osw_report_versus *v, char *out,
                                   size_t size)
{
    const char *name = osw_report_baseline(p->file, v->baseline_id);
    struct osw_text cut = OSW_TEXT_INIT;
    char factor[32];

    osw_report_cut(&cut, name, MAX_BASELINE);
    if (v->device_id != OSW_REPORT_ONE_MODEL) {
        osw_text_add(&cut, " on ");
        osw_report_cut(&cut,
                       osw_file_text(p->file, OSW_DICT_DEVICE, v->device_id),
                       MAX_MODEL);
    }
    snprintf(out, size, "%s vs %s",
             osw_report_factor(osw_report_versus_geomean(v), factor, 32),
             osw_text_str(&cut) ? osw_text_str(&cut) : "?");
    osw_text_free(&cut);
    return out;
}

/* --- the head --- */

/* Cures are in the file in full. */
static void put_devices(const page_t *p)
{
    struct osw_text t = OSW_TEXT_INIT;
    char *at;

    osw_report_devices_lines(p->file, &t);
    at = t.failed ? NULL : t.data;
    while (at && *at) {
        char *end = at + strcspn(at, "\n");
        bool more = *end != '\0';

        *end = '\0';
        osw_report_put_lines(p->out, at, p->width, 0, 4, MAX_LINES);
        at = end + more;
    }
    osw_text_free(&t);
}

static void put_heading(const page_t *p)
{
    const struct osw_file_info *i = osw_file_info(p->file);
    bool complete = i->complete;

    osw_report_put_cut(p->out, i->path, p->width - (complete ? 12 : 45), 0);
    fprintf(p->out, ": ");
    if (complete)
        fprintf(p->out, "complete\n");
    else {
        osw_report_paint(p, OSW_REPORT_RED);
        fprintf(p->out, "INCOMPLETE");
        osw_report_paint(p, OSW_REPORT_PLAIN);
        fprintf(p->out, ", %" PRIu64 " of %" PRIu64 " cell%s recorded\n",
                i->n_results, i->n_planned, osw_plural(i->n_planned));
    }
    osw_report_put_cut(p->out, or_dash(i->created_utc), 20, 0);
    fprintf(p->out, ", %" PRIu64 " worker%s, on ", osw_report_workers(p->file),
            osw_plural(osw_report_workers(p->file)));
    osw_report_put_cut(p->out, or_dash(i->hostname), 20, 0);
    fprintf(p->out, ", profile ");
    osw_report_put_cut(p->out, or_dash(i->profile), 12, 0);
    fprintf(p->out, ", seed %" PRIu64, i->seed);
    if (i->shard.n && i->shard.index)
        fprintf(p->out, ", shard %" PRIu32 "/%" PRIu32, i->shard.index,
                i->shard.n);
    else if (i->shard.n)
        fprintf(p->out, ", not all of %" PRIu32 " shards", i->shard.n);
    putc('\n', p->out);
    put_devices(p);
    putc('\n', p->out);
}

/* --- the sums --- */

/* The sum that must come out, broken before a plus where the page ends. */
static void put_accounts(const page_t *p)
{
    const struct osw_report_row *t = &p->sum->total;
    char term[64];
    int used = fprintf(p->out, "cells     %" PRIu64 " planned =",
                       osw_file_info(p->file)->n_planned);

    for (int g = 0; g <= OSW_GROUP_COUNT; g++) {
        bool rest = g == OSW_GROUP_COUNT;
        uint64_t n = rest ? p->sum->n_missing : t->n_group[g];

        if (n == 0 && g >= OSW_GROUP_INFRA)
            continue;
        snprintf(term, sizeof(term), "%s %" PRIu64 " %s", g ? " +" : "", n,
                 rest ? "not recorded"
                      : osw_state_group_name((enum osw_state_group)g));
        if (used + (int)strlen(term) > p->width)
            used = fprintf(p->out, "\n         ") - 1;
        used += fprintf(p->out, "%s", term);
    }
    putc('\n', p->out);
}

static void put_reasons(const page_t *p)
{
    size_t n = p->sum->n_totals;

    for (size_t i = 0; i < n && i < MAX_REASONS; i++) {
        const struct osw_report_reason *r = &p->sum->totals[i];
        const char *why = osw_file_text(p->file, OSW_DICT_REASON, r->reason_id);
        const char *state = osw_state_name(r->state);
        char words[1024];
        int used = fprintf(p->out, "          %6" PRIu64 " %s%s", r->n, state,
                           *why ? ": " : "");

        snprintf(words, sizeof(words), "%.*s", osw_report_reason_length(p, r),
                 why);
        osw_report_put_cut(p->out, words, p->width - used, 0);
        putc('\n', p->out);
    }
    if (n > MAX_REASONS)
        fprintf(p->out, "          and %zu more reasons\n", n - MAX_REASONS);
}

static void put_correct(const page_t *p)
{
    const struct osw_report_row *t = &p->sum->total;
    uint64_t judged = t->n_group[OSW_GROUP_PASS] + t->n_group[OSW_GROUP_FAIL] +
                      t->n_group[OSW_GROUP_ERROR];

    fprintf(p->out, "correct   %" PRIu64 " of %" PRIu64 " judged cells",
            t->n_group[OSW_GROUP_PASS], judged);
    if (judged)
        fprintf(p->out, " (%.1f %%)",
                100 * (double)t->n_group[OSW_GROUP_PASS] / (double)judged);
    if (t->n_freivalds)
        fprintf(p->out, ", %" PRIu64 " of the passed by freivalds",
                t->n_freivalds);
    putc('\n', p->out);
    if (t->n_suspect) {
        osw_report_paint(p, OSW_REPORT_YELLOW);
        fprintf(p->out,
                "suspect   %" PRIu64
                " cell%s, counted above: the device failed afterwards",
                t->n_suspect, osw_plural(t->n_suspect));
        osw_report_paint(p, OSW_REPORT_PLAIN);
        putc('\n', p->out);
    }
}

static int write_page(const page_t *p, bool all, struct osw_error *err)
{
    put_heading(p);
    if (all)
        osw_report_table_rows(p);
    if (osw_report_table_cells(p, err))
        return -1;
    if (!all)
        osw_report_table_ops(p);
    if (osw_report_table_ranks(p, all, err))
        return -1;
    put_accounts(p);
    put_reasons(p);
    put_correct(p);
    osw_report_headlines(p->file, p->sum, p->width, p->out);
    return osw_report_generation_lines(p->file, p->width, p->out, err);
}

static int write_table(const osw_file_t *file,
                       const struct osw_report_options *options, FILE *out,
                       struct osw_error *err)
{
    struct osw_report_summary summary;
    page_t page = {
        .file = file,
        .sum = &summary,
        .out = out,
        .width = options->width ? (int)options->width : DEFAULT_WIDTH,
        .colour = options->colour,
    };
    int rc;

    if (page.width < MIN_WIDTH)
        page.width = MIN_WIDTH;
    if (page.width > MAX_WIDTH)
        page.width = MAX_WIDTH;
    if (osw_report_summarize(file, &summary, err))
        return -1;
    rc = write_page(&page, options->all, err);
    osw_report_summary_free(&summary);
    return rc;
}

const struct osw_report_format osw_report_table = {
    .name = "text",
    .summary = "failed cells, slow cells, a line per op; for people",
    .write = write_table,
};
