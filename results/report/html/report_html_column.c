/* results/report/html/report_html_column.c - one column of the page's data,
 * packed */
#include "results/report/html/report_html_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/report.h"

enum { CORE_DIGITS = 5, DIGITS = 4 };

/* Grow from row to row. */
static const char *const differences[] = {"row", "cell", "t_start_ns"};

static bool is_difference(const char *name)
{
    for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
        if (strcmp(differences[i], name) == 0)
            return true;
    return false;
}

static bool is_key(const struct osw_column *column)
{
    return strcmp(column->name, "cell_key") == 0;
}

void osw_report_html_column_init(struct osw_report_html_column *c,
                                 const struct osw_column *column, bool core)
{
    *c = (struct osw_report_html_column){
        .column = column,
        .dict = osw_report_dict(column),
        .core = core,
        .empty = true,
        .has_base = is_difference(column->name),
    };
}

void osw_report_html_column_free(struct osw_report_html_column *c)
{
    osw_text_free(&c->values);
}

/* digits times 10^exponent, the shortest of three ways. */
static void print_digits(const char *digits, int exponent, char *out)
{
    int n = (int)strlen(digits), decimals = -exponent, exp_length;
    char e[8];

    snprintf(e, sizeof(e), "e%d", exponent);
    exp_length = (int)strlen(e);
    if (exponent >= 0 && exponent < exp_length)
        sprintf(out, "%s%.*s", digits, exponent, "000");
    else if (exponent < 0 && decimals < n)
        sprintf(out, "%.*s.%s", n - decimals, digits, digits + n - decimals);
    else if (exponent < 0 && decimals - n + 1 <= exp_length)
        sprintf(out, ".%.*s%s", decimals - n, "000", digits);
    else
        sprintf(out, "%s%s", digits, e);
}

void osw_report_html_column_float(double v, int n, char out[24])
{
    char text[24], digits[8];
    int exponent;

    if (isnan(v) || isinf(v) || v == 0) {
        strcpy(out, isnan(v) ? "" : v == 0 ? "0" : v < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(text, sizeof(text), "%.*e", n - 1, fabs(v)); /* d.dddde+xx */
    digits[0] = text[0];
    memcpy(digits + 1, text + 2, (size_t)(n - 1));
    exponent = atoi(text + n + 2);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    if (v < 0)
        *out++ = '-';
    print_digits(digits, exponent - (n - 1), out);
}

static void flush(struct osw_report_html_column *c)
{
    if (c->n_last == 0)
        return;
    if (c->values.used)
        osw_text_add(&c->values, ",");
    osw_text_add(&c->values, c->last);
    /* An empty string would be no token. */
    if (c->n_last > 1 || (!*c->last && c->values.used == 0))
        osw_text_printf(&c->values, "*%" PRIu64, c->n_last);
    c->n_last = 0;
}

static void add_token(struct osw_report_html_column *c, const char *token)
{
    c->empty = c->empty && !*token;
    if (c->n_last && strcmp(token, c->last) != 0)
        flush(c);
    if (c->n_last++ == 0)
        snprintf(c->last, sizeof(c->last), "%s", token);
}

/* The value of the row before once more: it is counted. */
static bool is_again(struct osw_report_html_column *c, uint64_t bits)
{
    if (c->has_base || is_key(c->column))
        return false;
    if (c->n_last && c->bits == bits) {
        c->n_last++;
        return true;
    }
    c->bits = bits;
    return false;
}

void osw_report_html_column_add_number(struct osw_report_html_column *c,
                                       int64_t number)
{
    char token[32];
    int64_t written = number;

    if (is_again(c, (uint64_t)number))
        return;
    if (c->has_base) {
        if (c->empty)
            c->base = c->before = number;
        /* A forged file may hold any two numbers. */
        written = (int64_t)((uint64_t)number - (uint64_t)c->before);
        c->before = number;
    }
    snprintf(token, sizeof(token), "%" PRId64, written);
    add_token(c, token);
}

static void add_float(struct osw_report_html_column *c, double v)
{
    char token[24];
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    if (is_again(c, bits))
        return;
    osw_report_html_column_float(v, c->core ? CORE_DIGITS : DIGITS, token);
    add_token(c, token);
}

void osw_report_html_column_add(struct osw_report_html_column *c,
                                const struct osw_record *record)
{
    const void *at = (const char *)record + c->column->offset;
    union {
        uint8_t u8;
        uint32_t u32;
        uint64_t u64;
        int32_t i32;
        int64_t i64;
        double f64;
    } v;
    int64_t number = 0;
    char token[32];

    switch (c->column->type) {
    case OSW_COLUMN_f64:
        memcpy(&v.f64, at, sizeof(v.f64));
        add_float(c, v.f64);
        return;
    case OSW_COLUMN_u8:
        memcpy(&v.u8, at, sizeof(v.u8));
        number = v.u8;
        break;
    case OSW_COLUMN_u32:
        memcpy(&v.u32, at, sizeof(v.u32));
        number = v.u32;
        break;
    case OSW_COLUMN_i32:
        memcpy(&v.i32, at, sizeof(v.i32));
        number = v.i32;
        break;
    case OSW_COLUMN_u64:
        memcpy(&v.u64, at, sizeof(v.u64));
        if (is_key(c->column)) {
            osw_text_printf(&c->values, "%016" PRIx64, v.u64);
            c->empty = false;
            return;
        }
        if (!c->has_base) {
            snprintf(token, sizeof(token), "%" PRIu64, v.u64);
            add_token(c, token);
            return;
        }
        number = (int64_t)v.u64;
        break;
    case OSW_COLUMN_i64:
        memcpy(&v.i64, at, sizeof(v.i64));
        if (strcmp(c->column->units, "ns") == 0) {
            add_float(c, (double)v.i64);
            return;
        }
        if (c->has_base && v.i64 == 0) {
            add_token(c, ""); /* was not started */
            return;
        }
        number = v.i64;
        break;
    }
    osw_report_html_column_add_number(c, number);
}

void osw_report_html_column_end(struct osw_report_html_column *c)
{
    flush(c);
}
