/* ops/scaffold/scaffold_code.c - the made-up op in C, CUDA and Python */
#include <string.h>

#include "ops/scaffold/scaffold_args.h"

static void put_name(struct osw_text *out, const struct osw_schema *schema,
                     uint32_t k)
{
    osw_scaffold_variable(out, schema->args[k].name, OSW_SCAFFOLD_C);
}

/* --- C --- */

/* One line for each argument. */
static void put_reads(struct osw_text *out, const struct osw_schema *schema)
{
    static const struct {
        const char *before, *after;
    } rows[] = {
        [OSW_SCAFFOLD_TENSOR] = {"const osw_tensor *", "osw_arg_tensor"},
        [OSW_SCAFFOLD_TENSORS] = {"const osw_arg *", "osw_arg_at"},
        [OSW_SCAFFOLD_REAL] = {"double ", "osw_arg_float"},
        [OSW_SCAFFOLD_WHOLE] = {"int64_t ", "osw_arg_int"},
    };

    for (uint32_t k = 0; k < schema->n_args; k++) {
        const struct osw_schema_arg *a = &schema->args[k];
        enum osw_scaffold_kind kind = osw_scaffold_kind(a);
        bool number = kind == OSW_SCAFFOLD_REAL || kind == OSW_SCAFFOLD_WHOLE;

        if (kind == OSW_SCAFFOLD_OTHER || kind == OSW_SCAFFOLD_OUT) {
            osw_text_printf(out, "    /* argument %u, %s: %s */\n", k, a->name,
                            kind == OSW_SCAFFOLD_OUT ? "written, not read"
                                                     : a->type.word);
            continue;
        }
        osw_text_printf(out, "    %s", rows[kind].before);
        put_name(out, schema, k);
        osw_text_printf(out, " = %s(call, %u%s);%s\n", rows[kind].after, k,
                        number ? ", 0" : "",
                        kind == OSW_SCAFFOLD_TENSORS ? " /* a list */"
                        : kind == OSW_SCAFFOLD_TENSOR &&
                                !osw_scaffold_is_required(a)
                            ? " /* NULL: None */"
                            : "");
    }
}

/* "x", or of a list of tensors its first item. */
static void put_first(struct osw_text *out, const struct osw_schema *schema)
{
    uint32_t k = (uint32_t)osw_scaffold_first(schema);

    if (osw_scaffold_kind(&schema->args[k]) == OSW_SCAFFOLD_TENSOR) {
        put_name(out, schema, k);
        return;
    }
    osw_text_add(out, "tensor_of(");
    put_name(out, schema, k);
    osw_text_add(out, ", 0)");
}

static bool has_list(const struct osw_schema *schema)
{
    for (uint32_t k = 0; k < schema->n_args; k++)
        if (osw_scaffold_kind(&schema->args[k]) == OSW_SCAFFOLD_TENSORS)
            return true;
    return false;
}

static void put_tensor_of(struct osw_text *out, const struct osw_schema *schema)
{
    if (has_list(schema))
        osw_text_add(
            out, "static const osw_tensor *tensor_of(const osw_arg *list, "
                 "uint32_t k)\n"
                 "{\n"
                 "    return list->tag == OSW_ARG_LIST && k < list->n &&\n"
                 "                   list->u.items[k].tag == OSW_ARG_TENSOR\n"
                 "               ? list->u.items[k].u.tensor\n"
                 "               : NULL;\n"
                 "}\n\n");
}

/* One output each: osw_output(call, i, ...), or the argument that it is. */
static void put_outputs(struct osw_text *out, const struct osw_schema *schema)
{
    uint32_t i = 0;

    for (uint32_t r = 0; r < schema->n_returns; r++) {
        int k = osw_scaffold_alias(schema, r);
        uint32_t n = schema->returns[r].type.list ? 2 : 1;

        for (; n > 0; n--, i++)
            if (k >= 0)
                osw_text_printf(out,
                                "    outputs[%u] = osw_output_alias(call, %u, "
                                "%d); /* %s itself */\n",
                                i, i, k, schema->args[k].name);
            else
                osw_text_printf(out,
                                "    outputs[%u] = osw_output(call, %u, "
                                "first->dtype, first->ndim,\n"
                                "                            first->shape, "
                                "NULL);\n",
                                i, i);
    }
}

/* The sum of element i, by statements at that depth. */
static void put_sum(struct osw_text *out, const struct osw_schema *schema)
{
    osw_text_add(out, "        double total = osw_get(first, i);\n\n");
    for (uint32_t k = 0; k < schema->n_args; k++) {
        const struct osw_schema_arg *a = &schema->args[k];
        enum osw_scaffold_kind kind = osw_scaffold_kind(a);

        if (kind == OSW_SCAFFOLD_OTHER || kind == OSW_SCAFFOLD_OUT)
            continue;
        if (kind == OSW_SCAFFOLD_TENSORS) {
            osw_text_add(out, "        for (uint32_t k = 0; tensor_of(");
            put_name(out, schema, k);
            osw_text_add(out, ", k); k++)\n            total += "
                              "osw_get(tensor_of(");
            put_name(out, schema, k);
            osw_text_add(out, ", k), i);\n");
            continue;
        }
        if (kind == OSW_SCAFFOLD_TENSOR && !osw_scaffold_is_required(a)) {
            osw_text_add(out, "        if (");
            put_name(out, schema, k);
            osw_text_add(out, ")\n    ");
        }
        osw_text_add(out, "        total += ");
        if (kind == OSW_SCAFFOLD_TENSOR)
            osw_text_add(out, "osw_get(");
        else if (kind == OSW_SCAFFOLD_WHOLE)
            osw_text_add(out, "(double)");
        put_name(out, schema, k);
        osw_text_add(out, kind == OSW_SCAFFOLD_TENSOR ? ", i);\n" : ";\n");
    }
}

static void put_c(const struct osw_scaffold *s, struct osw_text *out,
                  bool reference)
{
    const struct osw_schema *schema = s->schema;
    uint32_t n = osw_scaffold_n_outputs(schema);

    osw_text_add(out, "#include <opsweep/elements.h>\n\n");
    put_tensor_of(out, schema);
    osw_text_printf(out, "int %s_%s(const osw_call *call)\n{\n", s->folder,
                    reference ? "reference" : "kernel_impl");
    put_reads(out, schema);
    osw_text_add(out, "    const osw_tensor *first = ");
    put_first(out, schema);
    osw_text_printf(out, ";\n    osw_tensor *outputs[%u];\n", n);
    if (reference)
        osw_text_printf(out, "    double *exact[%u];\n", n);
    osw_text_add(out, "\n    if (!first)\n        return OSW_UNSUPPORTED;\n");
    put_outputs(out, schema);
    osw_text_printf(out,
                    "    for (int k = 0; k < %u; k++) {\n"
                    "        if (!outputs[k])\n"
                    "            return OSW_ERROR;\n",
                    n);
    if (reference)
        osw_text_add(out, "        exact[k] = osw_output_exact(call, k);\n"
                          "        if (!exact[k])\n"
                          "            return OSW_ERROR;\n");
    osw_text_add(out, "    }\n"
                      "    for (int64_t i = 0; i < osw_numel(first); i++) {\n");
    put_sum(out, schema);
    osw_text_printf(out,
                    "        for (int k = 0; k < %u; k++)\n"
                    "            %s;\n    }\n    return 0;\n}\n",
                    n,
                    reference ? "exact[k][i] = (k + 1) * total"
                              : "osw_set(outputs[k], i, (k + 1) * total)");
}

void osw_scaffold_reference_c(const struct osw_scaffold *s,
                              struct osw_text *out)
{
    osw_text_printf(out,
                    "/* %s_reference.c - what %s is: replace the sum by your "
                    "op\n *\n"
                    " * It must be right, not fast: computed in double, and "
                    "handed over unrounded.\n */\n",
                    s->folder, s->folder);
    put_c(s, out, true);
}

void osw_scaffold_plain_c(const struct osw_scaffold *s, struct osw_text *out)
{
    osw_text_printf(out,
                    "/* %s_plain.c - the loop that you would write first: what "
                    "others are compared\n * with\n *\n"
                    " * Return OSW_UNSUPPORTED for cases that it is not "
                    "for.\n */\n",
                    s->folder);
    put_c(s, out, false);
}

/* --- CUDA --- */

void osw_scaffold_plain_cuda(const struct osw_scaffold *s, struct osw_text *out)
{
    const struct osw_schema *schema = s->schema;
    uint32_t n = osw_scaffold_n_outputs(schema);

    osw_text_printf(
        out,
        "/* %s_plain.cu - on a GPU: one thread an element, f32 without gaps "
        "*/\n"
        "#include <opsweep/elements.h>\n\n"
        "#define MOST 16 /* tensors */\n\n"
        "struct tensors {\n"
        "    const float *from[MOST];\n"
        "    float *to[%u];\n"
        "    int n_from; /* negative: there are others than f32 */\n"
        "};\n\n"
        "__global__ void add_up(struct tensors t, float numbers, int64_t n)\n"
        "{\n"
        "    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    float total = numbers;\n\n"
        "    if (i >= n)\n"
        "        return;\n"
        "    for (int k = 0; k < t.n_from; k++)\n"
        "        total += t.from[k][i];\n"
        "    for (int k = 0; k < %u; k++)\n"
        "        t.to[k][i] = (k + 1) * total;\n"
        "}\n\n"
        "static void add(struct tensors *t, const osw_tensor *x)\n"
        "{\n"
        "    if (!x || t->n_from < 0)\n"
        "        return;\n"
        "    if (t->n_from == MOST || !osw_is(x, OSW_FLOAT, 32) ||\n"
        "        !osw_is_contiguous(x))\n"
        "        t->n_from = -1;\n"
        "    else\n"
        "        t->from[t->n_from++] = (const float *)osw_data(x);\n"
        "}\n\n",
        s->folder, n, n);
    put_tensor_of(out, schema);
    osw_text_printf(out,
                    "extern \"C\" int %s_kernel_impl(const osw_call "
                    "*call)\n{\n",
                    s->folder);
    put_reads(out, schema);
    osw_text_add(out, "    const osw_tensor *first = ");
    put_first(out, schema);
    osw_text_printf(out,
                    ";\n    osw_tensor *outputs[%u];\n"
                    "    struct tensors t = {};\n"
                    "    double numbers = 0;\n"
                    "    int64_t n;\n\n"
                    "    add(&t, first);\n",
                    n);
    for (uint32_t k = 0; k < schema->n_args; k++) {
        enum osw_scaffold_kind kind = osw_scaffold_kind(&schema->args[k]);

        if (kind == OSW_SCAFFOLD_OTHER || kind == OSW_SCAFFOLD_OUT)
            continue;
        if (kind == OSW_SCAFFOLD_TENSORS) {
            osw_text_add(out, "    for (uint32_t k = 0; tensor_of(");
            put_name(out, schema, k);
            osw_text_add(out, ", k); k++)\n        add(&t, tensor_of(");
            put_name(out, schema, k);
            osw_text_add(out, ", k));\n");
            continue;
        }
        osw_text_add(out, kind == OSW_SCAFFOLD_TENSOR ? "    add(&t, "
                                                      : "    numbers += ");
        if (kind == OSW_SCAFFOLD_WHOLE)
            osw_text_add(out, "(double)");
        put_name(out, schema, k);
        osw_text_add(out, kind == OSW_SCAFFOLD_TENSOR ? ");\n" : ";\n");
    }
    osw_text_add(out, "    if (!first || t.n_from < 0)\n"
                      "        return OSW_UNSUPPORTED;\n");
    put_outputs(out, schema);
    osw_text_printf(
        out,
        "    for (int k = 0; k < %u; k++) {\n"
        "        if (!outputs[k])\n"
        "            return OSW_ERROR;\n"
        "        if (!osw_is_contiguous(outputs[k]))\n"
        "            return OSW_UNSUPPORTED;\n"
        "        t.to[k] = (float *)osw_data(outputs[k]);\n"
        "    }\n"
        "    n = osw_numel(first);\n"
        "    if (n == 0)\n"
        "        return 0;\n"
        "    add_up<<<(unsigned)((n + 255) / 256), 256, 0,\n"
        "             (cudaStream_t)call->stream>>>(t, (float)numbers, n);\n"
        "    return cudaGetLastError() == cudaSuccess ? 0 : OSW_ERROR;\n"
        "}\n",
        n);
}

/* --- Python --- */

static void put_python(struct osw_text *out, const struct osw_schema_arg *a)
{
    osw_scaffold_variable(out, a->name, OSW_SCAFFOLD_PYTHON);
}

static void put_parameters(struct osw_text *out,
                           const struct osw_schema *schema)
{
    bool starred = false, optional = false;

    for (uint32_t k = 0; k < schema->n_args; k++) {
        const struct osw_schema_arg *a = &schema->args[k];
        enum osw_scaffold_kind kind = osw_scaffold_kind(a);
        bool number = kind == OSW_SCAFFOLD_REAL || kind == OSW_SCAFFOLD_WHOLE;

        if (a->kwarg_only && !starred)
            osw_text_add(out, k ? ", *" : "*");
        starred = starred || a->kwarg_only;
        osw_text_add(out, k || starred ? ", " : "");
        put_python(out, a);
        optional = !osw_scaffold_is_required(a) ||
                   (optional && !a->kwarg_only); /* as Python wants it */
        if (optional)
            osw_text_printf(out, "=%s",
                            number && a->default_text ? a->default_text
                                                      : "None");
    }
}

/* What an argument adds to the sum. */
static void put_python_term(struct osw_text *out,
                            const struct osw_schema_arg *a)
{
    enum osw_scaffold_kind kind = osw_scaffold_kind(a);
    bool maybe = !osw_scaffold_is_required(a);

    if (kind == OSW_SCAFFOLD_OTHER || kind == OSW_SCAFFOLD_OUT)
        return;
    if (kind == OSW_SCAFFOLD_TENSORS) {
        osw_text_add(out, "    for item in ");
        put_python(out, a);
        osw_text_printf(out, "%s:\n        total = total + item\n",
                        maybe ? " or []" : "");
        return;
    }
    if (maybe) {
        osw_text_add(out, "    if ");
        put_python(out, a);
        osw_text_add(out, " is not None:\n    ");
    }
    osw_text_add(out, "    total = total + ");
    put_python(out, a);
    osw_text_add(out, "\n");
}

/* Output i, from 1: a new tensor, or the argument that it is. */
static void put_python_output(struct osw_text *out,
                              const struct osw_schema *schema, int alias,
                              uint32_t i)
{
    if (alias < 0) {
        osw_text_printf(out, "(%u * total).to(first.dtype)", i);
        return;
    }
    put_python(out, &schema->args[alias]);
    osw_text_printf(out, ".copy_(%u * total)", i);
}

/* What stands before a result: in a list of them, or on a line of its own. */
static void put_before(const struct osw_scaffold *s, uint32_t r,
                       struct osw_text *out)
{
    if (s->returns_nothing)
        osw_text_add(out, r ? "\n    " : "    ");
    else
        osw_text_add(out, r ? ", " : "    return ");
}

void osw_scaffold_python(const struct osw_scaffold *s, struct osw_text *out)
{
    const struct osw_schema *schema = s->schema;
    const struct osw_schema_arg *first =
        &schema->args[osw_scaffold_first(schema)];
    uint32_t i = 0;

    osw_text_printf(out,
                    "\"\"\"%s_torch.py - in Python, by torch\"\"\"\n\n\n"
                    "def %s_kernel_impl(",
                    s->folder, s->folder);
    put_parameters(out, schema);
    osw_text_add(out, "):\n    first = ");
    put_python(out, first);
    osw_text_printf(out, "%s\n    total = first.double()\n",
                    first->type.list ? "[0]" : "");
    for (uint32_t k = 0; k < schema->n_args; k++)
        put_python_term(out, &schema->args[k]);
    for (uint32_t r = 0; r < schema->n_returns; r++) {
        int alias = osw_scaffold_alias(schema, r);
        bool list = schema->returns[r].type.list;

        put_before(s, r, out);
        osw_text_add(out, list ? "[" : "");
        put_python_output(out, schema, alias, ++i);
        if (list) {
            osw_text_add(out, ", ");
            put_python_output(out, schema, alias, ++i);
        }
        osw_text_add(out, list ? "]" : "");
    }
    osw_text_add(out, "\n");
}

/* --- Triton --- */

/* The same parameters; tensors are added one by one, into float. */
static void put_triton_terms(struct osw_text *out,
                             const struct osw_schema *schema)
{
    osw_text_add(out, "    terms, constant = [first], 0.0\n");
    for (uint32_t k = 0; k < schema->n_args; k++) {
        const struct osw_schema_arg *a = &schema->args[k];
        enum osw_scaffold_kind kind = osw_scaffold_kind(a);
        bool many = kind == OSW_SCAFFOLD_TENSORS;

        if (kind == OSW_SCAFFOLD_OTHER || kind == OSW_SCAFFOLD_OUT)
            continue;
        if (!osw_scaffold_is_required(a)) {
            osw_text_add(out, "    if ");
            put_python(out, a);
            osw_text_add(out, " is not None:\n    ");
        }
        osw_text_add(out, many || kind == OSW_SCAFFOLD_TENSOR
                              ? "    terms += "
                              : "    constant += ");
        osw_text_add(out, kind == OSW_SCAFFOLD_TENSOR ? "[" : "");
        put_python(out, a);
        osw_text_add(out, kind == OSW_SCAFFOLD_TENSOR ? "]\n" : "\n");
    }
}

/* As the other kinds of files: output i, from 1. */
static void put_triton_output(struct osw_text *out,
                              const struct osw_schema *schema, int alias,
                              uint32_t i)
{
    osw_text_printf(out, "write(total, ");
    if (alias < 0)
        osw_text_add(out, "torch.empty_like(first, memory_format="
                          "torch.contiguous_format)");
    else
        put_python(out, &schema->args[alias]);
    osw_text_printf(out, ", %u)", i);
}

void osw_scaffold_triton(const struct osw_scaffold *s, struct osw_text *out)
{
    const struct osw_schema *schema = s->schema;
    const struct osw_schema_arg *first =
        &schema->args[osw_scaffold_first(schema)];
    uint32_t i = 0;

    osw_text_printf(
        out,
        "\"\"\"%s_triton.py - by Triton: on a GPU, or with TRITON_INTERPRET=1 "
        "on a processor\"\"\"\n"
        "import os\n\n"
        "import torch\n\n"
        "try:\n"
        "    import triton\n"
        "    import triton.language as tl\n"
        "except ImportError:\n"
        "    triton = None\n\n"
        "BLOCK = 1024\n\n"
        "if triton:\n\n"
        "    @triton.jit\n"
        "    def add_kernel(total, x, n, BLOCK: tl.constexpr):\n"
        "        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "        there = i < n\n"
        "        x = tl.load(x + i, mask=there).to(tl.float32)\n"
        "        tl.store(total + i, tl.load(total + i, mask=there) + x, "
        "mask=there)\n\n"
        "    @triton.jit\n"
        "    def write_kernel(total, y, k, n, BLOCK: tl.constexpr):\n"
        "        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "        there = i < n\n"
        "        y_i = (k * tl.load(total + i, mask=there)).to("
        "y.dtype.element_ty)\n"
        "        tl.store(y + i, y_i, mask=there)\n\n\n"
        "def grid_of(x):\n"
        "    return (triton.cdiv(x.numel(), BLOCK),)\n\n\n"
        "def write(total, y, k):\n"
        "    \"\"\"y = k * total, whatever y's strides\"\"\"\n"
        "    flat = y if y.is_contiguous() else torch.empty_like("
        "y, memory_format=torch.contiguous_format)\n"
        "    if y.numel():\n"
        "        write_kernel[grid_of(y)](total, flat, k, y.numel(), "
        "BLOCK=BLOCK)\n"
        "    return y if flat is y else y.copy_(flat)\n\n\n"
        "def %s_kernel_impl(",
        s->folder, s->folder);
    put_parameters(out, schema);
    osw_text_add(out, "):\n    first = ");
    put_python(out, first);
    osw_text_printf(out,
                    "%s\n"
                    "    if triton is None or not (first.is_cuda or "
                    "os.environ.get(\"TRITON_INTERPRET\") == \"1\"):\n"
                    "        raise NotImplementedError(\"needs Triton and a "
                    "GPU\")\n",
                    first->type.list ? "[0]" : "");
    put_triton_terms(out, schema);
    osw_text_add(out,
                 "    total = torch.full(first.shape, float(constant), "
                 "dtype=torch.float32, device=first.device)\n"
                 "    for item in terms if total.numel() else []:\n"
                 "        add_kernel[grid_of(item)](total, item.contiguous(), "
                 "item.numel(), BLOCK=BLOCK)\n");
    for (uint32_t r = 0; r < schema->n_returns; r++) {
        int alias = osw_scaffold_alias(schema, r);
        bool list = schema->returns[r].type.list;

        put_before(s, r, out);
        osw_text_add(out, list ? "[" : "");
        put_triton_output(out, schema, alias, ++i);
        if (list) {
            osw_text_add(out, ", ");
            put_triton_output(out, schema, alias, ++i);
        }
        osw_text_add(out, list ? "]" : "");
    }
    osw_text_add(out, "\n");
}
