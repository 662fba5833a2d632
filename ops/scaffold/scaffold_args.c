/* ops/scaffold/scaffold_args.c - what a new op does with an argument */
#include "ops/scaffold/scaffold_args.h"

#include <string.h>

#include "ops/notation/python_word.h"

enum osw_scaffold_kind osw_scaffold_kind(const struct osw_schema_arg *arg)
{
    const struct osw_type *t = &arg->type;

    if (t->base == OSW_TYPE_TENSOR)
        return arg->written && arg->kwarg_only ? OSW_SCAFFOLD_OUT
               : t->list                       ? OSW_SCAFFOLD_TENSORS
                                               : OSW_SCAFFOLD_TENSOR;
    if (t->list)
        return OSW_SCAFFOLD_OTHER;
    switch (t->base) {
    case OSW_TYPE_FLOAT:
    case OSW_TYPE_SCALAR:
        return OSW_SCAFFOLD_REAL;
    case OSW_TYPE_INT:
    case OSW_TYPE_SYM_INT:
    case OSW_TYPE_BOOL:
        return OSW_SCAFFOLD_WHOLE;
    default:
        return OSW_SCAFFOLD_OTHER;
    }
}

/* "a!" of Tensor(a!); the part before an arrow of "a -> *". */
static bool same_alias(const char *x, const char *y)
{
    size_t n = strcspn(x, "! ");

    return n > 0 && strcspn(y, "! ") == n && strncmp(x, y, n) == 0;
}

static bool is_written(const struct osw_schema_arg *a)
{
    return a->written && osw_scaffold_is_required(a);
}

int osw_scaffold_returns(osw_arena_t *arena, const struct osw_schema *schema,
                         struct osw_schema *out, struct osw_error *err)
{
    struct osw_schema_return *returns;
    uint32_t n = 0;

    *out = *schema;
    if (schema->n_returns > 0)
        return 0;
    returns = osw_arena_array(arena, schema->n_args, sizeof(*returns));
    if (!returns)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for returns");
    for (uint32_t k = 0; k < schema->n_args; k++)
        if (is_written(&schema->args[k]))
            returns[n++].type = schema->args[k].type;
    out->returns = returns;
    out->n_returns = n;
    return 0;
}

int osw_scaffold_alias(const struct osw_schema *schema, uint32_t i)
{
    const struct osw_type *t = &schema->returns[i].type;

    for (uint32_t k = 0; t->alias && t->written && k < schema->n_args; k++)
        if (schema->args[k].type.alias &&
            same_alias(t->alias, schema->args[k].type.alias))
            return (int)k;
    return -1;
}

uint32_t osw_scaffold_n_outputs(const struct osw_schema *schema)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < schema->n_returns; i++)
        n += schema->returns[i].type.list ? 2 : 1;
    for (uint32_t k = 0; schema->n_returns == 0 && k < schema->n_args; k++)
        n += is_written(&schema->args[k]);
    return n;
}

int osw_scaffold_first(const struct osw_schema *schema)
{
    for (uint32_t k = 0; k < schema->n_args; k++) {
        const struct osw_schema_arg *a = &schema->args[k];
        enum osw_scaffold_kind kind = osw_scaffold_kind(a);

        if ((kind == OSW_SCAFFOLD_TENSOR || kind == OSW_SCAFFOLD_TENSORS) &&
            osw_scaffold_is_required(a))
            return (int)k;
    }
    return -1;
}

bool osw_scaffold_is_required(const struct osw_schema_arg *arg)
{
    return !arg->default_text && !arg->type.optional;
}

const char *osw_scaffold_value(const struct osw_schema_arg *arg)
{
    static const struct {
        enum osw_type_base base;
        const char *value, *list;
    } rows[] = {
        {OSW_TYPE_SCALAR, "1.5", "[1.5, 0.5]"},
        {OSW_TYPE_FLOAT, "0.5", "[0.5, 1.5]"},
        {OSW_TYPE_INT, "1", "[1, 1]"},
        {OSW_TYPE_SYM_INT, "1", "[1, 1]"},
        {OSW_TYPE_BOOL, "True", "[True, False]"},
        {OSW_TYPE_STR, "'none'", "['none']"},
        {OSW_TYPE_SCALAR_TYPE, "f32", "[f32]"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].base == arg->type.base)
            return arg->type.list ? rows[i].list : rows[i].value;
    return NULL;
}

/* Words of the language (Python's are in python_word.h), and what the files
 * call their own.
 */
static const char *const taken_in_c[] = {
    "auto",     "bool",     "break",    "case",    "char",    "const",
    "default",  "do",       "double",   "else",    "enum",    "extern",
    "float",    "for",      "goto",     "if",      "inline",  "int",
    "long",     "register", "restrict", "return",  "short",   "signed",
    "sizeof",   "static",   "struct",   "switch",  "typedef", "union",
    "unsigned", "void",     "volatile", "while",   "this",    "new",
    "delete",   "class",    "template", "true",    "false",   "call",
    "first",    "total",    "numbers",  "outputs", "exact",   "add",
    "i",        "k",        "n",        "t",       NULL,
};
static const char *const own_in_python[] = {
    "first", "total", "item", "terms", "constant", NULL,
};

void osw_scaffold_variable(struct osw_text *out, const char *name,
                           enum osw_scaffold_language language)
{
    const char *const *word =
        language == OSW_SCAFFOLD_C ? taken_in_c : own_in_python;
    bool taken = language != OSW_SCAFFOLD_C && osw_python_word_is_taken(name);

    for (; *word && !taken; word++)
        taken = strcmp(*word, name) == 0;
    osw_text_add(out, name);
    if (taken)
        osw_text_add(out, "_");
}
