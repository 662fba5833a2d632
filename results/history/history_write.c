/* results/history/history_write.c - a history as text and Markdown */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/utf8.h"
#include "ops/record/state.h"
#include "results/history/history.h"
#include "results/history/history_parts.h"

enum { MAX_WHAT = 120, MAX_FACTS = 400 };

static const struct osw_history_format *const formats[] = {
    &osw_history_format_text,
    &osw_history_format_markdown,
    &osw_history_format_json,
    &osw_history_format_csv,
};

const struct osw_history_format *osw_history_format_at(size_t i)
{
    return i < sizeof(formats) / sizeof(formats[0]) ? formats[i] : NULL;
}

const struct osw_history_format *osw_history_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

/* Where it goes; what is special in Markdown and HTML is escaped there. */
struct page {
    const osw_history_t *h;
    FILE *out;
    bool markdown;
    size_t limit;
    struct osw_text text, last; /* of a row; of the group's heading */
};

static void put(const struct page *p, const char *s, size_t most)
{
    size_t n = strlen(s);

    const char *special = p->markdown ? "|`*_<>&\\[]#" : "";

    for (size_t i = 0, k; i < n && i < most; i += k) {
        k = strcspn(s + i, special);
        if (k == 0)
            fprintf(p->out, "&#%d;", s[i]);
        else
            osw_utf8_put_visible(p->out, s + i, k < most - i ? k : most - i);
        k = k ? k : 1;
    }
    if (n > most)
        fputc('~', p->out);
}

static void put_text(struct page *p, size_t most)
{
    const char *s = osw_text_str(&p->text);

    put(p, s ? s : "?", most);
    osw_text_reset(&p->text);
}

static double percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

/* --- one finding --- */

static void add_time(struct osw_text *t, const struct osw_history_finding *f)
{
    osw_text_printf(t, "%+.1f %%", percent(f->effect));
    if (!isnan(f->half))
        osw_text_printf(t, " [%+.1f, %+.1f]", percent(f->effect - f->half),
                        percent(f->effect + f->half));
    if (!isnan(f->was_ns))
        osw_text_printf(t, " %.5g -> %.5g us", f->was_ns / 1e3,
                        f->now_ns / 1e3);
    if (f->drifts)
        osw_text_printf(t, " in %u campaign%s", (unsigned)f->n_after,
                        osw_plural(f->n_after));
}

static void add_place(struct osw_text *t, const struct osw_history_finding *f)
{
    if (!isnan(f->effect))
        osw_text_printf(t, "%u of %u cell%s %.1f %% %s", (unsigned)f->n_cells,
                        (unsigned)f->n_measured, osw_plural(f->n_measured),
                        fabs(percent(f->effect)),
                        f->effect > 0 ? "slower" : "faster");
    if (f->n_failing)
        osw_text_printf(t, "%s%u of %u fail there alone",
                        isnan(f->effect) ? "" : ", ", (unsigned)f->n_failing,
                        (unsigned)f->n_measured);
}

static void add_change(struct osw_text *t, const struct osw_history_finding *f)
{
    if (f->kind == OSW_HISTORY_PLACE)
        add_place(t, f);
    else if (!isnan(f->effect))
        add_time(t, f);
    else
        osw_text_printf(t, "%s -> %s", osw_state_name((enum osw_state)f->was),
                        f->is ? osw_state_name((enum osw_state)f->is)
                              : "not judged");
}

/* "since TIME FILE, before that TIME FILE: what changed" */
static void add_heading(const osw_history_t *h,
                        const struct osw_history_finding *f, struct osw_text *t)
{
    uint32_t since = osw_history_since(h, f), before = osw_history_before(h, f);
    const struct osw_history_campaign *c = h->campaigns;
    struct osw_text facts = OSW_TEXT_INIT;
    const char *text;

    if (since == OSW_HISTORY_NONE || before == OSW_HISTORY_NONE)
        return;
    if (f->kind == OSW_HISTORY_GONE)
        osw_text_printf(t, "last in %s %s",
                        osw_history_word(h, c[since].created),
                        osw_history_word(h, c[since].path));
    else
        osw_text_printf(t, "%s %s %s, %s %s %s",
                        f->drifts             ? "up to"
                        : f->against_baseline ? "now"
                                              : "since",
                        osw_history_word(h, c[since].created),
                        osw_history_word(h, c[since].path),
                        f->drifts             ? "from"
                        : f->against_baseline ? "baseline"
                                              : "before that",
                        osw_history_word(h, c[before].created),
                        osw_history_word(h, c[before].path));
    if (f->kind != OSW_HISTORY_GONE && since > before + 1 && !f->drifts &&
        !f->against_baseline)
        osw_text_printf(t, " (not judged in the %u between)",
                        (unsigned)(since - before - 1));
    osw_history_campaign_facts(h, f, &facts);
    text = osw_text_str(&facts);
    if (text && *text)
        osw_text_printf(t, ": %s", text);
    osw_text_free(&facts);
}

static void put_heading(struct page *p, const struct osw_history_finding *f)
{
    struct osw_text t = OSW_TEXT_INIT;
    const char *now, *was = osw_text_str(&p->last);

    add_heading(p->h, f, &t);
    now = osw_text_str(&t);
    if (now && *now && (!was || strcmp(now, was) != 0)) {
        fputs(p->markdown ? "| **" : "  ", p->out);
        put(p, now, MAX_FACTS);
        fputs(p->markdown ? "** | | |\n" : "\n", p->out);
    }
    osw_text_free(&p->last);
    p->last = t;
}

static void put_finding(struct page *p, const struct osw_history_finding *f)
{
    const char *bar = p->markdown ? " | " : "  ";

    put_heading(p, f);
    fputs(p->markdown ? "| " : "    ", p->out);
    add_change(&p->text, f);
    put_text(p, MAX_WHAT);
    fputs(bar, p->out);
    osw_history_what(p->h, f, &p->text);
    put_text(p, MAX_WHAT);
    fputs(bar, p->out);
    osw_history_cell_facts(p->h, f, &p->text);
    if (p->text.used == 0 && f->kind != OSW_HISTORY_PLACE &&
        f->kind != OSW_HISTORY_GONE) {
        osw_history_campaign_facts(p->h, f, &p->text);
        if (p->text.used == 0)
            osw_text_add(&p->text, "nothing that is recorded changed");
        else
            osw_text_reset(&p->text);
    }
    put_text(p, MAX_FACTS);
    fputs(p->markdown ? " |\n" : "\n", p->out);
}

/* --- kinds --- */

static void put_title(struct page *p, const char *name, size_t n,
                      const char *text)
{
    fprintf(p->out,
            p->markdown ? "\n#### %s: %zu (%s)\n\n| change | what | changed "
                          "with it |\n|---|---|---|\n"
                        : "\n%s: %zu (%s)\n",
            name, n, text);
    osw_text_reset(&p->last);
}

static void put_rest(struct page *p, size_t n)
{
    if (n > p->limit)
        fprintf(p->out, p->markdown ? "\nand %zu more\n" : "    and %zu more\n",
                n - p->limit);
}

static void put_kinds(struct page *p)
{
    const struct osw_history_view v = osw_history_view(p->h);
    size_t i = 0;

    while (i < v.n_findings && v.findings[i].known < 0) {
        enum osw_history_kind kind = v.findings[i].kind;
        size_t n = v.n_kind[kind];

        put_title(p, osw_history_name(kind), n, osw_history_text(kind));
        for (size_t k = 0; k < n && k < p->limit; k++)
            put_finding(p, &v.findings[i + k]);
        put_rest(p, n);
        i += n;
    }
}

/* What the file of known things stands for, with its reason. */
static void put_known(struct page *p)
{
    const struct osw_history_view v = osw_history_view(p->h);
    size_t first = v.n_findings - v.n_known, n_entries;
    const struct osw_known_failures_entry *e;

    if (v.n_known == 0)
        return;
    e = osw_known_failures_entries(v.known, &n_entries);
    put_title(p, "known", v.n_known, "do not count: the file of --known");
    for (size_t k = 0; k < v.n_known && k < p->limit; k++) {
        const struct osw_history_finding *f = &v.findings[first + k];

        fputs(p->markdown ? "| " : "    ", p->out);
        fprintf(p->out, "%s ", osw_history_name(f->kind));
        add_change(&p->text, f);
        put_text(p, MAX_WHAT);
        fputs(p->markdown ? " | " : "  ", p->out);
        osw_history_what(p->h, f, &p->text);
        put_text(p, MAX_WHAT);
        fputs(p->markdown ? " | " : "  ", p->out);
        put(p, e[f->known].reason, MAX_FACTS);
        fprintf(p->out, ", until %s%s\n", e[f->known].expires,
                p->markdown ? " |" : "");
    }
    put_rest(p, v.n_known);
}

static bool has_times(const struct osw_history_view *v)
{
    for (size_t i = 0; i < v->n_findings; i++)
        if (v->findings[i].kind != OSW_HISTORY_PLACE &&
            !isnan(v->findings[i].effect))
            return true;
    return false;
}

static void put_head(struct page *p)
{
    const struct osw_history_view v = osw_history_view(p->h);
    size_t first = 0;

    while (first < v.n_campaigns && v.campaigns[first].pinned)
        first++;
    if (p->markdown)
        fputs("### opsweep history\n\n", p->out);
    fprintf(p->out, "%zu campaign%s", v.n_campaigns - first,
            osw_plural(v.n_campaigns - first));
    if (first < v.n_campaigns) {
        fputs(", ", p->out);
        put(p, osw_history_word(p->h, v.campaigns[first].created), MAX_WHAT);
        fputs(" to ", p->out);
        put(p, osw_history_word(p->h, v.campaigns[v.n_campaigns - 1].created),
            MAX_WHAT);
    }
    fprintf(p->out, "; %zu cell%s, %zu series with times\n", v.n_followed,
            osw_plural(v.n_followed), v.n_timed);
    for (size_t i = 0; i < first; i++) {
        fputs("baseline ", p->out);
        put(p, osw_history_word(p->h, v.campaigns[i].path), MAX_FACTS);
        fputc('\n', p->out);
    }
    fprintf(p->out,
            "%zu of %zu cell%s judged before %s in the newest campaign\n",
            v.n_common, v.n_judged, osw_plural(v.n_judged),
            v.n_common == 1 ? "is" : "are");
    for (size_t i = 0; i < v.n_notes; i++) {
        put(p, v.notes[i], 1024);
        fputc('\n', p->out);
    }
    fputs(p->markdown ? "\n| | findings | |\n|---|---|---|\n" : "\n", p->out);
    for (int k = 0; k < OSW_HISTORY_N_KINDS; k++)
        if (v.n_kind[k])
            fprintf(p->out,
                    p->markdown ? "| %s | %zu | %s |\n" : "  %-14s %8zu  %s\n",
                    osw_history_name((enum osw_history_kind)k), v.n_kind[k],
                    osw_history_text((enum osw_history_kind)k));
    if (has_times(&v) && !p->markdown)
        fputs("\ntimes: change, its 95 % interval, levels before and after, "
              "cell, what changed with it\n",
              p->out);
    if (v.n_findings == 0)
        fputs(p->markdown ? "| nothing changed | | |\n" : "  nothing changed\n",
              p->out);
}

static int write_page(const osw_history_t *h, size_t limit, bool markdown,
                      FILE *out, struct osw_error *err)
{
    struct page p = {.h = h, .out = out, .markdown = markdown, .limit = limit};

    put_head(&p);
    put_kinds(&p);
    put_known(&p);
    osw_text_free(&p.text);
    osw_text_free(&p.last);
    return fflush(out) || ferror(out)
               ? osw_fail_sys(err, errno, "cannot write the history")
               : 0;
}

static int write_text(const osw_history_t *h, size_t limit, FILE *out,
                      struct osw_error *err)
{
    return write_page(h, limit, false, out, err);
}

static int write_markdown(const osw_history_t *h, size_t limit, FILE *out,
                          struct osw_error *err)
{
    return write_page(h, limit, true, out, err);
}

const struct osw_history_format osw_history_format_text = {"text", write_text};
const struct osw_history_format osw_history_format_markdown = {"markdown",
                                                               write_markdown};
