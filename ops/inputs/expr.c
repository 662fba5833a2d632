/* ops/inputs/expr.c - small arithmetic over the arguments of a case */
#include "ops/inputs/expr.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "ops/notation/notation.h"
#include "ops/notation/tensor.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct parser {
    const char *text;
    size_t n, at;
    unsigned depth;
    const struct osw_expr_env *env;
    struct osw_error *err;
};

static int parse_sum(struct parser *p, double *out);

/* --- words --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           is_digit(c);
}

static char peek(struct parser *p)
{
    while (p->at < p->n && is_blank(p->text[p->at]))
        p->at++;
    return p->at < p->n ? p->text[p->at] : '\0';
}

static int expected(struct parser *p, const char *what)
{
    char c = peek(p);

    if (p->at >= p->n)
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "column %zu: expected %s, found the end", p->at + 1,
                        what);
    if (c < ' ' || c > '~')
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "column %zu: expected %s, found byte 0x%02x", p->at + 1,
                        what, (unsigned)(unsigned char)c);
    return osw_fail(p->err, OSW_BAD_INPUT,
                    "column %zu: expected %s, found '%c'", p->at + 1, what, c);
}

static int take(struct parser *p, char c, const char *what)
{
    if (peek(p) != c || p->at >= p->n)
        return expected(p, what);
    p->at++;
    return 0;
}

/* --- functions of an argument --- */

/* `what` is expected, with a number after it unless that is NaN. */
static int wrong_kind(struct parser *p, size_t column,
                      const struct osw_bound_arg *arg, const char *what,
                      double number)
{
    struct osw_text value = OSW_TEXT_INIT;
    char digits[32] = "";

    if (!isnan(number))
        snprintf(digits, sizeof(digits), " %g", number);
    osw_notation_print_value(&value, arg->value);
    osw_fail(p->err, OSW_BAD_INPUT,
             "column %zu: expected %s%s, argument '%s' is %.200s", column, what,
             digits, arg->name, osw_text_str(&value) ? value.data : "another");
    osw_text_free(&value);
    return -1;
}

static double tensor_numel(const struct osw_tensor_desc *t)
{
    double n = 1;

    for (int32_t d = 0; d < t->ndim; d++)
        n *= (double)t->shape[d];
    return n;
}

static bool is_sequence(const struct osw_value *v)
{
    return v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE;
}

/* Elements of a tensor, of all tensors of a list; a number counts as one. */
static double value_numel(const struct osw_value *v)
{
    double n = 0;

    if (v->kind == OSW_VALUE_TENSOR)
        return tensor_numel(v->u.tensor);
    if (is_sequence(v))
        for (uint32_t i = 0; i < v->n; i++)
            n += value_numel(&v->u.items[i]);
    return is_sequence(v) ? n : v->kind == OSW_VALUE_NONE ? 0 : 1;
}

double osw_expr_bytes(const struct osw_value *v)
{
    double n = 0;

    if (v->kind == OSW_VALUE_TENSOR)
        return fmax(0, (double)osw_tensor_unique_bytes(v->u.tensor));
    if (is_sequence(v))
        for (uint32_t i = 0; i < v->n; i++)
            n += osw_expr_bytes(&v->u.items[i]);
    return n;
}

static bool value_number(const struct osw_value *v, double *out)
{
    switch (v->kind) {
    case OSW_VALUE_BOOL:
        *out = v->u.b;
        return true;
    case OSW_VALUE_INT:
        *out = (double)v->u.i;
        return true;
    case OSW_VALUE_FLOAT:
        *out = v->u.f;
        return true;
    default:
        return false;
    }
}

static bool f_numel(const struct osw_value *v, double index, double *out)
{
    (void)index;
    *out = value_numel(v);
    return true;
}

static bool f_bytes(const struct osw_value *v, double index, double *out)
{
    (void)index;
    *out = osw_expr_bytes(v);
    return true;
}

static bool f_ndim(const struct osw_value *v, double index, double *out)
{
    (void)index;
    if (v->kind == OSW_VALUE_TENSOR)
        *out = v->u.tensor->ndim;
    return v->kind == OSW_VALUE_TENSOR;
}

static bool f_dim(const struct osw_value *v, double index, double *out)
{
    const struct osw_tensor_desc *t = v->u.tensor;

    if (v->kind != OSW_VALUE_TENSOR)
        return false;
    if (index < 0)
        index += t->ndim;
    if (!(index >= 0 && index < t->ndim) || index != floor(index))
        return false;
    *out = (double)t->shape[(int32_t)index];
    return true;
}

static bool f_inner(const struct osw_value *v, double index, double *out)
{
    double n = 1, size;

    if (!f_dim(v, index, &size))
        return false;
    if (index < 0)
        index += v->u.tensor->ndim;
    for (int32_t d = (int32_t)index + 1; d < v->u.tensor->ndim; d++)
        n *= (double)v->u.tensor->shape[d];
    *out = n;
    return true;
}

static bool f_len(const struct osw_value *v, double index, double *out)
{
    (void)index;
    *out = is_sequence(v) ? v->n : 0;
    return is_sequence(v) || v->kind == OSW_VALUE_NONE;
}

static bool f_prod(const struct osw_value *v, double index, double *out)
{
    double n = 1;

    (void)index;
    if (!is_sequence(v))
        return false;
    for (uint32_t i = 0; i < v->n; i++) {
        double x;

        if (!value_number(&v->u.items[i], &x))
            return false;
        n *= x;
    }
    *out = n;
    return true;
}

static const struct arg_function {
    const char *name;
    const char *wants; /* of the argument; the index comes after it */
    bool indexed;      /* takes a second argument, an expression */
    bool (*f)(const struct osw_value *v, double index, double *out);
} arg_functions[] = {
    {"numel", "anything", false, f_numel},
    {"bytes", "anything", false, f_bytes},
    {"ndim", "a tensor", false, f_ndim},
    {"dim", "a tensor with dimension", true, f_dim},
    {"inner", "a tensor with dimension", true, f_inner},
    {"len", "a list", false, f_len},
    {"prod", "a list of numbers", false, f_prod},
};

static double f_min(double a, double b)
{
    return a < b ? a : b;
}

static double f_max(double a, double b)
{
    return a > b ? a : b;
}

static const struct pair_function {
    const char *name;
    double (*f)(double a, double b);
} pair_functions[] = {
    {"min", f_min},
    {"max", f_max},
};

/* --- grammar --- */

static bool same(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && memcmp(word, name, n) == 0;
}

static int not_an_argument(struct parser *p, size_t start)
{
    size_t n = p->at - start;

    return osw_fail(p->err, OSW_BAD_INPUT,
                    "column %zu: expected an argument of the op, found '%.*s'",
                    start + 1, (int)(n < 64 ? n : 64), p->text + start);
}

static int find_arg(struct parser *p, size_t start,
                    const struct osw_bound_arg **out)
{
    const char *word = p->text + start;
    size_t n = p->at - start;

    for (size_t i = 0; i < p->env->n_args; i++)
        if (same(word, n, p->env->args[i].name)) {
            *out = &p->env->args[i];
            return 0;
        }
    return not_an_argument(p, start);
}

/* The same before there is a case: the names of the schema. */
static int check_arg(struct parser *p, size_t start)
{
    const struct osw_expr_env *env = p->env;
    const char *word = p->text + start;
    size_t n = p->at - start;

    if (!env->schema || (env->extra && same(word, n, env->extra)))
        return 0;
    for (uint32_t i = 0; i < env->schema->n_args; i++)
        if (same(word, n, env->schema->args[i].name))
            return 0;
    return not_an_argument(p, start);
}

/* An argument's name ends here; *out stays NULL where there is no case. */
static int resolve_arg(struct parser *p, size_t start,
                       const struct osw_bound_arg **out)
{
    return p->env->syntax_only ? check_arg(p, start) : find_arg(p, start, out);
}

static int parse_word(struct parser *p, size_t *start, const char *what)
{
    char c = peek(p);

    if (!is_name(c) || is_digit(c))
        return expected(p, what);
    *start = p->at;
    while (p->at < p->n && is_name(p->text[p->at]))
        p->at++;
    return 0;
}

static int call_pair(struct parser *p, const struct pair_function *f,
                     double *out)
{
    double a, b;

    if (take(p, '(', "'('") < 0 || parse_sum(p, &a) < 0 ||
        take(p, ',', "','") < 0 || parse_sum(p, &b) < 0 ||
        take(p, ')', "')'") < 0)
        return -1;
    *out = f->f(a, b);
    return 0;
}

static int call_arg(struct parser *p, const struct arg_function *f, double *out)
{
    const struct osw_bound_arg *arg = NULL;
    double index = 0;
    size_t start;

    if (take(p, '(', "'('") < 0 ||
        parse_word(p, &start, "the name of an argument") < 0)
        return -1;
    if (resolve_arg(p, start, &arg) < 0)
        return -1;
    if (f->indexed && (take(p, ',', "','") < 0 || parse_sum(p, &index) < 0))
        return -1;
    if (take(p, ')', "')'") < 0)
        return -1;
    *out = 1;
    if (arg && !f->f(arg->value, index, out))
        return wrong_kind(p, start + 1, arg, f->wants,
                          f->indexed ? index : NAN);
    return 0;
}

static int parse_name(struct parser *p, double *out)
{
    const struct osw_bound_arg *arg = NULL;
    size_t start, n;

    if (parse_word(p, &start, "a number, a name or '('") < 0)
        return -1;
    n = p->at - start;
    if (peek(p) == '(') {
        for (size_t i = 0; i < N_ELEM(pair_functions); i++)
            if (same(p->text + start, n, pair_functions[i].name))
                return call_pair(p, &pair_functions[i], out);
        for (size_t i = 0; i < N_ELEM(arg_functions); i++)
            if (same(p->text + start, n, arg_functions[i].name))
                return call_arg(p, &arg_functions[i], out);
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "column %zu: expected one of min, max, numel, dim, "
                        "inner, ndim, len, prod, bytes, found '%.*s'",
                        start + 1, (int)(n < 64 ? n : 64), p->text + start);
    }
    *out = 1;
    p->at = start + n;
    if (resolve_arg(p, start, &arg) < 0)
        return -1;
    if (arg && !value_number(arg->value, out))
        return wrong_kind(p, start + 1, arg, "a number", NAN);
    return 0;
}

/* A float64 holds no odd whole number above 2^53: such a number would become
 * its neighbour.  The largest of i64 becomes 2^63, which is cut to it again.
 */
static int check_whole(struct parser *p, const char *word, double value)
{
    char held[400]; /* as many digits as the largest float64 has */
    bool negative = p->at > 0 && p->text[p->at - 1] == '-';

    word += strspn(word, "0");
    if (!negative && strcmp(word, "9223372036854775807") == 0)
        return 0;
    if (strspn(word, "0123456789") != strlen(word) || !*word)
        return 0;
    snprintf(held, sizeof(held), "%.0f", value);
    if (strcmp(held, word) == 0)
        return 0;
    return osw_fail(p->err, OSW_BAD_INPUT,
                    "column %zu: expected a number that float64 holds, such as "
                    "%s, found %s",
                    p->at + 1, held, word);
}

/* Digits, at most one point, an exponent: no hexadecimal, no inf, no nan. */
static int parse_number(struct parser *p, double *out)
{
    char word[64], *end;
    size_t n = 0;

    for (size_t i = p->at; i < p->n && n < sizeof(word) - 1; i++) {
        char c = p->text[i];
        bool sign = (c == '+' || c == '-') && n > 0 &&
                    (word[n - 1] == 'e' || word[n - 1] == 'E');

        if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
            break;
        word[n++] = c;
    }
    word[n] = '\0';
    *out = strtod(word, &end);
    if (end == word || !isfinite(*out))
        return expected(p, "a number");
    *end = '\0';
    if (check_whole(p, word, *out) < 0)
        return -1;
    p->at += (size_t)(end - word);
    if (p->at < p->n && (is_name(p->text[p->at]) || p->text[p->at] == '.'))
        return expected(p, "an operator after the number");
    return 0;
}

static int parse_primary(struct parser *p, double *out)
{
    char c = peek(p);
    int rc;

    *out = 0;
    if (is_digit(c) || c == '.')
        return parse_number(p, out);
    if (c != '(' && c != '-')
        return parse_name(p, out);
    if (++p->depth > OSW_EXPR_MAX_DEPTH)
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "column %zu: more than %d levels of nesting", p->at + 1,
                        OSW_EXPR_MAX_DEPTH);
    p->at++;
    if (c == '-') {
        rc = parse_primary(p, out);
        *out = -*out;
    } else {
        rc = parse_sum(p, out);
        if (rc == 0)
            rc = take(p, ')', "')'");
    }
    p->depth--;
    return rc;
}

static int parse_product(struct parser *p, double *out)
{
    double a, b;

    if (parse_primary(p, &a) < 0)
        return -1;
    for (char c = peek(p); c == '*' || c == '/'; c = peek(p)) {
        size_t column = ++p->at;

        if (parse_primary(p, &b) < 0)
            return -1;
        if (c == '/' && b == 0 && !p->env->syntax_only)
            return osw_fail(p->err, OSW_BAD_INPUT,
                            "column %zu: division by zero", column);
        a = c == '*' ? a * b : b == 0 ? 1 : a / b;
    }
    *out = a;
    return 0;
}

static int parse_sum(struct parser *p, double *out)
{
    double a, b;

    if (++p->depth > OSW_EXPR_MAX_DEPTH)
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "column %zu: more than %d levels of nesting", p->at + 1,
                        OSW_EXPR_MAX_DEPTH);
    if (parse_product(p, &a) < 0)
        return -1;
    for (char c = peek(p); c == '+' || c == '-'; c = peek(p)) {
        p->at++;
        if (parse_product(p, &b) < 0)
            return -1;
        a = c == '+' ? a + b : a - b;
    }
    p->depth--;
    *out = a;
    return 0;
}

int osw_expr_eval_prefix(const char *text, size_t n, size_t *at,
                         const struct osw_expr_env *env, double *out,
                         struct osw_error *err)
{
    struct parser p = {.text = text, .n = n, .at = *at, .env = env, .err = err};
    double v = 0;

    if (parse_sum(&p, &v) < 0)
        return -1;
    if (!isfinite(v) && !env->syntax_only)
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: the expression is not finite", *at + 1);
    (void)peek(&p);
    *at = p.at;
    *out = v;
    return 0;
}

int osw_expr_eval(const char *text, size_t n, const struct osw_expr_env *env,
                  double *out, struct osw_error *err)
{
    struct parser p = {.text = text, .n = n, .env = env, .err = err};
    double v;

    if (osw_expr_eval_prefix(text, n, &p.at, env, &v, err) < 0)
        return -1;
    if (p.at < n)
        return expected(&p, "an operator or the end");
    *out = v;
    return 0;
}

int osw_expr_check(const char *text, size_t n, const struct osw_schema *schema,
                   const char *extra, struct osw_error *err)
{
    const struct osw_expr_env env = {
        .syntax_only = true, .schema = schema, .extra = extra};
    double v;

    return osw_expr_eval(text, n, &env, &v, err);
}

int osw_expr_size(const char *text, const char *key,
                  const struct osw_bound_arg *args, size_t n_args, double *out,
                  struct osw_error *err)
{
    const struct osw_expr_env env = {.args = args, .n_args = n_args};
    double v;

    if (osw_expr_eval(text, strlen(text), &env, &v, err) < 0)
        return osw_error_in(err, "op.json: key '%s'", key);
    if (v < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "op.json: key '%s': expected at least 0, found %g", key,
                        v);
    *out = v;
    return 0;
}
