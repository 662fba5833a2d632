/* results/report/html/report_html_text.c - untrusted texts and numbers, as
 * HTML */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/utf8.h"
#include "ops/record/state.h"
#include "results/journal/dict.h"
#include "results/report/html/report_html.h"
#include "results/report/report_headlines.h"
#include "results/report/report_versus.h"

static const char *entity(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
    case '\t':
    case '\r':
        return " ";
    default:
        return c < 0x20 || c == 0x7f ? "&#xfffd;" : NULL;
    }
}

void osw_report_html_text(FILE *out, const char *text, size_t max)
{
    size_t left = strlen(text), n_done = 0;

    while (left) {
        size_t n = osw_utf8_length(text, left);
        const char *word = n ? entity((unsigned char)*text) : "&#xfffd;";

        if (n > 1 && osw_utf8_is_control(osw_utf8_point(text, n)))
            word = "&#xfffd;";

        if (max && n_done++ == max) {
            fputs("...", out);
            return;
        }
        if (n == 0)
            n = 1;
        if (word)
            fputs(word, out);
        else
            fwrite(text, 1, n, out);
        text += n;
        left -= n;
    }
}

void osw_report_html_uri(FILE *out, const char *text)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789-._";

    for (; *text; text++)
        if (strchr(kept, *text))
            putc(*text, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*text);
}

int osw_report_html_shade(double speedup)
{
    static const double edges[8] = {0.25, 0.5, 0.714, 0.935, 1.07, 1.4, 2, 4};
    int i = 0;

    while (i < 8 && speedup > edges[i])
        i++;
    return i;
}

bool osw_report_html_timed(const struct osw_report_html_cell *cell)
{
    return cell->compared;
}

void osw_report_html_section(FILE *out, const char *id, const char *heading)
{
    fprintf(out,
            "<section id=\"%s\" aria-labelledby=\"h-%s\">\n"
            "<h2 id=\"h-%s\">%s</h2>\n",
            id, id, id, heading);
}

void osw_report_html_section_end(FILE *out)
{
    fputs("</section>\n", out);
}

void osw_report_html_headline(const struct osw_report_html *h,
                              const struct osw_report_versus *v)
{
    char words[OSW_REPORT_HEADLINE];

    fputs(osw_report_headline(v, words), h->out);
    if (v->oracle)
        fputs(", not drawn", h->out);
}

void osw_report_html_filter_link(const struct osw_report_html *h, uint32_t op,
                                 uint32_t impl)
{
    fputs("#op=", h->out);
    osw_report_html_uri(h->out, osw_file_text(h->file, OSW_DICT_OP, op));
    fputs("&amp;impl=", h->out);
    osw_report_html_uri(h->out, osw_file_text(h->file, OSW_DICT_IMPL, impl));
}
