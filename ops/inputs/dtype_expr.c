/* ops/inputs/dtype_expr.c - the dtype of an output, as an expression */
#include "ops/inputs/dtype_expr.h"

#include "ops/notation/dtype.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int summed(const struct osw_dtype_info *d)
{
    return d->class == OSW_CLASS_INT || d->class == OSW_CLASS_BOOL ? OSW_I64
                                                                   : (int)d->id;
}

static int widened(const struct osw_dtype_info *d)
{
    return d->id == OSW_F16 || d->id == OSW_BF16 ? OSW_F32 : (int)d->id;
}

static int floating(const struct osw_dtype_info *d)
{
    return osw_dtype_is_floating(d) ? (int)d->id : OSW_F32;
}

static int logical(const struct osw_dtype_info *d)
{
    return d->id == OSW_U8 ? OSW_U8 : OSW_B8;
}

static const struct {
    const char *name;
    int (*of)(const struct osw_dtype_info *d);
} dtype_functions[] = {
    {"summed", summed},     /* integers and bools: i64, as torch sums them */
    {"widened", widened},   /* f16 and bf16: f32 */
    {"floating", floating}, /* integers and bools: f32 */
    {"logical", logical},   /* of what is tested: b8, but u8 of u8 */
};

static int parse_dtype(struct osw_shape_parser *p, int *out);

static int parse_dtype_call(struct osw_shape_parser *p, size_t function,
                            int *out)
{
    osw_shape_emit(p, "_");
    osw_shape_emit(p, dtype_functions[function].name);
    if (osw_shape_need(p, "(", "'('") < 0 || parse_dtype(p, out) < 0 ||
        osw_shape_need(p, ")", "')'") < 0)
        return -1;
    if (*out)
        *out = dtype_functions[function].of(osw_dtype_info(*out));
    return 0;
}

/* How an argument takes part in promotion: tensors with dimensions come before
 * those without, and these before numbers.
 */
enum { RANK_TENSOR, RANK_SCALAR_TENSOR, RANK_NUMBER, N_RANKS };

static bool is_promotable(const struct osw_type *t)
{
    if (t->list)
        return t->base == OSW_TYPE_TENSOR;
    return (t->base == OSW_TYPE_TENSOR || t->base == OSW_TYPE_SCALAR ||
            t->base == OSW_TYPE_FLOAT || t->base == OSW_TYPE_INT ||
            t->base == OSW_TYPE_BOOL);
}

static void take_part(const struct osw_value *v,
                      const struct osw_dtype_info *found[N_RANKS])
{
    const struct osw_dtype_info *dtype = NULL;
    int rank = RANK_NUMBER;

    if (v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE)
        for (uint32_t i = 0; i < v->n; i++)
            take_part(&v->u.items[i], found);
    if (v->kind == OSW_VALUE_TENSOR) {
        dtype = osw_dtype_info((int)v->u.tensor->dtype);
        rank = v->u.tensor->ndim ? RANK_TENSOR : RANK_SCALAR_TENSOR;
    } else if (v->kind == OSW_VALUE_FLOAT) {
        dtype = osw_dtype_info(OSW_F32);
    } else if (v->kind == OSW_VALUE_INT) {
        dtype = osw_dtype_info(OSW_I64);
    } else if (v->kind == OSW_VALUE_BOOL) {
        dtype = osw_dtype_info(OSW_B8);
    }
    if (dtype)
        found[rank] =
            found[rank] ? osw_dtype_promote(found[rank], dtype) : dtype;
}

/* promoted(a, b, ...): what arithmetic on these arguments is done in.  A later
 * rank counts only where it is of a higher category.
 */
static int parse_promoted(struct osw_shape_parser *p, int *out)
{
    const struct osw_dtype_info *found[N_RANKS] = {NULL}, *best = NULL;

    osw_shape_emit(p, "_promoted");
    if (osw_shape_need(p, "(", "'('") < 0)
        return -1;
    do {
        const char *name;
        size_t at = (osw_shape_peek(p), p->at);
        size_t n = osw_shape_take_name(p, &name);
        int arg;

        if (n == 0)
            return osw_shape_expected(p, "an argument");
        arg = osw_shape_find_arg(p, name, n);
        if (arg < 0)
            return -1;
        if (!is_promotable(&p->schema->args[arg].type))
            return osw_shape_fail(
                p, at, "expected a tensor or a number, argument '%s' is %s%s",
                p->schema->args[arg].name, p->schema->args[arg].type.word,
                p->schema->args[arg].type.list ? "[]" : "");
        osw_shape_emit_arg(p, "", arg, "");
        if (p->args)
            take_part(p->args[arg].value, found);
    } while (osw_shape_keep(p, ","));
    for (int rank = 0; rank < N_RANKS; rank++)
        if (found[rank] && (!best || osw_dtype_category(found[rank]) >
                                         osw_dtype_category(best)))
            best = best ? osw_dtype_promote(best, found[rank]) : found[rank];
    *out = best ? (int)best->id : 0;
    return osw_shape_need(p, ")", "',' or ')'");
}

/* x.dtype, an argument that is a dtype, summed(...), or a dtype's name; *out is
 * 0 when the argument is not given, or only types are known.
 */
static int parse_dtype(struct osw_shape_parser *p, int *out)
{
    const struct osw_tensor_desc *desc;
    const struct osw_dtype_info *info;
    const char *name;
    size_t n = osw_shape_take_name(p, &name);
    int arg;

    *out = 0;
    if (n == 0)
        return osw_shape_expected(p, "x.dtype, a dtype or an argument");
    for (size_t i = 0; i < N_ELEM(dtype_functions); i++)
        if (osw_shape_opens_call(p, name, n, dtype_functions[i].name))
            return parse_dtype_call(p, i, out);
    if (osw_shape_opens_call(p, name, n, "promoted"))
        return parse_promoted(p, out);
    info = osw_dtype_find(name, n);
    if (info) {
        *out = (int)info->id;
        if (p->python)
            osw_text_printf(p->python, "_dtypes['%s']", info->name);
        return 0;
    }
    arg = osw_shape_find_arg(p, name, n);
    if (arg < 0)
        return -1;
    if (p->schema->args[arg].type.base == OSW_TYPE_SCALAR_TYPE) {
        osw_shape_emit_arg(p, "", arg, "");
        if (p->args && p->args[arg].value->kind == OSW_VALUE_DTYPE)
            *out = (int)p->args[arg].value->u.dtype;
        return 0;
    }
    if (osw_shape_parse_tensor(p, arg, "", &desc) < 0 ||
        osw_shape_need(p, ".dtype", ".dtype") < 0)
        return -1;
    *out = desc ? (int)desc->dtype : 0;
    return 0;
}

/* `a or b`: the first that is given. */
static int parse_choices(struct osw_shape_parser *p, int *out)
{
    int next;

    if (parse_dtype(p, out) < 0)
        return -1;
    while (osw_shape_peek(p), osw_shape_accept(p, "or ")) {
        osw_shape_emit(p, " or ");
        if (parse_dtype(p, &next) < 0)
            return -1;
        *out = *out ? *out : next;
    }
    return 0;
}

static bool is_condition(const struct osw_type *t)
{
    return !t->list && (t->base == OSW_TYPE_BOOL || t->base == OSW_TYPE_STR);
}

/* Is it true as in Python? */
static bool holds(const struct osw_value *v)
{
    return v->kind == OSW_VALUE_BOOL ? v->u.b
                                     : v->kind == OSW_VALUE_STRING && v->n > 0;
}

/* `a if flag else b`, with a bool argument, or a string that may be None. */
int osw_dtype_expr_parse(struct osw_shape_parser *p, int *out)
{
    const char *name;
    bool flag = true;
    int arg, other;
    size_t n;

    if (p->depth++ >= OSW_SHAPE_MAX_DEPTH)
        return osw_shape_fail(p, p->at, "expected at most %d levels",
                              OSW_SHAPE_MAX_DEPTH);
    if (parse_choices(p, out) < 0)
        return -1;
    if (!osw_shape_accept(p, "if "))
        return 0;
    n = osw_shape_take_name(p, &name);
    arg = osw_shape_find_arg(p, name, n);
    if (arg < 0)
        return -1;
    if (!is_condition(&p->schema->args[arg].type))
        return osw_shape_fail(
            p, (size_t)(name - p->text),
            "expected a bool or a string argument, '%s' is %s",
            p->schema->args[arg].name, p->schema->args[arg].type.word);
    osw_shape_emit_arg(p, " if ", arg, " else ");
    if (p->args)
        flag = holds(p->args[arg].value);
    if (!osw_shape_accept(p, "else "))
        return osw_shape_expected(p, "'else'");
    if (osw_dtype_expr_parse(p, &other) < 0)
        return -1;
    *out = flag ? *out : other;
    return 0;
}
