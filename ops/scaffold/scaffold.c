/* ops/scaffold/scaffold.c - the files of a new op's folder, from its schema */
#include "ops/scaffold/scaffold.h"

#include <string.h>

/* --- op.json and a script --- */

/* Which outputs are new is said where the language can: not of lists. */
static bool has_outputs(const struct osw_schema *schema)
{
    bool fresh = false;

    for (uint32_t i = 0; i < schema->n_returns; i++) {
        if (schema->returns[i].type.list)
            return false;
        fresh |= osw_scaffold_alias(schema, i) < 0;
    }
    return fresh;
}

/* Each is like the first tensor, or the argument that it is. */
static void write_outputs(const struct osw_schema *schema, struct osw_text *out)
{
    osw_text_add(out, ",\n \"outputs\": [");
    for (uint32_t i = 0; i < schema->n_returns; i++) {
        int alias = osw_scaffold_alias(schema, i);
        const struct osw_schema_arg *like =
            &schema->args[alias < 0 ? osw_scaffold_first(schema) : alias];

        osw_text_add(out, i ? ", " : "");
        if (like->type.list)
            osw_text_printf(out,
                            "{\"shape\": \"%s[0].shape\", \"dtype\": "
                            "\"%s[0].dtype\"}",
                            like->name, like->name);
        else
            osw_text_printf(out, "\"%s\"", like->name);
    }
    osw_text_add(out, "]");
}

static void write_op_json(const struct osw_scaffold *s, struct osw_text *out)
{
    struct osw_text schema = OSW_TEXT_INIT;
    struct osw_schema given = *s->schema;
    const char *at;

    if (s->returns_nothing)
        given.n_returns = 0;
    osw_schema_print(&schema, &given);
    at = osw_text_str(&schema);
    osw_text_add(out, "{\"schema\": \"");
    for (; at && *at; at++) {
        if (*at == '"' || *at == '\\')
            osw_text_add(out, "\\");
        osw_text_add_n(out, at, 1);
    }
    osw_text_add(out, "\"");
    if (has_outputs(s->schema))
        write_outputs(s->schema, out);
    osw_text_add(out, "}\n");
    osw_text_free(&schema);
}

static void write_script(const struct osw_scaffold *s, struct osw_text *out)
{
    osw_text_printf(
        out,
        "#!/bin/sh\n"
        "# Is %s right?  Exits 0 when every cell passes.  Arguments are those "
        "of\n"
        "# `opsweep run`; without any: --device cpu\n"
        "cd \"$(dirname \"$0\")/..\" || exit\n"
        "[ $# -gt 0 ] || set -- --device cpu\n"
        "opsweep check %s || exit\n"
        "exec opsweep run --custom-ops-root . --ops %s -n 1 --force \\\n"
        "    -o \"${TMPDIR:-/tmp}/%s-$(id -u).h5\" \"$@\"\n",
        s->folder, s->folder, s->folder, s->folder);
}

/* --- cases --- */

/* A tensor, or a list of two. */
static void put_tensor(struct osw_text *out, const struct osw_type *t,
                       const char *tensor)
{
    if (t->list)
        osw_text_printf(out, "[%s, %s]", tensor, tensor);
    else
        osw_text_add(out, tensor);
}

/* `all`: optional tensors too. */
static void put_value(struct osw_text *out, const struct osw_schema_arg *a,
                      const char *tensor, bool all)
{
    bool is_tensor = a->type.base == OSW_TYPE_TENSOR;

    if (a->type.optional && !(all && is_tensor))
        osw_text_add(out, "None");
    else if (is_tensor)
        put_tensor(out, &a->type, tensor);
    else
        osw_text_add(out, osw_scaffold_value(a));
}

/* In every case: what has no default. */
static bool is_given(const struct osw_schema_arg *a, bool all)
{
    return !a->default_text || (all && a->type.base == OSW_TYPE_TENSOR);
}

/* Positional arguments end with the first that is left out. */
static void put_case(struct osw_text *out, const struct osw_schema *schema,
                     const char *tensor, bool all)
{
    uint32_t k = 0, n = 0;

    osw_text_add(out, "\"((");
    for (; k < schema->n_args && !schema->args[k].kwarg_only &&
           is_given(&schema->args[k], all);
         k++) {
        osw_text_add(out, k ? ", " : "");
        put_value(out, &schema->args[k], tensor, all);
    }
    osw_text_add(out, k == 1 ? ",), {" : "), {");
    for (; k < schema->n_args; k++)
        if (is_given(&schema->args[k], all)) {
            osw_text_printf(out, "%s'%s': ", n++ ? ", " : "",
                            schema->args[k].name);
            put_value(out, &schema->args[k], tensor, all);
        }
    osw_text_add(out, "})\"");
}

static bool has_optional_tensor(const struct osw_schema *schema)
{
    for (uint32_t k = 0; k < schema->n_args; k++)
        if (schema->args[k].type.base == OSW_TYPE_TENSOR &&
            !osw_scaffold_is_required(&schema->args[k]))
            return true;
    return false;
}

/* Empty, one element, odd sizes, each dtype; a tensor whose elements do not lie
 * in order; one that is large enough to be timed.
 */
static void write_cases(const struct osw_scaffold *s, struct osw_text *out)
{
    osw_text_add(out, "{\n  \"correctness\": [\n    {\"case\": ");
    put_case(out, s->schema, "T([{n}], {dtype})", false);
    osw_text_add(out, ",\n     \"for\": {\"n\": [0, 1, 31, 1025], "
                      "\"dtype\": [\"f32\", \"f16\", \"bf16\"]}},\n    ");
    if (has_optional_tensor(s->schema)) {
        put_case(out, s->schema, "T([33], f32)", true);
        osw_text_add(out, ",\n    ");
    }
    put_case(out, s->schema, "T([5, 7], f32, (1, 5))", false);
    osw_text_add(out, "\n  ],\n  \"performance\": [\n    ");
    put_case(out, s->schema, "T([262144], f32)", false);
    osw_text_add(out, "\n  ]\n}\n");
}

const struct osw_scaffold_file osw_scaffold_files[] = {
    {NULL, "op.json", false, write_op_json},
    {NULL, "gen_input.json", false, write_cases},
    {NULL, "%s_reference.c", false, osw_scaffold_reference_c},
    {"c", "%s_plain.c", false, osw_scaffold_plain_c},
    {"cuda", "%s_plain.cu", false, osw_scaffold_plain_cuda},
    {"python", "%s_torch.py", false, osw_scaffold_python},
    {"triton", "%s_triton.py", false, osw_scaffold_triton},
    {NULL, "test.sh", true, write_script},
    {NULL, NULL, false, NULL},
};

bool osw_scaffold_language(const char *word)
{
    for (const struct osw_scaffold_file *f = osw_scaffold_files; f->name; f++)
        if (f->language && strcmp(f->language, word) == 0)
            return true;
    return false;
}

static bool is_name(const char *s)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *s && strchr(first, *s) && strspn(s, more) == strlen(s);
}

int osw_scaffold_check_name(const char *folder, struct osw_error *err)
{
    return is_name(folder)
               ? 0
               : osw_fail(err, OSW_BAD_INPUT,
                          "'%s': expected a name of letters, digits and _, as "
                          "of a function in C",
                          folder);
}

int osw_scaffold_check(const struct osw_schema *schema, struct osw_error *err)
{
    if (!schema->has_signature)
        return osw_fail(err, OSW_BAD_INPUT,
                        "schema '%s': expected arguments and returns, as in "
                        "'%s(Tensor x) -> Tensor'",
                        schema->name, schema->name);
    if (osw_scaffold_first(schema) < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "schema '%s': expected an argument that is a Tensor or "
                        "a list of them, and is required",
                        schema->name);
    if (osw_scaffold_n_outputs(schema) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "schema '%s': expected a return, or an argument that "
                        "it writes, as in '%s(Tensor(a!) x) -> ()'",
                        schema->name, schema->name);
    if (osw_schema_check_written(schema, err) < 0)
        return -1;
    for (uint32_t i = 0; i < schema->n_returns; i++)
        if (schema->returns[i].type.base != OSW_TYPE_TENSOR)
            return osw_fail(err, OSW_BAD_INPUT,
                            "schema '%s': return %u is a %s, expected Tensor",
                            schema->name, i, schema->returns[i].type.word);
    for (uint32_t k = 0; k < schema->n_args; k++) {
        const struct osw_schema_arg *a = &schema->args[k];

        if (osw_scaffold_is_required(a) && a->type.base != OSW_TYPE_TENSOR &&
            !osw_scaffold_value(a))
            return osw_fail(err, OSW_BAD_INPUT,
                            "schema '%s': no value is known for argument '%s' "
                            "of type %s",
                            schema->name, a->name, a->type.word);
    }
    return 0;
}
