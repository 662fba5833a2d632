/* mpi_runner/commands/new_yaml.c - op folders from an ExecuTorch file of
 * operators */
#include "mpi_runner/commands/new_yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/catalog/op_load.h"
#include "ops/export/export_file.h"
#include "ops/notation/ops_yaml.h"
#include "ops/notation/schema_out.h"
#include "ops/scaffold/scaffold.h"
#include "ops/scaffold/scaffold_like.h"
#include "ops/scaffold/yaml_ops.h"

enum { MAX_SOURCES = 64 };

struct making {
    osw_arena_t *arena;
    const struct osw_new_yaml *n;
    size_t n_sources;
    const char *sources[MAX_SOURCES]; /* [n_sources] full paths */
    const char *texts[MAX_SOURCES];
    size_t n_left_out;
    struct osw_error *err;
};

/* One operator. */
struct target {
    const struct osw_yaml_op *op;
    struct osw_schema schema; /* functional; of an `op` only its name */
    const char *folder;       /* its name */
    const char *dir;
    uint32_t n_outs;
};

static int no_memory(const struct making *m)
{
    return osw_fail(m->err, OSW_NO_MEMORY, "no memory for a folder's files");
}

static int left_out(struct making *m, const struct osw_yaml_op *op,
                    const char *why)
{
    struct osw_text name = OSW_TEXT_INIT;

    osw_schema_print_name(&name, &op->schema);
    printf("left out  %s (line %zu): %s\n",
           osw_text_str(&name) ? osw_text_str(&name) : "?", op->line, why);
    osw_text_free(&name);
    m->n_left_out++;
    return 0;
}

/* --- sources --- */

static int add_source(struct making *m, const char *path)
{
    const char *full;
    char *real;

    if (!path)
        return no_memory(m);
    real = realpath(path, NULL);
    if (!real)
        return osw_fail(m->err, OSW_BAD_INPUT,
                        "option '--kernel-sources': cannot open '%s': %s", path,
                        strerror(errno));
    full = osw_arena_strdup(m->arena, real);
    free(real);
    if (!full)
        return no_memory(m);
    if (strpbrk(full, "\"\\\n"))
        return osw_fail(m->err, OSW_BAD_INPUT,
                        "option '--kernel-sources': '%s': expected a name that "
                        "#include takes",
                        full);
    if (m->n_sources == MAX_SOURCES)
        return osw_fail(m->err, OSW_BAD_INPUT,
                        "option '--kernel-sources': expected at most %d files",
                        MAX_SOURCES);
    m->sources[m->n_sources] = full;
    return osw_export_read(m->arena, full, &m->texts[m->n_sources++], m->err);
}

static int read_sources(struct making *m)
{
    const char *list = m->n->sources;

    if (!list || !*list)
        return osw_fail(m->err, OSW_BAD_INPUT,
                        "option '--ops-yaml': expected '--kernel-sources "
                        "FILE.cpp', where the kernels are");
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") > 0 &&
            add_source(
                m, osw_arena_strndup(m->arena, list, strcspn(list, ","))) < 0)
            return -1;
    return 0;
}

/* The part after the last "::". */
static const char *function_of(const char *kernel)
{
    const char *colons;

    while ((colons = strstr(kernel, "::")))
        kernel = colons + 2;
    return kernel;
}

/* The source in which "FUNCTION(" stands, or NULL. */
static const char *source_of(const struct making *m, const char *function)
{
    size_t n = strlen(function);

    for (size_t i = 0; i < m->n_sources; i++)
        for (const char *s = m->texts[i]; (s = strstr(s, function)); s += n)
            if ((s == m->texts[i] || !osw_op_is_word(s[-1])) &&
                s[n + strspn(s + n, " \t\n")] == '(')
                return m->sources[i];
    return NULL;
}

/* --- files --- */

static int put(struct making *m, const char *path, struct osw_text *text)
{
    const char *s = osw_text_str(text);
    int rc;

    if (!path || !s)
        rc = no_memory(m);
    else if (access(path, F_OK) == 0)
        rc = osw_fail(m->err, OSW_BAD_INPUT,
                      "'%s' is there: expected the name of a new file", path);
    else
        rc = osw_export_put(path, s, strlen(s), m->err);
    if (rc == 0)
        printf("%s\n", path);
    osw_text_free(text);
    return rc;
}

/* ExecuTorch appends `native` to the kernel's namespace, which is its own
 * where none is given.
 */
static int put_kernel(struct making *m, const struct target *t,
                      const char *kernel)
{
    const char *function = function_of(kernel), *source;
    size_t n = (size_t)(function - kernel);
    struct osw_text text = OSW_TEXT_INIT;

    source = source_of(m, function);
    if (!source)
        return osw_fail(m->err, OSW_BAD_INPUT,
                        "line %zu: kernel '%s' is in none of the "
                        "'--kernel-sources'",
                        t->op->line, kernel);
    osw_text_printf(&text,
                    "/* %s_%s.cpp - ExecuTorch's kernel as it is */\n"
                    "#include <opsweep/executorch.h>\n\n"
                    "#include \"%s\"\n\n"
                    "OSW_EXECUTORCH(%s, %.*snative::%s, %u)\n",
                    t->folder, function, source, t->folder,
                    n ? (int)n : (int)strlen("torch::executor::"),
                    n ? kernel : "torch::executor::", function, t->n_outs);
    return put(
        m,
        osw_arena_printf(m->arena, "%s/%s_%s.cpp", t->dir, t->folder, function),
        &text);
}

static int put_kernels(struct making *m, const struct target *t)
{
    for (size_t i = 0; i < t->op->n_kernels; i++)
        if (put_kernel(m, t, t->op->kernels[i]) < 0)
            return -1;
    return 0;
}

/* --- operators of torch: references and cases of the shipped op --- */

static int make_torch(struct making *m, struct target *t)
{
    const char *like = osw_yaml_ops_shipped(m->arena, &t->op->schema, m->err);
    struct osw_op op;

    if (!like)
        return left_out(m, t->op,
                        "no shipped op of that name: write it as 'func'");
    if (osw_op_load(m->arena, like, "cpu", &op, m->err) < 0)
        return -1;
    t->folder = op.folder;
    t->n_outs = op.schema ? op.schema->n_returns : 1;
    t->dir = osw_arena_printf(m->arena, "%s/%s", m->n->root, op.folder);
    if (!t->dir)
        return no_memory(m);
    if (access(t->dir, F_OK) != 0) {
        const struct osw_scaffold_like n = {
            .like = like, .folder = t->dir, .name = op.folder, .lang = ""};

        if (osw_scaffold_copy(m->arena, &n, m->err) < 0)
            return -1;
    }
    return put_kernels(m, t);
}

/* --- operators with a schema --- */

/* op.json and cases; the reference is the author's. */
static int put_folder(struct making *m, const struct target *t)
{
    const struct osw_scaffold s = {.folder = t->folder, .schema = &t->schema};

    for (const struct osw_scaffold_file *f = osw_scaffold_files; f->name; f++) {
        struct osw_text text = OSW_TEXT_INIT;

        if (f->language || f->program || strncmp(f->name, "%s", 2) == 0)
            continue;
        f->write(&s, &text);
        if (put(m, osw_arena_printf(m->arena, "%s/%s", t->dir, f->name),
                &text) < 0)
            return -1;
    }
    printf("next: write %s/%s_reference.c: without it cells end as "
           "unverified\n",
           t->dir, t->folder);
    return 0;
}

static int make_custom(struct making *m, struct target *t)
{
    const struct osw_schema *s = &t->op->schema;
    struct osw_error why = OSW_ERROR_INIT;

    t->n_outs = osw_schema_n_outs(s);
    if (t->n_outs == 0)
        return left_out(m, t->op,
                        "its schema has no place for results: expected "
                        "'*, Tensor(a!) out) -> Tensor(a!)'");
    if (osw_schema_functional(m->arena, s, &t->schema, m->err) < 0)
        return -1;
    t->schema.ns = NULL;
    t->folder = osw_yaml_ops_folder(m->arena, &t->schema);
    t->dir = t->folder
                 ? osw_arena_printf(m->arena, "%s/%s", m->n->root, t->folder)
                 : NULL;
    if (!t->dir)
        return no_memory(m);
    if (osw_scaffold_check_name(t->folder, &why) < 0 ||
        osw_scaffold_check(&t->schema, &why) < 0)
        return left_out(m, t->op, why.text);
    if (access(t->dir, F_OK) != 0 && put_folder(m, t) < 0)
        return -1;
    return put_kernels(m, t);
}

static int make_all(struct making *m)
{
    struct osw_ops_yaml yaml;
    const void *text;
    size_t n;

    if (access(m->n->yaml, R_OK) < 0)
        return osw_fail(m->err, OSW_BAD_INPUT, "cannot open '%s': %s",
                        m->n->yaml, strerror(errno));
    if (osw_export_read_bytes(m->arena, m->n->yaml, &text, &n, m->err) < 0 ||
        osw_ops_yaml_read(m->arena, text, n, &yaml, m->err) < 0 ||
        read_sources(m) < 0)
        return -1;
    for (size_t i = 0; i < yaml.n; i++) {
        struct target t = {.op = &yaml.at[i]};

        if (t.op->n_kernels == 0)
            left_out(m, t.op, "it names no kernel");
        else if ((t.op->is_func ? make_custom(m, &t) : make_torch(m, &t)) < 0)
            return -1;
    }
    return m->n_left_out ? 1 : 0;
}

int osw_new_yaml(osw_arena_t *arena, const struct osw_new_yaml *n,
                 struct osw_error *err)
{
    struct making *m = osw_arena_alloc(arena, sizeof(*m));
    int rc;

    if (!m)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a folder's files");
    *m = (struct making){.arena = arena, .n = n, .err = err};
    rc = make_all(m);
    if (rc < 0)
        osw_error_in(err, "'%s'", n->yaml);
    return rc;
}
