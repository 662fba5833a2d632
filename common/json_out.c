/* common/json_out.c - writing JSON, member by member, into a text */
#include "common/json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/decimal.h"
#include "common/utf8.h"

struct osw_json_out osw_json_out(struct osw_text *text)
{
    return (struct osw_json_out){.text = text};
}

static void add_string(struct osw_text *t, const char *s)
{
    size_t left = strlen(s);

    osw_text_add_n(t, "\"", 1);
    while (left > 0) {
        size_t n = osw_utf8_length(s, left);
        uint32_t point = n ? osw_utf8_point(s, n) : 0xfffd;

        if (*s == '"' || *s == '\\')
            osw_text_printf(t, "\\%c", *s);
        else if (*s == '\n')
            osw_text_add(t, "\\n");
        else if (n == 0 || osw_utf8_is_control(point))
            osw_text_printf(t, "\\u%04" PRIx32, point);
        else
            osw_text_add_n(t, s, n);
        n = n ? n : 1;
        s += n;
        left -= n;
    }
    osw_text_add_n(t, "\"", 1);
}

static void new_line(struct osw_json_out *o)
{
    osw_text_add_n(o->text, "\n", 1);
    for (int i = 0; i < o->depth; i++)
        osw_text_add_n(o->text, "  ", 2);
}

/* What stands before a value: comma, line, key. */
static void begin(struct osw_json_out *o, const char *key)
{
    if (o->filled)
        osw_text_add_n(o->text, ",", 1);
    if (o->depth)
        new_line(o);
    o->filled = true;
    if (key) {
        add_string(o->text, key);
        osw_text_add(o->text, ": ");
    }
}

static void open_value(struct osw_json_out *o, const char *key,
                       const char *brackets)
{
    assert(o->depth < OSW_JSON_OUT_MAX_DEPTH);
    begin(o, key);
    osw_text_add_n(o->text, brackets, 1);
    o->close[o->depth++] = brackets[1];
    o->filled = false;
}

void osw_json_out_object(struct osw_json_out *o, const char *key)
{
    open_value(o, key, "{}");
}

void osw_json_out_list(struct osw_json_out *o, const char *key)
{
    open_value(o, key, "[]");
}

void osw_json_out_end(struct osw_json_out *o)
{
    assert(o->depth > 0);
    o->depth--;
    if (o->filled)
        new_line(o);
    osw_text_add_n(o->text, &o->close[o->depth], 1);
    if (o->depth == 0)
        osw_text_add_n(o->text, "\n", 1);
    o->filled = true;
}

void osw_json_out_str(struct osw_json_out *o, const char *key, const char *v)
{
    begin(o, key);
    add_string(o->text, v);
}

void osw_json_out_i64(struct osw_json_out *o, const char *key, int64_t v)
{
    begin(o, key);
    osw_text_printf(o->text, "%" PRId64, v);
}

void osw_json_out_u64(struct osw_json_out *o, const char *key, uint64_t v)
{
    begin(o, key);
    osw_text_printf(o->text, "%" PRIu64, v);
}

void osw_json_out_f64(struct osw_json_out *o, const char *key, double v)
{
    char word[OSW_DECIMAL_MAX];

    if (!isfinite(v)) {
        osw_json_out_null(o, key);
        return;
    }
    begin(o, key);
    osw_text_add_n(o->text, word, osw_decimal_shortest(word, v));
    if (!strpbrk(word, ".e"))
        osw_text_add(o->text, ".0"); /* a float stays a float */
}

void osw_json_out_bool(struct osw_json_out *o, const char *key, bool v)
{
    begin(o, key);
    osw_text_add(o->text, v ? "true" : "false");
}

void osw_json_out_null(struct osw_json_out *o, const char *key)
{
    begin(o, key);
    osw_text_add(o->text, "null");
}

static int put_list(struct osw_json_out *o, const char *key,
                    const osw_json_t *v, struct osw_error *err)
{
    bool list = osw_json_kind(v) == OSW_JSON_LIST;
    int rc = 0;

    if (o->depth >= OSW_JSON_OUT_MAX_DEPTH)
        return osw_json_fail(v, err, "expected fewer lists in lists");
    if (list)
        osw_json_out_list(o, key);
    else
        osw_json_out_object(o, key);
    for (size_t k = 0; rc == 0 && k < osw_json_size(v); k++) {
        const osw_json_t *item = osw_json_at(v, k);

        rc = osw_json_out_value(o, list ? NULL : osw_json_key(item), item, err);
    }
    osw_json_out_end(o);
    return rc;
}

int osw_json_out_value(struct osw_json_out *o, const char *key,
                       const osw_json_t *v, struct osw_error *err)
{
    const char *s = "";
    bool b = false;
    int64_t i = 0;
    double f = 0;
    int rc = 0;

    switch (osw_json_kind(v)) {
    case OSW_JSON_NULL:
        osw_json_out_null(o, key);
        break;
    case OSW_JSON_BOOL:
        rc = osw_json_bool(v, &b, err);
        osw_json_out_bool(o, key, b);
        break;
    case OSW_JSON_INT:
        rc = osw_json_i64(v, &i, err);
        osw_json_out_i64(o, key, i);
        break;
    case OSW_JSON_FLOAT:
        rc = osw_json_f64(v, &f, err);
        osw_json_out_f64(o, key, f);
        break;
    case OSW_JSON_STR:
        rc = osw_json_str(v, &s, err);
        osw_json_out_str(o, key, s);
        break;
    case OSW_JSON_LIST:
    case OSW_JSON_OBJECT:
        return put_list(o, key, v, err);
    }
    return rc;
}
