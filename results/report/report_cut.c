/* results/report/report_cut.c - texts of ops, cut where least is lost */
#include "results/report/report_cut.h"

#include <string.h>

#include "common/utf8.h"

static bool starts(char c)
{
    return (c & 0xc0) != 0x80;
}

int osw_report_width(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += starts(*s);
    return n;
}

/* Bytes of the first n columns. */
static size_t bytes_of(const char *s, int n)
{
    const char *at = s;

    for (; *at; at++)
        if (starts(*at) && n-- == 0)
            break;
    return (size_t)(at - s);
}

/* --- paths --- */

/* Bytes of the path that begins here; 0: none does. */
static size_t path_length(const char *text, const char *at)
{
    size_t n = strcspn(at, " \t\n'\"():,;");

    if (*at != '/' || (at > text && !strchr(" \t\n'\"(:,;=", at[-1])))
        return 0;
    return n;
}

/* Where the last two names of a path begin; NULL: it has no more. */
static const char *last_names(const char *path, size_t n)
{
    int left = 2;

    for (size_t i = n; i-- > 1;)
        if (path[i] == '/' && --left == 0)
            return path + i;
    return NULL;
}

/* The text with "..." for the first folders of its paths. */
static void shorten_paths(struct osw_text *out, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = path_length(text, at);
        const char *rest = n ? last_names(at, n) : NULL;

        if (rest && rest - at > 3) {
            osw_text_add(out, "...");
            osw_text_add_n(out, rest, n - (size_t)(rest - at));
        } else {
            n = n ? n : 1;
            osw_text_add_n(out, at, n);
        }
        at += n;
    }
}

/* --- cutting --- */

static void cut_middle(struct osw_text *out, const char *s, int width)
{
    int all = osw_report_width(s);
    int head = width > 3 ? (width - 3) / 3 : 0;
    int tail = width > 3 ? width - 3 - head : 0;
    size_t from = bytes_of(s, all - tail);

    if (all <= width) {
        osw_utf8_add_visible(out, s, strlen(s));
        return;
    }
    osw_utf8_add_visible(out, s, bytes_of(s, head));
    osw_text_add_n(out, "...", width < 3 ? (size_t)width : 3);
    osw_utf8_add_visible(out, s + from, strlen(s + from));
}

void osw_report_cut(struct osw_text *out, const char *text, int width)
{
    struct osw_text shorter = OSW_TEXT_INIT;

    if (width <= 0)
        return;
    if (osw_report_width(text) > width && strchr(text, '/')) {
        shorten_paths(&shorter, text);
        if (osw_text_str(&shorter))
            text = osw_text_str(&shorter);
    }
    cut_middle(out, text, width);
    osw_text_free(&shorter);
}

void osw_report_put_cut(FILE *out, const char *text, int width, int pad)
{
    struct osw_text t = OSW_TEXT_INIT;
    const char *s;
    int used = 0;

    osw_report_cut(&t, text, width);
    s = osw_text_str(&t);
    if (s) {
        fputs(s, out);
        used = osw_report_width(s);
    }
    fprintf(out, "%*s", pad > used ? pad - used : 0, "");
    osw_text_free(&t);
}

/* Bytes up to the last space within n columns; 0: no space is there. */
static size_t last_space(const char *s, int n)
{
    size_t end = bytes_of(s, n + 1);

    while (end > 0 && s[end - 1] != ' ')
        end--;
    return end ? end - 1 : 0;
}

void osw_report_put_lines(FILE *out, const char *text, int width, int first,
                          int indent, int max_lines)
{
    struct osw_text clean = OSW_TEXT_INIT;
    const char *at;

    osw_utf8_add_visible(&clean, text, strlen(text));
    at = osw_text_str(&clean) ? osw_text_str(&clean) : "";
    for (int line = 1; *at; line++) {
        int room = width - (line > 1 ? indent : first);
        size_t n = last_space(at, room);

        fprintf(out, "%*s", line > 1 ? indent : 0, "");
        if (osw_report_width(at) <= room || line == max_lines) {
            osw_report_put_cut(out, at, room, 0);
            at += strlen(at);
        } else {
            n = n ? n : bytes_of(at, room);
            fwrite(at, 1, n, out);
            at += n;
            at += *at == ' ';
        }
        putc('\n', out);
    }
    osw_text_free(&clean);
}

bool osw_report_is_compilers(enum osw_state state, const char *reason)
{
    return state == OSW_STATE_BUILD ||
           (state == OSW_STATE_REFERENCE && strstr(reason, ": error: "));
}

const char *osw_report_first_error(const char *text)
{
    static const char *const words[] = {"error: ", "undefined reference to "};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = strstr(text, words[i]);

        if (at && (!first || at < first))
            first = at;
    }
    while (first && first > text && first[-1] != '\n')
        first--;
    return first ? first : text;
}
