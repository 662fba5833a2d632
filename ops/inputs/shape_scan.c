/* ops/inputs/shape_scan.c - words and arguments of a shape's expression */
#include "ops/inputs/shape_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- words --- */

bool osw_shape_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

bool osw_shape_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char osw_shape_peek(struct osw_shape_parser *p)
{
    while (p->text[p->at] == ' ')
        p->at++;
    return p->text[p->at];
}

int osw_shape_fail(struct osw_shape_parser *p, size_t at, const char *fmt, ...)
{
    char words[160];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    return osw_fail(p->err, OSW_BAD_INPUT, "column %zu: %s", at + 1, words);
}

int osw_shape_expected(struct osw_shape_parser *p, const char *what)
{
    char c = osw_shape_peek(p);

    if (c == '\0')
        return osw_shape_fail(p, p->at, "expected %s, found the end", what);
    if (c < ' ' || c > '~')
        return osw_shape_fail(p, p->at, "expected %s, found byte 0x%02x", what,
                              (unsigned)(unsigned char)c);
    return osw_shape_fail(p, p->at, "expected %s, found '%c'", what, c);
}

void osw_shape_emit(struct osw_shape_parser *p, const char *words)
{
    if (p->python)
        osw_text_add(p->python, words);
}

bool osw_shape_accept(struct osw_shape_parser *p, const char *word)
{
    size_t n = strlen(word);

    osw_shape_peek(p);
    if (strncmp(p->text + p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* A word that is taken and written as it is. */
bool osw_shape_keep(struct osw_shape_parser *p, const char *word)
{
    if (!osw_shape_accept(p, word))
        return false;
    osw_shape_emit(p, word);
    return true;
}

int osw_shape_need(struct osw_shape_parser *p, const char *word,
                   const char *what)
{
    return osw_shape_keep(p, word) ? 0 : osw_shape_expected(p, what);
}

/* A name at p->at, which moves past it; 0 bytes when there is none. */
size_t osw_shape_take_name(struct osw_shape_parser *p, const char **name)
{
    size_t n = 0;

    osw_shape_peek(p);
    *name = p->text + p->at;
    if (!osw_shape_is_digit(**name))
        while (osw_shape_is_name((*name)[n]))
            n++;
    p->at += n;
    return n;
}

bool osw_shape_is_word(const char *name, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(name, word, n) == 0;
}

/* The function of the table whose name this is, followed by `(`. */
bool osw_shape_opens_call(struct osw_shape_parser *p, const char *name,
                          size_t n, const char *word)
{
    return osw_shape_is_word(name, n, word) && osw_shape_peek(p) == '(';
}

/* --- arguments --- */

int osw_shape_find_arg(struct osw_shape_parser *p, const char *name, size_t n)
{
    for (uint32_t i = 0; i < p->schema->n_args; i++)
        if (osw_shape_is_word(name, n, p->schema->args[i].name))
            return (int)i;
    return osw_shape_fail(p, (size_t)(name - p->text),
                          "expected an argument of the schema, found '%.*s'",
                          (int)(n < 60 ? n : 60), name);
}

void osw_shape_emit_arg(struct osw_shape_parser *p, const char *before, int arg,
                        const char *after)
{
    if (p->python)
        osw_text_printf(p->python, "%sa['%s']%s", before,
                        p->schema->args[arg].name, after);
}

/* A tensor argument, or an item of a list of them.  *desc is NULL when only
 * types are known.
 */
int osw_shape_parse_tensor(struct osw_shape_parser *p, int arg,
                           const char *before,
                           const struct osw_tensor_desc **desc)
{
    const struct osw_type *t = &p->schema->args[arg].type;
    const struct osw_value *v = p->args ? p->args[arg].value : NULL;
    size_t at = p->at;
    int64_t item = 0;

    *desc = NULL;
    if (t->base != OSW_TYPE_TENSOR)
        return osw_shape_fail(p, at, "expected a tensor, argument '%s' is %s",
                              p->schema->args[arg].name, t->word);
    osw_shape_emit_arg(p, before, arg, "");
    if (t->list) {
        char digits[24];

        if (!osw_shape_accept(p, "["))
            return osw_shape_expected(p,
                                      "'[0]', since this is a list of tensors");
        for (osw_shape_peek(p);
             osw_shape_is_digit(p->text[p->at]) && item < 1000; p->at++)
            item = item * 10 + (p->text[p->at] - '0');
        snprintf(digits, sizeof(digits), "[%lld]", (long long)item);
        if (!osw_shape_accept(p, "]"))
            return osw_shape_expected(p, "a number and ']'");
        osw_shape_emit(p, digits);
    }
    osw_shape_emit(p, *before ? ")" : "");
    if (!v)
        return 0;
    if (t->list && (v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE)) {
        if (item >= v->n)
            return osw_shape_fail(p, at, "item %lld of %u", (long long)item,
                                  v->n);
        v = &v->u.items[item];
    }
    if (v->kind != OSW_VALUE_TENSOR)
        return osw_shape_fail(p, at, "argument '%s' is not given",
                              p->schema->args[arg].name);
    *desc = v->u.tensor;
    return 0;
}
