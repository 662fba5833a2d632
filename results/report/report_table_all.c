/* results/report/report_table_all.c - every implementation with its details */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_kind.h"
#include "results/report/report_number.h"
#include "results/report/report_table.h"
#include "results/report/report_versus.h"

enum {
    MAX_REASONS = 4, /* named per row */
    WIDE = 100,
};

typedef struct osw_report_page page_t;

/* Columns of a line: names are cut, numbers are not. */
struct columns {
    int impl, speedup, counts;
    bool infra;
    bool cases; /* where there is room: counts add up to it */
};

static struct columns measure(const page_t *p)
{
    struct columns c = {
        .infra = p->sum->total.n_group[OSW_GROUP_INFRA] > 0,
        .cases = p->width >= WIDE,
    };
    int longest = 14;

    for (size_t i = 0; i < p->sum->n_rows; i++) {
        int n =
            osw_report_width(osw_report_impl_name(p, p->sum->rows[i].impl_id));

        longest = n > longest ? n : longest;
    }
    c.counts = 24 + (c.cases ? 6 : 0) + (c.infra ? 6 : 0);
    /* Of a line: 2 spaces before, 6 for light, 18 for the error. */
    c.speedup = p->width >= WIDE ? 25 : 23;
    c.impl = p->width - 2 - c.counts - c.speedup - 6 - 18;
    c.impl = c.impl > longest ? longest : c.impl < 2 ? 2 : c.impl;
    return c;
}

static void put_head(const page_t *p, const struct columns *c)
{
    osw_report_paint(p, OSW_REPORT_BOLD);
    fprintf(p->out, "  %-*.*s", c->impl, c->impl,
            c->impl < 14 ? "impl" : "implementation");
    if (c->cases)
        fprintf(p->out, " %5s", "cases");
    fprintf(p->out, " %5s %5s %5s %5s", "pass", "fail", "error", "n/j");
    if (c->infra)
        fprintf(p->out, " %5s", "infra");
    fprintf(p->out, "  %-*s%5s  %s", c->speedup - 2, "speedup (cells)", "light",
            "largest error");
    osw_report_paint(p, OSW_REPORT_PLAIN);
    putc('\n', p->out);
}

static void speedup_text(const page_t *p, const struct osw_report_row *r,
                         const struct osw_report_versus *v, char *out,
                         size_t size)
{
    char text[128];

    if (v)
        snprintf(out, size, "%s (%" PRIu64 ")",
                 osw_report_versus_text(p, v, text, sizeof(text)), v->n);
    else if (r->n_own)
        snprintf(out, size, "the baseline (%" PRIu64 ")", r->n_own);
    else
        snprintf(out, size, "-");
}

static void put_counts(const page_t *p, const struct columns *c,
                       const struct osw_report_row *r)
{
    if (c->cases)
        fprintf(p->out, " %5" PRIu64, r->n_cells);
    osw_report_put_count(p, r->n_group[OSW_GROUP_PASS], 6, OSW_REPORT_PLAIN);
    osw_report_put_count(p, r->n_group[OSW_GROUP_FAIL], 6, OSW_REPORT_RED);
    osw_report_put_count(p, r->n_group[OSW_GROUP_ERROR], 6, OSW_REPORT_RED);
    osw_report_put_count(p, r->n_group[OSW_GROUP_NOT_JUDGED], 6,
                         OSW_REPORT_YELLOW);
    if (c->infra)
        osw_report_put_count(p, r->n_group[OSW_GROUP_INFRA], 6,
                             OSW_REPORT_YELLOW);
}

static void put_row(const page_t *p, const struct columns *c, size_t row)
{
    const struct osw_report_row *r = &p->sum->rows[row];
    const struct osw_report_versus *v =
        osw_report_versus_next(p->sum, row, NULL);
    const char *impl = osw_report_impl_name(p, r->impl_id);
    char text[192], light[32], error[32];

    fputs("  ", p->out);
    if (osw_report_width(impl) > c->impl) {
        osw_report_put_cut(p->out, impl, p->width - 2, 0);
        fprintf(p->out, "\n  %*s", c->impl, "");
    } else {
        osw_report_put_cut(p->out, impl, c->impl, c->impl);
    }
    put_counts(p, c, r);
    speedup_text(p, r, v, text, sizeof(text));
    fputs("  ", p->out);
    osw_report_put_cut(p->out, text, c->speedup - 2, c->speedup - 2);
    fprintf(p->out, "%5s  %s\n",
            isnan(r->light_median)
                ? "-"
                : osw_report_percent(r->light_median, light, 32),
            osw_report_allowed(r->max_of_allowed, error, 32));
    while (v && (v = osw_report_versus_next(p->sum, row, v)) != NULL) {
        speedup_text(p, r, v, text, sizeof(text));
        fprintf(p->out, "%*s", 4 + c->impl + c->counts, "");
        osw_report_put_cut(p->out, text, c->speedup - 2, 0);
        putc('\n', p->out);
    }
}

/* --- below a row: failures by state, what was not judged by reason --- */

/* Pieces of a sentence, broken between them at the width of the page. */
struct sentence {
    const page_t *page;
    int used;
    bool started;
};

static void say(struct sentence *s, const char *piece)
{
    int room = s->page->width - 4;
    int n = osw_report_width(piece);

    if (n > room - 2)
        n = room - 2;
    if (!s->started || s->used + 2 + n > room) {
        fprintf(s->page->out, "%s    ", s->started ? ",\n" : "");
        s->used = 0;
    } else {
        fputs(", ", s->page->out);
        s->used += 2;
    }
    osw_report_put_cut(s->page->out, piece, n, 0);
    s->used += n;
    s->started = true;
}

int osw_report_reason_length(const page_t *p, const struct osw_report_reason *r)
{
    const char *text = osw_file_text(p->file, OSW_DICT_REASON, r->reason_id);

    return (int)(r->several ? osw_report_kind_length(text) : strlen(text));
}

static void say_reason(struct sentence *s, const struct osw_report_reason *r)
{
    const char *reason =
        osw_file_text(s->page->file, OSW_DICT_REASON, r->reason_id);
    struct osw_text t = OSW_TEXT_INIT;

    osw_text_printf(&t, "%" PRIu64 " %s%s%.*s", r->n, osw_state_name(r->state),
                    *reason ? ": " : "", osw_report_reason_length(s->page, r),
                    reason);
    if (osw_text_str(&t))
        say(s, osw_text_str(&t));
    osw_text_free(&t);
}

static void say_states(struct sentence *s, const struct osw_report_row *r)
{
    char piece[64];

    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state state = osw_state_at(i);
        enum osw_state_group group = osw_state_group(state);

        if ((group != OSW_GROUP_FAIL && group != OSW_GROUP_ERROR) ||
            !r->n_state[state])
            continue;
        snprintf(piece, sizeof(piece), "%" PRIu64 " %s", r->n_state[state],
                 osw_state_name(state));
        say(s, piece);
    }
}

static void put_details(const page_t *p, const struct osw_report_row *r,
                        const struct osw_report_reason *reasons, size_t n)
{
    struct sentence s = {.page = p};
    char piece[64];

    say_states(&s, r);
    for (size_t i = 0; i < n && i < MAX_REASONS; i++)
        say_reason(&s, &reasons[i]);
    if (n > MAX_REASONS) {
        snprintf(piece, sizeof(piece), "and %zu more reason%s", n - MAX_REASONS,
                 osw_plural(n - MAX_REASONS));
        say(&s, piece);
    }
    if (r->n_freivalds) {
        snprintf(piece, sizeof(piece), "%" PRIu64 " passed by freivalds",
                 r->n_freivalds);
        say(&s, piece);
    }
    if (s.started)
        putc('\n', p->out);
}

void osw_report_table_rows(const page_t *p)
{
    const struct osw_report_summary *s = p->sum;
    struct columns c = measure(p);
    size_t at = 0;

    if (s->n_rows == 0)
        return;
    put_head(p, &c);
    for (size_t i = 0; i < s->n_rows; i++) {
        size_t end = at;

        while (end < s->n_reasons && s->reasons[end].row == i)
            end++;
        if (i == 0 || s->rows[i].op_id != s->rows[i - 1].op_id) {
            osw_report_put_cut(p->out, osw_report_op_name(p, s->rows[i].op_id),
                               p->width, 0);
            putc('\n', p->out);
        }
        put_row(p, &c, i);
        put_details(p, &s->rows[i], end > at ? s->reasons + at : NULL,
                    end - at);
        at = end;
    }
    putc('\n', p->out);
}
