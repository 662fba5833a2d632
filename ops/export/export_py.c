/* ops/export/export_py.c - what a package's Python files say */
#include <math.h>
#include <string.h>

#include "ops/export/export.h"

/* A string of Python. */
static void put_string(struct osw_text *out, const char *s)
{
    osw_text_add(out, "'");
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            osw_text_add(out, "\\");
        osw_text_add_n(out, s, 1);
    }
    osw_text_add(out, "'");
}

static void put_value(struct osw_text *out, const struct osw_value *v,
                      bool real)
{
    switch (v->kind) {
    case OSW_VALUE_BOOL:
        osw_text_add(out, v->u.b ? "True" : "False");
        break;
    case OSW_VALUE_INT:
        osw_text_printf(out, "%lld%s", (long long)v->u.i, real ? ".0" : "");
        break;
    case OSW_VALUE_FLOAT:
        if (isfinite(v->u.f))
            osw_text_printf(
                out, "%.17g%s", v->u.f,
                v->u.f == floor(v->u.f) && fabs(v->u.f) < 1e15 ? ".0" : "");
        else
            osw_text_printf(out, "float('%s')",
                            isnan(v->u.f)  ? "nan"
                            : v->u.f > 0.0 ? "inf"
                                           : "-inf");
        break;
    case OSW_VALUE_STRING:
        put_string(out, v->u.s);
        break;
    case OSW_VALUE_DTYPE:
        osw_text_printf(out, "_dtypes['%s']",
                        osw_dtype_info((int)v->u.dtype)->name);
        break;
    case OSW_VALUE_LIST:
    case OSW_VALUE_TUPLE:
        osw_text_add(out, "[");
        for (uint32_t i = 0; i < v->n; i++) {
            osw_text_add(out, i ? ", " : "");
            put_value(out, &v->u.items[i], real);
        }
        osw_text_add(out, "]");
        break;
    default:
        osw_text_add(out, "None");
    }
}

/* A single number for a list of a known size is that number so many times. */
static void put_default(struct osw_text *out, const struct osw_schema_arg *a)
{
    bool one = a->type.list && a->value.kind != OSW_VALUE_LIST &&
               a->value.kind != OSW_VALUE_TUPLE &&
               a->value.kind != OSW_VALUE_NONE;

    osw_text_add(out, one ? "[" : "");
    put_value(out, &a->value, a->type.base == OSW_TYPE_FLOAT);
    if (one)
        osw_text_printf(
            out, "] * %lld",
            (long long)(a->type.list_size > 0 ? a->type.list_size : 1));
}

int osw_export_alias_of(const struct osw_schema *schema, uint32_t i)
{
    const char *alias = schema->returns[i].type.alias;

    for (uint32_t k = 0; alias && k < schema->n_args; k++)
        if (schema->args[k].type.alias &&
            strcmp(schema->args[k].type.alias, alias) == 0)
            return (int)k;
    return -1;
}

bool osw_export_is_returned(const struct osw_schema *schema, uint32_t arg)
{
    for (uint32_t i = 0; i < schema->n_returns; i++)
        if (osw_export_alias_of(schema, i) == (int)arg)
            return true;
    return false;
}

static void put_outputs(struct osw_text *out, const struct osw_op *op)
{
    if (op->n_outputs == 0) {
        osw_text_add(out, "None");
        return;
    }
    osw_text_add(out, "lambda a: [");
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        osw_text_add(out, i ? ",\n                    (" : "(");
        osw_shape_expr_python(op->outputs[i].shape, op->schema, out);
        osw_text_add(out, ", ");
        osw_dtype_expr_python(op->outputs[i].dtype, op->schema, out);
        osw_text_add(out, ")");
    }
    osw_text_add(out, "]");
}

/* One argument of the call of a gradient. */
static void put_input(struct osw_text *out, const struct osw_schema *schema,
                      const struct osw_backward_input *in)
{
    switch (in->source) {
    case OSW_BACKWARD_GRAD:
        osw_text_printf(out, "g[%u]", in->index);
        break;
    case OSW_BACKWARD_OUT:
        osw_text_printf(out, "o[%u]", in->index);
        break;
    case OSW_BACKWARD_LITERAL:
        osw_text_add(out, in->literal);
        break;
    default:
        osw_text_printf(out, "a['%s']%s", schema->args[in->index].name,
                        in->source == OSW_BACKWARD_DTYPE ? ".dtype" : "");
    }
}

/* (name, arguments by those of the op, a, gradients g and outputs o; whose
 * gradients it returns; which of g it takes)
 */
static void put_backward(struct osw_text *out, const struct osw_op *op,
                         const struct osw_backward_call *b)
{
    bool more = false;

    osw_text_add(out, ",\n       backward=('");
    osw_schema_print_name(out, b->op->schema);
    osw_text_add(out, "', lambda a, g, o: {");
    for (uint32_t k = 0; k < b->op->schema->n_args; k++) {
        if (b->inputs[k].source == OSW_BACKWARD_DEFAULT)
            continue;
        osw_text_printf(out, "%s'%s': ", more ? ", " : "",
                        b->op->schema->args[k].name);
        put_input(out, op->schema, &b->inputs[k]);
        more = true;
    }
    osw_text_add(out, "}, [");
    for (size_t i = 0; i < b->n_grads; i++)
        osw_text_printf(out, "%s%u", i ? ", " : "", b->grads[i]);
    osw_text_add(out, "], {");
    for (uint32_t k = 0; k < b->op->schema->n_args; k++)
        if (b->inputs[k].source == OSW_BACKWARD_GRAD)
            osw_text_printf(out, "%u, ", b->inputs[k].index);
    osw_text_add(out, "})");
}

static void put_op(struct osw_text *out, const struct osw_export *e, size_t at)
{
    const struct osw_op *op = e->ops[at].op;
    struct osw_schema schema = *op->schema;
    struct osw_text text = OSW_TEXT_INIT;

    schema.ns = NULL; /* the package has its own */
    osw_schema_print(&text, &schema);
    osw_text_printf(out, "    Op(%zu, ", at);
    put_string(out, op->name);
    osw_text_add(out, ",\n       ");
    put_string(out, osw_text_str(&text) ? osw_text_str(&text) : "");
    osw_text_free(&text);
    osw_text_add(out, ",\n       args=[");
    for (uint32_t i = 0; i < schema.n_args; i++) {
        const struct osw_schema_arg *a = &schema.args[i];

        osw_text_printf(out, "%s('%s', %s, ", i ? ", " : "", a->name,
                        a->kwarg_only ? "True" : "False");
        if (a->default_text)
            put_default(out, a);
        else
            osw_text_add(out, "REQUIRED");
        osw_text_add(out, ")");
    }
    osw_text_add(out, "],\n       returns=[");
    for (uint32_t i = 0; i < schema.n_returns; i++)
        osw_text_printf(out, "%s%d", i ? ", " : "",
                        osw_export_alias_of(&schema, i));
    osw_text_add(out, "],\n       outputs=");
    put_outputs(out, op);
    osw_text_add(out, ",\n       devices=[");
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++)
        if (e->ops[at].n_impls[d])
            osw_text_printf(out, "%s'%s'",
                            d && e->ops[at].n_impls[0] ? ", " : "",
                            osw_export_device_name((enum osw_export_device)d));
    osw_text_add(out, "]");
    if (e->ops[at].backward)
        put_backward(out, op, e->ops[at].backward);
    osw_text_add(out, "),\n");
}

void osw_export_table_py(const struct osw_export *e, struct osw_text *out)
{
    osw_text_printf(
        out,
        "# _table.py - the operators of '%s'; generated by "
        "opsweep export-ops\n"
        "from ._expressions import _broadcast, _concatenated, _convolved, "
        "_dtypes, _floating, _ints, _len, _logical, _max, _min, _ndim, "
        "_padded, "
        "_pooled, _prod, _promoted, _reduced, _resized, _shape, _summed, "
        "_tiled, _widened\n"
        "from ._runtime import *\n\n"
        "NAMESPACE = '%s'\n"
        "OPS = [\n",
        e->ns, e->ns);
    for (size_t i = 0; i < e->n_ops; i++)
        put_op(out, e, i);
    osw_text_add(out, "]\n");
}

void osw_export_init_py(const struct osw_export *e, struct osw_text *out)
{
    osw_text_printf(out,
                    "# __init__.py - torch.ops.%s; generated by opsweep "
                    "export-ops\n"
                    "import os\n\n"
                    "from . import _runtime, _table\n\n"
                    "_kept = _runtime.register(_table.NAMESPACE, _table.OPS,\n"
                    "                          os.path.dirname(os.path.abspath("
                    "__file__)))\n",
                    e->ns);
}

void osw_export_setup_py(const struct osw_export *e, struct osw_text *out)
{
    osw_text_printf(
        out,
        "# setup.py - a wheel of '%s' after make: pip wheel "
        "--no-build-isolation .\n"
        "from setuptools import Distribution, setup\n"
        "try:\n"
        "    from setuptools.command.bdist_wheel import bdist_wheel\n"
        "except ImportError:\n"
        "    from wheel.bdist_wheel import bdist_wheel\n\n\n"
        "class Platform(Distribution):\n"
        "    def has_ext_modules(self):\n"
        "        return True\n\n\n"
        "class Tagged(bdist_wheel):\n"
        "    def get_tag(self):  # no API of Python is used\n"
        "        return 'py3', 'none', super().get_tag()[2]\n\n\n"
        "setup(name='%s', version='0', packages=['%s'],\n"
        "      package_data={'%s': ['*.so']}, distclass=Platform,\n"
        "      cmdclass={'bdist_wheel': Tagged})\n",
        e->ns, e->ns, e->ns, e->ns);
}
