/* ops/catalog/catalog.c - the ops under some roots, and what was left out and
 * why */
#include "ops/catalog/catalog.h"

#include "ops/catalog/op_load.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/suggest.h"
#include "ops/catalog/select.h"

struct scan {
    osw_arena_t *arena;
    const char *device;
    struct osw_op *ops; /* [n_ops] room for one of every folder */
    size_t n_ops;
    bool *clashes;        /* [n_ops] another folder of its root has its name */
    size_t first_of_root; /* op of the root that is being read */
    struct osw_left_out *left_out; /* room for every folder */
    size_t n_left_out;
    struct osw_error *err;
};

/* The folders of all roots, in the order in which they count. */
struct paths {
    char **at;
    size_t n, size;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the catalog");
}

static void free_paths(struct paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->at[i]);
    free(p->at);
}

/* Takes over `path`, also on failure. */
static int adopt_path(struct paths *p, char *path, struct osw_error *err)
{
    if (path && p->n == p->size) {
        size_t size = p->size ? 2 * p->size : 64;
        char **at = realloc(p->at, size * sizeof(*at));

        if (at) {
            p->at = at;
            p->size = size;
        }
    }
    if (!path || p->n == p->size) {
        free(path);
        return no_memory(err);
    }
    p->at[p->n++] = path;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_shown(const char *name)
{
    return name[0] != '.' && strcmp(name, "__pycache__") != 0;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool leads_nowhere(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) < 0;
}

/* Does the folder hold one of these files [n]? */
static bool has_file(const char *folder, const char *const *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char path[PATH_MAX];
        int used = snprintf(path, sizeof(path), "%s/%s", folder, files[i]);

        if (used > 0 && (size_t)used < sizeof(path) && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static const char *const op_files[] = {"gen_input.json", "gen_input.py",
                                       "op.json"};

bool osw_catalog_is_op(const char *folder)
{
    return has_file(folder, op_files, 3);
}

/* Is the folder no op itself, but the parent of some?  Then these count as if
 * they stood in its place.
 */
static bool is_parent(const char *folder)
{
    DIR *dir = osw_catalog_is_op(folder) ? NULL : opendir(folder);
    struct dirent *entry;
    bool found = false;

    while (dir && !found && (entry = readdir(dir))) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);

        found = is_shown(entry->d_name) && n > 0 && (size_t)n < sizeof(path) &&
                has_file(path, op_files, 2);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* The folders of a root, of which those from `first` on are; in place of a
 * parent of ops these ops.
 */
static int list_folders(const char *root, bool parents, size_t first,
                        struct paths *p, struct osw_error *err)
{
    DIR *dir = opendir(root);
    struct dirent *entry;
    int rc = 0;

    if (!dir)
        return osw_fail(err, OSW_BAD_INPUT,
                        "cannot read '%s' as a folder of ops: %s", root,
                        strerror(errno));
    while (rc == 0 && (entry = readdir(dir))) {
        char *path = NULL;

        if (!is_shown(entry->d_name))
            continue;
        if (asprintf(&path, "%s/%s", root, entry->d_name) < 0)
            rc = no_memory(err);
        else if (!is_folder(path) && !leads_nowhere(path))
            free(path);
        else if (parents && is_parent(path)) {
            rc = list_folders(path, false, first, p, err);
            free(path);
        } else if (p->n - first == OSW_CATALOG_MAX_OPS) {
            free(path);
            rc = osw_fail(err, OSW_BAD_INPUT, "'%s': more than %d folders",
                          root, OSW_CATALOG_MAX_OPS);
        } else
            rc = adopt_path(p, path, err);
    }
    closedir(dir);
    return rc;
}

static int list_root(const char *root, struct paths *p, struct osw_error *err)
{
    size_t first = p->n;
    int rc = list_folders(root, true, first, p, err);

    if (p->n > first)
        qsort(p->at + first, p->n - first, sizeof(*p->at), by_path);
    return rc;
}

/* An op's name from any folder's: what no name may hold becomes '_'. */
static const char *guess_name(osw_arena_t *arena, const char *folder)
{
    char guess[OSW_OP_MAX_NAME + 1];
    size_t n = 0;

    if (osw_op_is_folder_name(folder))
        return osw_op_folder_canonical(arena, folder);
    for (; folder[n] && n + 1 < sizeof(guess); n++)
        guess[n] = folder[n];
    guess[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)guess[i]))
            guess[i] = '_';
    return osw_op_canonical(arena, guess);
}

static int leave_out(struct scan *s, const char *path, const char *why,
                     bool broken)
{
    struct osw_left_out *out = &s->left_out[s->n_left_out];

    out->path = osw_arena_strdup(s->arena, path);
    out->why = why ? osw_arena_strdup(s->arena, why) : NULL;
    if (!out->path || !out->why)
        return no_memory(s->err);
    out->folder = strrchr(out->path, '/') + 1;
    out->name = guess_name(s->arena, out->folder);
    if (!out->name)
        return no_memory(s->err);
    out->broken = broken;
    s->n_left_out++;
    return 0;
}

/* Its index; n_ops: there is none. */
static size_t find_name(const struct scan *s, const char *name)
{
    size_t i = 0;

    while (i < s->n_ops && strcmp(s->ops[i].name, name) != 0)
        i++;
    return i;
}

/* Two folders of one root with the same op name: which one is meant cannot be
 * known, so neither is judged.
 */
static int leave_out_clash(struct scan *s, const char *path, const char *name,
                           const char *first, const char *second)
{
    size_t parent = (size_t)(strrchr(first, '/') - first);
    bool siblings = strncmp(first, second, parent + 1) == 0 &&
                    !strchr(second + parent + 1, '/');
    const char *why = osw_arena_printf(
        s->arena,
        "op '%s' is in two folders, '%s' and '%s': expected one; remove one, "
        "or give it another \"name\" in op.json%s",
        name, first, second,
        siblings ? "" : ", or take one of their parents as the root");

    if (leave_out(s, path, why, true) < 0)
        return -1;
    s->left_out[s->n_left_out - 1].name = name;
    return 0;
}

/* The twin stays among the ops until all folders are read. */
static int add_twin(struct scan *s, size_t twin, const char *path,
                    const char *name)
{
    const char *first = s->ops[twin].dir;

    if (twin < s->first_of_root)
        return leave_out(
            s, path,
            osw_arena_printf(s->arena, "%s is '%s' already", name, first),
            false);
    if (!s->clashes[twin] && leave_out_clash(s, first, name, first, path) < 0)
        return -1;
    s->clashes[twin] = true;
    return leave_out_clash(s, path, name, first, path);
}

static void drop_clashes(struct scan *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n_ops; i++)
        if (!s->clashes[i])
            s->ops[kept++] = s->ops[i];
    s->n_ops = kept;
}

/* Does the folder hold what ops share, and nothing else? */
static bool holds_headers_alone(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool headers = false, others = false;

    while (dir && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');
        bool header = dot && (!strcmp(dot, ".h") || !strcmp(dot, ".cuh"));

        headers |= header;
        others |= !header && entry->d_name[0] != '.';
    }
    if (dir)
        closedir(dir);
    return headers && !others;
}

static const char no_cases[] = "no gen_input.json or gen_input.py";

/* A folder that cannot be looked into may hold one. */
static bool is_without_op(const char *path)
{
    return !osw_catalog_is_op(path) && access(path, R_OK | X_OK) == 0;
}

static int add_folder(struct scan *s, const char *path)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_op op;
    size_t twin;

    if (leads_nowhere(path))
        return leave_out(s, path, "link to nothing", false);
    if (osw_op_load(s->arena, path, s->device, &op, &why) < 0) {
        if (why.status == OSW_NO_MEMORY)
            return no_memory(s->err);
        if (is_without_op(path))
            return leave_out(s, path, no_cases, false);
        return leave_out(s, path, why.text, true);
    }
    if (!op.cases_json && !op.cases_py && holds_headers_alone(path))
        return 0;
    if (!op.cases_json && !op.cases_py)
        return leave_out(s, path, no_cases, false);
    twin = find_name(s, op.name);
    if (twin < s->n_ops)
        return add_twin(s, twin, op.dir, op.name);
    s->ops[s->n_ops++] = op;
    return 0;
}

static int by_op_name(const void *a, const void *b)
{
    return strcmp(((const struct osw_op *)a)->name,
                  ((const struct osw_op *)b)->name);
}

int osw_catalog_scan(osw_arena_t *arena, const char *const *roots, size_t n,
                     const char *device, struct osw_catalog *out,
                     struct osw_error *err)
{
    struct scan s = {.arena = arena, .device = device, .err = err};
    struct paths paths = {.at = NULL};
    size_t *ends = osw_arena_array(arena, n, sizeof(*ends)); /* of the roots */
    int rc = -1;

    for (size_t i = 0; i < n && ends; i++) {
        if (list_root(roots[i], &paths, err) < 0)
            goto out;
        ends[i] = paths.n;
    }
    s.ops = osw_arena_array(arena, paths.n, sizeof(*s.ops));
    s.left_out = osw_arena_array(arena, paths.n, sizeof(*s.left_out));
    s.clashes = osw_arena_array(arena, paths.n, sizeof(*s.clashes));
    if (!ends || !s.ops || !s.left_out || !s.clashes) {
        no_memory(err);
        goto out;
    }
    for (size_t i = 0, root = 0; i < paths.n; i++) {
        for (; i == ends[root]; root++)
            s.first_of_root = s.n_ops;
        if (add_folder(&s, paths.at[i]) < 0)
            goto out;
    }
    drop_clashes(&s);
    if (s.n_ops)
        qsort(s.ops, s.n_ops, sizeof(*s.ops), by_op_name);
    *out = (struct osw_catalog){s.n_ops, s.ops, s.n_left_out, s.left_out};
    rc = 0;
out:
    free_paths(&paths);
    return rc;
}

const struct osw_op *osw_catalog_find(const struct osw_catalog *catalog,
                                      const char *name)
{
    for (size_t i = 0; i < catalog->n_ops; i++)
        if (strcmp(catalog->ops[i].name, name) == 0)
            return &catalog->ops[i];
    for (size_t i = 0; i < catalog->n_ops; i++)
        if (osw_op_is_called(&catalog->ops[i], name))
            return &catalog->ops[i];
    return NULL;
}

/* What is known of the op in a folder that was left out: its names. */
static struct osw_op names_alone(const struct osw_left_out *out)
{
    return (struct osw_op){.name = out->name, .folder = out->folder};
}

const struct osw_left_out *
osw_catalog_find_broken(const struct osw_catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->n_left_out; i++) {
        const struct osw_left_out *out = &catalog->left_out[i];
        const struct osw_op op = names_alone(out);

        if (out->broken && osw_op_is_called(&op, name))
            return out;
    }
    return NULL;
}

/* --- filters --- */

enum { MAX_NAMES = 64 };

/* What an op may be called in a filter; at most MAX_NAMES. */
static size_t names_of(const struct osw_op *op, const char **names)
{
    size_t n = 0;

    names[n++] = op->name;
    names[n++] = osw_select_short(op->name);
    names[n++] = op->folder;
    for (size_t i = 0; i < op->n_aliases && n < MAX_NAMES; i++)
        names[n++] = op->aliases[i];
    return n;
}

/* A name without * or ? may be any form of the op's name. */
bool osw_catalog_matches(const struct osw_op *op, const char *pattern)
{
    char dotted[OSW_OP_MAX_NAME + 1];
    const char *names[MAX_NAMES];
    size_t n = names_of(op, names);
    const char *colons = strstr(pattern, "::");
    int used = colons ? snprintf(dotted, sizeof(dotted), "%.*s.%s",
                                 (int)(colons - pattern), pattern, colons + 2)
                      : 0;

    if (used > 0 && (size_t)used < sizeof(dotted))
        pattern = dotted; /* my_ops::add.out is my_ops.add.out */
    if (osw_op_is_called(op, pattern))
        return true;
    for (size_t i = 0; i < n; i++)
        if (osw_select_match(pattern, names[i]))
            return true;
    return false;
}

bool osw_catalog_wants(const struct osw_op *op, const char *const *patterns,
                       size_t n)
{
    bool includes = false, in = false;

    for (size_t i = 0; i < n; i++) {
        bool excludes = patterns[i][0] == '!';
        bool hit = osw_catalog_matches(op, patterns[i] + excludes);

        if (excludes && hit)
            return false;
        includes |= !excludes;
        in |= !excludes && hit;
    }
    return in || !includes;
}

bool osw_catalog_wants_broken(const struct osw_left_out *out,
                              const char *const *patterns, size_t n)
{
    const struct osw_op op = names_alone(out);

    return out->broken && osw_catalog_wants(&op, patterns, n);
}

/* "add" of "aten.add.Tensor", as far as it fits. */
static void base_of(const char *name, char base[OSW_SUGGEST_MAX])
{
    const char *dot;

    name = osw_select_short(name);
    dot = strrchr(name, '.');
    snprintf(base, OSW_SUGGEST_MAX, "%.*s",
             (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
}

static int unknown(const struct osw_catalog *catalog, const char *pattern,
                   struct osw_error *err)
{
    enum { FORMS = 3 };
    char(*bases)[OSW_SUGGEST_MAX] = calloc(catalog->n_ops + 1, sizeof(*bases));
    const char **words = calloc(FORMS * catalog->n_ops + 1, sizeof(*words));
    char hint[OSW_SUGGEST_HINT];
    const char *near = NULL;

    for (size_t i = 0; words && bases && i < catalog->n_ops; i++) {
        base_of(catalog->ops[i].name, bases[i]);
        words[FORMS * i] = catalog->ops[i].folder;
        words[FORMS * i + 1] = catalog->ops[i].name;
        words[FORMS * i + 2] = bases[i];
    }
    if (words && bases)
        near = osw_suggest(pattern, words, FORMS * catalog->n_ops);
    if (!near && words && bases)
        near = osw_suggest(osw_select_short(pattern), words,
                           FORMS * catalog->n_ops);
    osw_fail(err, OSW_BAD_INPUT, "no op '%s'%s", pattern,
             osw_suggest_hint(near, hint));
    free(words);
    free(bases);
    return -1;
}

bool osw_catalog_has(const struct osw_catalog *catalog, const char *pattern)
{
    for (size_t i = 0; i < catalog->n_ops; i++)
        if (osw_catalog_matches(&catalog->ops[i], pattern))
            return true;
    for (size_t i = 0; i < catalog->n_left_out; i++) {
        const struct osw_op op = names_alone(&catalog->left_out[i]);

        if (osw_catalog_matches(&op, pattern))
            return true;
    }
    return false;
}

int osw_catalog_check(const struct osw_catalog *catalog, const char *pattern,
                      struct osw_error *err)
{
    return osw_catalog_has(catalog, pattern) ? 0
                                             : unknown(catalog, pattern, err);
}
