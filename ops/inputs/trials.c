/* ops/inputs/trials.c - inputs beside a case's own on which it is judged too */
#include "ops/inputs/trials.h"

#include <string.h>

#include "ops/inputs/fill_text.h"

static const char *const names[OSW_N_TRIALS] = {
#define X(bit, NAME, text) [bit] = text,
    OSW_TRIAL_MAP(X)
#undef X
};

static const struct osw_fill fills[OSW_N_TRIALS] = {
    [OSW_TRIAL_INTEGERS] = {OSW_FILL_SMALLINT, 1, 0},
    [OSW_TRIAL_OFFSET] = {OSW_FILL_OFFSET, OSW_TRIAL_MEAN, 0},
    [OSW_TRIAL_SPECIAL] = {OSW_FILL_SPECIAL, 0, 0},
    [OSW_TRIAL_WIDE] = {OSW_FILL_WIDE, 0, 0},
    [OSW_TRIAL_TIES] = {OSW_FILL_TIES, 0, 0},
};

const char *osw_trial_name(enum osw_trial_kind kind)
{
    return (size_t)kind < OSW_N_TRIALS ? names[kind] : "?";
}

int osw_trial_find(const char *name)
{
    for (int i = 0; i < OSW_N_TRIALS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* Operators of torch by what they are defined on.  Not among them: shifts,
 * those that divide by what the default fill makes 0, and those whose order
 * of equal elements is their own (sort, topk).
 */
/* clang-format off */
static const char *const any_integers[] = {
    "abs", "add", "addcmul", "amax", "amin", "argmax", "argmin", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "clamp", "clamp_max",
    "clamp_min", "cumsum", "eq", "floor_divide", "ge", "gt", "hardtanh",
    "index_add", "index_put", "_index_put_impl", "le", "lt", "masked_fill",
    "max", "maximum", "min", "minimum", "mul", "ne", "neg", "relu", "rsub",
    "scatter_add", "scatter_reduce", "sgn", "sign", "sub", "sum", "where",
};
/* clang-format on */
/* Those that move or choose elements and compute nothing: all integers arrive
 * as they are, and what is left out must not reach a result, as it does in
 * c * a + (1 - c) * b.
 */
static const char *const moves[] = {
    "cat",         "clone",         "constant_pad_nd",
    "embedding",   "expand",        "flip",
    "gather",      "index",         "index_select",
    "masked_fill", "masked_select", "permute",
    "repeat",      "roll",          "select",
    "slice",       "split",         "stack",
    "t",           "take",          "transpose",
    "tril",        "triu",          "unbind",
    "unfold",      "where"};
static const char *const extremes[] = {"amax",   "amin", "argmax",
                                       "argmin", "max",  "min"};

/* Is `name` one of them?  The namespace is aten or none; an overload and the
 * underscore of in-place variants do not count.
 */
static bool is_among(const char *name, const char *const *these, size_t n)
{
    size_t length;

    if (strncmp(name, "aten.", 5) == 0)
        name += 5;
    length = strcspn(name, ".");
    if (length > 1 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < n; i++)
        if (strlen(these[i]) == length && strncmp(these[i], name, length) == 0)
            return true;
    return false;
}

static const struct {
    const char *const *names;
    size_t n;
    enum osw_trial_kind kind;
} by_name[] = {
#define ROW(list, kind)                                                        \
    {                                                                          \
        list, sizeof(list) / sizeof((list)[0]), kind                           \
    }
    ROW(any_integers, OSW_TRIAL_WIDE),
    ROW(extremes, OSW_TRIAL_TIES),
    ROW(moves, OSW_TRIAL_SPECIAL),
    ROW(moves, OSW_TRIAL_WIDE),
#undef ROW
};

uint32_t osw_trial_defaults(const char *name)
{
    uint32_t trials = OSW_TRIALS_ALWAYS;

    for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++)
        if (is_among(name, by_name[i].names, by_name[i].n))
            trials |= UINT32_C(1) << by_name[i].kind;
    return trials;
}

bool osw_trial_has_fills(enum osw_trial_kind kind)
{
    return kind != OSW_TRIAL_REDRAW && kind != OSW_TRIAL_PERMUTED;
}

/* Integers whose fill op.json does not set. */
static bool is_default_integer(enum osw_dtype_id dtype,
                               const struct osw_fill *own)
{
    struct osw_fill usual = osw_fill_of_dtype(dtype);

    if (osw_dtype_info((int)dtype)->class != OSW_CLASS_INT)
        return false;
    return own->kind == OSW_FILL_DEFAULT ||
           (own->kind == usual.kind && own->a == usual.a && own->b == usual.b);
}

static bool changes(enum osw_trial_kind kind, enum osw_dtype_id dtype,
                    const struct osw_fill *own)
{
    if (!osw_trial_has_fills(kind))
        return false;
    if (kind == OSW_TRIAL_WIDE)
        return is_default_integer(dtype, own);
    if (kind == OSW_TRIAL_TIES && dtype != OSW_F32 && dtype != OSW_F64)
        return false;
    return osw_dtype_is_floating(osw_dtype_info((int)dtype)) &&
           osw_trial_is_centred(own);
}

bool osw_trial_is_centred(const struct osw_fill *fill)
{
    return fill->kind == OSW_FILL_DEFAULT || fill->kind == OSW_FILL_NORMAL ||
           fill->kind == OSW_FILL_UNIFORM || fill->kind == OSW_FILL_SMALLINT;
}

struct osw_fill osw_trial_fill_of(enum osw_trial_kind kind,
                                  enum osw_dtype_id dtype,
                                  const struct osw_fill *own)
{
    return changes(kind, dtype, own) ? fills[kind] : *own;
}
