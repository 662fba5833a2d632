/* mpi_runner/commands/cmd_new.c - opsweep new: an op's folder to begin with */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/paths.h"
#include "mpi_runner/commands/new_yaml.h"
#include "ops/scaffold/scaffold.h"
#include "ops/scaffold/scaffold_like.h"

struct new_opts {
    const char *schema, *lang, *like, *ops_yaml, *kernel_sources;
};

static const struct new_opts new_defaults = {.lang = NULL};

#define AT(field) offsetof(struct new_opts, field)
/* clang-format off */
static const struct osw_opt new_optv[] = {
    { "schema", OSW_OPT_STR, AT(schema), "arguments and returns in PyTorch's words ['NAME(Tensor x, float a=1) -> Tensor']",
      .value = "SCHEMA" },
    { "lang",   OSW_OPT_STR, AT(lang),   "an implementation in each of c, cuda, python, triton [c; with --like all]",
      .value = "LIST" },
    { "like",   OSW_OPT_STR, AT(like),   "a copy of that op under the new name: its folder, or the name of a shipped op [none]",
      .value = "FOLDER|OP" },
    { "ops-yaml", OSW_OPT_STR, AT(ops_yaml), "a folder in FOLDER for each operator of an ExecuTorch file (custom_ops.yaml), with its kernels [none]",
      .value = "FILE" },
    { "kernel-sources", OSW_OPT_STR, AT(kernel_sources), "C++ files of these kernels [none]",
      .value = "LIST" },
    { 0 },
};
/* clang-format on */
#undef AT

/* Is the word one of the list, which commas separate? */
static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == n && strncmp(list, word, n) == 0)
            return true;
    return false;
}

static int check_languages(osw_arena_t *arena, const char *list,
                           struct osw_error *err)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',') {
        const char *word = osw_arena_strndup(arena, list, strcspn(list, ","));

        if (!word || !osw_scaffold_language(word))
            return osw_fail(
                err, OSW_BAD_INPUT,
                "option '--lang': expected c, cuda, python or triton, "
                "with commas between them, found '%s'",
                word ? word : list);
    }
    return 0;
}

/* "c,python" as ".c,.py"; NULL: of all languages. */
static const char *suffixes(osw_arena_t *arena, const char *list)
{
    const char *out = list ? "" : NULL;

    for (; list && *list && out;
         list += strcspn(list, ","), list += *list == ',')
        out = osw_arena_printf(arena, "%s%s%s", out, *out ? "," : "",
                               strchr("pt", *list)             ? ".py"
                               : strncmp(list, "cuda", 4) == 0 ? ".cu"
                                                               : ".c");
    return out;
}

static int write_file(const char *folder, const struct osw_scaffold_file *file,
                      const struct osw_scaffold *s, struct osw_error *err)
{
    struct osw_text path = OSW_TEXT_INIT, text = OSW_TEXT_INIT;
    int rc = -1;
    FILE *f;

    osw_text_printf(&path, "%s/", folder);
    if (strncmp(file->name, "%s", 2) == 0)
        osw_text_printf(&path, "%s%s", s->folder, file->name + 2);
    else
        osw_text_add(&path, file->name);
    file->write(s, &text);
    f = osw_text_str(&path) && osw_text_str(&text)
            ? fopen(osw_text_str(&path), "wx")
            : NULL;
    if (f && fputs(osw_text_str(&text), f) >= 0 &&
        (!file->program || fchmod(fileno(f), 0755) == 0))
        rc = 0;
    if (f && fclose(f) != 0)
        rc = -1;
    if (rc < 0)
        osw_fail_sys(err, errno, "cannot write '%s'", osw_text_str(&path));
    else
        printf("%s\n", osw_text_str(&path));
    osw_text_free(&path);
    osw_text_free(&text);
    return rc;
}

/* The folder, which must not be there, and those above it. */
static int make_folder(osw_arena_t *arena, const char *folder,
                       struct osw_error *err)
{
    const char *slash = strrchr(folder, '/');
    const char *above =
        slash ? osw_arena_strndup(arena, folder, (size_t)(slash - folder)) : "";

    if (!above)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a folder's name");
    if (osw_paths_make_folders(above, 0777, err) < 0)
        return -1;
    if (mkdir(folder, 0777) == 0)
        return 0;
    return errno == EEXIST
               ? osw_fail(err, OSW_BAD_INPUT,
                          "'%s' is there: expected the name of a new folder",
                          folder)
               : osw_fail_sys(err, errno, "cannot make '%s'", folder);
}

static const char *schema_text(osw_arena_t *arena, const struct new_opts *o,
                               const char *name)
{
    return o->schema ? o->schema
                     : osw_arena_printf(
                           arena, "%s(Tensor x, float a=1) -> Tensor", name);
}

/* The folder is named as the operator of the schema: NAME or NAME__OVERLOAD. */
static int check_same_name(const struct osw_schema *schema, const char *folder,
                           struct osw_error *err)
{
    size_t n = strlen(schema->name);

    if (strncmp(folder, schema->name, n) == 0 &&
        (!folder[n] || strncmp(folder + n, "__", 2) == 0))
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--schema': expected the name of the folder, '%s', "
                    "found '%s'",
                    folder, schema->name);
}

/* Of the made-up op. */
static int write_files(osw_arena_t *arena, const struct new_opts *o,
                       const char *folder, struct osw_scaffold *s,
                       struct osw_error *err)
{
    const char *lang = o->lang ? o->lang : "c";
    const char *text = schema_text(arena, o, s->folder);
    struct osw_schema schema, outputs;

    if (!text)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a folder's files");
    if (osw_schema_parse(arena, text, strlen(text), &schema, err) < 0) {
        osw_error_in(err, "option '--schema'");
        return -1;
    }
    s->schema = &outputs;
    s->returns_nothing = schema.n_returns == 0;
    if (osw_scaffold_check(&schema, err) < 0 ||
        check_same_name(&schema, s->folder, err) < 0 ||
        osw_scaffold_returns(arena, &schema, &outputs, err) < 0 ||
        make_folder(arena, folder, err) < 0)
        return -1;
    for (const struct osw_scaffold_file *f = osw_scaffold_files; f->name; f++)
        if ((!f->language || is_listed(lang, f->language)) &&
            write_file(folder, f, s, err) < 0) {
            osw_paths_remove(folder);
            return -1;
        }
    return 0;
}

/* Of another op; the script that tries it is the same. */
static int copy_files(osw_arena_t *arena, const struct new_opts *o,
                      const char *folder, const struct osw_scaffold *s,
                      struct osw_error *err)
{
    const struct osw_scaffold_like like = {.like = o->like,
                                           .folder = folder,
                                           .name = s->folder,
                                           .lang = suffixes(arena, o->lang)};

    if (o->schema)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected one of '--schema' and '--like', found both");
    if (osw_scaffold_copy(arena, &like, err) < 0)
        return -1;
    for (const struct osw_scaffold_file *f = osw_scaffold_files; f->name; f++)
        if (f->program && write_file(folder, f, s, err) < 0)
            return -1;
    return 0;
}

static int make(osw_arena_t *arena, const struct new_opts *o, const char *path,
                struct osw_error *err)
{
    size_t n = strlen(path);
    struct osw_scaffold s = {.folder = NULL};
    const char *folder, *slash;
    char word[OSW_SHELL_WORD];

    while (n > 1 && path[n - 1] == '/')
        n--;
    folder = osw_arena_strndup(arena, path, n);
    if (!folder)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a folder's files");
    slash = strrchr(folder, '/');
    s.folder = slash ? slash + 1 : folder;
    if (osw_scaffold_check_name(s.folder, err) < 0 ||
        (o->lang && check_languages(arena, o->lang, err) < 0) ||
        (o->like ? copy_files(arena, o, folder, &s, err)
                 : write_files(arena, o, folder, &s, err)) < 0)
        return -1;
    printf("\nIt passes as it is: %s/test.sh\n"
           "Then put your op in place of the %s; docs: OPS.md\n",
           osw_shell_word(folder, word), o->like ? "copied one" : "sum");
    return 0;
}

static int make_of_yaml(osw_arena_t *arena, const struct new_opts *o,
                        const char *root, struct osw_error *err)
{
    const struct osw_new_yaml n = {o->ops_yaml, o->kernel_sources, root};

    if (o->schema || o->like || o->lang)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--ops-yaml': expected '--kernel-sources' "
                        "alone beside it, found '--%s'",
                        o->schema ? "schema"
                        : o->like ? "like"
                                  : "lang");
    return osw_new_yaml(arena, &n, err);
}

static int new_run(void *opts, const struct osw_args *args,
                   struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    const struct new_opts *o = opts;
    int rc;

    if (!arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a folder's files");
    if (o->ops_yaml)
        rc = make_of_yaml(arena, o, args->operands[0], err);
    else if (o->kernel_sources)
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "option '--kernel-sources': expected '--ops-yaml FILE', "
                      "which names the kernels");
    else
        rc = make(arena, o, args->operands[0], err);
    osw_arena_destroy(arena);
    return rc;
}

const struct osw_cmd osw_cmd_new = {
    .name = "new",
    .topic = "write ops",
    .operands = "FOLDER",
    .summary = "make an op's folder to begin with",
    .details =
        "Writes a complete op into FOLDER, which must not be there; its last "
        "part is the\nop's name.  The op is made up: it adds up its arguments. "
        " So it passes before\nyou change a line, and each argument is read "
        "and each output written once.\n--like begins with an op that is "
        "there instead; headers that its sources include\nfrom other folders "
        "are copied beside FOLDER.\n--ops-yaml makes folders in FOLDER, or "
        "adds kernels to those that are there.\nExit codes: 0 ok, 1 an "
        "operator "
        "was left out, 2 bad input,\n5 the folder cannot be written.\n",
    .min_operands = 1,
    .max_operands = 1,
    .opts = new_optv,
    .defaults = &new_defaults,
    .opts_size = sizeof(new_defaults),
    .run = new_run,
};
