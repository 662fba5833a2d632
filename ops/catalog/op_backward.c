/* ops/catalog/op_backward.c - the op that computes an op's gradient */
#include "ops/catalog/op_backward.h"

#include <stdlib.h>
#include <string.h>

#include "common/suggest.h"
#include "common/text.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* --- reading --- */

struct reader {
    osw_arena_t *arena;
    struct osw_error *err;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a gradient");
}

static int read_word(struct reader *r, const osw_json_t *v, const char **out)
{
    const char *s = "";

    if (osw_json_expect(v, OSW_JSON_STR, r->err) < 0 ||
        osw_json_str(v, &s, r->err) < 0)
        return -1;
    if (!*s || strchr(s, '\'') || strchr(s, '\\'))
        return osw_json_fail(v, r->err, "expected a word, found '%s'", s);
    *out = osw_arena_strdup(r->arena, s);
    return *out ? 0 : no_memory(r->err);
}

/* A folder beside the op's own: a name, and no way elsewhere. */
static int read_folder(struct reader *r, const osw_json_t *v, const char **out)
{
    if (read_word(r, v, out) < 0)
        return -1;
    for (const char *s = *out; *s; s++)
        if (!osw_op_is_word(*s))
            return osw_json_fail(v, r->err,
                                 "expected the folder of an op beside this "
                                 "one, found '%s'",
                                 *out);
    return 0;
}

static int put_literal(struct reader *r, const osw_json_t *v,
                       struct osw_text *out, int depth)
{
    int64_t i = 0;
    double f = 0;
    bool b = false;

    switch (osw_json_kind(v)) {
    case OSW_JSON_BOOL:
        if (osw_json_bool(v, &b, r->err) < 0)
            return -1;
        osw_text_add(out, b ? "True" : "False");
        return 0;
    case OSW_JSON_INT:
        if (osw_json_i64(v, &i, r->err) < 0)
            return -1;
        osw_text_printf(out, "%lld", (long long)i);
        return 0;
    case OSW_JSON_FLOAT:
        if (osw_json_f64(v, &f, r->err) < 0)
            return -1;
        osw_text_printf(out, "%#.17g", f);
        return 0;
    case OSW_JSON_LIST:
        osw_text_add(out, "[");
        for (size_t k = 0; depth == 0 && k < osw_json_size(v); k++) {
            osw_text_add(out, k ? ", " : "");
            if (put_literal(r, osw_json_at(v, k), out, 1) < 0)
                return -1;
        }
        osw_text_add(out, "]");
        return 0;
    default:
        return osw_json_fail(v, r->err,
                             "expected a word, a number, a bool or a list of "
                             "them, found %s",
                             osw_json_kind_name(osw_json_kind(v)));
    }
}

static int read_literal(struct reader *r, const osw_json_t *v, const char **out)
{
    struct osw_text text = OSW_TEXT_INIT;
    int rc = put_literal(r, v, &text, 0);

    if (rc == 0) {
        *out =
            osw_text_str(&text) ? osw_arena_strdup(r->arena, text.data) : NULL;
        rc = *out ? 0 : no_memory(r->err);
    }
    osw_text_free(&text);
    return rc;
}

static int read_args(struct reader *r, const osw_json_t *v,
                     struct osw_op_backward *out)
{
    size_t n = osw_json_size(v);
    struct osw_op_backward_arg *all =
        osw_arena_array(r->arena, n, sizeof(*all));

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0)
        return -1;
    if (!all)
        return no_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const osw_json_t *item = osw_json_at(v, i);

        all[i].name = osw_arena_strdup(r->arena, osw_json_key(item));
        if (!all[i].name)
            return no_memory(r->err);
        if ((osw_json_kind(item) == OSW_JSON_STR
                 ? read_word(r, item, &all[i].word)
                 : read_literal(r, item, &all[i].literal)) < 0)
            return -1;
    }
    out->args = all;
    out->n_args = n;
    return 0;
}

static int read_grads(struct reader *r, const osw_json_t *v,
                      struct osw_op_backward *out)
{
    size_t n = osw_json_size(v);
    const char **all = osw_arena_array(r->arena, n, sizeof(*all));

    if (osw_json_expect(v, OSW_JSON_LIST, r->err) < 0)
        return -1;
    if (!all)
        return no_memory(r->err);
    if (n == 0)
        return osw_json_fail(v, r->err, "expected an argument, found none");
    for (size_t i = 0; i < n; i++)
        if (read_word(r, osw_json_at(v, i), &all[i]) < 0)
            return -1;
    out->grads = all;
    out->n_grads = n;
    return 0;
}

int osw_op_backward_read(osw_arena_t *arena, const osw_json_t *v,
                         const struct osw_op_backward **out,
                         struct osw_error *err)
{
    static const char *const allowed[] = {"op", "args", "grads", NULL};
    struct reader r = {arena, err};
    struct osw_op_backward *b = osw_arena_alloc(arena, sizeof(*b));
    const osw_json_t *folder = v, *args = NULL, *grads = NULL;

    if (!b)
        return no_memory(err);
    *b = (struct osw_op_backward){.folder = NULL};
    if (osw_json_kind(v) != OSW_JSON_STR) {
        if (osw_json_expect(v, OSW_JSON_OBJECT, err) < 0 ||
            osw_json_only_keys(v, allowed, err) < 0)
            return -1;
        folder = osw_json_need(v, "op", err);
        args = osw_json_get(v, "args");
        grads = osw_json_get(v, "grads");
    }
    if (!folder || read_folder(&r, folder, &b->folder) < 0 ||
        (args && read_args(&r, args, b) < 0) ||
        (grads && read_grads(&r, grads, b) < 0))
        return -1;
    *out = b;
    return 0;
}

/* --- matching --- */

struct matching {
    const struct osw_op *op, *backward;
    struct osw_error *err;
};

static int refuse(struct matching *m, const char *what, const char *name)
{
    return osw_fail(m->err, OSW_BAD_INPUT,
                    "the gradient '%s' cannot be called: %s '%s'",
                    m->backward->folder, what, name);
}

/* "grad", "grad2": 0, 2; -1: another word, or one past the last output. */
static int64_t numbered(const struct matching *m, const char *word,
                        const char *const *stems, size_t n_stems)
{
    for (size_t i = 0; i < n_stems; i++) {
        size_t n = strlen(stems[i]);
        const char *digits = word + n;
        unsigned long k;

        if (strncmp(word, stems[i], n) != 0 ||
            digits[strspn(digits, "0123456789")])
            continue;
        k = *digits ? strtoul(digits, NULL, 10) : 0;
        return k < m->op->schema->n_returns ? (int64_t)k : -1;
    }
    return -1;
}

/* What a word of the forward op is; DEFAULT: nothing. */
static struct osw_backward_input meaning(const struct matching *m,
                                         const char *word)
{
    static const char *const grads[] = {"grad_output", "grad_out", "grad"};
    static const char *const outs[] = {"output", "result", "out"};
    struct osw_backward_input in = {.source = OSW_BACKWARD_DEFAULT};
    const char *dot = strstr(word, ".dtype");
    int64_t at = osw_schema_arg_index(m->op->schema, word);

    if (at >= 0) {
        in.source = OSW_BACKWARD_ARG;
    } else if (dot && !dot[6]) {
        for (uint32_t k = 0; k < m->op->schema->n_args; k++)
            if (strlen(m->op->schema->args[k].name) == (size_t)(dot - word) &&
                strncmp(word, m->op->schema->args[k].name,
                        (size_t)(dot - word)) == 0 &&
                m->op->schema->args[k].type.base == OSW_TYPE_TENSOR &&
                !m->op->schema->args[k].type.list)
                at = k;
        in.source = at >= 0 ? OSW_BACKWARD_DTYPE : in.source;
    } else if ((at = numbered(m, word, grads, N_ELEM(grads))) >= 0) {
        in.source = OSW_BACKWARD_GRAD;
    } else if ((at = numbered(m, word, outs, N_ELEM(outs))) >= 0) {
        in.source = OSW_BACKWARD_OUT;
    }
    in.index = at >= 0 ? (uint32_t)at : 0;
    return in;
}

static int match_arg(struct matching *m, const struct osw_schema_arg *arg,
                     struct osw_backward_input *out)
{
    const struct osw_op_backward *b = m->op->backward;

    for (size_t i = 0; i < b->n_args; i++) {
        if (strcmp(b->args[i].name, arg->name) != 0)
            continue;
        *out = (struct osw_backward_input){.source = OSW_BACKWARD_LITERAL,
                                           .literal = b->args[i].literal};
        if (b->args[i].literal)
            return 0;
        *out = meaning(m, b->args[i].word);
        return out->source != OSW_BACKWARD_DEFAULT
                   ? 0
                   : refuse(m,
                            "expected an argument, grad, out or ARGUMENT.dtype "
                            "of this op, found",
                            b->args[i].word);
    }
    *out = meaning(m, arg->name);
    return out->source != OSW_BACKWARD_DEFAULT || arg->default_text
               ? 0
               : refuse(m, "expected backward.args to say what is its argument",
                        arg->name);
}

static int match_args(struct matching *m, osw_arena_t *arena,
                      struct osw_backward_call *out)
{
    const struct osw_schema *schema = m->backward->schema;
    const struct osw_op_backward *b = m->op->backward;
    struct osw_backward_input *inputs =
        osw_arena_array(arena, schema->n_args, sizeof(*inputs));

    if (!inputs)
        return no_memory(m->err);
    for (size_t i = 0; i < b->n_args; i++)
        if (osw_schema_arg_index(schema, b->args[i].name) < 0)
            return refuse(m, "it has no argument", b->args[i].name);
    for (uint32_t k = 0; k < schema->n_args; k++)
        if (match_arg(m, &schema->args[k], &inputs[k]) < 0)
            return -1;
    out->inputs = inputs;
    return 0;
}

static bool is_tensor(const struct osw_type *t)
{
    return t->base == OSW_TYPE_TENSOR && !t->list;
}

static int match_grads(struct matching *m, osw_arena_t *arena,
                       struct osw_backward_call *out)
{
    const struct osw_schema *schema = m->op->schema;
    const struct osw_op_backward *b = m->op->backward;
    uint32_t *grads = osw_arena_array(
        arena, b->n_grads ? b->n_grads : schema->n_args, sizeof(*grads));
    size_t n = 0;

    if (!grads)
        return no_memory(m->err);
    for (size_t i = 0; i < b->n_grads; i++) {
        int64_t at = osw_schema_arg_index(schema, b->grads[i]);

        if (at < 0 || !is_tensor(&schema->args[at].type))
            return refuse(m,
                          "expected in backward.grads a tensor of this op, "
                          "found",
                          b->grads[i]);
        grads[n++] = (uint32_t)at;
    }
    for (uint32_t k = 0; b->n_grads == 0 && k < schema->n_args; k++)
        if (is_tensor(&schema->args[k].type))
            grads[n++] = k;
    out->grads = grads;
    out->n_grads = n;
    return 0;
}

static int check_returns(struct matching *m, size_t n_grads)
{
    const struct osw_schema *schema = m->backward->schema;

    for (uint32_t i = 0; i < m->op->schema->n_returns; i++)
        if (m->op->schema->returns[i].type.alias ||
            !is_tensor(&m->op->schema->returns[i].type))
            return refuse(m,
                          "expected new tensors as results of this op, found",
                          m->op->schema->returns[i].type.word);
    for (uint32_t i = 0; i < schema->n_returns; i++)
        if (schema->returns[i].type.alias ||
            !is_tensor(&schema->returns[i].type))
            return refuse(m, "expected new tensors as its results, found",
                          schema->returns[i].type.word);
    return schema->n_returns == n_grads
               ? 0
               : osw_fail(m->err, OSW_BAD_INPUT,
                          "the gradient '%s' returns %u tensor%s, expected "
                          "%zu: backward.grads names the arguments",
                          m->backward->folder, schema->n_returns,
                          osw_plural(schema->n_returns), n_grads);
}

int osw_op_backward_resolve(osw_arena_t *arena, const struct osw_op *op,
                            const struct osw_op *backward,
                            struct osw_backward_call *out,
                            struct osw_error *err)
{
    struct matching m = {op, backward, err};

    if (!op->schema || !backward->schema)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected a schema in op.json, as its gradient "
                        "is called by it",
                        op->schema ? backward->folder : op->folder);
    out->op = backward;
    if (match_args(&m, arena, out) < 0 || match_grads(&m, arena, out) < 0)
        return -1;
    return check_returns(&m, out->n_grads);
}
