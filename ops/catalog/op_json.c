/* ops/catalog/op_json.c - op.json: what its author knows about an op */
#include "ops/catalog/op_json.h"

#include <math.h>
#include <string.h>

#include "common/suggest.h"
#include "ops/catalog/op_backward.h"
#include "ops/catalog/op_collective.h"
#include "ops/catalog/op_registered.h"
#include "ops/catalog/op_words.h"
#include "ops/inputs/expr.h"
#include "ops/inputs/trials.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct reader {
    osw_arena_t *arena;
    const char *device;
    struct osw_op *op;
    struct osw_op_file *files; /* [n_files] implementations and references */
    size_t n_files;
    struct osw_error *err;
};

static int no_memory(struct reader *r)
{
    return osw_fail(r->err, OSW_NO_MEMORY, "no memory for op.json");
}

/* A string that is not empty, copied. */
static int read_text(struct reader *r, const osw_json_t *v, const char **out)
{
    const char *s = "";

    if (osw_json_expect(v, OSW_JSON_STR, r->err) < 0 ||
        osw_json_str(v, &s, r->err) < 0)
        return -1;
    if (!*s)
        return osw_json_fail(v, r->err, "expected a word, found nothing");
    *out = osw_arena_strdup(r->arena, s);
    return *out ? 0 : no_memory(r);
}

static int read_name(struct reader *r, const osw_json_t *v, const char **out)
{
    const char *s;

    if (read_text(r, v, &s) < 0)
        return -1;
    *out = osw_op_canonical(r->arena, s);
    return *out ? 0
                : osw_json_fail(v, r->err,
                                "expected a name such as 'aten.mm.default', "
                                "found '%s'",
                                s);
}

static int key_name(struct reader *r, const osw_json_t *v)
{
    return read_name(r, v, &r->op->name);
}

static int key_aliases(struct reader *r, const osw_json_t *v)
{
    const char **names;
    size_t n;

    if (osw_json_expect(v, OSW_JSON_LIST, r->err) < 0)
        return -1;
    n = osw_json_size(v);
    names = osw_arena_array(r->arena, n, sizeof(*names));
    if (!names)
        return no_memory(r);
    for (size_t i = 0; i < n; i++)
        if (read_name(r, osw_json_at(v, i), &names[i]) < 0)
            return -1;
    r->op->aliases = names;
    r->op->n_aliases = n;
    return 0;
}

static int key_schema(struct reader *r, const osw_json_t *v)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_schema *schema = osw_arena_alloc(r->arena, sizeof(*schema));

    if (!schema)
        return no_memory(r);
    if (read_text(r, v, &r->op->schema_text) < 0)
        return -1;
    if (osw_schema_parse(r->arena, r->op->schema_text,
                         strlen(r->op->schema_text), schema, &why) < 0)
        return osw_json_fail(v, r->err, "%s", why.text);
    if (!schema->has_signature)
        return osw_json_fail(v, r->err, "expected arguments after the name");
    r->op->schema = schema;
    return 0;
}

/* The file of that implementation (or "reference"), or NULL with err set. */
static struct osw_op_file *find_file(struct reader *r, const osw_json_t *v,
                                     const char *name)
{
    for (size_t i = 0; i < r->n_files; i++)
        if (strcmp(r->files[i].name, name) == 0)
            return &r->files[i];
    osw_json_fail(v, r->err,
                  "expected an implementation in this folder, found '%s'",
                  name);
    return NULL;
}

static bool is_registered(const struct osw_op *op, const char *name)
{
    for (size_t i = 0; i < op->n_registered; i++)
        if (strcmp(op->registered[i].name, name) == 0)
            return true;
    return false;
}

/* A name; those of files for another device are read, and dropped later. */
static int read_baseline(struct reader *r, const osw_json_t *v,
                         const char **out)
{
    if (read_text(r, v, out) < 0)
        return -1;
    if (strcmp(*out, "reference") == 0)
        return osw_json_fail(v, r->err,
                             "the reference is an oracle in float64 and no "
                             "baseline: expected an implementation");
    return is_registered(r->op, *out) || find_file(r, v, *out) ? 0 : -1;
}

/* A name, or a list of names. */
static int read_baselines(struct reader *r, const osw_json_t *v, bool keep)
{
    bool list = osw_json_kind(v) == OSW_JSON_LIST;
    size_t n = list ? osw_json_size(v) : 1;
    const char **names = osw_arena_array(r->arena, n, sizeof(*names));

    if (!names)
        return no_memory(r);
    for (size_t i = 0; i < n; i++)
        if (read_baseline(r, list ? osw_json_at(v, i) : v, &names[i]) < 0)
            return -1;
    if (keep) {
        r->op->baselines = names;
        r->op->n_baselines = n;
    }
    return 0;
}

/* "ns::op.overload" as "ns.op.overload". */
static int read_operator(struct reader *r, const osw_json_t *v,
                         const char **out)
{
    const char *text;

    if (!v || read_text(r, v, &text) < 0)
        return -1;
    *out = strstr(text, "::") ? osw_op_canonical(r->arena, text) : NULL;
    return *out ? 0
                : osw_json_fail(v, r->err,
                                "expected an operator such as "
                                "'my::scale.default', found '%s'",
                                text);
}

/* {"library": "scale.so" | "module": "scale.py", "op": "my::scale"} */
static int read_registered(struct reader *r, const osw_json_t *v,
                           struct osw_op_registered *out)
{
    static const char *const allowed[] = {"library", "module", "op", NULL};
    const osw_json_t *library = osw_json_get(v, "library"), *file;

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0 ||
        osw_json_only_keys(v, allowed, r->err) < 0)
        return -1;
    file = library ? library : osw_json_need(v, "module", r->err);
    if (!file || read_text(r, file, &out->file) < 0 ||
        read_operator(r, osw_json_need(v, "op", r->err), &out->torch_name) < 0)
        return -1;
    if (!osw_op_registered_is_file(out->file, library != NULL))
        return osw_json_fail(
            file, r->err, "expected a file *%s of this folder%s, found '%s'",
            library ? ".so" : ".py", library ? "" : ", or PACKAGE/__init__.py",
            out->file);
    if (!osw_op_is_impl_name(osw_json_key(v)))
        return osw_json_fail(v, r->err,
                             "expected a name of %d of A-Z, a-z, 0-9, _ and - "
                             "at most, found '%.40s'",
                             OSW_OP_MAX_NAME, osw_json_key(v));
    if (library && osw_json_get(v, "module"))
        return osw_json_fail(v, r->err,
                             "expected 'library' or 'module', found both");
    out->name = osw_arena_strdup(r->arena, osw_json_key(v));
    return out->name ? 0 : no_memory(r);
}

static int key_torch(struct reader *r, const osw_json_t *v)
{
    struct osw_op_registered *all;
    size_t n;

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0)
        return -1;
    n = osw_json_size(v);
    all = osw_arena_array(r->arena, n, sizeof(*all));
    if (!all)
        return no_memory(r);
    for (size_t i = 0; i < n; i++)
        if (read_registered(r, osw_json_at(v, i), &all[i]) < 0)
            return -1;
    r->op->registered = all;
    r->op->n_registered = n;
    return 0;
}

/* Names, or some for each device: {"cpu": ..., "cuda": ...}. */
static int key_baseline(struct reader *r, const osw_json_t *v)
{
    static const char *const devices[] = {"cpu", "cuda", NULL};

    if (osw_json_kind(v) != OSW_JSON_OBJECT)
        return read_baselines(r, v, true);
    if (osw_json_only_keys(v, devices, r->err) < 0)
        return -1;
    for (size_t i = 0; i < osw_json_size(v); i++) {
        const osw_json_t *item = osw_json_at(v, i);

        if (read_baselines(r, item,
                           strcmp(osw_json_key(item), r->device) == 0) < 0)
            return -1;
    }
    return 0;
}

static int check_arg(struct reader *r, const osw_json_t *v, const char *name)
{
    const char *names[OSW_SCHEMA_MAX_ARGS];
    const struct osw_schema *schema = r->op->schema;
    char hint[OSW_SUGGEST_HINT];
    const char *near;

    if (!schema || osw_schema_arg_index(schema, name) >= 0)
        return 0;
    for (uint32_t i = 0; i < schema->n_args; i++)
        names[i] = schema->args[i].name;
    near = osw_suggest(name, names, schema->n_args);
    return osw_json_fail(v, r->err,
                         "expected an argument of the schema, found '%s'%s",
                         name, osw_suggest_hint(near, hint));
}

static int key_fill(struct reader *r, const osw_json_t *v)
{
    struct osw_fill_rule *rules;
    size_t n;

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0)
        return -1;
    n = osw_json_size(v);
    rules = osw_arena_array(r->arena, n, sizeof(*rules));
    if (!rules)
        return no_memory(r);
    for (size_t i = 0; i < n; i++) {
        const osw_json_t *item = osw_json_at(v, i);
        struct osw_error why = OSW_ERROR_INIT;

        if (read_text(r, item, &rules[i].text) < 0 ||
            check_arg(r, item, osw_json_key(item)) < 0)
            return -1;
        if (osw_fill_check(rules[i].text, r->op->schema, &why) < 0)
            return osw_json_fail(item, r->err, "%s", why.text);
        rules[i].arg = osw_arena_strdup(r->arena, osw_json_key(item));
        if (!rules[i].arg)
            return no_memory(r);
    }
    r->op->fills = rules;
    r->op->n_fills = n;
    return 0;
}

static int read_positive(struct reader *r, const osw_json_t *v, bool zero_too,
                         double *out)
{
    if (osw_json_kind(v) != OSW_JSON_INT && osw_json_kind(v) != OSW_JSON_FLOAT)
        return osw_json_fail(v, r->err, "expected a number, found %s",
                             osw_json_kind_name(osw_json_kind(v)));
    if (osw_json_f64(v, out, r->err) < 0)
        return -1;
    if (*out > 0 || (zero_too && *out == 0))
        return 0;
    return osw_json_fail(v, r->err, "expected a number %s 0, found %g",
                         zero_too ? "of at least" : "above", *out);
}

static int read_tolerance(struct reader *r, const osw_json_t *v,
                          struct osw_tolerance *out)
{
    static const char *const keys[] = {"rtol", "atol", NULL};
    const osw_json_t *rtol, *atol;

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0 ||
        osw_json_only_keys(v, keys, r->err) < 0)
        return -1;
    rtol = osw_json_need(v, "rtol", r->err);
    atol = rtol ? osw_json_need(v, "atol", r->err) : NULL;
    if (!rtol || !atol)
        return -1;
    if (read_positive(r, rtol, true, &out->rtol) < 0)
        return -1;
    return read_positive(r, atol, true, &out->atol);
}

/* "*" stands for every dtype that is not named and is no integer. */
static int key_tolerance(struct reader *r, const osw_json_t *v)
{
    struct osw_tolerance rest = {NAN, NAN};

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0)
        return -1;
    for (size_t i = 0; i < osw_json_size(v); i++) {
        const osw_json_t *item = osw_json_at(v, i);
        const char *key = osw_json_key(item);
        const struct osw_dtype_info *dtype = osw_dtype_find(key, strlen(key));
        bool all = strcmp(key, "*") == 0;

        if (!dtype && !all)
            return osw_json_fail(item, r->err,
                                 "expected a dtype such as f16, or '*', found "
                                 "'%s'",
                                 key);
        if (read_tolerance(r, item,
                           all ? &rest : &r->op->tolerance[dtype->id]) < 0)
            return -1;
    }
    for (size_t i = 0; i < N_ELEM(r->op->tolerance); i++) {
        const struct osw_dtype_info *dtype = osw_dtype_info((int)i);

        if (dtype && osw_dtype_is_floating(dtype) &&
            isnan(r->op->tolerance[i].rtol))
            r->op->tolerance[i] = rest;
    }
    return 0;
}

static int key_exact(struct reader *r, const osw_json_t *v)
{
    if (osw_json_expect(v, OSW_JSON_BOOL, r->err) < 0)
        return -1;
    return osw_json_bool(v, &r->op->exact, r->err);
}

static int key_deterministic(struct reader *r, const osw_json_t *v)
{
    if (osw_json_expect(v, OSW_JSON_BOOL, r->err) < 0)
        return -1;
    return osw_json_bool(v, &r->op->deterministic, r->err);
}

static int key_trials(struct reader *r, const osw_json_t *v)
{
    if (osw_json_expect(v, OSW_JSON_LIST, r->err) < 0)
        return -1;
    r->op->says_trials = true;
    for (size_t i = 0; i < osw_json_size(v); i++) {
        const osw_json_t *item = osw_json_at(v, i);
        const char *name;
        int kind;

        if (read_text(r, item, &name) < 0)
            return -1;
        kind = osw_trial_find(name);
        if (kind < 0)
            return osw_json_fail(item, r->err,
                                 "expected redraw, integers, offset, "
                                 "special, wide, ties or permuted, found '%s'",
                                 name);
        r->op->trials |= UINT32_C(1) << kind;
    }
    return 0;
}

static int key_ratio(struct reader *r, const osw_json_t *v)
{
    return read_positive(r, v, false, &r->op->ratio);
}

static int read_expression(struct reader *r, const osw_json_t *v,
                           const char **out)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (read_text(r, v, out) < 0)
        return -1;
    if (osw_expr_check(*out, strlen(*out), r->op->schema, NULL, &why) < 0)
        return osw_json_fail(v, r->err, "%s", why.text);
    return 0;
}

static int key_numel(struct reader *r, const osw_json_t *v)
{
    return read_expression(r, v, &r->op->numel);
}

static int key_flops(struct reader *r, const osw_json_t *v)
{
    return read_expression(r, v, &r->op->flops);
}

static int key_reads(struct reader *r, const osw_json_t *v)
{
    if (osw_json_kind(v) != OSW_JSON_BOOL)
        return read_expression(r, v, &r->op->reads);
    return osw_json_bool(v, &r->op->reads_all, r->err);
}

static int read_argument(struct reader *r, const osw_json_t *v,
                         const char **out)
{
    return v && read_text(r, v, out) == 0 ? check_arg(r, v, *out) : -1;
}

static int key_product(struct reader *r, const osw_json_t *v)
{
    static const char *const keys[] = {"a", "b", "plus", NULL};
    const osw_json_t *plus = osw_json_get(v, "plus");
    struct osw_product product = {.plus = ""};

    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0 ||
        osw_json_only_keys(v, keys, r->err) < 0)
        return -1;
    if (read_argument(r, osw_json_need(v, "a", r->err), &product.a) < 0 ||
        read_argument(r, osw_json_need(v, "b", r->err), &product.b) < 0)
        return -1;
    if (plus && read_argument(r, plus, &product.plus) < 0)
        return -1;
    r->op->product = product;
    return 0;
}

/* "x", which is like that argument, or {"shape": ..., "dtype": ...}. */
static int read_output(struct reader *r, const osw_json_t *v,
                       struct osw_output_spec *out)
{
    static const char *const allowed[] = {"shape", "dtype", NULL};
    struct osw_error why = OSW_ERROR_INIT;
    const osw_json_t *shape = v, *dtype = v;
    const char *like;

    if (osw_json_kind(v) == OSW_JSON_STR) {
        if (read_argument(r, v, &like) < 0)
            return -1;
        out->shape = osw_arena_printf(r->arena, "%s.shape", like);
        out->dtype = osw_arena_printf(r->arena, "%s.dtype", like);
        if (!out->shape || !out->dtype)
            return no_memory(r);
    } else {
        if (osw_json_only_keys(v, allowed, r->err) < 0)
            return -1;
        shape = osw_json_need(v, "shape", r->err);
        dtype = shape ? osw_json_need(v, "dtype", r->err) : NULL;
        if (!dtype || read_text(r, shape, &out->shape) < 0 ||
            read_text(r, dtype, &out->dtype) < 0)
            return -1;
    }
    if (osw_shape_expr_check(out->shape, r->op->schema, &why) < 0)
        return osw_json_fail(shape, r->err, "%s", why.text);
    if (osw_dtype_expr_check(out->dtype, r->op->schema, &why) < 0)
        return osw_json_fail(dtype, r->err, "%s", why.text);
    return 0;
}

static int key_outputs(struct reader *r, const osw_json_t *v)
{
    const struct osw_schema *schema = r->op->schema;
    struct osw_output_spec *all;
    size_t n;

    if (osw_json_expect(v, OSW_JSON_LIST, r->err) < 0)
        return -1;
    n = osw_json_size(v);
    if (!schema)
        return osw_json_fail(v, r->err, "expected a schema beside it");
    if (n != schema->n_returns || n > OSW_OUTPUTS_MAX)
        return osw_json_fail(v, r->err,
                             "expected an entry for each of the schema's %u "
                             "returns (at most %d), found %zu",
                             schema->n_returns, OSW_OUTPUTS_MAX, n);
    all = osw_arena_array(r->arena, n, sizeof(*all));
    if (!all)
        return no_memory(r);
    for (size_t i = 0; i < n; i++)
        if (read_output(r, osw_json_at(v, i), &all[i]) < 0)
            return -1;
    r->op->outputs = all;
    r->op->n_outputs = (uint32_t)n;
    return 0;
}

static int key_backward(struct reader *r, const osw_json_t *v)
{
    return osw_op_backward_read(r->arena, v, &r->op->backward, r->err);
}

static int key_build(struct reader *r, const osw_json_t *v)
{
    if (osw_json_expect(v, OSW_JSON_OBJECT, r->err) < 0)
        return -1;
    for (size_t i = 0; i < osw_json_size(v); i++) {
        const osw_json_t *item = osw_json_at(v, i);
        struct osw_op_file *file = find_file(r, item, osw_json_key(item));
        struct osw_error why = OSW_ERROR_INIT;

        if (!file || read_text(r, item, &file->words) < 0)
            return -1;
        if (osw_op_words_check(file->language, file->words, &why) < 0)
            return osw_json_fail(item, r->err, "%s", why.text);
    }
    return 0;
}

static int key_timeout(struct reader *r, const osw_json_t *v)
{
    return read_positive(r, v, false, &r->op->timeout_s);
}

static int key_world(struct reader *r, const osw_json_t *v)
{
    return osw_op_world_read(r->arena, v, r->op, r->err);
}

static int key_bandwidth(struct reader *r, const osw_json_t *v)
{
    return osw_op_bandwidth_read(r->arena, v, r->op, r->err);
}

/* In the order in which they are read: the schema before what names its
 * arguments.
 */
static const struct key_row {
    const char *key;
    int (*read)(struct reader *r, const osw_json_t *v);
} keys[] = {
    /* clang-format off */
    {"torch", key_torch},
    {"name", key_name},
    {"aliases", key_aliases},
    {"schema", key_schema},
    {"outputs", key_outputs},
    {"backward", key_backward},
    {"baseline", key_baseline},
    {"fill", key_fill},
    {"tolerance", key_tolerance},
    {"exact", key_exact},
    {"numel", key_numel},
    {"flops", key_flops},
    {"reads", key_reads},
    {"product", key_product},
    {"build", key_build},
    {"timeout_s", key_timeout},
    {"trials", key_trials},
    {"deterministic", key_deterministic},
    {"ratio", key_ratio},
    {"world", key_world},
    {"bandwidth", key_bandwidth},
    /* clang-format on */
};

int osw_op_json_read(osw_arena_t *arena, const osw_json_t *doc,
                     const char *device, struct osw_op *op,
                     struct osw_op_file *files, size_t n_files,
                     struct osw_error *err)
{
    struct reader r = {arena, device, op, files, n_files, err};
    const char *allowed[N_ELEM(keys) + 1] = {NULL};

    for (size_t i = 0; i < N_ELEM(keys); i++)
        allowed[i] = keys[i].key;
    if (osw_json_expect(doc, OSW_JSON_OBJECT, err) < 0 ||
        osw_json_only_keys(doc, allowed, err) < 0)
        return -1;
    for (size_t i = 0; i < N_ELEM(keys); i++) {
        const osw_json_t *v = osw_json_get(doc, keys[i].key);

        if (v && keys[i].read(&r, v) < 0)
            return -1;
    }
    return 0;
}
