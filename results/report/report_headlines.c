/* results/report/report_headlines.c - the speedup against each baseline, in a
 * line */
#include "results/report/report_headlines.h"

#include <inttypes.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_number.h"
#include "results/report/report_versus.h"

enum { WIDTH = 100, MAX_ROWS = 200000 /* read again after a run */ };

struct lines {
    const osw_file_t *file;
    const struct osw_report_summary *sum;
    FILE *out;
    int width;
};

const char *osw_report_headline(const struct osw_report_versus *v,
                                char words[OSW_REPORT_HEADLINE])
{
    char factor[32], interval[64];

    if (v->oracle)
        snprintf(words, OSW_REPORT_HEADLINE, "%" PRIu64 " cell%s: not counted",
                 v->n, osw_plural(v->n));
    else
        snprintf(words, OSW_REPORT_HEADLINE,
                 "geomean %s%s over %" PRIu64 " cell%s of %" PRIu64
                 " op%s; %" PRIu64 " faster, %" PRIu64 " slower, %" PRIu64
                 " open",
                 osw_report_factor(osw_report_versus_geomean(v), factor, 32),
                 osw_report_interval(v->lo, v->hi, interval, 64), v->n,
                 osw_plural(v->n), v->n_ops, osw_plural(v->n_ops), v->n_faster,
                 v->n_slower, v->n - v->n_faster - v->n_slower);
    return words;
}

static void put_headline(const struct lines *p,
                         const struct osw_report_versus *v, int name_width)
{
    struct osw_text t = OSW_TEXT_INIT;
    char name[80], words[OSW_REPORT_HEADLINE];

    osw_report_versus_name(p->file, v->baseline_id, v->device_id, name,
                           sizeof(name));
    osw_text_printf(&t, "speedup %-*s  %s", name_width, name,
                    osw_report_headline(v, words));
    if (osw_text_str(&t))
        osw_report_put_lines(p->out, osw_text_str(&t), p->width, 0, 10, 3);
    osw_text_free(&t);
}

static void put_light(const struct lines *p)
{
    const struct osw_report_row *t = &p->sum->total;
    char percent[32], line[160];

    if (t->n_light == 0)
        return;
    snprintf(line, sizeof(line),
             "speed of light  median %s of what bytes and operations allow, "
             "over %" PRIu64 " timed cell%s%s",
             osw_report_percent(t->light_median, percent, 32), t->n_light,
             osw_plural(t->n_light),
             p->sum->several_models ? " of several models" : "");
    osw_report_put_lines(p->out, line, p->width, 0, 10, 2);
}

static void put_speedups(const struct lines *p)
{
    const struct osw_report_row *t = &p->sum->total;
    char name[80];
    int width = 0;

    for (size_t i = 0; i < p->sum->n_headlines; i++) {
        const struct osw_report_versus *v = &p->sum->headlines[i];
        int n;

        osw_report_versus_name(p->file, v->baseline_id, v->device_id, name,
                               sizeof(name));
        n = v->oracle ? 0 : osw_report_width(name);
        width = n > width && n < 24 ? n : width;
    }
    for (size_t i = 0; i < p->sum->n_headlines; i++)
        put_headline(p, &p->sum->headlines[i], width);
    if (t->n_measured == 0)
        fprintf(p->out, "speedup   no passed cell was timed\n");
    else if (p->sum->n_headlines == 0)
        fprintf(p->out,
                "speedup   no baseline: %" PRIu64 " cell%s timed alone\n",
                t->n_measured, t->n_measured == 1 ? " was" : "s were");
}

void osw_report_headlines(const osw_file_t *file,
                          const struct osw_report_summary *summary, int width,
                          FILE *out)
{
    struct lines p = {file, summary, out, width};

    put_speedups(&p);
    put_light(&p);
}

static void put_hint(const char *path, const char *says, FILE *out)
{
    char word[OSW_SHELL_WORD];

    fprintf(out, "opsweep report %s says %s\n", osw_shell_word(path, word),
            says);
}

void osw_report_last_lines(const char *path, const char *says, FILE *out)
{
    struct osw_report_summary summary;
    osw_file_t *file = osw_file_open(path, NULL);

    if (file && osw_file_info(file)->n_results <= MAX_ROWS &&
        osw_report_summarize(file, &summary, NULL) == 0) {
        if (summary.total.n_measured)
            osw_report_headlines(file, &summary, WIDTH, out);
        osw_report_summary_free(&summary);
    }
    osw_file_close(file);
    if (says)
        put_hint(path, says, out);
}
