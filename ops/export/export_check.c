/* ops/export/export_check.c - can an op be called by torch? */
#include <string.h>

#include "ops/export/export.h"
#include "ops/notation/python_word.h"

/* Torch's operators are in these, or it is a module of that name. */
static bool is_of_torch(const char *ns)
{
    static const char *const taken[] = {"aten", "prim", "prims", "torch"};

    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (strcmp(ns, taken[i]) == 0)
            return true;
    return false;
}

int osw_export_check_namespace(const char *ns, struct osw_error *err)
{
    static const char more[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    if (!*ns || strspn(ns, "0123456789") > 0 || strspn(ns, more) != strlen(ns))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--namespace': expected letters, digits and _, "
                        "not a digit first, found '%s'",
                        ns);
    if (osw_python_word_is_taken(ns))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--namespace': '%s' is a word of Python, no "
                        "package can be named so: expected another name",
                        ns);
    if (is_of_torch(ns))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--namespace': '%s' is torch's own: expected "
                        "another name",
                        ns);
    return 0;
}

static bool is_known(const struct osw_type *t)
{
    switch (t->base) {
    case OSW_TYPE_TENSOR:
    case OSW_TYPE_SCALAR:
    case OSW_TYPE_INT:
    case OSW_TYPE_SYM_INT:
    case OSW_TYPE_FLOAT:
    case OSW_TYPE_BOOL:
    case OSW_TYPE_STR:
    case OSW_TYPE_SCALAR_TYPE:
    case OSW_TYPE_DEVICE:
        return true;
    default:
        return false;
    }
}

static int check_args(const struct osw_schema *schema, struct osw_error *err)
{
    bool tensor = false;

    if (osw_schema_check_written(schema, err) < 0)
        return -1;
    for (uint32_t i = 0; i < schema->n_args; i++) {
        const struct osw_schema_arg *a = &schema->args[i];

        if (a->default_text && a->value.kind == OSW_VALUE_WORD)
            return osw_fail(err, OSW_BAD_INPUT,
                            "argument '%s' has the default '%s': expected a "
                            "value",
                            a->name, a->default_text);
        if (!is_known(&a->type) && !a->type.optional && !a->default_text)
            return osw_fail(err, OSW_BAD_INPUT,
                            "argument '%s' is a %s, which cannot be handed to "
                            "a kernel: expected a tensor, a number, a string "
                            "or a dtype",
                            a->name, a->type.word);
        tensor |= a->type.base == OSW_TYPE_TENSOR && !a->type.optional &&
                  !a->default_text;
    }
    return tensor ? 0
                  : osw_fail(err, OSW_BAD_INPUT,
                             "the schema has no tensor that must be given: "
                             "expected one, which says on which device to run");
}

static int check_returns(const struct osw_op *op, struct osw_error *err)
{
    const struct osw_schema *schema = op->schema;
    bool fresh = false;

    for (uint32_t i = 0; i < schema->n_returns; i++) {
        const struct osw_type *t = &schema->returns[i].type;

        if (t->base != OSW_TYPE_TENSOR || t->list || t->optional)
            return osw_fail(err, OSW_BAD_INPUT,
                            "return %u is %s%s: expected Tensor", i, t->word,
                            t->list ? "[]" : "?");
        if (t->alias && !t->written)
            return osw_fail(err, OSW_BAD_INPUT,
                            "return %u may be a view of an argument: expected "
                            "a new tensor or a written one",
                            i);
        fresh |= !t->alias;
    }
    if (fresh && op->n_outputs == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "op.json has no 'outputs': expected a list of %u, such "
                        "as [\"%s\"] (as that argument) or [{\"shape\": "
                        "\"%s.shape\", \"dtype\": \"%s.dtype\"}]",
                        schema->n_returns, schema->args[0].name,
                        schema->args[0].name, schema->args[0].name);
    return 0;
}

int osw_export_check(const struct osw_op *op, struct osw_error *err)
{
    if (!op->schema)
        return osw_fail(err, OSW_BAD_INPUT,
                        "op.json has no 'schema': expected one, such as "
                        "\"%s(Tensor x) -> Tensor\"",
                        op->folder);
    if (op->world > 1)
        return osw_fail(err, OSW_BAD_INPUT,
                        "the op is collective: %d ranks make a call together",
                        op->world);
    if (op->schema->n_args == 0)
        return osw_fail(err, OSW_BAD_INPUT, "the schema has no arguments");
    return check_args(op->schema, err) < 0 || check_returns(op, err) < 0 ? -1
                                                                         : 0;
}
