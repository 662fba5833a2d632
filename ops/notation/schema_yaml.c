/* ops/notation/schema_yaml.c - the schemas of a YAML file of operators, line by
 * line */
#include "ops/notation/schema_yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ops/notation/schema.h"

enum { MAX_SHOWN = 40 };

/* Keys whose value names an operator. */
static const char *const names[] = {"func", "op"};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* One line: its text begins at `at`. */
struct line {
    uint64_t number;
    const char *text;
    size_t n, at;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The line without its comment and the blanks at both ends.  Inside a quoted
 * scalar there are no comments.
 */
static struct line cut(uint64_t number, const char *text, size_t n, bool quoted)
{
    struct line l = {number, text, n, 0};

    while (l.at < l.n && text[l.at] == ' ')
        l.at++;
    for (size_t i = l.at; i < l.n && !quoted; i++) {
        if ((text[i] == '"' || text[i] == '\'') &&
            (i == l.at || is_blank(text[i - 1])))
            quoted = true; /* a value: its end is looked for elsewhere */
        else if (text[i] == '#' && (i == l.at || is_blank(text[i - 1])))
            l.n = i;
    }
    while (l.n > l.at && is_blank(text[l.n - 1]))
        l.n--;
    return l;
}

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a schema");
}

static int say(struct osw_schema_yaml *y, uint64_t line, size_t column,
               const char *expected, const char *found, size_t n,
               struct osw_error *err)
{
    struct osw_schema_yaml_found out = {.line = line};

    osw_text_reset(&y->wrong);
    osw_text_printf(&y->wrong, "column %zu: expected %s, found ", column + 1,
                    expected);
    if (n)
        osw_text_printf(&y->wrong, "'%.*s'%s",
                        (int)(n < MAX_SHOWN ? n : MAX_SHOWN), found,
                        n > MAX_SHOWN ? "..." : "");
    else
        osw_text_printf(&y->wrong, "%s", found);
    out.wrong = osw_text_str(&y->wrong);
    return out.wrong ? y->take(y->arg, &out, err) : no_memory(err);
}

/* What is wrong with the line from `at` on. */
static int refuse(struct osw_schema_yaml *y, const struct line *l, size_t at,
                  const char *expected, struct osw_error *err)
{
    return at < l->n
               ? say(y, l->number, at, expected, l->text + at, l->n - at, err)
               : say(y, l->number, at, expected, "nothing", 0, err);
}

/* --- schemas --- */

static int end_scalar(struct osw_schema_yaml *y, struct osw_error *err)
{
    struct osw_schema_yaml_found out = {.line = y->scalar_line,
                                        .text = osw_text_str(&y->text),
                                        .n = y->text.used};

    if (y->scalar_line == 0)
        return 0;
    y->scalar_line = 0;
    if (y->quote) {
        const char quote[] = {y->quote, '\0'};

        y->quote = 0;
        return say(y, out.line, 0, "a schema that its quote ends", quote, 1,
                   err);
    }
    return out.text ? y->take(y->arg, &out, err) : no_memory(err);
}

/* The next byte of a quoted text, and how many bytes it takes; 0: the end. */
static size_t quoted_byte(char quote, const char *s, size_t n)
{
    if (*s == quote)
        return quote == '\'' && n > 1 && s[1] == quote ? 2 : 0;
    return quote == '"' && *s == '\\' && n > 1 ? 2 : 1;
}

/* The line's text from `at` on belongs to the schema. */
static int add_scalar(struct osw_schema_yaml *y, const struct line *l,
                      size_t at, struct osw_error *err)
{
    if (y->text.used > OSW_SCHEMA_MAX_BYTES)
        return 0; /* ops/schema.h says that it is too long */
    if (!y->quote) {
        osw_text_add_n(&y->text, l->text + at, l->n - at);
        return 0;
    }
    while (at < l->n) {
        size_t n = quoted_byte(y->quote, l->text + at, l->n - at);

        if (n == 0) {
            struct line rest =
                cut(l->number, l->text + at + 1, l->n - at - 1, false);

            y->quote = 0;
            return rest.at == rest.n
                       ? 0
                       : refuse(y, l, at + 1 + rest.at, "nothing more", err);
        }
        osw_text_add_n(&y->text, l->text + at + n - 1, 1);
        at += n;
    }
    return 0;
}

/* The value of a func or an op begins at `at`. */
static int begin_scalar(struct osw_schema_yaml *y, const struct line *l,
                        size_t at, struct osw_error *err)
{
    if (at == l->n || strchr("|>{[&*!", l->text[at]))
        return refuse(y, l, at, "a schema in the line of its key", err);
    y->scalar_line = l->number;
    y->quote =
        l->text[at] == '"' || l->text[at] == '\'' ? l->text[at] : (char)0;
    at += y->quote != 0;
    osw_text_reset(&y->text);
    for (size_t i = 0; i < at; i++)
        osw_text_add(&y->text, " ");
    return add_scalar(y, l, at, err);
}

/* Does the line go on with the schema?  Then it was added. */
static int take_rest(struct osw_schema_yaml *y, const struct line *l,
                     bool *taken, struct osw_error *err)
{
    *taken = y->scalar_line != 0 &&
             (y->quote || (l->at < l->n && l->at > y->key_column));
    if (!*taken)
        return 0;
    if (l->at < l->n)
        osw_text_add(&y->text, " ");
    return add_scalar(y, l, l->at, err);
}

/* --- entries --- */

/* Bytes of the key at `at`; 0: there is no "key:". */
static size_t key_length(const struct line *l, size_t at)
{
    size_t n = 0;

    while (at + n < l->n && l->text[at + n] != ':' &&
           !is_blank(l->text[at + n]))
        n++;
    return at + n < l->n && l->text[at + n] == ':' &&
                   (at + n + 1 == l->n || is_blank(l->text[at + n + 1]))
               ? n
               : 0;
}

static int take_key(struct osw_schema_yaml *y, const struct line *l, size_t at,
                    struct osw_error *err)
{
    size_t n = key_length(l, at), value = at + n + 1;

    if (n == 0)
        return refuse(y, l, at, "'KEY: VALUE'", err);
    while (value < l->n && is_blank(l->text[value]))
        value++;
    for (size_t i = 0; i < N_ELEM(names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], l->text + at, n) == 0) {
            y->named = true;
            return begin_scalar(y, l, value, err);
        }
    return 0;
}

static int end_entry(struct osw_schema_yaml *y, struct osw_error *err)
{
    uint64_t line = y->entry_line;
    bool named = y->named;

    y->entry_line = 0;
    y->named = false;
    if (end_scalar(y, err) < 0)
        return -1;
    return line == 0 || named ? 0
                              : say(y, line, y->list_column,
                                    "an entry with 'func: SCHEMA' or "
                                    "'op: NAME'",
                                    "neither", 0, err);
}

static bool is_dash(const char *text, size_t n, size_t at)
{
    return at < n && text[at] == '-' && (at + 1 == n || is_blank(text[at + 1]));
}

static int begin_entry(struct osw_schema_yaml *y, const struct line *l,
                       struct osw_error *err)
{
    size_t at = l->at + 1;

    y->begun = true;
    y->list_column = l->at;
    y->entry_line = l->number;
    while (at < l->n && is_blank(l->text[at]))
        at++;
    y->key_column = at;
    if (at < l->n)
        return take_key(y, l, at, err);
    y->key_column = l->at + 2; /* keys follow in lines of their own */
    return 0;
}

bool osw_schema_yaml_begins(const char *line, size_t n)
{
    struct line l = cut(1, line, n, false);

    return is_dash(line, l.n, l.at) ||
           (l.n - l.at == 3 && memcmp(line + l.at, "---", 3) == 0);
}

int osw_schema_yaml_line(struct osw_schema_yaml *y, uint64_t number,
                         const char *line, size_t n, struct osw_error *err)
{
    struct line l = cut(number, line, n, y->quote != 0);
    bool taken;

    if (take_rest(y, &l, &taken, err) < 0)
        return -1;
    if (taken || l.at == l.n)
        return 0;
    if (end_scalar(y, err) < 0)
        return -1;
    if (line[l.at] == '\t')
        return refuse(y, &l, l.at, "blanks before a key, no tab", err);
    if (l.at == 0 && l.n == 3 &&
        (memcmp(line, "---", 3) == 0 || memcmp(line, "...", 3) == 0))
        return end_entry(y, err);
    if (is_dash(line, l.n, l.at) && (!y->begun || l.at <= y->list_column))
        return end_entry(y, err) < 0 ? -1 : begin_entry(y, &l, err);
    if (!y->entry_line || l.at <= y->list_column)
        return refuse(y, &l, l.at, "'- func: SCHEMA' or '- op: NAME'", err);
    if (l.at == y->key_column && !is_dash(line, l.n, l.at))
        return take_key(y, &l, l.at, err);
    if (l.at < y->key_column)
        return refuse(y, &l, l.at, "a key below the entry's first one", err);
    return 0;
}

int osw_schema_yaml_end(struct osw_schema_yaml *y, struct osw_error *err)
{
    return end_entry(y, err);
}

void osw_schema_yaml_free(struct osw_schema_yaml *y)
{
    osw_text_free(&y->text);
    osw_text_free(&y->wrong);
}
