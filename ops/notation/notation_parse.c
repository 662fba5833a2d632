/* ops/notation/notation_parse.c - the case notation: text to values */
#include "ops/notation/notation_parse.h"

#include <math.h>
#include <string.h>

#include "ops/notation/notation.h"
#include "ops/notation/tensor.h"

enum { MAX_KEYS = 256 };

/* An item of a list that is still being read. */
struct item {
    struct item *next;
    const char *key; /* of a dict, else NULL */
    struct osw_value value;
};

/* How each kind of sequence is written. */
static const struct bracket {
    char open, close;
    enum osw_value_kind kind;
    const char *more; /* what may follow an item */
} brackets[] = {
    {'(', ')', OSW_VALUE_TUPLE, "',' or ')'"},
    {'[', ']', OSW_VALUE_LIST, "',' or ']'"},
    {'{', '}', OSW_VALUE_DICT, "',' or '}'"},
};

/* Words with a meaning of their own. */
static const struct {
    const char *word;
    struct osw_value value;
} constants[] = {
    {"None", {.kind = OSW_VALUE_NONE}},
    {"True", {.kind = OSW_VALUE_BOOL, .u.b = true}},
    {"False", {.kind = OSW_VALUE_BOOL, .u.b = false}},
    {"inf", {.kind = OSW_VALUE_FLOAT, .u.f = INFINITY}},
    {"nan", {.kind = OSW_VALUE_FLOAT, .u.f = NAN}},
};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int parse_value(struct osw_scan *s, int depth, struct osw_value *out);

static const struct bracket *find_bracket(int open)
{
    for (size_t i = 0; i < N_ELEM(brackets); i++)
        if (brackets[i].open == open)
            return &brackets[i];
    return NULL;
}

static int parse_key(struct osw_scan *s, const struct item *before, uint32_t n,
                     const char **key)
{
    struct osw_value text;
    size_t at;

    (void)osw_scan_peek(s);
    at = s->at;
    if (n >= MAX_KEYS)
        return osw_scan_fail(s, at, "at most %d keys", MAX_KEYS);
    if (osw_scan_string(s, &text) < 0)
        return -1;
    for (; before; before = before->next)
        if (strcmp(before->key, text.u.s) == 0)
            return osw_scan_fail(s, at + 1, "a key given once");
    *key = text.u.s;
    return osw_scan_expect(s, ':');
}

/* Move the chain of items into arrays of the value. */
static int collect(struct osw_scan *s, const struct item *head,
                   struct osw_value *out)
{
    bool dict = out->kind == OSW_VALUE_DICT;
    struct osw_value *items;
    const char **keys = NULL;

    items = osw_arena_array(s->arena, out->n, sizeof(*items));
    if (dict)
        keys = osw_arena_array(s->arena, out->n, sizeof(*keys));
    if (!items || (dict && !keys))
        return osw_scan_no_memory(s);
    for (uint32_t i = 0; i < out->n; i++, head = head->next) {
        items[i] = head->value;
        if (dict)
            keys[i] = head->key;
    }
    out->u.items = items;
    out->keys = keys;
    return 0;
}

static int parse_items(struct osw_scan *s, const struct bracket *b, int depth,
                       struct osw_value *out)
{
    struct osw_value v = {.kind = b->kind};
    struct item *head = NULL, **tail = &head;
    bool comma = true;

    if (depth >= OSW_NOTATION_MAX_DEPTH)
        return osw_scan_fail(s, s->at, "at most %d brackets inside another",
                             OSW_NOTATION_MAX_DEPTH);
    s->at++;
    while (osw_scan_peek(s) != b->close) {
        struct item *it = osw_arena_alloc(s->arena, sizeof(*it));

        if (!it)
            return osw_scan_no_memory(s);
        if (!comma)
            return osw_scan_fail(s, s->at, "%s", b->more);
        if (b->kind == OSW_VALUE_DICT && parse_key(s, head, v.n, &it->key) < 0)
            return -1;
        if (parse_value(s, depth + 1, &it->value) < 0)
            return -1;
        comma = osw_scan_take(s, ',');
        *tail = it;
        tail = &it->next;
        v.n++;
    }
    if (b->kind == OSW_VALUE_TUPLE && v.n == 1 && !comma)
        return osw_scan_fail(s, s->at, "',' as in (x,)");
    s->at++;
    if (collect(s, head, &v) < 0)
        return -1;
    *out = v;
    return 0;
}

/* [1, 2] or (1, 2): sizes[OSW_MAX_NDIM], *n of them. */
static int parse_sizes(struct osw_scan *s, int64_t *sizes, int32_t *n)
{
    const struct bracket *b = find_bracket(osw_scan_peek(s));
    bool comma = true;

    *n = 0;
    if (!b || b->kind == OSW_VALUE_DICT)
        return osw_scan_fail(s, s->at, "'[' or '('");
    for (s->at++; osw_scan_peek(s) != b->close; comma = osw_scan_take(s, ',')) {
        struct osw_value v;
        size_t at = s->at;

        if (!comma)
            return osw_scan_fail(s, at, "%s", b->more);
        if (*n == OSW_MAX_NDIM)
            return osw_scan_fail(s, at, "at most %d dimensions", OSW_MAX_NDIM);
        if (osw_scan_number(s, &v) < 0)
            return -1;
        if (v.kind != OSW_VALUE_INT || v.u.i < 0)
            return osw_scan_fail(s, at, "an integer of 0 or more");
        sizes[(*n)++] = v.u.i;
    }
    s->at++;
    return 0;
}

static int parse_dtype(struct osw_scan *s, enum osw_dtype_id *out)
{
    size_t n = osw_scan_peek_word(s);
    const struct osw_dtype_info *info = osw_dtype_find(s->text + s->at, n);

    if (!info)
        return osw_scan_fail(s, s->at,
                             "a dtype of f64 f32 f16 bf16 i64 i32 i16 i8 u8 "
                             "b8 c128 c64 c32");
    s->at += n;
    *out = info->id;
    return 0;
}

static int parse_offset(struct osw_scan *s, int64_t *out)
{
    struct osw_value v;
    size_t at;

    s->at += strlen("offset");
    if (osw_scan_expect(s, '=') < 0)
        return -1;
    (void)osw_scan_peek(s);
    at = s->at;
    if (osw_scan_number(s, &v) < 0)
        return -1;
    if (v.kind != OSW_VALUE_INT || v.u.i < 0 || v.u.i > OSW_MAX_OFFSET)
        return osw_scan_fail(s, at, "an integer from 0 to %d", OSW_MAX_OFFSET);
    *out = v.u.i;
    (void)osw_scan_take(s, ',');
    return 0;
}

/* How it lies, after the dtype: `, stride=(2, 1)` or `, (2, 1)`, then
 * `, offset=1`; each is optional.
 */
static int parse_layout(struct osw_scan *s, struct osw_tensor_desc *t,
                        int64_t *strides)
{
    int32_t n;
    size_t at;

    if (!osw_scan_take(s, ',') || osw_scan_peek(s) == ')')
        return 0;
    if (osw_scan_is_word(s, "offset"))
        return parse_offset(s, &t->offset);
    if (osw_scan_is_word(s, "stride")) {
        s->at += strlen("stride");
        if (osw_scan_expect(s, '=') < 0)
            return -1;
    }
    (void)osw_scan_peek(s);
    at = s->at;
    if (parse_sizes(s, strides, &n) < 0)
        return -1;
    if (n != t->ndim)
        return osw_scan_fail(s, at, "%d strides, one per dimension (not %d)",
                             (int)t->ndim, (int)n);
    t->strided = true;
    if (osw_scan_take(s, ',') && osw_scan_is_word(s, "offset"))
        return parse_offset(s, &t->offset);
    return 0;
}

/* The bytes of all elements, and those spanned, must fit in int64_t. */
static bool size_fits(const struct osw_tensor_desc *t)
{
    struct osw_tensor_desc flat = *t;
    int64_t strides[OSW_MAX_NDIM];

    flat.strides = strides;
    return osw_tensor_contiguous(t->ndim, t->shape, strides) == 0 &&
           osw_tensor_bytes(&flat) >= 0 && osw_tensor_bytes(t) >= 0;
}

static int store_tensor(struct osw_scan *s, const struct osw_tensor_desc *t,
                        struct osw_value *out)
{
    size_t bytes = (size_t)t->ndim * sizeof(int64_t);
    struct osw_tensor_desc *desc = osw_arena_alloc(s->arena, sizeof(*desc));
    int64_t *sizes = osw_arena_alloc(s->arena, 2 * bytes);

    if (!desc || !sizes)
        return osw_scan_no_memory(s);
    *desc = *t;
    memcpy(sizes, t->shape, bytes);
    memcpy(sizes + t->ndim, t->strides, bytes);
    desc->shape = sizes;
    desc->strides = sizes + t->ndim;
    *out = (struct osw_value){.kind = OSW_VALUE_TENSOR, .u.tensor = desc};
    return 0;
}

/* The cursor stands after the T. */
static int parse_tensor(struct osw_scan *s, struct osw_value *out)
{
    int64_t shape[OSW_MAX_NDIM], strides[OSW_MAX_NDIM];
    struct osw_tensor_desc t = {.shape = shape, .strides = strides};
    size_t at;

    if (osw_scan_expect(s, '(') < 0)
        return -1;
    (void)osw_scan_peek(s);
    at = s->at;
    if (parse_sizes(s, shape, &t.ndim) < 0 || osw_scan_expect(s, ',') < 0 ||
        parse_dtype(s, &t.dtype) < 0 || parse_layout(s, &t, strides) < 0 ||
        osw_scan_expect(s, ')') < 0)
        return -1;
    if (!t.strided && osw_tensor_contiguous(t.ndim, shape, strides) < 0)
        t.ndim = -1;
    if (t.ndim < 0 || !size_fits(&t))
        return osw_scan_fail(s, at, "a tensor of less than 2^63 bytes");
    return store_tensor(s, &t, out);
}

/* Skip `(...)` after a word, without looking inside. */
static int skip_call(struct osw_scan *s)
{
    size_t open = s->at;
    char quote = 0;
    int depth = 0;

    for (; s->at < s->n; s->at++) {
        char c = s->text[s->at];

        if (c < ' ' || c > '~')
            return osw_scan_fail(s, s->at, "a printable character");
        if (quote && c == '\\')
            return osw_scan_fail(s, s->at, "a text without escapes");
        if (quote || c == '\'' || c == '"') {
            quote = !quote ? c : c == quote ? '\0' : quote;
            continue;
        }
        depth += (c == '(') - (c == ')');
        if (depth == 0) {
            s->at++;
            return 0;
        }
    }
    return osw_scan_fail(s, s->at, "')' for '(' in column %zu", open + 1);
}

/* torch.strided, torch.device('cpu'), device(type='cuda', index=0). */
static int parse_foreign_word(struct osw_scan *s, struct osw_value *out)
{
    struct osw_value v = {.kind = OSW_VALUE_WORD};
    bool foreign = osw_scan_is_word(s, "device");
    size_t start = s->at, n = osw_scan_peek_word(s);

    for (s->at += n; s->at < s->n && s->text[s->at] == '.'; s->at += n) {
        size_t name_at = ++s->at;

        n = osw_scan_peek_word(s);
        if (n == 0 || s->at != name_at)
            return osw_scan_fail(s, name_at, "a name after '.'");
        foreign = true;
    }
    if (!foreign)
        return osw_scan_fail(s, start, "a value");
    if (s->at < s->n && s->text[s->at] == '(' && skip_call(s) < 0)
        return -1;
    v.n = (uint32_t)(s->at - start);
    v.u.s = osw_arena_strndup(s->arena, s->text + start, v.n);
    if (!v.u.s)
        return osw_scan_no_memory(s);
    *out = v;
    return 0;
}

static int parse_word(struct osw_scan *s, struct osw_value *out)
{
    size_t n = osw_scan_peek_word(s);
    const struct osw_dtype_info *info = osw_dtype_find(s->text + s->at, n);

    for (size_t i = 0; i < N_ELEM(constants); i++)
        if (osw_scan_is_word(s, constants[i].word)) {
            s->at += n;
            *out = constants[i].value;
            return 0;
        }
    if (info) {
        s->at += n;
        *out = (struct osw_value){.kind = OSW_VALUE_DTYPE, .u.dtype = info->id};
        return 0;
    }
    if (osw_scan_is_word(s, "T")) {
        s->at += n;
        return parse_tensor(s, out);
    }
    return parse_foreign_word(s, out);
}

static int parse_number(struct osw_scan *s, struct osw_value *out)
{
    static const char minus_inf[] = "-inf";
    size_t n = sizeof(minus_inf) - 1;

    if (s->n - s->at >= n && memcmp(s->text + s->at, minus_inf, n) == 0) {
        s->at += n;
        *out = (struct osw_value){.kind = OSW_VALUE_FLOAT, .u.f = -INFINITY};
        return 0;
    }
    return osw_scan_number(s, out);
}

static int parse_value(struct osw_scan *s, int depth, struct osw_value *out)
{
    int c = osw_scan_peek(s);
    const struct bracket *b = find_bracket(c);

    if (b)
        return parse_items(s, b, depth, out);
    if (c == '\'' || c == '"')
        return osw_scan_string(s, out);
    if ((c >= '0' && c <= '9') || c == '-' || c == '.')
        return parse_number(s, out);
    if (osw_scan_peek_word(s))
        return parse_word(s, out);
    return osw_scan_fail(s, s->at, "a value");
}

static int check_bytes(struct osw_scan *s)
{
    if (s->n <= OSW_NOTATION_MAX_BYTES)
        return 0;
    return osw_fail(s->err, OSW_BAD_INPUT,
                    "column %d: expected a text of at most %d bytes, found %zu",
                    OSW_NOTATION_MAX_BYTES + 1, OSW_NOTATION_MAX_BYTES, s->n);
}

int osw_notation_parse_scan_value(struct osw_scan *s, struct osw_value *out)
{
    return check_bytes(s) < 0 ? -1 : parse_value(s, 0, out);
}

static bool is_pair(const struct osw_value *v)
{
    return v->n == 2 && v->u.items[0].kind == OSW_VALUE_TUPLE &&
           v->u.items[1].kind == OSW_VALUE_DICT;
}

int osw_notation_parse_scan_case(struct osw_scan *s, struct osw_case *out)
{
    struct osw_value v;
    size_t start;

    if (osw_scan_peek(s) != '(')
        return osw_scan_fail(s, s->at, "'(' of a case ((args...), {kwargs})");
    start = s->at;
    if (osw_notation_parse_scan_value(s, &v) < 0)
        return -1;
    if (is_pair(&v)) {
        *out = (struct osw_case){v.u.items[0], v.u.items[1]};
        return 0;
    }
    /* Lone arguments print one bracket deeper, and must parse there too. */
    s->at = start;
    if (parse_value(s, 1, &v) < 0)
        return -1;
    *out = (struct osw_case){v, {.kind = OSW_VALUE_DICT}};
    return 0;
}

int osw_notation_parse_value(osw_arena_t *arena, const char *text, size_t n,
                             struct osw_value *out, struct osw_error *err)
{
    struct osw_scan s = {.text = text, .n = n, .arena = arena, .err = err};
    struct osw_value v;

    if (osw_notation_parse_scan_value(&s, &v) < 0 || osw_scan_end(&s) < 0)
        return -1;
    *out = v;
    return 0;
}

int osw_notation_parse_case(osw_arena_t *arena, const char *text, size_t n,
                            struct osw_case *out, struct osw_error *err)
{
    struct osw_scan s = {.text = text, .n = n, .arena = arena, .err = err};
    struct osw_case c;

    if (osw_notation_parse_scan_case(&s, &c) < 0 || osw_scan_end(&s) < 0)
        return -1;
    *out = c;
    return 0;
}
