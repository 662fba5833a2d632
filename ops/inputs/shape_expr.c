/* ops/inputs/shape_expr.c - shapes and dtypes of outputs, as expressions */
#include "ops/inputs/shape_expr.h"

#include <string.h>

#include "ops/inputs/dtype_expr.h"
#include "ops/inputs/shape_scan.h"
#include "ops/inputs/shape_value.h"

static int parse_sum(struct osw_shape_parser *p, struct osw_shape_value *out);

/* --- arguments --- */

static bool is_integer(const struct osw_type *t)
{
    return t->base == OSW_TYPE_INT || t->base == OSW_TYPE_SYM_INT ||
           t->base == OSW_TYPE_BOOL;
}

static int number_of(struct osw_shape_parser *p, size_t at,
                     const struct osw_value *v, int64_t *out)
{
    if (v->kind == OSW_VALUE_INT)
        *out = v->u.i;
    else if (v->kind == OSW_VALUE_BOOL)
        *out = v->u.b;
    else
        return osw_shape_fail(p, at,
                              "expected an integer, the argument is none");
    return 0;
}

static int list_of(struct osw_shape_parser *p, size_t at,
                   const struct osw_value *v, struct osw_shape_value *out)
{
    if (v->kind == OSW_VALUE_NONE)
        return 0;
    out->kind = OSW_SHAPE_LIST;
    if (v->kind != OSW_VALUE_LIST && v->kind != OSW_VALUE_TUPLE) {
        out->n = 1; /* a single number for a list of one */
        return number_of(p, at, v, &out->items[0]);
    }
    if (v->n > OSW_SHAPE_MAX_ITEMS)
        return osw_shape_fail(p, at, "expected at most %d items, found %u",
                              OSW_SHAPE_MAX_ITEMS, v->n);
    out->n = v->n;
    for (uint32_t i = 0; i < v->n; i++)
        if (number_of(p, at, &v->u.items[i], &out->items[i]) < 0)
            return -1;
    return 0;
}

/* Which of `.shape`, `.ndim` stands after the argument, an item or not? */
static bool wants(const struct osw_shape_parser *p, const char *word)
{
    const char *s = p->text + p->at + strspn(p->text + p->at, " ");

    if (*s == '[')
        s += strcspn(s, "]") + (strchr(s, ']') != NULL);
    return strncmp(s, word, strlen(word)) == 0 &&
           !osw_shape_is_name(s[strlen(word)]);
}

static int parse_arg(struct osw_shape_parser *p, const char *name, size_t n,
                     struct osw_shape_value *out)
{
    const struct osw_tensor_desc *desc;
    size_t at = (size_t)(name - p->text);
    int arg = osw_shape_find_arg(p, name, n);
    const struct osw_type *t;
    bool ndim;

    if (arg < 0)
        return -1;
    t = &p->schema->args[arg].type;
    if (is_integer(t)) {
        bool flag = t->base == OSW_TYPE_BOOL; /* no factor of a SymInt */

        out->kind = t->list ? OSW_SHAPE_LIST : OSW_SHAPE_NUMBER;
        out->number = 1;
        osw_shape_emit_arg(p,
                           t->list ? "_ints("
                           : flag  ? "int("
                                   : "",
                           arg, t->list || flag ? ")" : "");
        if (!p->args)
            return 0;
        out->kind = OSW_SHAPE_NOTHING;
        if (t->list)
            return list_of(p, at, p->args[arg].value, out);
        out->kind = OSW_SHAPE_NUMBER;
        return number_of(p, at, p->args[arg].value, &out->number);
    }
    ndim = wants(p, ".ndim");
    if (!ndim && !wants(p, ".shape"))
        return osw_shape_fail(p, at,
                              "expected %.*s.shape, .ndim or an int argument",
                              (int)(n < 60 ? n : 60), name);
    if (osw_shape_parse_tensor(p, arg, ndim ? "_ndim(" : "_shape(", &desc) < 0)
        return -1;
    if (!osw_shape_accept(p, ndim ? ".ndim" : ".shape"))
        return osw_shape_expected(p, ndim ? ".ndim" : ".shape");
    out->kind = ndim ? OSW_SHAPE_NUMBER : OSW_SHAPE_LIST;
    out->number = desc ? desc->ndim : 1;
    if (!ndim && desc) {
        out->n = (size_t)desc->ndim;
        memcpy(out->items, desc->shape, out->n * sizeof(out->items[0]));
    }
    return 0;
}

/* --- calls --- */

static int check_parameter(struct osw_shape_parser *p, size_t at, char takes,
                           const struct osw_shape_value *v)
{
    if (takes == 'n' ? v->kind == OSW_SHAPE_NUMBER
                     : v->kind == OSW_SHAPE_LIST ||
                           (takes == 'o' && v->kind == OSW_SHAPE_NOTHING))
        return 0;
    return osw_shape_fail(p, at, "expected %s, found %s",
                          takes == 'n' ? "an integer" : "a list",
                          v->kind == OSW_SHAPE_NUMBER ? "an integer"
                          : v->kind == OSW_SHAPE_LIST ? "a list"
                                                      : "None");
}

/* `(xs)` after `len`, of a list of tensors, which nothing else takes whole. */
static bool count_tensors(struct osw_shape_parser *p,
                          struct osw_shape_value *out)
{
    const char *s = p->text + p->at + strspn(p->text + p->at, " ");
    size_t n;

    if (*s++ != '(')
        return false;
    s += strspn(s, " ");
    n = strcspn(s, " )");
    if (s[n + strspn(s + n, " ")] != ')')
        return false;
    for (uint32_t k = 0; k < p->schema->n_args; k++) {
        const struct osw_schema_arg *a = &p->schema->args[k];

        if (strlen(a->name) != n || strncmp(a->name, s, n) != 0 ||
            a->type.base != OSW_TYPE_TENSOR || !a->type.list)
            continue;
        p->at = (size_t)(strchr(s, ')') + 1 - p->text);
        osw_shape_emit_arg(p, "_len(", (int)k, ")");
        *out = (struct osw_shape_value){.kind = OSW_SHAPE_NUMBER, .number = 1};
        if (p->args)
            out->number = p->args[k].value->n;
        return true;
    }
    return false;
}

/* The parameters of a call and its result; the name is taken already. */
static int parse_call(struct osw_shape_parser *p,
                      const struct osw_shape_function *f, size_t at,
                      struct osw_shape_value *out)
{
    struct osw_shape_value v[OSW_SHAPE_MAX_PARAMETERS] = {
        {OSW_SHAPE_NOTHING, 0, 0, {0}}};
    const char *takes = f->takes;
    char why[OSW_SHAPE_WHY];
    size_t n = 0;

    if (strcmp(f->name, "len") == 0 && count_tensors(p, out))
        return 0;
    osw_shape_emit(p, "_");
    osw_shape_emit(p, f->name);
    if (osw_shape_need(p, "(", "'('") < 0)
        return -1;
    do {
        size_t from = p->at + strspn(p->text + p->at, " ");

        if (n == OSW_SHAPE_MAX_PARAMETERS || !*takes)
            return osw_shape_expected(p, "')'");
        if (parse_sum(p, &v[n]) < 0 ||
            check_parameter(p, from, *takes, &v[n]) < 0)
            return -1;
        takes += takes[1] == '*' ? 0 : 1;
        n++;
    } while (osw_shape_keep(p, ","));
    if (*takes && takes[1] != '*')
        return osw_shape_expected(p, "','");
    if (osw_shape_need(p, ")", "')'") < 0)
        return -1;
    *out = (struct osw_shape_value){.kind = f->makes, .number = 1};
    if (!p->args)
        return 0;
    return f->call(v, n, out, why) < 0 ? osw_shape_fail(p, at, "%s", why) : 0;
}

/* --- the grammar --- */

static int parse_number(struct osw_shape_parser *p, struct osw_shape_value *out)
{
    size_t from = p->at;

    out->kind = OSW_SHAPE_NUMBER;
    out->number = 0;
    for (; osw_shape_is_digit(p->text[p->at]); p->at++)
        if (__builtin_mul_overflow(out->number, 10, &out->number) ||
            __builtin_add_overflow(out->number, p->text[p->at] - '0',
                                   &out->number))
            return osw_shape_fail(p, from, "expected a number below 2^63");
    if (p->python)
        osw_text_printf(p->python, "%lld", (long long)out->number);
    return 0;
}

static int expect_kind(struct osw_shape_parser *p, size_t at,
                       const struct osw_shape_value *v,
                       enum osw_shape_kind kind)
{
    return v->kind == kind
               ? 0
               : check_parameter(p, at, kind == OSW_SHAPE_NUMBER ? 'n' : 'l',
                                 v);
}

static int parse_integer(struct osw_shape_parser *p,
                         struct osw_shape_value *out)
{
    size_t at = p->at + strspn(p->text + p->at, " ");

    *out = (struct osw_shape_value){.kind = OSW_SHAPE_NOTHING};
    return parse_sum(p, out) < 0 ? -1
                                 : expect_kind(p, at, out, OSW_SHAPE_NUMBER);
}

static int parse_items(struct osw_shape_parser *p, struct osw_shape_value *out)
{
    struct osw_shape_value item;

    out->kind = OSW_SHAPE_LIST;
    if (osw_shape_keep(p, "]"))
        return 0;
    do {
        if (out->n == OSW_SHAPE_MAX_ITEMS)
            return osw_shape_fail(p, p->at, "expected at most %d items",
                                  OSW_SHAPE_MAX_ITEMS);
        if (parse_integer(p, &item) < 0)
            return -1;
        out->items[out->n++] = item.number;
    } while (osw_shape_keep(p, ","));
    return osw_shape_need(p, "]", "',' or ']'");
}

static int parse_atom(struct osw_shape_parser *p, struct osw_shape_value *out)
{
    const char *name;
    char c = osw_shape_peek(p);
    size_t n;

    if (osw_shape_is_digit(c))
        return parse_number(p, out);
    if (osw_shape_keep(p, "["))
        return parse_items(p, out);
    if (osw_shape_keep(p, "("))
        return parse_sum(p, out) < 0 ? -1 : osw_shape_need(p, ")", "')'");
    n = osw_shape_take_name(p, &name);
    if (n == 0)
        return osw_shape_expected(
            p, "a number, a list, an argument or a function");
    for (const struct osw_shape_function *f = osw_shape_functions; f->name; f++)
        if (osw_shape_opens_call(p, name, n, f->name))
            return parse_call(p, f, (size_t)(name - p->text), out);
    if (osw_shape_is_word(name, n, "None")) {
        osw_shape_emit(p, "None");
        return 0;
    }
    return parse_arg(p, name, n, out);
}

/* list[i], list[from:to], with Python's rules. */
static int parse_index(struct osw_shape_parser *p, size_t at,
                       struct osw_shape_value *v)
{
    struct osw_shape_value from = {.number = 0}, to = {.number = INT64_MAX};
    bool slice = osw_shape_peek(p) == ':';

    if (expect_kind(p, at, v, OSW_SHAPE_LIST) < 0)
        return -1;
    if (!slice && parse_integer(p, &from) < 0)
        return -1;
    slice = osw_shape_keep(p, ":");
    if (slice && osw_shape_peek(p) != ']' && parse_integer(p, &to) < 0)
        return -1;
    if (osw_shape_need(p, "]", slice ? "']'" : "':' or ']'") < 0)
        return -1;
    if (slice) {
        size_t a = osw_shape_clip(from.number, v->n),
               b = osw_shape_clip(to.number, v->n);

        v->n = b > a ? b - a : 0;
        memmove(v->items, v->items + a, v->n * sizeof(v->items[0]));
        return 0;
    }
    v->kind = OSW_SHAPE_NUMBER;
    v->number = 1;
    if (!p->args)
        return 0;
    if (from.number < -(int64_t)v->n || from.number >= (int64_t)v->n)
        return osw_shape_fail(p, at, "item %lld of a list of %zu",
                              (long long)from.number, v->n);
    v->number = v->items[osw_shape_clip(from.number, v->n)];
    return 0;
}

static int parse_factor(struct osw_shape_parser *p, struct osw_shape_value *out)
{
    size_t at = p->at + strspn(p->text + p->at, " ");
    int rc;

    if (p->depth++ >= OSW_SHAPE_MAX_DEPTH)
        return osw_shape_fail(p, at, "expected at most %d levels",
                              OSW_SHAPE_MAX_DEPTH);
    if (osw_shape_keep(p, "-")) {
        rc = parse_factor(p, out) < 0
                 ? -1
                 : expect_kind(p, at, out, OSW_SHAPE_NUMBER);
        if (rc == 0 && __builtin_sub_overflow(0, out->number, &out->number))
            rc = osw_shape_fail(p, at, "a number beyond 2^63");
    } else {
        rc = parse_atom(p, out);
        while (rc == 0 && osw_shape_keep(p, "["))
            rc = parse_index(p, at, out);
    }
    p->depth--;
    return rc;
}

/* list * n */
static int repeat(struct osw_shape_parser *p, size_t at,
                  struct osw_shape_value *v, int64_t times)
{
    size_t n = times > 0 ? v->n : 0;

    if (n > 0 && times > OSW_SHAPE_MAX_ITEMS / (int64_t)n)
        return osw_shape_fail(p, at, "expected at most %d items",
                              OSW_SHAPE_MAX_ITEMS);
    v->n = n > 0 ? n * (size_t)times : 0;
    for (size_t i = n; i < v->n; i++)
        v->items[i] = v->items[i - n];
    return 0;
}

static int parse_product(struct osw_shape_parser *p,
                         struct osw_shape_value *out)
{
    size_t at = p->at;

    if (parse_factor(p, out) < 0)
        return -1;
    for (;;) {
        struct osw_shape_value b = {.kind = OSW_SHAPE_NOTHING};
        bool times = osw_shape_keep(p, "*"),
             over = !times && osw_shape_keep(p, "//");
        bool rest = !times && !over && osw_shape_keep(p, "%");
        int64_t r = 0;

        if (!times && !over && !rest)
            return 0;
        if ((!times || out->kind != OSW_SHAPE_LIST) &&
            expect_kind(p, at, out, OSW_SHAPE_NUMBER) < 0)
            return -1;
        at = p->at;
        if (parse_factor(p, &b) < 0 ||
            expect_kind(p, at, &b, OSW_SHAPE_NUMBER) < 0)
            return -1;
        if (!p->args)
            continue;
        if (out->kind == OSW_SHAPE_LIST) {
            if (repeat(p, at, out, b.number) < 0)
                return -1;
            continue;
        }
        if (times && __builtin_mul_overflow(out->number, b.number, &r))
            return osw_shape_fail(p, at, "a product of more than 2^63 - 1");
        if (!times && b.number == 0)
            return osw_shape_fail(p, at, "a division by 0");
        if (!times && osw_shape_divide(out->number, b.number, rest, &r) < 0)
            return osw_shape_fail(p, at, "a number beyond 2^63");
        out->number = r;
    }
}

static int join(struct osw_shape_parser *p, size_t at,
                struct osw_shape_value *a, const struct osw_shape_value *b)
{
    if (a->n + b->n > OSW_SHAPE_MAX_ITEMS)
        return osw_shape_fail(p, at, "expected at most %d items",
                              OSW_SHAPE_MAX_ITEMS);
    memcpy(a->items + a->n, b->items, b->n * sizeof(b->items[0]));
    a->n += b->n;
    return 0;
}

static int parse_sum(struct osw_shape_parser *p, struct osw_shape_value *out)
{
    size_t at = p->at;

    if (parse_product(p, out) < 0)
        return -1;
    for (;;) {
        struct osw_shape_value b = {.kind = OSW_SHAPE_NOTHING};
        bool plus = osw_shape_keep(p, "+"),
             minus = !plus && osw_shape_keep(p, "-");

        if (!plus && !minus)
            return 0;
        if (out->kind != OSW_SHAPE_LIST || minus)
            if (expect_kind(p, at, out, OSW_SHAPE_NUMBER) < 0)
                return -1;
        at = p->at;
        if (parse_product(p, &b) < 0 || expect_kind(p, at, &b, out->kind) < 0)
            return -1;
        if (!p->args)
            continue;
        if (out->kind == OSW_SHAPE_LIST) {
            if (join(p, at, out, &b) < 0)
                return -1;
        } else if (plus ? __builtin_add_overflow(out->number, b.number,
                                                 &out->number)
                        : __builtin_sub_overflow(out->number, b.number,
                                                 &out->number)) {
            return osw_shape_fail(p, at, "a number beyond 2^63");
        }
    }
}

/* --- entry points --- */

static int begin(struct osw_shape_parser *p, const char *text)
{
    if (strlen(text) > OSW_SHAPE_EXPR_MAX_BYTES)
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "expected at most %d bytes, found %zu",
                        OSW_SHAPE_EXPR_MAX_BYTES, strlen(text));
    p->text = text;
    return 0;
}

static int run_shape(struct osw_shape_parser *p, const char *text,
                     struct osw_shape_value *out)
{
    *out = (struct osw_shape_value){.kind = OSW_SHAPE_NOTHING};
    if (begin(p, text) < 0 || parse_sum(p, out) < 0)
        return -1;
    if (osw_shape_peek(p))
        return osw_shape_expected(p, "an operator or the end");
    return expect_kind(p, 0, out, OSW_SHAPE_LIST);
}

static int run_dtype(struct osw_shape_parser *p, const char *text, int *out)
{
    if (begin(p, text) < 0 || osw_dtype_expr_parse(p, out) < 0)
        return -1;
    return osw_shape_peek(p) ? osw_shape_expected(p, "'or' or the end") : 0;
}

int osw_shape_expr_check(const char *text, const struct osw_schema *schema,
                         struct osw_error *err)
{
    struct osw_shape_parser p = {.schema = schema, .err = err};
    struct osw_shape_value unused;

    return run_shape(&p, text, &unused);
}

int osw_dtype_expr_check(const char *text, const struct osw_schema *schema,
                         struct osw_error *err)
{
    struct osw_shape_parser p = {.schema = schema, .err = err};
    int unused;

    return run_dtype(&p, text, &unused);
}

int osw_output_spec_eval(const struct osw_output_spec *spec,
                         const struct osw_shape_env *env,
                         struct osw_output_shape *out, struct osw_error *err)
{
    struct osw_shape_parser p = {
        .schema = env->schema, .args = env->args, .err = err};
    struct osw_shape_parser q = p;
    struct osw_shape_value v;
    int dtype;

    if (run_shape(&p, spec->shape, &v) < 0 ||
        run_dtype(&q, spec->dtype, &dtype) < 0)
        return -1;
    if (v.n > OSW_MAX_NDIM)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected at most %d dimensions, found %zu",
                        OSW_MAX_NDIM, v.n);
    for (size_t d = 0; d < v.n; d++)
        if (v.items[d] < 0)
            return osw_fail(err, OSW_BAD_INPUT,
                            "size %lld of dimension %zu: expected 0 or more",
                            (long long)v.items[d], d);
    if (!dtype)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is none here: expected a "
                        "dtype",
                        spec->dtype);
    *out = (struct osw_output_shape){.dtype = (enum osw_dtype_id)dtype,
                                     .ndim = (int32_t)v.n};
    memcpy(out->shape, v.items, v.n * sizeof(v.items[0]));
    return 0;
}

void osw_shape_expr_python(const char *text, const struct osw_schema *schema,
                           struct osw_text *out)
{
    struct osw_shape_parser p = {.schema = schema, .python = out};
    struct osw_shape_value unused;

    (void)!run_shape(&p, text, &unused);
}

void osw_dtype_expr_python(const char *text, const struct osw_schema *schema,
                           struct osw_text *out)
{
    struct osw_shape_parser p = {.schema = schema, .python = out};
    int unused;

    (void)!run_dtype(&p, text, &unused);
}
