/* ops/export/export_c.c - what a package's C files and its Makefile say */
#include <string.h>

#include "ops/export/export.h"

const char *osw_export_device_name(enum osw_export_device device)
{
    return device == OSW_EXPORT_CPU ? "cpu" : "cuda";
}

static bool has_impls(const struct osw_export *e, enum osw_export_device device)
{
    for (size_t i = 0; i < e->n_ops; i++)
        if (e->ops[i].n_impls[device])
            return true;
    return false;
}

/* --- table_cpu.c, table_cuda.c --- */

static void declare(size_t op, size_t impl, struct osw_text *out)
{
    osw_text_printf(out,
                    "int osw_%zu_%zu_kernel(const osw_call *);\n"
                    "OSW_WEAK int osw_%zu_%zu_prepare(const osw_call *, "
                    "void **);\n"
                    "OSW_WEAK void osw_%zu_%zu_finish(void *);\n",
                    op, impl, op, impl, op, impl);
}

/* "NS::NAME.OVERLOAD", as torch calls it. */
static void put_name(const struct osw_export *e, size_t i, struct osw_text *out)
{
    struct osw_text name = OSW_TEXT_INIT;

    osw_schema_print_name(&name, e->ops[i].op->schema);
    osw_text_printf(out, "    {\"%s::%s\", impls_%zu},\n", e->ns,
                    osw_text_str(&name) ? osw_text_str(&name) : "", i);
    osw_text_free(&name);
}

/* Kinds of arguments as export_torch.h has them; "": not by that way. */
static const char *boxed_kinds(const struct osw_schema *schema,
                               char kinds[OSW_SCHEMA_MAX_ARGS + 1])
{
    static const struct {
        enum osw_type_base base;
        char kind;
    } known[] = {
        {OSW_TYPE_TENSOR, 't'},  {OSW_TYPE_INT, 'i'},
        {OSW_TYPE_SYM_INT, 'i'}, {OSW_TYPE_FLOAT, 'f'},
        {OSW_TYPE_BOOL, 'b'},    {OSW_TYPE_SCALAR_TYPE, 'd'},
    };
    uint32_t n = 0;

    for (; n < schema->n_args; n++) {
        const struct osw_type *t = &schema->args[n].type;

        kinds[n] = '\0';
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
            if (known[k].base == t->base && !t->list && !t->written)
                kinds[n] = (char)(t->optional ? known[k].kind - 'a' + 'A'
                                              : known[k].kind);
        if (!kinds[n])
            return "";
    }
    kinds[n] = '\0';
    for (uint32_t i = 0; i < schema->n_returns; i++)
        if (schema->returns[i].type.alias)
            return "";
    return n <= 64 ? kinds : "";
}

static bool is_boxed(const struct osw_export_op *op)
{
    char kinds[OSW_SCHEMA_MAX_ARGS + 1];

    return op->n_impls[OSW_EXPORT_CPU] && *boxed_kinds(op->op->schema, kinds);
}

/* A size may be symbolic where autograd is, which the C interface has not. */
static bool is_graded(const struct osw_export_op *op)
{
    const struct osw_schema *s = op->op->schema;
    bool symbolic = false;

    for (uint32_t i = 0; i < s->n_args; i++)
        symbolic |= s->args[i].type.base == OSW_TYPE_SYM_INT;
    return op->backward && !symbolic && is_boxed(op);
}

static void put_kernels(const struct osw_export *e, size_t i,
                        struct osw_text *out)
{
    const struct osw_schema *s = e->ops[i].op->schema;
    static const char head[] = "(uint64_t *s, uint64_t a, uint64_t o)\n";

    if (is_boxed(&e->ops[i]))
        osw_text_printf(out,
                        "\nstatic void boxed_%zu%s"
                        "{\n    osw_torch_call(%zu, s, a, o);\n}\n",
                        i, head, i);
    if (is_graded(&e->ops[i]))
        osw_text_printf(out,
                        "\nstatic void graded_%zu%s"
                        "{\n    osw_torch_graded(%zu, \"%s::%s\", "
                        "\"%s::_grad_%s\", \"%s\", s, a, o);\n}\n",
                        i, head, i, e->ns, s->name, e->ns, s->name,
                        s->overload);
}

/* torch hands no pointer to a kernel: functions for each operator. */
static void put_boxed(const struct osw_export *e, struct osw_text *out)
{
    char kinds[OSW_SCHEMA_MAX_ARGS + 1];

    for (size_t i = 0; i < e->n_ops; i++)
        put_kernels(e, i, out);
    osw_text_add(out, "\nconst struct osw_torch_op osw_torch_ops[] = {\n");
    for (size_t i = 0; i < e->n_ops; i++) {
        const struct osw_schema *s = e->ops[i].op->schema;

        if (!is_boxed(&e->ops[i]))
            osw_text_add(out, "    {0, 0, 0, 0},\n");
        else if (is_graded(&e->ops[i]))
            osw_text_printf(out, "    {boxed_%zu, graded_%zu, \"%s\", %u},\n",
                            i, i, boxed_kinds(s, kinds), s->n_returns);
        else
            osw_text_printf(out, "    {boxed_%zu, 0, \"%s\", %u},\n", i,
                            boxed_kinds(s, kinds), s->n_returns);
    }
    osw_text_add(out, "};\n");
}

static void put_list(const char *name, size_t op, const int *v, uint32_t n,
                     struct osw_text *out)
{
    osw_text_printf(out, "static const int %s_%zu[] = {", name, op);
    for (uint32_t i = 0; i < n; i++)
        osw_text_printf(out, "%d, ", v[i]);
    osw_text_add(out, "0};\n");
}

/* A function for each operator, NAME or NAME__OVERLOAD. */
static void put_tvm(const struct osw_export *e, struct osw_text *out)
{
    for (size_t i = 0; i < e->n_ops; i++) {
        const struct osw_schema *s = e->ops[i].op->schema;
        int returns[OSW_SCHEMA_MAX_ARGS], written[OSW_SCHEMA_MAX_ARGS];
        uint32_t n_written = 0;

        if (e->ops[i].n_impls[OSW_EXPORT_CPU] == 0)
            continue;
        for (uint32_t k = 0; k < s->n_returns; k++)
            returns[k] = osw_export_alias_of(s, k);
        for (uint32_t k = 0; k < s->n_args; k++)
            if (s->args[k].written && !osw_export_is_returned(s, k))
                written[n_written++] = (int)k;
        osw_text_add(out, "\n");
        put_list("returns", i, returns, s->n_returns, out);
        put_list("written", i, written, n_written, out);
        osw_text_printf(out,
                        "static const struct osw_tvm_op tvm_%zu = {%zu, %u, "
                        "%u, %u, returns_%zu, written_%zu};\n"
                        "OSW_TVM_FUNCTION(%s%s%s, &tvm_%zu)\n",
                        i, i, s->n_args, s->n_returns, n_written, i, i, s->name,
                        *s->overload ? "__" : "", s->overload, i);
    }
}

void osw_export_table_c(const struct osw_export *e,
                        enum osw_export_device device, struct osw_text *out)
{
    osw_text_printf(out,
                    "/* table_%s.c - the operators of '%s' on %s; generated by "
                    "opsweep export-ops */\n"
                    "%s"
                    "#define OSW_WEAK __attribute__((weak))\n\n",
                    osw_export_device_name(device), e->ns,
                    device == OSW_EXPORT_CPU ? "a processor" : "a GPU",
                    device == OSW_EXPORT_CPU
                        ? "#include <opsweep/export_torch.h>\n"
                          "#include <opsweep/export_tvm.h>\n\n"
                        : "#define OSW_EXPORT_CUDA\n"
                          "#include <opsweep/export.h>\n\n");
    for (size_t i = 0; i < e->n_ops; i++)
        for (size_t k = 0; k < e->ops[i].n_impls[device]; k++)
            declare(i, k, out);
    for (size_t i = 0; i < e->n_ops; i++) {
        osw_text_printf(out,
                        "\nstatic const struct osw_export_impl impls_%zu[] = "
                        "{\n",
                        i);
        for (size_t k = 0; k < e->ops[i].n_impls[device]; k++)
            osw_text_printf(out,
                            "    {\"%s\", osw_%zu_%zu_kernel, "
                            "osw_%zu_%zu_prepare, osw_%zu_%zu_finish},\n",
                            e->ops[i].impls[device][k].file->name, i, k, i, k,
                            i, k);
        osw_text_add(out, "    {0, 0, 0, 0},\n};\n");
    }
    osw_text_add(out, "\nconst struct osw_export_op osw_export_ops[] = {\n");
    for (size_t i = 0; i < e->n_ops; i++)
        put_name(e, i, out);
    osw_text_printf(out, "};\nconst int osw_export_n_ops = %zu;\n", e->n_ops);
    if (device == OSW_EXPORT_CPU) {
        put_boxed(e, out);
        put_tvm(e, out);
    }
}

/* --- csrc/impl --- */

void osw_export_wrapper_c(const struct osw_export *e, size_t op, size_t impl,
                          enum osw_export_device device, struct osw_text *out)
{
    static const char *const symbols[] = {"prepare", "finish", "meta", "work"};
    const struct osw_op *o = e->ops[op].op;
    const struct osw_op_file *f = e->ops[op].impls[device][impl].file;
    const char *stem = f->symbol ? f->symbol : o->folder;

    osw_text_printf(out,
                    "/* %s under names of its own; generated by opsweep "
                    "export-ops */\n"
                    "#define %s_kernel_impl osw_%zu_%zu_kernel\n",
                    f->file, stem, op, impl);
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        osw_text_printf(out, "#define %s_%s osw_%zu_%zu_%s\n", stem, symbols[i],
                        op, impl, symbols[i]);
    osw_text_printf(out, "#include \"../ops/%s/%s\"\n", o->folder, f->file);
}

/* --- Makefile --- */

static void rules(const struct osw_export *e, enum osw_export_device device,
                  struct osw_text *out)
{
    const char *name = osw_export_device_name(device);
    const char *suffix = device == OSW_EXPORT_CPU ? "c" : "cu";
    struct osw_text words = OSW_TEXT_INIT;

    osw_text_printf(out, "\n%s :=", name);
    for (size_t i = 0; i < e->n_ops; i++)
        for (size_t k = 0; k < e->ops[i].n_impls[device]; k++) {
            const struct osw_op_file *f = e->ops[i].impls[device][k].file;

            osw_text_printf(out, " \\\n    obj/%s__%s.%s.o",
                            e->ops[i].op->folder, f->name, suffix);
            if (*f->words)
                osw_text_printf(&words, " %s", f->words);
        }
    osw_text_printf(out, "\n%s_words :=%s\n", name,
                    osw_text_str(&words) ? osw_text_str(&words) : "");
    for (size_t i = 0; i < e->n_ops; i++)
        for (size_t k = 0; k < e->ops[i].n_impls[device]; k++) {
            const struct osw_op_file *f = e->ops[i].impls[device][k].file;

            if (*f->words)
                osw_text_printf(out, "obj/%s__%s.%s.o: private WORDS := %s\n",
                                e->ops[i].op->folder, f->name, suffix,
                                f->words);
        }
    osw_text_free(&words);
}

void osw_export_makefile(const struct osw_export *e, struct osw_text *out)
{
    bool cpu = has_impls(e, OSW_EXPORT_CPU);
    bool cuda = has_impls(e, OSW_EXPORT_CUDA);

    osw_text_printf(
        out,
        "# Makefile - build the operators of '%s'; generated by opsweep "
        "export-ops\n"
        "#\n"
        "#   make          NS/lib*.so: needs a C compiler; GPU code is built "
        "where nvcc is\n"
        "#   make test     PYTHON=python3 runs tests/test_ops.py\n"
        "#   make et       et/lib*_et.a for ExecuTorch; EXECUTORCH=DIR has "
        "executorch/runtime\n"
        "#\n"
        "# ARCH=-march=x86-64-v3 for other machines, OPENMP= without threads "
        "of its own.\n"
        "CC      ?= cc\n"
        "ARCH    ?= -march=native\n"
        "OPENMP  ?= -fopenmp\n"
        "CFLAGS  ?= -std=gnu11 -O3\n"
        "PYTHON  ?= python3\n"
        "NVCC    ?= $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc "
        "2>/dev/null)\n"
        "GPUS    ?= 80 90\n"
        "NVFLAGS ?= -O3 -std=c++17 $(foreach g,$(GPUS),"
        "-gencode=arch=compute_$(g),code=sm_$(g)) \\\n"
        "    -gencode=arch=compute_$(lastword $(GPUS)),"
        "code=compute_$(lastword $(GPUS))\n"
        "MAKEFLAGS += --no-builtin-rules\n\n"
        "all:\n",
        e->ns);
    if (cpu)
        osw_text_printf(out, "all: %s/lib%s.so\n", e->ns, e->ns);
    if (cuda)
        osw_text_printf(out,
                        "ifneq ($(strip $(NVCC)),)\n"
                        "all: %s/lib%s_cuda.so\n"
                        "else\n"
                        "$(info no nvcc: GPU code is left out)\n"
                        "endif\n",
                        e->ns, e->ns);
    rules(e, OSW_EXPORT_CPU, out);
    rules(e, OSW_EXPORT_CUDA, out);
    osw_text_printf(
        out,
        "\n"
        "%s/lib%s.so: obj/table_cpu.c.o $(cpu)\n"
        "\t$(CC) -shared -Wl,-Bsymbolic $(OPENMP) -o $@ $^ $(cpu_words) -lm "
        "-ldl\n"
        "%s/lib%s_cuda.so: obj/table_cuda.c.o $(cuda)\n"
        "\t$(NVCC) -shared -cudart static -Xlinker -Bsymbolic -o $@ $^ "
        "$(cuda_words)\n"
        "obj/table_%%.c.o: csrc/table_%%.c\n"
        "\t@mkdir -p obj\n"
        "\t$(CC) -std=gnu11 -O2 -fPIC -fexceptions -Icsrc/include -c -o $@ $<\n"
        "obj/%%.c.o: csrc/impl/%%.c\n"
        "\t@mkdir -p obj\n"
        "\t$(CC) $(CFLAGS) $(ARCH) $(OPENMP) -fPIC -fvisibility=hidden "
        "-Icsrc/include -c -o $@ $< $(WORDS)\n"
        "obj/%%.cu.o: csrc/impl/%%.cu\n"
        "\t@mkdir -p obj\n"
        "\t$(NVCC) $(NVFLAGS) -Xcompiler -fPIC,-fvisibility=hidden "
        "-Icsrc/include -c -o $@ $< $(WORDS)\n\n"
        "et: et/lib%s_et.a\n"
        "et/lib%s_et.a: obj/kernels.cpp.o obj/table_cpu.c.o $(cpu)\n"
        "\trm -f $@ && $(AR) rcs $@ $^\n"
        "obj/kernels.cpp.o: et/kernels.cpp\n"
        "\t@mkdir -p obj\n"
        "\t$(CXX) -std=c++17 -O2 $(CXXFLAGS) -fPIC -Icsrc/include "
        "-DC10_USING_CUSTOM_GENERATED_MACROS \\\n"
        "\t    -I$(EXECUTORCH) "
        "-I$(EXECUTORCH)/executorch/runtime/core/portable_type/c10 -c -o $@ "
        "$<\n\n"
        "test: all\n"
        "\t$(PYTHON) tests/test_ops.py\n"
        "clean:\n"
        "\trm -rf obj %s/*.so et/*.a\n"
        ".PHONY: all et test clean\n",
        e->ns, e->ns, e->ns, e->ns, e->ns, e->ns, e->ns);
}
