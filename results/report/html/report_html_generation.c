/* results/report/html/report_html_generation.c - how the kernels were
 * generated: what each attempt asked, cost, and came to */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "results/report/html/report_html.h"
#include "results/report/report_generation.h"

enum { MAX_OPS = 500, MAX_ATTEMPTS = 1000, MAX_NAME = 80, MAX_WORDS = 120 };

static void put_summary(FILE *out, const struct osw_generation *g)
{
    struct osw_text t = OSW_TEXT_INIT;
    char *save = NULL;

    osw_report_generation_add(g, &t);
    fputs("<ul class=\"headlines\">\n", out);
    for (char *line = t.used && !t.failed ? strtok_r(t.data, "\n", &save)
                                          : NULL;
         line; line = strtok_r(NULL, "\n", &save)) {
        fputs("<li>", out);
        osw_report_html_text(out, line, 0);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    osw_text_free(&t);
}

static void put_speedup(FILE *out, double speedup, double lo, double hi)
{
    char text[2][64];

    if (!isnan(speedup))
        fprintf(out, "%s%s", osw_report_factor(speedup, text[0], 32),
                osw_report_interval(lo, hi, text[1], 64));
}

static void put_cell(FILE *out, const char *text, size_t most)
{
    fputs("<td>", out);
    osw_report_html_text(out, text, most);
    fputs("</td>", out);
}

static void put_op(FILE *out, const struct osw_generation_op *op)
{
    fputs("<tr>", out);
    put_cell(out, op->op, MAX_NAME);
    fprintf(out, "<td class=\"n\">%" PRIu32 "</td>", op->n_attempts);
    if (op->winner)
        fprintf(out, "<td class=\"n\">%" PRIu32 "</td>", op->winner);
    else
        fputs("<td class=\"n\">none</td>", out);
    fprintf(out,
            "<td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32
            "</td><td class=\"n\">",
            op->n_planned, op->n_held_out);
    put_speedup(out, op->speedup, op->speedup_lo, op->speedup_hi);
    fputs("</td>", out);
    put_cell(out, op->baseline, MAX_NAME);
    put_cell(out, op->why, MAX_WORDS);
    fputs("</tr>\n", out);
}

static void put_ops(FILE *out, const struct osw_generation *g)
{
    fputs("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>op</th>"
          "<th class=\"n\">attempts</th><th class=\"n\">chosen</th>"
          "<th class=\"n\">its cells</th><th class=\"n\">held out</th>"
          "<th class=\"n\">speed-up</th><th>baseline</th><th>ended as</th>"
          "</tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < g->n_ops && i < MAX_OPS; i++)
        put_op(out, &g->ops[i]);
    fputs("</tbody></table></div>\n", out);
    if (g->n_ops > MAX_OPS)
        fprintf(out, "<p>and %zu more in /generation/ops</p>\n",
                g->n_ops - MAX_OPS);
}

static void put_number(FILE *out, uint32_t number)
{
    if (number)
        fprintf(out, "<td class=\"n\">%" PRIu32 "</td>", number);
    else
        fputs("<td></td>", out);
}

static void put_attempt(FILE *out, const struct osw_generation_attempt *a)
{
    char text[32];

    fputs(a->winner ? "<tr class=\"chosen\">" : "<tr>", out);
    put_cell(out, a->op, MAX_NAME);
    put_number(out, a->attempt);
    put_number(out, a->parent);
    put_cell(out, a->outcome, MAX_NAME);
    fprintf(out,
            "<td class=\"n\">%" PRIu32 " of %" PRIu32
            "</td><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32
            "</td><td class=\"n\">",
            a->n_passed, a->n_planned, a->n_failed, a->n_errors);
    put_speedup(out, a->speedup, a->speedup_lo, a->speedup_hi);
    fprintf(out,
            "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
            "</td><td class=\"n\">%.4g</td>",
            a->tokens_in + a->tokens_cache_read + a->tokens_cache_write,
            a->tokens_out, a->cost);
    fprintf(out, "<td class=\"n\">%s</td>",
            osw_report_duration((double)a->ask_ns, text, sizeof(text)));
    fprintf(out, "<td class=\"n\">%s</td>",
            osw_report_duration((double)a->judge_ns, text, sizeof(text)));
    put_cell(out, a->model, MAX_NAME);
    fputs("</tr>\n", out);
}

static void put_attempts(FILE *out, const struct osw_generation *g)
{
    fprintf(out,
            "<details><summary>All attempts</summary>\n"
            "<div class=\"scroll\"><table class=\"plain\"><thead><tr>"
            "<th>op</th><th class=\"n\">attempt</th><th class=\"n\">of</th>"
            "<th>outcome</th><th class=\"n\">passed</th>"
            "<th class=\"n\">failed</th><th class=\"n\">errors</th>"
            "<th class=\"n\">speed-up</th><th class=\"n\">tokens in</th>"
            "<th class=\"n\">out</th><th class=\"n\">cost</th>"
            "<th class=\"n\">asking</th><th class=\"n\">judging</th>"
            "<th>model</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < g->n_attempts && i < MAX_ATTEMPTS; i++)
        put_attempt(out, &g->attempts[i]);
    fputs("</tbody></table></div></details>\n", out);
    if (g->n_attempts > MAX_ATTEMPTS)
        fprintf(out, "<p>and %zu more in /generation</p>\n",
                g->n_attempts - MAX_ATTEMPTS);
}

int osw_report_html_generation(const struct osw_report_html *h,
                               struct osw_error *err)
{
    struct osw_generation g;

    if (osw_generation_read(h->file, &g, err) < 0)
        return -1;
    if (g.n_ops > 0) {
        osw_report_html_section(h->out, "generation", "Generated kernels");
        put_summary(h->out, &g);
        put_ops(h->out, &g);
        put_attempts(h->out, &g);
        osw_report_html_section_end(h->out);
    }
    osw_generation_free(&g);
    return 0;
}
