/* ops/cases/trace.c - files of recorded operator calls */
#include "ops/cases/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/notation_parse.h"

/* `aten.add.Tensor`: words and digits joined by '.' or '::', taken as one. */
static int parse_operator(struct osw_scan *s, struct osw_trace_line *out)
{
    size_t start, n = 0;

    (void)osw_scan_peek(s);
    start = s->at;
    while (start + n < s->n && s->text[start + n] > ' ' &&
           s->text[start + n] < 0x7f)
        n++;
    if (osw_scan_peek_word(s) == 0)
        return osw_scan_fail(s, start, "the name of an operator");
    s->at += n;
    out->kind = OSW_TRACE_OPERATOR;
    out->op = osw_arena_strndup(s->arena, s->text + start, n);
    return out->op ? osw_scan_end(s) : osw_scan_no_memory(s);
}

static int parse_call(struct osw_scan *s, struct osw_trace_line *out)
{
    struct osw_value count;
    size_t at;

    (void)osw_scan_peek(s);
    at = s->at;
    if (osw_scan_number(s, &count) < 0)
        return -1;
    if (count.kind != OSW_VALUE_INT || count.u.i < 1)
        return osw_scan_fail(s, at, "a count of 1 or more");
    if (osw_scan_expect(s, ',') < 0)
        return -1;
    (void)osw_scan_peek(s);
    at = s->at;
    if (osw_notation_parse_scan_case(s, &out->args) < 0)
        return -1;
    out->kind = OSW_TRACE_CALL;
    out->count = count.u.i;
    out->text = osw_arena_strndup(s->arena, s->text + at, s->at - at);
    return out->text ? osw_scan_end(s) : osw_scan_no_memory(s);
}

/* The keyword of a line, with its colon. */
static bool take_keyword(struct osw_scan *s, const char *word)
{
    size_t start = s->at;

    if (osw_scan_is_word(s, word)) {
        s->at += strlen(word);
        if (osw_scan_take(s, ':'))
            return true;
    }
    s->at = start;
    return false;
}

int osw_trace_parse_line(osw_arena_t *arena, const char *text, size_t n,
                         struct osw_trace_line *out, struct osw_error *err)
{
    struct osw_scan s = {.text = text, .n = n, .arena = arena, .err = err};
    struct osw_trace_line line = {.kind = OSW_TRACE_BLANK};
    int rc = 0;

    if (n > OSW_TRACE_MAX_LINE)
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %d: expected a line of at most %d bytes, "
                        "found %zu",
                        OSW_TRACE_MAX_LINE + 1, OSW_TRACE_MAX_LINE, n);
    if (osw_scan_peek(&s) < 0)
        rc = 0;
    else if (take_keyword(&s, "Operator"))
        rc = parse_operator(&s, &line);
    else if (take_keyword(&s, "cnt"))
        rc = parse_call(&s, &line);
    else
        rc = osw_scan_fail(&s, s.at, "'Operator:' or 'cnt:'");
    if (rc == 0)
        *out = line;
    return rc;
}

/* Entries so far, in an array that doubles when it is full. */
struct entries {
    struct osw_trace_entry *data;
    size_t n, room;
};

static int add_entry(osw_arena_t *arena, struct entries *to,
                     const struct osw_trace_entry *e)
{
    if (to->n == to->room) {
        size_t room = to->room ? 2 * to->room : 64;
        struct osw_trace_entry *data =
            osw_arena_array(arena, room, sizeof(*data));

        if (!data)
            return -1;
        if (to->n)
            memcpy(data, to->data, to->n * sizeof(*data));
        to->data = data;
        to->room = room;
    }
    to->data[to->n++] = *e;
    return 0;
}

static int parse_lines(osw_arena_t *arena, const char *name, const char *text,
                       size_t n, struct entries *out, struct osw_error *err)
{
    const char *op = NULL;
    uint32_t number = 1;

    for (size_t at = 0; at < n; number++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t len = end ? (size_t)(end - text) - at : n - at;
        struct osw_trace_line line;
        struct osw_trace_entry e;

        if (osw_trace_parse_line(arena, text + at, len, &line, err) < 0)
            return osw_error_in(err, "%s:%u", name, number);
        at += len + 1;
        if (line.kind == OSW_TRACE_OPERATOR)
            op = line.op;
        if (line.kind != OSW_TRACE_CALL)
            continue;
        if (!op)
            return osw_fail(err, OSW_BAD_INPUT,
                            "%s:%u: column 1: expected 'Operator:' before the "
                            "first call, found 'cnt'",
                            name, number);
        e = (struct osw_trace_entry){op, line.count, line.text, number,
                                     line.args};
        if (add_entry(arena, out, &e) < 0)
            return osw_fail(err, OSW_NO_MEMORY, "%s: no memory to read it",
                            name);
    }
    return 0;
}

int osw_trace_parse(osw_arena_t *arena, const char *name, const char *text,
                    size_t n, struct osw_trace *out, struct osw_error *err)
{
    struct entries entries = {.n = 0};

    if (n > OSW_TRACE_MAX_BYTES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "%s: expected a trace of at most %d bytes", name,
                        OSW_TRACE_MAX_BYTES);
    if (parse_lines(arena, name, text, n, &entries, err) < 0)
        return -1;
    *out = (struct osw_trace){.n = entries.n, .entries = entries.data};
    return 0;
}

/* The whole file in memory the caller frees; NULL with err set.  One byte
 * beyond the limit is read, to see that there is one.
 */
static char *read_file(const char *path, size_t *n, struct osw_error *err)
{
    FILE *f = fopen(path, "rb");
    size_t size = 64 * 1024, used = 0, got;
    char *text = NULL, *grown;

    if (!f) {
        osw_fail(err, OSW_BAD_INPUT, "cannot open '%s': %s", path,
                 strerror(errno));
        return NULL;
    }
    do {
        size *= 2;
        grown = realloc(text, size);
        if (!grown) {
            osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", path);
            goto out;
        }
        text = grown;
        got = fread(text + used, 1, size - used, f);
        used += got;
    } while (used == size && used <= OSW_TRACE_MAX_BYTES);
    if (ferror(f)) {
        osw_fail(err, OSW_BAD_INPUT, "cannot read '%s': %s", path,
                 strerror(errno));
        grown = NULL;
    }
    *n = used;
out:
    fclose(f);
    if (!grown)
        free(text);
    return grown;
}

int osw_trace_read(osw_arena_t *arena, const char *path, struct osw_trace *out,
                   struct osw_error *err)
{
    size_t n = 0;
    char *text = read_file(path, &n, err);
    int rc;

    if (!text)
        return -1;
    if (n == 0)
        rc = osw_fail(err, OSW_BAD_INPUT, "'%s' is empty, expected a trace",
                      path);
    else
        rc = osw_trace_parse(arena, path, text, n, out, err);
    free(text);
    return rc;
}
