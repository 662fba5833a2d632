/* worker/judge/inputs/recipe.c - how a fill makes the bytes of elements
 *
 * Indices -> random words (words.c) -> values in a wide type -> the dtype's
 * bytes.  A recipe holds which function does each step, so that no element
 * asks again.
 */
#include "worker/judge/inputs/recipe.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <opsweep/elements.h>

#include "ops/inputs/fill_text.h"
#include "worker/judge/memory/clones.h"

enum { BLOCK = OSW_PHILOX_BLOCKS_BLOCK };

/* --- random words to values --- */

/* Each draw is osw_element_TYPE() of 64 elements, with four words each or with
 * two, in loops that become vectors: the rule is copied, since `out` might be a
 * part of it for all that a compiler knows.
 */
#define DRAW_LOOP(type, member, draw, third, fourth, n_words)                  \
    for (int j = 0; j < BLOCK; j++) {                                          \
        const struct osw_element_words e = {w->a[j], w->b[j], third, fourth,   \
                                            n_words};                          \
                                                                               \
        out->member[j] = ELEMENT_##type(draw, &rule, &e, index[j]);            \
    }
#define DRAW(name, type, member, draw)                                         \
    OSW_CLONES static void draw_##name(                                        \
        const struct osw_recipe *p, const struct osw_philox_blocks_part *w,    \
        const int64_t *index, union osw_values *restrict out)                  \
    {                                                                          \
        const struct osw_element_rule rule = p->rule;                          \
                                                                               \
        (void)index;                                                           \
        if (w->c)                                                              \
            DRAW_LOOP(type, member, draw, w->c[j], w->d[j], 4)                 \
        else                                                                   \
            DRAW_LOOP(type, member, draw, 0, 0, 2)                             \
    }
#define ELEMENT_f32(draw, rule, words, at) osw_element_f32(draw, rule, words)
#define ELEMENT_f64(draw, rule, words, at)                                     \
    osw_element_f64(draw, rule, words, at)
#define ELEMENT_i64(draw, rule, words, at)                                     \
    osw_element_i64(draw, rule, words, at)
/* clang-format off */
DRAW(normal_f32, f32, f, OSW_ELEMENT_NORMAL_F32)
DRAW(uniform_f32, f32, f, OSW_ELEMENT_UNIFORM_F32)
DRAW(positive_f32, f32, f, OSW_ELEMENT_POSITIVE_F32)
DRAW(ties_f32, f32, f, OSW_ELEMENT_TIES_F32)
DRAW(unit_f32, f32, f, OSW_ELEMENT_UNIT_F32)
DRAW(integers_f32, f32, f, OSW_ELEMENT_INTEGERS_F32)
DRAW(normal_f64, f64, d, OSW_ELEMENT_NORMAL_F64)
DRAW(uniform_f64, f64, d, OSW_ELEMENT_UNIFORM_F64)
DRAW(positive_f64, f64, d, OSW_ELEMENT_POSITIVE_F64)
DRAW(ties_f64, f64, d, OSW_ELEMENT_TIES_F64)
DRAW(unit_f64, f64, d, OSW_ELEMENT_UNIT_F64)
DRAW(ascending_f64, f64, d, OSW_ELEMENT_ASCENDING_F64)
DRAW(offset_f64, f64, d, OSW_ELEMENT_OFFSET_F64)
DRAW(integers, i64, i, OSW_ELEMENT_INTEGERS_I64)
DRAW(index, i64, i, OSW_ELEMENT_INDEX_I64)
DRAW(wide, i64, i, OSW_ELEMENT_WIDE_I64)
DRAW(spread, i64, i, OSW_ELEMENT_SPREAD_I64)
DRAW(ascending, i64, i, OSW_ELEMENT_ASCENDING_I64)
DRAW(shares, i64, i, OSW_ELEMENT_SHARES_I64)
DRAW(permutation, i64, i, OSW_ELEMENT_PERMUTATION_I64)
DRAW(distinct_bits, i64, i, OSW_ELEMENT_DISTINCT_BITS)
/* clang-format on */

static void draw_constant(const struct osw_recipe *p,
                          const struct osw_philox_blocks_part *w,
                          const int64_t *index, union osw_values *out)
{
    (void)w, (void)index;
    for (int j = 0; j < BLOCK; j++)
        out->i[j] = p->constant;
}

static void (*const draws[])(const struct osw_recipe *p,
                             const struct osw_philox_blocks_part *w,
                             const int64_t *index, union osw_values *out) = {
    [OSW_ELEMENT_NORMAL_F32] = draw_normal_f32,
    [OSW_ELEMENT_UNIFORM_F32] = draw_uniform_f32,
    [OSW_ELEMENT_POSITIVE_F32] = draw_positive_f32,
    [OSW_ELEMENT_TIES_F32] = draw_ties_f32,
    [OSW_ELEMENT_UNIT_F32] = draw_unit_f32,
    [OSW_ELEMENT_INTEGERS_F32] = draw_integers_f32,
    [OSW_ELEMENT_NORMAL_F64] = draw_normal_f64,
    [OSW_ELEMENT_UNIFORM_F64] = draw_uniform_f64,
    [OSW_ELEMENT_POSITIVE_F64] = draw_positive_f64,
    [OSW_ELEMENT_TIES_F64] = draw_ties_f64,
    [OSW_ELEMENT_UNIT_F64] = draw_unit_f64,
    [OSW_ELEMENT_ASCENDING_F64] = draw_ascending_f64,
    [OSW_ELEMENT_OFFSET_F64] = draw_offset_f64,
    [OSW_ELEMENT_INTEGERS_I64] = draw_integers,
    [OSW_ELEMENT_INDEX_I64] = draw_index,
    [OSW_ELEMENT_WIDE_I64] = draw_wide,
    [OSW_ELEMENT_SPREAD_I64] = draw_spread,
    [OSW_ELEMENT_ASCENDING_I64] = draw_ascending,
    [OSW_ELEMENT_SHARES_I64] = draw_shares,
    [OSW_ELEMENT_PERMUTATION_I64] = draw_permutation,
    [OSW_ELEMENT_DISTINCT_BITS] = draw_distinct_bits,
    [OSW_ELEMENT_CONSTANT] = draw_constant,
};

/* --- plans --- */

/* dtype -> that of its parts, and their special values:
 *   small   a subnormal number that narrower formats of the same range have too
 *   large   a sixteenth of the largest, so that a sum of a few stays finite
 *   under   subnormal in the next narrower format
 *   over    rounds to infinity there
 *   tie     1 + tie is halfway between two numbers there, and there is an even
 *           one below it; below 1 + 3 tie the number is odd
 * f16 and bf16 are each other's "narrower format".
 */
/* clang-format off */
static const struct {
    enum osw_dtype_id part;
    double small, large, under, over, tie;
} real_parts[] = {
    [OSW_F64] =  {OSW_F64,  0x1p-1023, DBL_MAX / 16, 0x1.8p-140, 0x1.ffffffp127, 0x1p-24},
    [OSW_F32] =  {OSW_F32,  0x1p-127,  FLT_MAX / 16, 0x1.8p-20,  65520,          0x1p-11},
    [OSW_F16] =  {OSW_F16,  0x1p-15,   4094,         0x1p-24,    4094,           0x1p-8},
    [OSW_BF16] = {OSW_BF16, 0x1p-127,  0x1.fep123,   0x1.8p-20,  65536,          0.5},
    [OSW_C128] = {OSW_F64,  0x1p-1023, DBL_MAX / 16, 0x1.8p-140, 0x1.ffffffp127, 0x1p-24},
    [OSW_C64] =  {OSW_F32,  0x1p-127,  FLT_MAX / 16, 0x1.8p-20,  65520,          0x1p-11},
    [OSW_C32] =  {OSW_F16,  0x1p-15,   4094,         0x1p-24,    4094,           0x1p-8},
};

/* Bits of the smallest normal number, of 1 and of the largest, and how many
 * integers from 0 on there are without a gap.
 */
static const struct { int64_t least, one, most; double integers; } floats[] = {
    [OSW_F32] =  {0x00800000, 0x3f800000, 0x7f7fffff, 0x1p24 + 1},
    [OSW_F16] =  {0x0400,     0x3c00,     0x7bff,     0x1p11 + 1},
    [OSW_BF16] = {0x0080,     0x3f80,     0x7f7f,     0x1p8 + 1},
    [OSW_F64] =  {0, 0, 0, 0x1p53 + 1},
};

static const struct { int64_t low, high; } int_ranges[] = {
    [OSW_I64] = {INT64_MIN, INT64_MAX}, [OSW_I32] = {INT32_MIN, INT32_MAX},
    [OSW_I16] = {INT16_MIN, INT16_MAX}, [OSW_I8] = {INT8_MIN, INT8_MAX},
    [OSW_U8] = {0, UINT8_MAX},          [OSW_B8] = {0, 1},
};
/* clang-format on */

static int64_t to_int(double v, int64_t low, int64_t high)
{
    if (!(v > (double)low)) /* NaN too */
        return low;
    return v >= (double)high ? high : (int64_t)v;
}

/* Integers in [a, b]; none below a when b < a. */
static void plan_integers(struct osw_recipe *p, int64_t low, int64_t high,
                          double a, double b)
{
    int64_t last;

    p->rule.low = to_int(a, low, high);
    last = to_int(b, low, high);
    p->rule.range =
        last < p->rule.low ? 1 : (uint64_t)last - (uint64_t)p->rule.low + 1;
    p->rule.draw = p->rule.range == 0 || p->rule.range > UINT64_C(1) << 32
                       ? OSW_ELEMENT_WIDE_I64
                       : OSW_ELEMENT_INTEGERS_I64;
}

/* Blocks that no element has: its index is below 2^63. */
enum { KEYS_BLOCK = 0, ENDS_BLOCK = 2 /* KEYS_BLOCK has two */ };

static struct osw_philox block_of_none(const struct osw_recipe *p,
                                       uint64_t number)
{
    return osw_philox_element(p->seed, p->rule.tensor, p->rule.rep,
                              UINT64_MAX - number);
}

/* The index (see fill.h) of the k-th element, those along dimensions of stride
 * 0 counted once; their number goes to *n.
 */
static int64_t index_of_place(const struct osw_tensor_desc *t, uint64_t k,
                              uint64_t *n)
{
    int64_t index = 0, step = 1;

    *n = 1;
    for (int32_t d = t->ndim - 1; d >= 0; d--) {
        uint64_t size = (uint64_t)t->shape[d];

        if (t->strides[d] != 0 && size > 0) {
            index += (int64_t)(k % size) * step;
            k /= size;
            *n *= size;
        }
        step *= t->shape[d];
    }
    return index;
}

/* Have one element be the smallest index, and another one the largest: both are
 * where code that is off by one is wrong.  Any two elements; of a tensor that
 * overlaps itself and has gaps the first and the last, since others may be
 * gaps.  n: elements, or those from the first to the last by_offset.
 */
static void plan_ends(struct osw_recipe *p, const struct osw_tensor_desc *t,
                      uint64_t n)
{
    struct osw_philox w = block_of_none(p, ENDS_BLOCK);
    uint64_t at[2];

    if (n > 0 && !p->by_offset)
        (void)index_of_place(t, 0, &n);
    if (n < 2 || p->rule.range < 2 || p->rule.draw != OSW_ELEMENT_INTEGERS_I64)
        return;
    p->rule.draw = OSW_ELEMENT_INDEX_I64;
    at[0] = osw_random_below_wide(w.w[0], w.w[1], n);
    at[1] = osw_random_below_wide(w.w[2], w.w[3], n - 1);
    at[1] += at[1] >= at[0];
    if (p->by_offset && osw_tensor_has_gaps(t->ndim, t->shape, t->strides)) {
        at[0] = w.w[0] & 1 ? n - 1 : 0;
        at[1] = n - 1 - at[0];
    }
    for (int k = 0; k < 2; k++)
        p->rule.ends[k] =
            p->by_offset ? (int64_t)at[k] : index_of_place(t, at[k], &n);
}

static void plan_permutation(struct osw_recipe *p, uint64_t n, uint64_t run)
{
    struct osw_random_permutation *perm = &p->rule.permutation;

    p->rule.draw = OSW_ELEMENT_PERMUTATION_I64;
    p->rule.second_is_0 = true;
    p->rule.run = run;
    perm->n = n ? n : 1; /* of no element */
    for (perm->half_bits = 1;
         perm->half_bits < 32 && n > UINT64_C(1) << 2 * perm->half_bits;)
        perm->half_bits++;
    for (uint32_t r = 0; r < OSW_DRAW_ROUNDS; r++)
        perm->keys[r] = block_of_none(p, KEYS_BLOCK + r / 4).w[r % 4];
}

/* Does each permutation of n runs fill the last dimensions of a tensor?  Then
 * each of these parts (rows) may have its own.
 */
static bool fills_parts(const struct osw_tensor_desc *t, double values)
{
    double part = 1;

    for (int32_t d = t->ndim - 1; d >= 0 && part < values; d--)
        part *= (double)t->shape[d];
    return part == values;
}

/* A fill of integers; false: the kind is none. */
static bool plan_whole(struct osw_recipe *p, const struct osw_fill *f,
                       int64_t low, int64_t high, uint64_t n)
{
    switch ((int)f->kind) {
    case OSW_FILL_SMALLINT:
        plan_integers(p, low, high, -f->a, f->a);
        return true;
    case OSW_FILL_INT:
        plan_integers(p, low, high, f->a, f->b);
        return true;
    case OSW_FILL_INDEX:
        plan_integers(p, low, high, 0, f->a - 1);
        return true;
    case OSW_FILL_BOOL:
        plan_integers(p, low, high, 0, 1);
        return true;
    case OSW_FILL_PERMUTATION:
        plan_permutation(p, n, 1);
        return true;
    case OSW_FILL_DISTINCT:
        plan_permutation(p, (uint64_t)f->a, (uint64_t)f->b);
        return true;
    case OSW_FILL_SHARES:
        p->rule.draw = OSW_ELEMENT_SHARES_I64;
        p->rule.range = (uint64_t)f->a;
        return true;
    default:
        return false;
    }
}

static void plan_int_dtype(struct osw_recipe *p, const struct osw_fill *f,
                           enum osw_dtype_id dtype, uint64_t n)
{
    struct osw_fill usual = osw_fill_of_dtype(dtype);
    int64_t low = int_ranges[dtype].low, high = int_ranges[dtype].high;

    p->store = osw_recipe_stores[dtype].i64;
    if (plan_whole(p, f, low, high, n))
        return;
    if (f->kind == OSW_FILL_CONSTANT) {
        p->constant = isnan(f->a) ? 0 : to_int(f->a, low, high);
        p->rule.draw = OSW_ELEMENT_CONSTANT;
    } else if (f->kind == OSW_FILL_OFFSET && dtype != OSW_B8) {
        plan_integers(p, low, high, trunc(f->a) + usual.a,
                      trunc(f->a) + usual.b);
    } else if (f->kind == OSW_FILL_ASCENDING) {
        p->rule.draw = OSW_ELEMENT_ASCENDING_I64;
        p->rule.low = to_int(f->a, low, high);
        p->rule.range =
            (uint64_t)to_int(f->b, low, high) - (uint64_t)p->rule.low;
    } else if (f->kind == OSW_FILL_WIDE && dtype != OSW_B8) {
        p->rule.draw = OSW_ELEMENT_SPREAD_I64;
    } else {
        plan_whole(p, &usual, low, high, n);
    }
}

/* A tensor of fewer elements than these bounds may lack kinds of special values
 * by chance, and has room for one of each.
 */
enum { EACH_FROM = 64, EACH_BELOW = 1024 };

/* The largest mask of few special values: about 4 of them in what is summed at
 * most, but at least 64 in all.
 */
static uint32_t choose_rarely(const struct osw_tensor_desc *t, uint64_t lead,
                              uint64_t n, uint64_t one_in)
{
    uint64_t longest = lead;

    for (int32_t d = 0; d < t->ndim; d++)
        if ((uint64_t)t->shape[d] > longest)
            longest = (uint64_t)t->shape[d];
    while (one_in * 8 <= longest && one_in * 128 <= n && one_in < 1 << 24)
        one_in *= 2;
    return (uint32_t)one_in - 1;
}

static void plan_special_places(struct osw_recipe *p,
                                const struct osw_tensor_desc *t, uint64_t n)
{
    struct osw_element_rule *rule = &p->rule;
    bool each = n >= EACH_FROM && n < EACH_BELOW;
    uint64_t lead =
        t->ndim > 0 && t->shape[0] > 0 ? n / (uint64_t)t->shape[0] : 1;

    rule->lead = lead > 0 ? lead : 1;
    rule->rarely =
        choose_rarely(t, rule->lead, n, each ? 16 : OSW_DRAW_OFTEN + 1);
    if (!each)
        return;
    rule->special_step = n / OSW_DRAW_SPECIALS;
    rule->special_first =
        (3 * (uint64_t)rule->tensor + 5 * (uint64_t)rule->rep + 1) %
        rule->special_step; /* others in each tensor */
}

/* Where a permutation has more values than the dtype has integers: numbers
 * around 1 and -1, as long as there are enough.  What has equal ones leaves the
 * order of a sort open.
 */
static void plan_distinct_bits(struct osw_recipe *p, enum osw_dtype_id part,
                               double n_values)
{
    int64_t least = floats[part].least, most = floats[part].most;
    double half = ceil(n_values / 2);

    if (n_values <= floats[part].integers || half > (double)(most - least + 1))
        return;
    p->rule.range = (uint64_t)half;
    p->rule.low = floats[part].one - (int64_t)half / 2;
    if (p->rule.low > most + 1 - (int64_t)half)
        p->rule.low = most + 1 - (int64_t)half;
    if (p->rule.low < least)
        p->rule.low = least;
    p->rule.draw = OSW_ELEMENT_DISTINCT_BITS;
    p->store = osw_recipe_stores[part == OSW_F32 ? OSW_I32 : OSW_I16].i64;
}

static void plan_real_dtype(struct osw_recipe *p, const struct osw_fill *f,
                            enum osw_dtype_id dtype, uint64_t n)
{
    enum osw_dtype_id part = real_parts[dtype].part;

    bool wide = part == OSW_F64;

    p->store = wide ? osw_recipe_stores[part].f64 : osw_recipe_stores[part].f32;
    if (plan_whole(p, f, INT64_MIN, INT64_MAX, n)) {
        int64_t limit = 1 << 24;

        p->store = osw_recipe_stores[part].i64;
        if (!wide && f->kind != OSW_FILL_INDEX &&
            p->rule.draw == OSW_ELEMENT_INTEGERS_I64 && p->rule.low >= -limit &&
            p->rule.low <= limit &&
            p->rule.range <= (uint64_t)(limit - p->rule.low)) {
            p->rule.draw = OSW_ELEMENT_INTEGERS_F32;
            p->store = osw_recipe_stores[part].f32;
        }
        if (f->kind == OSW_FILL_DISTINCT)
            plan_distinct_bits(p, part, f->a);
        return;
    }
    switch ((int)f->kind) {
    case OSW_FILL_CONSTANT:
    case OSW_FILL_OFFSET:
        /* A NaN or an infinity stays what it is. */
        p->rule.draw = f->kind == OSW_FILL_OFFSET && isfinite(f->a)
                           ? OSW_ELEMENT_OFFSET_F64
                           : OSW_ELEMENT_CONSTANT;
        p->rule.offset = f->a;
        memcpy(&p->constant, &f->a, sizeof(p->constant));
        p->store = osw_recipe_stores[part].f64;
        p->rule.second_is_0 = f->kind == OSW_FILL_CONSTANT;
        return;
    case OSW_FILL_UNIFORM:
        p->rule.draw = wide ? OSW_ELEMENT_UNIFORM_F64 : OSW_ELEMENT_UNIFORM_F32;
        return;
    case OSW_FILL_POSITIVE:
        p->rule.draw =
            wide ? OSW_ELEMENT_POSITIVE_F64 : OSW_ELEMENT_POSITIVE_F32;
        return;
    case OSW_FILL_UNIT:
        p->rule.draw = wide ? OSW_ELEMENT_UNIT_F64 : OSW_ELEMENT_UNIT_F32;
        return;
    case OSW_FILL_ASCENDING:
        p->rule.draw = OSW_ELEMENT_ASCENDING_F64;
        p->rule.offset = f->a;
        p->rule.last = f->b;
        if (p->rule.row > 1)
            p->rule.step = (f->b - f->a) / (double)(int64_t)(p->rule.row - 1);
        p->store = osw_recipe_stores[part].f64;
        return;
    case OSW_FILL_TIES:
        p->rule.draw = wide ? OSW_ELEMENT_TIES_F64 : OSW_ELEMENT_TIES_F32;
        return;
    default: /* NORMAL, SPECIAL, DEFAULT */
        p->rule.specials = f->kind == OSW_FILL_SPECIAL;
        break;
    }
    p->rule.draw = wide ? OSW_ELEMENT_NORMAL_F64 : OSW_ELEMENT_NORMAL_F32;
}

/* A NaN whose payload is its last bit alone is an infinity to code that cuts
 * low bits off.
 */
static void plan_special_bits(struct osw_recipe *p, enum osw_dtype_id dtype)
{
    double small = real_parts[dtype].small, large = real_parts[dtype].large;
    double under = real_parts[dtype].under, over = real_parts[dtype].over;
    double tie = real_parts[dtype].tie;
    double numbers[OSW_DRAW_SPECIALS] = {
        NAN,     INFINITY,     INFINITY,   -INFINITY, 0.0,   -0.0,
        small,   -small,       large,      -large,    under, over,
        1 + tie, -1 - 3 * tie, 1 + 0x1p-8, -2.5};

    for (int k = 0; k < OSW_DRAW_SPECIALS; k++)
        p->rule.special[k] = osw_element_store_f64(p->rule.part, numbers[k]);
    p->rule.special[1] |= 1;
}

static void plan_constant_bits(struct osw_recipe *p)
{
    unsigned char stored[BLOCK * OSW_RECIPE_ELEM_BYTES];
    union osw_values v = {.i = {p->constant}};

    p->store(&v, stored);
    memcpy(&p->rule.bits, stored, p->part_bytes);
}

struct osw_recipe osw_recipe_make(const struct osw_view *v,
                                  const struct osw_fill *fill, uint64_t seed,
                                  uint32_t tensor, uint32_t rep)
{
    const struct osw_tensor_desc *t = v->desc;
    const struct osw_dtype_info *info = osw_dtype_info((int)t->dtype);
    struct osw_recipe p = {
        .seed = seed,
        .rule = {.tensor = tensor, .rep = rep, .keys = osw_philox_keys(seed)}};
    enum osw_dtype_id part = t->dtype;
    int64_t n = osw_view_numel(v);

    p.by_offset = osw_view_overlaps(t);
    if (p.by_offset)
        n = osw_tensor_extent(t->ndim, t->shape, t->strides);
    p.rule.row = t->ndim > 0 && t->shape[t->ndim - 1] > 0
                     ? (uint64_t)t->shape[t->ndim - 1]
                     : 1;
    if (info->class == OSW_CLASS_INT || info->class == OSW_CLASS_BOOL) {
        plan_int_dtype(&p, fill, t->dtype, (uint64_t)n);
    } else {
        plan_real_dtype(&p, fill, t->dtype, (uint64_t)n);
        part = real_parts[t->dtype].part;
    }
    if (fill->kind == OSW_FILL_DISTINCT && !p.by_offset)
        p.rule.turns = fills_parts(t, fill->a * fill->b);
    if (fill->kind == OSW_FILL_INDEX)
        plan_ends(&p, t, (uint64_t)n);
    p.draw = draws[p.rule.draw];
    p.rule.parts = info->class == OSW_CLASS_COMPLEX ? 2 : 1;
    p.rule.part = osw_dtype_info((int)part)->dl;
    p.part_bytes = info->bytes / (size_t)p.rule.parts;
    plan_constant_bits(&p);
    if (p.rule.specials) {
        plan_special_places(&p, t, (uint64_t)n);
        plan_special_bits(&p, t->dtype);
    }
    return p;
}

/* --- blocks --- */

static void put_specials(const struct osw_recipe *p, const uint32_t *words,
                         const int64_t *index, unsigned char *to)
{
    for (size_t j = 0; j < BLOCK; j++) {
        int which = osw_element_special(&p->rule, words[j], index[j]);

        if (which >= 0)
            memcpy(to + j * p->part_bytes, &p->rule.special[which],
                   p->part_bytes);
    }
}

static void make_part(const struct osw_recipe *p,
                      const struct osw_philox_blocks_part *w,
                      const int64_t *index, void *to)
{
    union osw_values v;

    p->draw(p, w, index, &v);
    p->store(&v, to);
    if (p->rule.specials)
        put_specials(p, w->a, index, to);
}

static void make_complex(const struct osw_recipe *p,
                         const struct osw_philox_blocks *w,
                         const int64_t *index, unsigned char *bytes)
{
    unsigned char parts[2][BLOCK * OSW_RECIPE_ELEM_BYTES / 2] = {{0}};
    size_t size = p->part_bytes;

    for (int k = 0; k < (p->rule.second_is_0 ? 1 : 2); k++) {
        struct osw_philox_blocks_part half = {w->w[2 * k], w->w[2 * k + 1],
                                              NULL, NULL};

        make_part(p, &half, index, parts[k]);
    }
    for (size_t j = 0; j < BLOCK; j++)
        for (size_t k = 0; k < 2; k++)
            memcpy(bytes + (2 * j + k) * size, parts[k] + j * size, size);
}

void osw_recipe_block(const struct osw_recipe *p, const int64_t *index,
                      unsigned char *bytes)
{
    struct osw_philox_blocks w;

    osw_philox_blocks_make(p->seed, p->rule.tensor, p->rule.rep, index, &w);
    if (p->rule.parts == 2) {
        make_complex(p, &w, index, bytes);
    } else {
        struct osw_philox_blocks_part all = {w.w[0], w.w[1], w.w[2], w.w[3]};

        make_part(p, &all, index, bytes);
    }
}
