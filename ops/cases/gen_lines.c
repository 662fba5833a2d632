/* ops/cases/gen_lines.c - what a generator that runs code said of its cases */
#include "ops/cases/gen_lines.h"

#include <string.h>

#include "ops/inputs/bind.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"

struct line {
    const char *at;
    size_t n; /* bytes of it that are left */
};

/* Up to the next tab, or the end; false when nothing is left. */
static bool take_field(struct line *l, const char **field, size_t *n)
{
    const char *tab;

    if (!l->at)
        return false;
    tab = memchr(l->at, '\t', l->n);
    *field = l->at;
    *n = tab ? (size_t)(tab - l->at) : l->n;
    l->n -= *n + (tab != NULL);
    l->at = tab ? tab + 1 : NULL;
    return true;
}

static bool is_word(const char *field, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(field, word, n) == 0;
}

static bool read_digest(const char *field, size_t n, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";

    *out = 0;
    for (size_t i = 0; i < n; i++) {
        const char *digit =
            field[i] ? memchr(digits, field[i], sizeof(digits) - 1) : NULL;

        if (!digit)
            return false;
        *out = *out << 4 | (uint64_t)(digit - digits);
    }
    return n == 16;
}

static bool is_flags(const char *field, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (field[i] != '0' && field[i] != '1')
            return false;
    return true;
}

int osw_gen_lines_refuse(osw_arena_t *arena, const char *name, const char *why,
                         struct osw_gen_case *out, struct osw_error *err)
{
    struct osw_value *value = osw_arena_array(arena, 1, sizeof(*value));
    const char *copy = osw_arena_strdup(arena, why);

    if (!value || !copy)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    *value = (struct osw_value){.kind = OSW_VALUE_STRING,
                                .n = (uint32_t)strlen(name),
                                .u.s = osw_arena_strdup(arena, name)};
    *out = (struct osw_gen_case){
        .fill = "",
        .parsed = {.args = {.kind = OSW_VALUE_TUPLE, .n = 1, .u.items = value},
                   .kwargs = {.kind = OSW_VALUE_DICT}},
        .why_not = copy,
    };
    out->text = value->u.s ? osw_gen_case_text(arena, &out->parsed) : NULL;
    return out->text ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

static int refuse(osw_arena_t *arena, size_t index, const char *why, size_t n,
                  struct osw_gen_case *out, struct osw_error *err)
{
    const char *name = osw_arena_printf(arena, "case %zu", index);
    const char *words = osw_arena_strndup(arena, why, n < 1024 ? n : 1024);
    bool performance = out->performance;

    if (!name || !words)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    if (osw_gen_lines_refuse(arena, name, words, out, err) < 0)
        return -1;
    out->performance = performance;
    return 0;
}

/* The tensor's number in the order of the text, counted on in *n; -1: it is not
 * in the value.
 */
static int number_of(const struct osw_tensor_desc *tensor,
                     const struct osw_value *v, int *n)
{
    int found = -1;

    if (v->kind == OSW_VALUE_TENSOR)
        return (*n)++, v->u.tensor == tensor ? *n - 1 : -1;
    if (v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE ||
        v->kind == OSW_VALUE_DICT)
        for (uint32_t i = 0; i < v->n && found < 0; i++)
            found = number_of(tensor, &v->u.items[i], n);
    return found;
}

static bool is_independent(const struct osw_tensor_desc *tensor,
                           const struct osw_case *c, const char *flags)
{
    int n = 0, at;

    if (!flags)
        return false;
    at = number_of(tensor, &c->args, &n);
    if (at < 0)
        at = number_of(tensor, &c->kwargs, &n);
    return at >= 0 && (size_t)at < strlen(flags) && flags[at] == '1';
}

/* All tensors of the case hold what the generator made. */
static const char *drawn_fills(osw_arena_t *arena, const struct osw_op *op,
                               const struct osw_case *c, size_t index,
                               const char *flags, struct osw_error *err)
{
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    struct osw_fill *fills;
    size_t n_args, n;
    const char *text;

    if (osw_bind(arena, op->schema, c, &args, &n_args, err) < 0 ||
        osw_bind_tensors(arena, args, n_args, &tensors, &n, err) < 0)
        return NULL;
    fills = osw_arena_array(arena, n, sizeof(*fills));
    for (size_t i = 0; fills && i < n; i++)
        fills[i] = (struct osw_fill){is_independent(tensors[i].desc, c, flags)
                                         ? OSW_FILL_INDEPENDENT
                                         : OSW_FILL_DRAWN,
                                     (double)index, 0};
    text = fills ? osw_fill_list_text(arena, fills, n) : NULL;
    if (!text)
        osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    return text;
}

int osw_gen_lines_case(osw_arena_t *arena, const struct osw_op *op,
                       size_t index, const char *flags, const char *notation,
                       size_t n, struct osw_gen_case *out,
                       struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_notation_parse_case(arena, notation, n, &out->parsed, &why) == 0)
        out->fill = drawn_fills(arena, op, &out->parsed, index, flags, &why);
    if (why.status == OSW_OK) {
        out->text = osw_gen_case_text(arena, &out->parsed);
        if (out->text)
            return 0;
        why.status = OSW_NO_MEMORY;
    }
    if (why.status == OSW_NO_MEMORY)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    return refuse(arena, index, why.text, strlen(why.text), out, err);
}

static int read_line(osw_arena_t *arena, const struct osw_op *op, size_t index,
                     struct line *l, struct osw_gen_case *out,
                     struct osw_error *err)
{
    const char *kind, *list, *digest, *flags;
    size_t n_kind, n_list, n_digest, n_flags;

    *out = (struct osw_gen_case){.text = NULL};
    if (!take_field(l, &kind, &n_kind) || !take_field(l, &list, &n_list) ||
        (!is_word(list, n_list, "0") && !is_word(list, n_list, "1")) || !l->at)
        return osw_fail(err, OSW_BAD_INPUT,
                        "line %zu: expected a kind, 0 or 1, and a case",
                        index + 1);
    out->performance = *list == '1';
    if (is_word(kind, n_kind, "bad"))
        return refuse(arena, index, l->at, l->n, out, err);
    if (!is_word(kind, n_kind, "case") || !take_field(l, &digest, &n_digest) ||
        !read_digest(digest, n_digest, &out->digest) ||
        !take_field(l, &flags, &n_flags) || !is_flags(flags, n_flags) || !l->at)
        return osw_fail(err, OSW_BAD_INPUT,
                        "line %zu: expected 'bad', or 'case' with a digest of "
                        "16 hexadecimal digits, and 0 or 1 for each tensor",
                        index + 1);
    flags = osw_arena_strndup(arena, flags, n_flags);
    if (!flags)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    return osw_gen_lines_case(arena, op, index, flags, l->at, l->n, out, err);
}

int osw_gen_lines_parse(const struct osw_op *op, const char *text, size_t n,
                        struct osw_gen_sink *sink, struct osw_error *err)
{
    struct osw_gen_case made;
    size_t n_lines = 0, index = 0;

    for (size_t i = 0; i < n; i++)
        n_lines += text[i] == '\n';
    if (n_lines > OSW_GEN_MAX_LINES)
        return osw_fail(err, OSW_BAD_INPUT, "more than %d cases",
                        OSW_GEN_MAX_LINES);
    if (n > 0 && text[n - 1] != '\n')
        return osw_fail(err, OSW_BAD_INPUT, "line %zu: cut short", n_lines + 1);
    for (size_t at = 0; at < n; index++) {
        const char *end = memchr(text + at, '\n', n - at);
        struct line l = {text + at, (size_t)(end - text) - at};

        at = (size_t)(end - text) + 1;
        osw_gen_sink_begin(sink);
        if (read_line(sink->arena, op, index, &l, &made, err) < 0 ||
            osw_gen_sink_put(sink, &made, err) < 0)
            return -1;
    }
    return 0;
}
