/* ops/scaffold/scaffold_like.c - a new op's folder as a copy of another's */
#include "ops/scaffold/scaffold_like.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "common/json_out.h"
#include "common/paths.h"
#include "ops/catalog/catalog.h"
#include "ops/catalog/op_load.h"
#include "ops/export/export_file.h"
#include "ops/export/export_sources.h"
#include "ops/inputs/torch_fills.h"
#include "ops/inputs/trials.h"

struct copying {
    osw_arena_t *arena;
    const struct osw_scaffold_like *n;
    struct osw_op op;          /* that is copied */
    const char *part, *parent; /* copies on their way; where folders lie */
    struct osw_export_copies *done;
    struct osw_error *err;
};

static int no_memory(struct copying *c)
{
    return osw_fail(c->err, OSW_NO_MEMORY, "no memory for a folder's files");
}

/* --- which op --- */

static int find_op(struct copying *c)
{
    const char *word = c->n->like, *library;
    struct osw_catalog catalog;
    struct stat st;

    if (stat(word, &st) == 0 && S_ISDIR(st.st_mode))
        return osw_op_load(c->arena, word, "cpu", &c->op, c->err);
    if (strchr(word, '/'))
        return osw_fail(c->err, OSW_BAD_INPUT,
                        "option '--like': '%s': expected an op's folder, or "
                        "the name of a shipped op",
                        word);
    library = osw_paths_library_dir(c->err);
    if (!library ||
        osw_catalog_scan(c->arena, &library, 1, "cpu", &catalog, c->err) < 0)
        return -1;
    if (osw_catalog_check(&catalog, word, c->err) < 0) {
        osw_error_in(c->err, "option '--like'");
        return -1;
    }
    for (size_t i = 0; i < catalog.n_ops; i++)
        if (osw_catalog_matches(&catalog.ops[i], word))
            return osw_op_load(c->arena, catalog.ops[i].dir, "cpu", &c->op,
                               c->err);
    return osw_fail(c->err, OSW_BAD_INPUT, "option '--like': '%s' names no op",
                    word);
}

/* Is it one of the op's sources that are wanted? */
static bool is_wanted(const struct copying *c, const char *file)
{
    static const char *const suffixes[] = {".c", ".cu", ".py"};
    size_t n = strlen(c->op.folder);
    const char *suffix = strrchr(file, '.');

    if (!suffix || strncmp(file, c->op.folder, n) != 0 || file[n] != '_')
        return false;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        const char *at = c->n->lang ? strstr(c->n->lang, suffixes[i]) : NULL;
        size_t k = strlen(suffixes[i]);

        if (strcmp(suffix, suffixes[i]) == 0)
            return !c->n->lang || strncmp(file + n, "_reference.", 11) == 0 ||
                   (at && (at[k] == ',' || !at[k]));
    }
    return false;
}

/* --- texts under the new name --- */

/* Past "FOLDER" where a symbol of the op begins; 0: none does. */
static size_t symbol_at(const struct copying *c, const char *begin,
                        const char *at)
{
    static const char *const ends[] = {"_kernel_impl", "_reference", "_prepare",
                                       "_finish",      "_meta",      "_work"};
    size_t n = strlen(c->op.folder);

    if (strncmp(at, c->op.folder, n) != 0 ||
        (at > begin && osw_op_is_word(at[-1])))
        return 0;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t k = strlen(ends[i]);

        if (strncmp(at + n, ends[i], k) == 0 && !osw_op_is_word(at[n + k]))
            return n;
    }
    return 0;
}

static void rename_symbols(const struct copying *c, const char *text,
                           struct osw_text *out)
{
    for (const char *s = text; *s;) {
        size_t n = symbol_at(c, text, s);

        if (n)
            osw_text_add(out, c->n->name);
        else
            osw_text_add_n(out, s, 1);
        s += n ? n : 1;
    }
}

/* Is the implementation of that name copied? */
static bool has_impl(const struct copying *c, const char *name)
{
    size_t n = strlen(c->op.folder), k = strlen(name);

    for (size_t i = 0; i < c->done->n; i++) {
        const char *base = strrchr(c->done->place[i], '/') + 1;

        if (strncmp(base, c->op.folder, n) == 0 && base[n] == '_' &&
            strncmp(base + n + 1, name, k) == 0 && base[n + 1 + k] == '.')
            return true;
    }
    return false;
}

/* {"onednn": "-ldnnl"} of what is copied. */
static int dump_build(const struct copying *c, struct osw_json_out *o,
                      const osw_json_t *v)
{
    bool any = false;
    int rc = 0;

    for (size_t k = 0; rc == 0 && k < osw_json_size(v); k++) {
        const osw_json_t *item = osw_json_at(v, k);

        if (!has_impl(c, osw_json_key(item)))
            continue;
        if (!any)
            osw_json_out_object(o, "build");
        any = true;
        rc = osw_json_out_value(o, osw_json_key(item), item, c->err);
    }
    if (any)
        osw_json_out_end(o);
    return rc;
}

/* --- what an op has by its name --- */

/* Trials of which op.json says nothing. */
static bool has_named_trials(const struct copying *c)
{
    return !c->op.says_trials &&
           (c->op.trials != OSW_TRIALS_ALWAYS ||
            osw_trial_defaults(c->n->name) != OSW_TRIALS_ALWAYS);
}

static void dump_named_trials(const struct copying *c, struct osw_json_out *o)
{
    if (!has_named_trials(c))
        return;
    osw_json_out_list(o, "trials");
    for (int kind = 0; kind < OSW_N_TRIALS; kind++)
        if (c->op.trials & ~(uint32_t)OSW_TRIALS_ALWAYS & UINT32_C(1) << kind)
            osw_json_out_str(o, NULL, osw_trial_name(kind));
    osw_json_out_end(o);
}

static bool has_fill(const struct osw_op *op, const char *arg)
{
    for (size_t i = 0; i < op->n_fills; i++)
        if (strcmp(op->fills[i].arg, arg) == 0)
            return true;
    return false;
}

/* op.json's own, and after them those that torch's operator needs. */
static int dump_fills(struct copying *c, struct osw_json_out *o)
{
    const struct osw_torch_fills *row = osw_torch_fills_find(c->op.name);
    const struct osw_schema *schema = row ? c->op.schema : NULL;
    bool any = c->op.n_fills > 0;

    if (any)
        osw_json_out_object(o, "fill");
    for (size_t i = 0; i < c->op.n_fills; i++)
        osw_json_out_str(o, c->op.fills[i].arg, c->op.fills[i].text);
    for (uint32_t i = 0; schema && i < schema->n_args; i++) {
        const char *arg = schema->args[i].name, *text;

        if (schema->args[i].type.base != OSW_TYPE_TENSOR ||
            has_fill(&c->op, arg))
            continue;
        if (osw_torch_fills_rule(c->arena, row, arg, &text, c->err) < 0)
            return -1;
        if (text && !any)
            osw_json_out_object(o, "fill");
        if (text)
            osw_json_out_str(o, arg, text);
        any = any || text;
    }
    if (any)
        osw_json_out_end(o);
    return 0;
}

/* Without what names the old op, or files that are not copied; with what its
 * name stood for.  doc NULL: there is none.
 */
static int dump_op_json(struct copying *c, const osw_json_t *doc,
                        struct osw_text *out)
{
    static const char *const left_out[] = {"name", "aliases", "torch",
                                           "backward", "fill"};
    struct osw_json_out o = osw_json_out(out);
    struct osw_text schema = OSW_TEXT_INIT;
    int rc = 0;

    osw_json_out_object(&o, NULL);
    if (c->op.schema) {
        struct osw_schema renamed = *c->op.schema;

        renamed.ns = NULL;
        renamed.name = c->n->name;
        renamed.overload = "";
        osw_schema_print(&schema, &renamed);
        osw_json_out_str(&o, "schema",
                         osw_text_str(&schema) ? schema.data : "");
        osw_text_free(&schema);
    }
    for (size_t k = 0; doc && rc == 0 && k < osw_json_size(doc); k++) {
        const osw_json_t *v = osw_json_at(doc, k);
        const char *key = osw_json_key(v);
        bool skip = strcmp(key, "schema") == 0 ||
                    (c->n->lang && strcmp(key, "baseline") == 0);

        for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
            skip = skip || strcmp(key, left_out[i]) == 0;
        if (strcmp(key, "build") == 0)
            rc = dump_build(c, &o, v);
        else if (!skip)
            rc = osw_json_out_value(&o, key, v, c->err);
    }
    if (rc == 0)
        rc = dump_fills(c, &o);
    dump_named_trials(c, &o);
    osw_json_out_end(&o);
    osw_text_add(out, "\n");
    return rc;
}

/* --- files --- */

static int put(struct copying *c, const char *path, const char *text)
{
    if (!text)
        return no_memory(c);
    if (osw_export_put(path, text, strlen(text), c->err) < 0)
        return -1;
    printf("%s\n", path);
    return 0;
}

static int put_op_json(struct copying *c)
{
    const char *from = osw_arena_printf(c->arena, "%s/op.json", c->op.dir);
    const char *to = osw_arena_printf(c->arena, "%s/op.json", c->n->folder);
    struct osw_text text = OSW_TEXT_INIT;
    osw_json_t *doc = NULL;
    int rc;

    if (!from || !to)
        return no_memory(c);
    if (access(from, F_OK) == 0) {
        doc = osw_json_load_file(from, c->err);
        if (!doc)
            return -1;
    } else if (!has_named_trials(c)) {
        return 0;
    }
    rc = dump_op_json(c, doc, &text);
    if (rc == 0)
        rc = put(c, to, osw_text_str(&text));
    osw_text_free(&text);
    osw_json_free(doc);
    return rc;
}

static int put_cases(struct copying *c)
{
    const char *const files[] = {c->op.cases_json, c->op.cases_py};

    for (size_t i = 0; i < 2; i++) {
        const char *to, *text;

        if (!files[i])
            continue;
        to = osw_arena_printf(c->arena, "%s/gen_input.%s", c->n->folder,
                              i ? "py" : "json");
        if (!to)
            return no_memory(c);
        if (osw_export_read(c->arena, files[i], &text, c->err) < 0 ||
            put(c, to, text) < 0)
            return -1;
    }
    return 0;
}

/* One that lies outside of the folder is shared: it may be there already. */
static int put_shared(struct copying *c, const char *to, const char *text)
{
    const char *there;

    if (access(to, F_OK) != 0)
        return put(c, to, text);
    if (osw_export_read(c->arena, to, &there, c->err) < 0)
        return -1;
    return strcmp(there, text) == 0
               ? 0
               : osw_fail(c->err, OSW_BAD_INPUT,
                          "'%s' is there, and not as '%s' needs it: expected "
                          "a folder of its own",
                          to, c->op.folder);
}

/* A copy by its place, "ops/FOLDER/FOLDER_plain.c" or "ops/shared/plain.h". */
static int put_source(struct copying *c, size_t i)
{
    const char *place = c->done->place[i] + strlen("ops/");
    const char *from = osw_arena_printf(c->arena, "%s/ops/%s", c->part, place);
    size_t n = strlen(c->op.folder);
    struct osw_text renamed = OSW_TEXT_INIT;
    const char *text, *to;
    int rc;

    if (!from)
        return no_memory(c);
    if (osw_export_read(c->arena, from, &text, c->err) < 0)
        return -1;
    if (strncmp(place, c->op.folder, n) != 0 || place[n] != '/') {
        to = osw_arena_printf(c->arena, "%s%s", c->parent, place);
        return to ? put_shared(c, to, text) : no_memory(c);
    }
    place += n + 1;
    to = strncmp(place, c->op.folder, n) == 0 && place[n] == '_'
             ? osw_arena_printf(c->arena, "%s/%s%s", c->n->folder, c->n->name,
                                place + n)
             : osw_arena_printf(c->arena, "%s/%s", c->n->folder, place);
    if (!to)
        return no_memory(c);
    rename_symbols(c, text, &renamed);
    rc = put(c, to, osw_text_str(&renamed));
    osw_text_free(&renamed);
    return rc;
}

static int collect(struct copying *c)
{
    DIR *all = opendir(c->op.dir);
    struct dirent *entry;
    int rc = 0;

    if (!all)
        return osw_fail_sys(c->err, errno, "cannot read '%s'", c->op.dir);
    while (rc == 0 && (entry = readdir(all)))
        if (is_wanted(c, entry->d_name))
            rc =
                osw_export_copy_source(c->arena, c->op.dir, c->op.folder,
                                       entry->d_name, c->part, c->done, c->err);
    closedir(all);
    return rc;
}

static int copy_all(struct copying *c)
{
    if (collect(c) < 0)
        return -1;
    if (c->done->n == 0)
        return osw_fail(c->err, OSW_BAD_INPUT,
                        "option '--like': '%s' has no sources to copy",
                        c->op.dir);
    for (size_t i = 0; i < c->done->n; i++)
        if (put_source(c, i) < 0)
            return -1;
    return put_cases(c) < 0 || put_op_json(c) < 0 ? -1 : 0;
}

int osw_scaffold_copy(osw_arena_t *arena, const struct osw_scaffold_like *n,
                      struct osw_error *err)
{
    const char *slash = strrchr(n->folder, '/');
    struct copying c = {.arena = arena, .n = n, .err = err};
    int rc;

    if (access(n->folder, F_OK) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is there: expected the name of a new folder",
                        n->folder);
    c.parent = osw_arena_printf(
        arena, "%.*s", slash ? (int)(slash - n->folder + 1) : 0, n->folder);
    c.part = osw_arena_printf(arena, "%s.part-%ld", n->folder, (long)getpid());
    c.done = osw_arena_alloc(arena, sizeof(*c.done));
    if (!c.parent || !c.part || !c.done)
        return no_memory(&c);
    c.done->n = 0;
    if (find_op(&c) < 0)
        return -1;
    rc = copy_all(&c);
    osw_paths_remove(c.part);
    if (rc < 0)
        osw_paths_remove(n->folder);
    return rc;
}
