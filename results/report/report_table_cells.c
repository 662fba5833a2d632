/* results/report/report_table_cells.c - cells that failed, cells that are slow
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_number.h"
#include "results/report/report_table.h"
#include "results/report/report_versus.h"

enum { MAX_FAILED = 12, MAX_SLOW = 10, LEFT = 22 /* columns before an op */ };

typedef struct osw_report_page page_t;

/* The first failed cell of an op and implementation with this state. */
struct failed {
    struct osw_record record;
    uint64_t row, n;
};

struct slow {
    struct osw_record record;
    uint64_t row;
};

struct cells {
    struct failed failed[MAX_FAILED];
    struct slow slow[MAX_SLOW]; /* worst first */
    size_t n_failed, n_slow;
    uint64_t all_failed, all_slow;
};

static void note_failed(struct cells *c, uint64_t row,
                        const struct osw_record *r)
{
    c->all_failed++;
    for (size_t i = 0; i < c->n_failed; i++)
        if (c->failed[i].record.op_id == r->op_id &&
            c->failed[i].record.impl_id == r->impl_id &&
            c->failed[i].record.status_id == r->status_id) {
            c->failed[i].n++;
            return;
        }
    if (c->n_failed < MAX_FAILED)
        c->failed[c->n_failed++] = (struct failed){*r, row, 1};
}

static void note_slow(struct cells *c, uint64_t row, const struct osw_record *r)
{
    size_t i = c->n_slow;

    c->all_slow++;
    while (i > 0 && c->slow[i - 1].record.speedup > r->speedup)
        i--;
    if (i == MAX_SLOW)
        return;
    c->n_slow += c->n_slow < MAX_SLOW;
    memmove(&c->slow[i + 1], &c->slow[i],
            (c->n_slow - 1 - i) * sizeof(c->slow[0]));
    c->slow[i] = (struct slow){*r, row};
}

static void note(const page_t *p, struct cells *c, uint64_t row,
                 const struct osw_record *r)
{
    enum osw_state_group g = osw_state_group((enum osw_state)r->status_id);

    if (g == OSW_GROUP_FAIL || g == OSW_GROUP_ERROR)
        note_failed(c, row, r);
    else if (r->speedup_hi < 1 &&
             osw_report_speedup_of(p->file, r) == OSW_REPORT_COMPARED)
        note_slow(c, row, r);
}

static int find(const page_t *p, struct cells *c, struct osw_error *err)
{
    uint64_t n = osw_file_info(p->file)->n_results;
    struct osw_record *records = malloc(OSW_REPORT_BLOCK * sizeof(*records));
    int rc = 0;

    if (!records)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (uint64_t at = 0; at < n && rc == 0; at += OSW_REPORT_BLOCK) {
        size_t k =
            n - at < OSW_REPORT_BLOCK ? (size_t)(n - at) : OSW_REPORT_BLOCK;

        rc = osw_file_records(p->file, at, k, records, err);
        for (size_t i = 0; i < k && rc == 0; i++)
            note(p, c, at + i, &records[i]);
    }
    free(records);
    return rc;
}

/* --- writing --- */

/* "op/impl and the case", the case on a line of its own where it is long. */
static void put_name_and_case(const page_t *p, const struct osw_record *r,
                              int used, uint64_t n)
{
    const char *text = osw_file_text(p->file, OSW_DICT_CASE, r->case_id);
    struct osw_text name = OSW_TEXT_INIT;
    int room = p->width - used, left;

    osw_text_printf(&name, "%s/%s", osw_report_op_name(p, r->op_id),
                    osw_report_impl_name(p, r->impl_id));
    if (n > 1)
        osw_text_printf(&name, " (%" PRIu64 " like it)", n - 1);
    if (osw_text_str(&name)) {
        osw_report_put_cut(p->out, osw_text_str(&name), room, 0);
        left = room - osw_report_width(osw_text_str(&name)) - 2;
        if (left >= osw_report_width(text))
            fputs("  ", p->out);
        else
            fprintf(p->out, "\n%*s", LEFT, "");
        osw_report_put_cut(p->out, text, p->width - LEFT, 0);
    }
    putc('\n', p->out);
    osw_text_free(&name);
}

/* Of a compiler's message the line that names the error. */
static void put_reason(const page_t *p, const struct osw_record *r)
{
    struct osw_text line = OSW_TEXT_INIT;
    const char *words = r->reason;

    if (osw_report_is_compilers((enum osw_state)r->status_id, words)) {
        words = osw_report_first_error(words);
        osw_text_add_n(&line, words, strcspn(words, "\n"));
        words = osw_text_str(&line) ? osw_text_str(&line) : words;
    }
    fprintf(p->out, "%*s", LEFT, "");
    osw_report_put_lines(p->out, words, p->width, LEFT, LEFT, 2);
    osw_text_free(&line);
}

static void put_failed(const page_t *p, const struct failed *f)
{
    fprintf(p->out, "  %-6" PRIu64 " ", f->row);
    osw_report_paint(p, OSW_REPORT_RED);
    fprintf(p->out, "%-12s ",
            osw_state_name((enum osw_state)f->record.status_id));
    osw_report_paint(p, OSW_REPORT_PLAIN);
    put_name_and_case(p, &f->record, LEFT, f->n);
    if (*f->record.reason)
        put_reason(p, &f->record);
}

/* "(2 value, 1 crash)" */
static void add_states(const page_t *p, struct osw_text *out)
{
    const char *sep = " (";

    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state s = osw_state_at(i);
        enum osw_state_group g = osw_state_group(s);
        uint64_t n = p->sum->total.n_state[s];

        if ((g != OSW_GROUP_FAIL && g != OSW_GROUP_ERROR) || n == 0)
            continue;
        osw_text_printf(out, "%s%" PRIu64 " %s", sep, n, osw_state_name(s));
        sep = ", ";
    }
    osw_text_add(out, ")");
}

static void put_all_failed(const page_t *p, const struct cells *c)
{
    char word[OSW_SHELL_WORD];
    const char *path = osw_shell_word(osw_file_info(p->file)->path, word);
    struct osw_text head = OSW_TEXT_INIT;
    uint64_t shown = 0;

    if (c->all_failed == 0)
        return;
    osw_text_printf(&head, "failed: %" PRIu64 " cell%s", c->all_failed,
                    osw_plural(c->all_failed));
    add_states(p, &head);
    osw_report_paint(p, OSW_REPORT_BOLD);
    if (osw_text_str(&head))
        osw_report_put_lines(p->out, osw_text_str(&head), p->width, 0, 4, 4);
    osw_report_paint(p, OSW_REPORT_PLAIN);
    osw_text_free(&head);
    fprintf(p->out, "  %-6s %-12s op/implementation, case, reason\n", "row",
            "state");
    for (size_t i = 0; i < c->n_failed; i++) {
        put_failed(p, &c->failed[i]);
        shown += c->failed[i].n;
    }
    if (c->all_failed > shown)
        fprintf(p->out,
                "  and %" PRIu64
                " more: --format csv has a line for each cell, "
                "--all for each implementation\n",
                c->all_failed - shown);
    /* A command that is cut would be none. */
    fprintf(p->out, "  one in full: opsweep show %s ROW\n",
            osw_report_width(path) <= p->width - 33 ? path : "FILE");
    putc('\n', p->out);
}

static void put_slow(const page_t *p, const struct slow *s)
{
    const struct osw_record *r = &s->record;
    double light = osw_report_light_of(r);
    char time[32], factor[32], interval[64], percent[32], text[256];
    int used = fprintf(p->out, "  %-6" PRIu64 " %-12s ", s->row,
                       osw_report_duration(r->t_median_ns, time, 32));

    put_name_and_case(p, r, used, 1);
    snprintf(text, sizeof(text), "%s%s vs %s",
             osw_report_factor(r->speedup, factor, 32),
             osw_report_interval(r->speedup_lo, r->speedup_hi, interval, 64),
             osw_report_baseline(p->file, r->baseline_id));
    fprintf(p->out, "%*s", LEFT, "");
    osw_report_paint(p, OSW_REPORT_YELLOW);
    osw_report_put_cut(p->out, text, p->width - LEFT - 26, 0);
    osw_report_paint(p, OSW_REPORT_PLAIN);
    if (!isnan(light))
        fprintf(p->out, ", %s of the speed of light",
                osw_report_percent(light, percent, 32));
    putc('\n', p->out);
}

static void put_all_slow(const page_t *p, const struct cells *c)
{
    if (c->all_slow == 0)
        return;
    osw_report_paint(p, OSW_REPORT_BOLD);
    fprintf(p->out,
            "slower than the baseline: %" PRIu64 " of %" PRIu64
            " compared cells, worst first",
            c->all_slow, p->sum->total.n_timed);
    osw_report_paint(p, OSW_REPORT_PLAIN);
    fprintf(p->out, "\n  %-6s %-12s op/implementation, case, speedup\n", "row",
            "time");
    for (size_t i = 0; i < c->n_slow; i++)
        put_slow(p, &c->slow[i]);
    if (c->all_slow > c->n_slow)
        fprintf(p->out, "  and %" PRIu64 " more\n", c->all_slow - c->n_slow);
    putc('\n', p->out);
}

int osw_report_table_cells(const page_t *p, struct osw_error *err)
{
    struct cells *c = calloc(1, sizeof(*c));
    int rc;

    if (!c)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    rc = find(p, c, err);
    if (rc == 0) {
        put_all_failed(p, c);
        put_all_slow(p, c);
    }
    free(c);
    return rc;
}
