/* results/report_table.c - one screen for people */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/report.h"
#include "results/report_devices.h"
#include "results/report_kind.h"

enum {
    DEFAULT_WIDTH = 100,
    MIN_WIDTH = 80,
    MAX_WIDTH = 120,
    MAX_REASONS = 4,  /* named per row */
    MAX_LINES = 4,    /* of what was left out, and why */
    MAX_FAILURES = 10 /* listed */
};

/* What the lines below are written with. */
struct page {
    const osw_file_t *file;
    const struct osw_report_summary *sum;
    FILE *out;
    unsigned width;
    bool colour;
    bool infra;   /* there is a column for it */
    bool stacked; /* ops have lines of their own */
    int op_width, impl_width;
};

static const char *const red = "\033[31m";
static const char *const yellow = "\033[33m";
static const char *const bold = "\033[1m";

static void paint(const struct page *p, const char *colour)
{
    if (p->colour)
        fputs(colour, p->out);
}

static void unpaint(const struct page *p)
{
    paint(p, "\033[0m");
}

/* Width on a terminal: UTF-8 characters, as if each took one column. */
static int width_of(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += (*s & 0xc0) != 0x80;
    return n;
}

/* Texts come from ops: nothing in them may steer the terminal.  Cut to
 * `width` with a '~' at the end, padded to it when `pad` is set.
 */
static void put_text(FILE *out, const char *s, int width, bool pad)
{
    int left = width, all = width_of(s);

    for (; *s; s++) {
        bool starts = (*s & 0xc0) != 0x80;

        if (starts && (left == 0 || (left == 1 && all > width)))
            break;
        putc((unsigned char)*s < 0x20 || *s == 0x7f ? ' ' : *s, out);
        left -= starts;
    }
    if (*s && left > 0) {
        putc('~', out);
        left--;
    }
    for (; pad && left > 0; left--)
        putc(' ', out);
}

static const char *or_dash(const char *s)
{
    return *s ? s : "-";
}

static const char *op_name(const struct page *p, const struct osw_report_row *r)
{
    return or_dash(osw_file_text(p->file, OSW_DICT_OP, r->op_id));
}

static const char *impl_name(const struct page *p,
                             const struct osw_report_row *r)
{
    return or_dash(osw_file_text(p->file, OSW_DICT_IMPL, r->impl_id));
}

/* Widths of the name columns; ops get lines of their own where both are wider
 * than the page.
 */
static void measure(struct page *p)
{
    int numbers = p->infra ? 62 : 56;
    int room = (int)p->width - numbers - 2;
    int op = 2, impl = 14;

    for (size_t i = 0; i < p->sum->n_rows; i++) {
        int a = width_of(op_name(p, &p->sum->rows[i]));
        int b = width_of(impl_name(p, &p->sum->rows[i]));

        op = a > op ? a : op;
        impl = b > impl ? b : impl;
    }
    p->stacked = op + impl > room;
    p->op_width = op;
    p->impl_width = !p->stacked ? impl : impl < room ? impl : room;
}

/* A line, broken at spaces at the width of the page, MAX_LINES at most. */
static void put_broken(const struct page *p, char *at)
{
    for (int line = 1; *at; line++) {
        size_t room = p->width - (line > 1 ? 4u : 0u);
        size_t n = strlen(at);

        if (line < MAX_LINES && n > room)
            for (n = room; n > 0 && at[n] != ' ';)
                n--;
        if (n == 0)
            n = strlen(at);
        if (line > 1)
            fputs("    ", p->out);
        if (at[n]) {
            at[n] = '\0';
            put_text(p->out, at, (int)room, false);
            at += n + 1;
        } else {
            put_text(p->out, at, (int)room, false);
            at += n;
        }
        putc('\n', p->out);
    }
}

/* Cures are in the file in full. */
static void put_devices(const struct page *p)
{
    struct osw_text t = OSW_TEXT_INIT;
    char *at;

    osw_report_devices_lines(p->file, &t);
    at = t.failed ? NULL : t.data;
    while (at && *at) {
        char *end = at + strcspn(at, "\n");

        *end = '\0';
        put_broken(p, at);
        at = end + 1;
    }
    osw_text_free(&t);
}

static void put_heading(const struct page *p)
{
    const struct osw_file_info *i = osw_file_info(p->file);

    put_text(p->out, i->path, (int)p->width - 12, false);
    fprintf(p->out, ": ");
    if (i->complete)
        fprintf(p->out, "complete\n");
    else {
        paint(p, red);
        fprintf(p->out, "INCOMPLETE");
        unpaint(p);
        fprintf(p->out, ", %" PRIu64 " of %" PRIu64 " cells recorded\n",
                i->n_results, i->n_planned);
    }
    fprintf(p->out, "%s", or_dash(i->created_utc));
    fprintf(p->out, ", %u MPI rank%s, on ", i->mpi_size,
            i->mpi_size == 1 ? "" : "s");
    put_text(p->out, or_dash(i->hostname), 30, false);
    fprintf(p->out, ", profile ");
    put_text(p->out, or_dash(i->profile), 12, false);
    fprintf(p->out, ", seed %" PRIu64 "\n", i->seed);
    put_devices(p);
    putc('\n', p->out);
}

static void put_columns(const struct page *p)
{
    paint(p, bold);
    if (!p->stacked)
        put_text(p->out, "op", p->op_width, true);
    fputs("  ", p->out);
    put_text(p->out, "implementation", p->impl_width, true);
    fprintf(p->out, " %5s %5s %5s %5s %5s", "cases", "pass", "fail", "error",
            "n/j");
    if (p->infra)
        fprintf(p->out, " %5s", "infra");
    fprintf(p->out, " %8s %-8s %s", "speedup", "(timed)", "rel err");
    unpaint(p);
    putc('\n', p->out);
}

static void put_count(const struct page *p, uint64_t n, const char *colour)
{
    bool painted = n && colour;

    if (painted)
        paint(p, colour);
    fprintf(p->out, " %5" PRIu64, n);
    if (painted)
        unpaint(p);
}

static void put_row(const struct page *p, const struct osw_report_row *r)
{
    char of[32];

    if (!p->stacked)
        put_text(p->out, op_name(p, r), p->op_width, true);
    fputs("  ", p->out);
    put_text(p->out, impl_name(p, r), p->impl_width, true);
    fprintf(p->out, " %5" PRIu64, r->n_cells);
    put_count(p, r->n_group[OSW_GROUP_PASS], NULL);
    put_count(p, r->n_group[OSW_GROUP_FAIL], red);
    put_count(p, r->n_group[OSW_GROUP_ERROR], red);
    put_count(p, r->n_group[OSW_GROUP_NOT_JUDGED], yellow);
    if (p->infra)
        put_count(p, r->n_group[OSW_GROUP_INFRA], yellow);
    snprintf(of, sizeof(of), "(%" PRIu64 ")", r->n_timed);
    if (r->n_timed)
        fprintf(p->out, " %7.2fx %-8s", osw_report_geomean(r), of);
    else
        fprintf(p->out, " %8s %-8s", "-", of);
    if (isnan(r->max_rel_err))
        fprintf(p->out, " %7s", "-");
    else
        fprintf(p->out, " %7.1e", r->max_rel_err);
    putc('\n', p->out);
}

/* Pieces of a sentence, broken between them at the width of the page. */
struct sentence {
    const struct page *page;
    int used;
    bool started;
};

static void say(struct sentence *s, const char *piece)
{
    int room = (int)s->page->width - 4;
    int n = width_of(piece);

    if (n > room - 2)
        n = room - 2;
    if (!s->started || s->used + 2 + n > room) {
        fprintf(s->page->out, "%s    ", s->started ? ",\n" : "");
        s->used = 0;
    } else {
        fputs(", ", s->page->out);
        s->used += 2;
    }
    put_text(s->page->out, piece, n, false);
    s->used += n;
    s->started = true;
}

/* The whole reason, or what all of its kind have in common. */
static int reason_length(const struct page *p,
                         const struct osw_report_reason *r)
{
    const char *text = osw_file_text(p->file, OSW_DICT_REASON, r->reason_id);

    return (int)(r->several ? osw_report_kind_length(text) : strlen(text));
}

static void say_reason(struct sentence *s, const struct osw_report_reason *r)
{
    const char *reason =
        osw_file_text(s->page->file, OSW_DICT_REASON, r->reason_id);
    struct osw_text t = OSW_TEXT_INIT;

    int length = reason_length(s->page, r);

    osw_text_printf(&t, "%" PRIu64 " %s%s%.*s", r->n, osw_state_name(r->state),
                    *reason ? ": " : "", length < 200 ? length : 200, reason);
    if (osw_text_str(&t))
        say(s, osw_text_str(&t));
    osw_text_free(&t);
}

static void say_rest(struct sentence *s, size_t n)
{
    char more[64];

    snprintf(more, sizeof(more), "and %zu more reason%s", n, n == 1 ? "" : "s");
    say(s, more);
}

/* Below a row: failures by state, what was not judged by reason. */
static void put_details(const struct page *p, const struct osw_report_row *r,
                        const struct osw_report_reason *reasons, size_t n)
{
    struct sentence s = {.page = p};
    char piece[64];

    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state state = osw_state_at(i);
        enum osw_state_group group = osw_state_group(state);

        if ((group != OSW_GROUP_FAIL && group != OSW_GROUP_ERROR) ||
            !r->n_state[state])
            continue;
        snprintf(piece, sizeof(piece), "%" PRIu64 " %s", r->n_state[state],
                 osw_state_name(state));
        say(&s, piece);
    }
    for (size_t i = 0; i < n && i < MAX_REASONS; i++)
        say_reason(&s, &reasons[i]);
    if (n > MAX_REASONS)
        say_rest(&s, n - MAX_REASONS);
    if (r->n_freivalds) {
        snprintf(piece, sizeof(piece), "%" PRIu64 " passed by freivalds",
                 r->n_freivalds);
        say(&s, piece);
    }
    if (s.started)
        putc('\n', p->out);
}

static void put_rows(const struct page *p)
{
    size_t at = 0;

    for (size_t i = 0; i < p->sum->n_rows; i++) {
        size_t end = at;

        while (end < p->sum->n_reasons && p->sum->reasons[end].row == i)
            end++;
        if (p->stacked &&
            (i == 0 || p->sum->rows[i].op_id != p->sum->rows[i - 1].op_id)) {
            put_text(p->out, op_name(p, &p->sum->rows[i]), (int)p->width,
                     false);
            putc('\n', p->out);
        }
        put_row(p, &p->sum->rows[i]);
        put_details(p, &p->sum->rows[i], p->sum->reasons + at, end - at);
        at = end;
    }
    putc('\n', p->out);
}

/* The sum that must come out, broken before a plus where the page ends. */
static void put_accounts(const struct page *p)
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
        if (used + (int)strlen(term) > (int)p->width)
            used = fprintf(p->out, "\n         ") - 1;
        used += fprintf(p->out, "%s", term);
    }
    putc('\n', p->out);
}

static void put_reason_totals(const struct page *p)
{
    const size_t most = 2 * MAX_REASONS;
    size_t n = p->sum->n_totals;

    for (size_t i = 0; i < n && i < most; i++) {
        const struct osw_report_reason *r = &p->sum->totals[i];
        const char *why = osw_file_text(p->file, OSW_DICT_REASON, r->reason_id);

        char words[256];

        snprintf(words, sizeof(words), "%.*s", reason_length(p, r), why);
        fprintf(p->out, "          %6" PRIu64 " %s%s", r->n,
                osw_state_name(r->state), *why ? ": " : "");
        put_text(p->out, words, (int)p->width - 32, false);
        putc('\n', p->out);
    }
    if (n > most)
        fprintf(p->out, "          and %zu more reasons\n", n - most);
}

static void put_scores(const struct page *p)
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
    fprintf(p->out, "\nspeedup   ");
    if (t->n_timed == 0) {
        fprintf(p->out, "no passed cell was timed\n");
        return;
    }
    fprintf(p->out, "geomean %.2fx", osw_report_geomean(t));
    if (!isnan(p->sum->geomean_lo))
        fprintf(p->out, " [%.3g, %.3g]", p->sum->geomean_lo,
                p->sum->geomean_hi);
    fprintf(p->out,
            " over %" PRIu64 " timed of %" PRIu64 " passed cells\n"
            "faster    %" PRIu64 " of %" PRIu64
            " timed cells, than their baseline: interval above 1\n",
            t->n_timed, t->n_group[OSW_GROUP_PASS], t->n_faster, t->n_timed);
}

static bool is_failure(const struct osw_record *r)
{
    enum osw_state_group g = osw_state_group((enum osw_state)r->status_id);

    return g == OSW_GROUP_FAIL || g == OSW_GROUP_ERROR;
}

static void put_failure(const struct page *p, uint64_t row,
                        const struct osw_record *r)
{
    struct osw_text t = OSW_TEXT_INIT;

    osw_text_printf(&t, "  %-8" PRIu64 "%-12s %s/%s %s", row,
                    osw_state_name((enum osw_state)r->status_id),
                    or_dash(osw_file_text(p->file, OSW_DICT_OP, r->op_id)),
                    or_dash(osw_file_text(p->file, OSW_DICT_IMPL, r->impl_id)),
                    osw_file_text(p->file, OSW_DICT_CASE, r->case_id));
    if (osw_text_str(&t))
        put_text(p->out, osw_text_str(&t), (int)p->width, false);
    osw_text_free(&t);
    putc('\n', p->out);
    if (*r->reason) {
        fputs("          ", p->out);
        put_text(p->out, r->reason, (int)p->width - 10, false);
        putc('\n', p->out);
    }
}

/* The first failures with their row, for `opsweep show`. */
static int put_failures(const struct page *p, struct osw_record *records,
                        struct osw_error *err)
{
    const struct osw_report_row *t = &p->sum->total;
    uint64_t n = osw_file_info(p->file)->n_results, found = 0;
    uint64_t all = t->n_group[OSW_GROUP_FAIL] + t->n_group[OSW_GROUP_ERROR];

    if (all == 0)
        return 0;
    fprintf(p->out, "\nfailed or in error, by row; details: opsweep show ");
    put_text(p->out, osw_file_info(p->file)->path, (int)p->width - 56, false);
    fprintf(p->out, " ROW\n");
    for (uint64_t row = 0; row < n && found < MAX_FAILURES; row++) {
        size_t i = (size_t)(row % OSW_REPORT_BLOCK);
        size_t k =
            n - row < OSW_REPORT_BLOCK ? (size_t)(n - row) : OSW_REPORT_BLOCK;

        if (i == 0 && osw_file_records(p->file, row, k, records, err))
            return -1;
        if (!is_failure(&records[i]))
            continue;
        put_failure(p, row, &records[i]);
        found++;
    }
    if (all > found)
        fprintf(p->out, "  and %" PRIu64 " more\n", all - found);
    return 0;
}

static int write_page(struct page *p, struct osw_error *err)
{
    struct osw_record *records;
    int rc;

    p->infra = p->sum->total.n_group[OSW_GROUP_INFRA] > 0;
    measure(p);
    put_heading(p);
    put_columns(p);
    put_rows(p);
    put_accounts(p);
    put_reason_totals(p);
    put_scores(p);
    records = malloc(OSW_REPORT_BLOCK * sizeof(*records));
    if (!records)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    rc = put_failures(p, records, err);
    free(records);
    return rc;
}

static int write_table(const osw_file_t *file,
                       const struct osw_report_options *options, FILE *out,
                       struct osw_error *err)
{
    struct osw_report_summary summary;
    struct page page = {
        .file = file,
        .sum = &summary,
        .out = out,
        .width = options->width ? options->width : DEFAULT_WIDTH,
        .colour = options->colour,
    };
    int rc;

    if (page.width < MIN_WIDTH)
        page.width = MIN_WIDTH;
    if (page.width > MAX_WIDTH)
        page.width = MAX_WIDTH;
    if (osw_report_summarize(file, &summary, err))
        return -1;
    rc = write_page(&page, err);
    osw_report_summary_free(&summary);
    return rc;
}

const struct osw_report_format osw_report_table = {
    .name = "table",
    .alias = "text",
    .summary = "per op and implementation, for people",
    .write = write_table,
};
