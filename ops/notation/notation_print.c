/* ops/notation/notation_print.c - the case notation: values to canonical text
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/notation.h"

static bool reads_back(const char *text, double d)
{
    return strtod(text, NULL) == d;
}

/* Decimal digits that read back as d > 0 or 0, as few as will do, and the
 * exponent of the first: 0.00125 is "125", -3.  digits[18].
 */
static int shortest_digits(double d, char *digits)
{
    char text[32];
    int n = 0;

    for (int precision = 0; precision < 17; precision++) {
        char *last;

        snprintf(text, sizeof(text), "%.*e", precision, d);
        if (reads_back(text, d))
            break;
        /* Above a power of two there is twice the room as below: the nearest
         * decimal may miss where the one above it does not.
         */
        last = strchr(text, 'e') - 1;
        if (*last < '9' && (++*last, reads_back(text, d)))
            break;
    }
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    return atoi(strchr(text, 'e') + 1);
}

/* As Python's repr: shortest, with an exponent below 1e-4 and from 1e16 on. */
static void print_float(struct osw_text *out, double d)
{
    char digits[20];
    int n, exponent;

    if (isnan(d)) {
        osw_text_add(out, "nan");
        return;
    }
    if (signbit(d))
        osw_text_add(out, "-");
    if (isinf(d)) {
        osw_text_add(out, "inf");
        return;
    }
    exponent = shortest_digits(fabs(d), digits);
    n = (int)strlen(digits);
    if (exponent < -4 || exponent >= 16)
        osw_text_printf(out, "%c%s%se%c%02d", digits[0], n > 1 ? "." : "",
                        digits + 1, exponent < 0 ? '-' : '+', abs(exponent));
    else if (exponent < 0)
        osw_text_printf(out, "0.%.*s%s", -exponent - 1, "000", digits);
    else if (n > exponent + 1)
        osw_text_printf(out, "%.*s.%s", exponent + 1, digits,
                        digits + exponent + 1);
    else
        osw_text_printf(out, "%s%.*s.0", digits, exponent + 1 - n,
                        "000000000000000");
}

/* As Python's repr: in ', or in " when that saves escapes. */
static void print_string(struct osw_text *out, const char *s, size_t n)
{
    bool dq = memchr(s, '\'', n) && !memchr(s, '"', n);
    char quote = dq ? '"' : '\'';

    osw_text_add_n(out, &quote, 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        const char *named = memchr("\n\r\t", c, 3);

        if (c == '\\' || c == quote)
            osw_text_printf(out, "\\%c", c);
        else if (named)
            osw_text_printf(out, "\\%c",
                            c == '\n'   ? 'n'
                            : c == '\r' ? 'r'
                                        : 't');
        else if (c < ' ' || c == 0x7f)
            osw_text_printf(out, "\\x%02x", c);
        else
            osw_text_add_n(out, s + i, 1);
    }
    osw_text_add_n(out, &quote, 1);
}

static void print_sizes(struct osw_text *out, const int64_t *sizes, int32_t n)
{
    for (int32_t d = 0; d < n; d++)
        osw_text_printf(out, "%s%lld", d ? ", " : "", (long long)sizes[d]);
}

static const char *dtype_name(enum osw_dtype_id id)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)id);

    return info ? info->name : "?";
}

static void print_tensor(struct osw_text *out, const struct osw_tensor_desc *t)
{
    osw_text_add(out, "T([");
    print_sizes(out, t->shape, t->ndim);
    osw_text_printf(out, "], %s", dtype_name(t->dtype));
    if (t->strided) {
        osw_text_add(out, ", stride=(");
        print_sizes(out, t->strides, t->ndim);
        osw_text_add(out, t->ndim == 1 ? ",)" : ")");
    }
    if (t->offset)
        osw_text_printf(out, ", offset=%lld", (long long)t->offset);
    osw_text_add(out, ")");
}

static void print_items(struct osw_text *out, const struct osw_value *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        if (i)
            osw_text_add(out, ", ");
        if (v->kind == OSW_VALUE_DICT) {
            print_string(out, v->keys[i], strlen(v->keys[i]));
            osw_text_add(out, ": ");
        }
        osw_notation_print_value(out, &v->u.items[i]);
    }
}

void osw_notation_print_value(struct osw_text *out, const struct osw_value *v)
{
    switch (v->kind) {
    case OSW_VALUE_NONE:
        osw_text_add(out, "None");
        break;
    case OSW_VALUE_BOOL:
        osw_text_add(out, v->u.b ? "True" : "False");
        break;
    case OSW_VALUE_INT:
        osw_text_printf(out, "%lld", (long long)v->u.i);
        break;
    case OSW_VALUE_FLOAT:
        print_float(out, v->u.f);
        break;
    case OSW_VALUE_STRING:
        print_string(out, v->u.s, v->n);
        break;
    case OSW_VALUE_DTYPE:
        osw_text_add(out, dtype_name(v->u.dtype));
        break;
    case OSW_VALUE_WORD:
        osw_text_add_n(out, v->u.s, v->n);
        break;
    case OSW_VALUE_TENSOR:
        print_tensor(out, v->u.tensor);
        break;
    case OSW_VALUE_LIST:
        osw_text_add(out, "[");
        print_items(out, v);
        osw_text_add(out, "]");
        break;
    case OSW_VALUE_TUPLE:
        osw_text_add(out, "(");
        print_items(out, v);
        osw_text_add(out, v->n == 1 ? ",)" : ")");
        break;
    case OSW_VALUE_DICT:
        osw_text_add(out, "{");
        print_items(out, v);
        osw_text_add(out, "}");
        break;
    }
}

void osw_notation_print_case(struct osw_text *out, const struct osw_case *c)
{
    osw_text_add(out, "(");
    osw_notation_print_value(out, &c->args);
    osw_text_add(out, ", ");
    osw_notation_print_value(out, &c->kwargs);
    osw_text_add(out, ")");
}
