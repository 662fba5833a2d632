/* ops/catalog/kernels.c - folders of kernels, named by the operators they
 * replace */
#include "ops/catalog/kernels.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/grow.h"
#include "ops/catalog/catalog.h"

static const char attempt[] = "attempt_";

enum { ATTEMPT = sizeof(attempt) - 1, MAX_PREFIXES = 4 };

/* What an entry of the root is: an op's folder, or one that holds such. */
enum tree { TREE_NO_FOLDER, TREE_OP, TREE_MANUAL, TREE_RUN, TREE_NAMED_RUN };

struct scan {
    osw_arena_t *arena;
    struct osw_kernel *at; /* [n] of room for size */
    size_t n, size;
    struct osw_note *notes; /* likewise */
    size_t n_notes, notes_size;
    size_t n_folders;
    struct osw_error *err;
};

/* A folder of an op, being read. */
struct folder {
    const char *path;
    const char *op; /* canonical */
    bool any;
    const char *prefixes[MAX_PREFIXES]; /* what its files may start with */
    size_t n_prefixes;
    const char *symbol; /* what its functions may start with, by | */
};

struct names {
    struct dirent **at;
    int n;
};

static int no_memory(const struct scan *s)
{
    return osw_fail(s->err, OSW_NO_MEMORY, "no memory for the kernels");
}

static int note(struct scan *s, const char *path, const char *text)
{
    struct osw_note *at = osw_grow_in(s->arena, s->notes, s->n_notes,
                                      &s->notes_size, sizeof(*at));

    if (!at || !path || !text)
        return no_memory(s);
    s->notes = at;
    s->notes[s->n_notes++] = (struct osw_note){path, text, false};
    return 0;
}

/* --- folders --- */

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0;
}

static int open_names(const struct scan *s, const char *path,
                      struct names *names)
{
    names->n = scandir(path, &names->at, is_shown, alphasort);
    return names->n < 0 ? osw_fail_sys(s->err, errno, "cannot read '%s'", path)
                        : 0;
}

static void close_names(struct names *names)
{
    for (int i = 0; i < names->n; i++)
        free(names->at[i]);
    free(names->at);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool starts_with(const char *s, const char *start)
{
    return strncmp(s, start, strlen(start)) == 0;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && strcmp(s + n - m, end) == 0;
}

/* --- names --- */

/* "add.Tensor" with its dots replaced: "add__Tensor", "add_Tensor". */
static const char *join(osw_arena_t *arena, const char *name, const char *by)
{
    const char *made = "", *dot;

    for (; (dot = strchr(name, '.')); name = dot + 1) {
        made = osw_arena_printf(arena, "%s%.*s%s", made, (int)(dot - name),
                                name, by);
        if (!made)
            return NULL;
    }
    return osw_arena_printf(arena, "%s%s", made, name);
}

static int add_prefix(const struct scan *s, struct folder *f,
                      const char *prefix, bool in_code)
{
    if (!prefix)
        return no_memory(s);
    for (size_t i = 0; i < f->n_prefixes; i++)
        if (strcmp(f->prefixes[i], prefix) == 0)
            return 0;
    f->prefixes[f->n_prefixes++] = prefix;
    if (!in_code)
        return 0;
    f->symbol = f->symbol
                    ? osw_arena_printf(s->arena, "%s|%s", f->symbol, prefix)
                    : prefix;
    return f->symbol ? 0 : no_memory(s);
}

/* What a folder's name means; 1 when it is no operator's. */
static int read_name(const struct scan *s, struct folder *f, const char *folder)
{
    static const char aten[] = "aten.";
    const char *name = osw_op_folder_canonical(s->arena, folder), *base;

    if (!name)
        return osw_op_is_folder_name(folder) ? no_memory(s) : 1;
    f->op = name;
    f->any = strchr(folder, '.') == NULL && starts_with(name, folder);
    if (starts_with(name, aten) && strchr(name + sizeof(aten) - 1, '.'))
        name += sizeof(aten) - 1;
    base =
        osw_arena_strndup(s->arena, name, (size_t)(strrchr(name, '.') - name));
    if (f->any)
        return add_prefix(s, f, base, true);
    return add_prefix(s, f, join(s->arena, name, "__"), true) < 0 ||
                   add_prefix(s, f, base, true) < 0 ||
                   add_prefix(s, f, join(s->arena, name, "_"), true) < 0 ||
                   add_prefix(s, f, folder, false) < 0
               ? -1
               : 0;
}

static bool is_word(const char *s)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9') || *s == '_' || *s == '-'))
            return false;
    return true;
}

/* The part after the op of "<op>_implementation_v1", "<op>_attempt_2" or
 * "<op>_kernel"; "manual" for just "<op>"; NULL for anything else.
 */
static const char *impl_name(const struct folder *f, const char *stem)
{
    for (size_t i = 0; i < f->n_prefixes; i++) {
        const char *rest = stem + strlen(f->prefixes[i]);

        if (!starts_with(stem, f->prefixes[i]))
            continue;
        if (!*rest)
            return "manual";
        if (*rest++ != '_' || strlen(rest) > OSW_OP_MAX_NAME || !is_word(rest))
            continue;
        if (starts_with(rest, "implementation") || strcmp(rest, "kernel") == 0)
            return rest;
        if (starts_with(rest, attempt) && rest[ATTEMPT] &&
            strspn(rest + ATTEMPT, "0123456789") == strlen(rest + ATTEMPT))
            return rest;
    }
    return NULL;
}

/* The implementation that a file is by its name; *impl NULL: none. */
static int impl_of_file(const struct scan *s, const struct folder *f,
                        const char *file, const char **impl)
{
    const char *stem;

    *impl = NULL;
    if (!ends_with(file, ".py"))
        return 0;
    stem = osw_arena_strndup(s->arena, file, strlen(file) - 3);
    if (!stem)
        return no_memory(s);
    *impl = impl_name(f, stem);
    return 0;
}

/* N of "attempt_N"; -1: it is none. */
static long attempt_of(const char *impl)
{
    return starts_with(impl, attempt) ? strtol(impl + ATTEMPT, NULL, 10) : -1;
}

/* --- files --- */

static int add(struct scan *s, const struct folder *f,
               const struct osw_op_file *file)
{
    struct osw_kernel *at;

    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].any == f->any && strcmp(s->at[i].op, f->op) == 0 &&
            strcmp(s->at[i].file.name, file->name) == 0)
            return note(s, file->path,
                        osw_arena_printf(s->arena,
                                         "passed over: '%s' is the same "
                                         "implementation of the same op",
                                         s->at[i].file.path));
    at = osw_grow_in(s->arena, s->at, s->n, &s->size, sizeof(*at));
    if (!at)
        return no_memory(s);
    s->at = at;
    s->at[s->n++] = (struct osw_kernel){f->op, f->any, *file};
    return 0;
}

/* The highest of several attempts is taken, and said. */
static int add_attempt(struct scan *s, const struct folder *f,
                       const struct osw_op_file *file, size_t n)
{
    if (n > 1 &&
        note(s, file->path,
             osw_arena_printf(s->arena, "taken: the highest of %zu attempts",
                              n)) < 0)
        return -1;
    return add(s, f, file);
}

static int read_files(struct scan *s, const struct folder *f,
                      const struct names *names)
{
    struct osw_op_file last = {.name = NULL};
    size_t n_attempts = 0, n = 0;

    for (int i = 0; i < names->n; i++) {
        const char *name = names->at[i]->d_name;
        struct osw_op_file file = {.file = osw_arena_strdup(s->arena, name),
                                   .words = "",
                                   .symbol = f->symbol,
                                   .language = osw_language_of(name)};

        if (!ends_with(name, ".py"))
            continue;
        file.path = osw_arena_printf(s->arena, "%s/%s", f->path, name);
        if (!file.path || !file.file)
            return no_memory(s);
        if (impl_of_file(s, f, name, &file.name) < 0)
            return -1;
        if (!file.name) {
            if (note(s, file.path, "not understood: no kernel's name") < 0)
                return -1;
            continue;
        }
        n++;
        if (attempt_of(file.name) < 0) {
            if (add(s, f, &file) < 0)
                return -1;
            continue;
        }
        n_attempts++;
        if (!last.name || attempt_of(file.name) > attempt_of(last.name))
            last = file;
    }
    if (last.name && add_attempt(s, f, &last, n_attempts) < 0)
        return -1;
    if (n > 0)
        return 0;
    return note(s, f->path,
                osw_arena_printf(s->arena,
                                 "no kernel: expected "
                                 "%s_implementation*.py, %s_attempt_N.py or "
                                 "%s.py",
                                 f->prefixes[0], f->prefixes[0],
                                 f->prefixes[0]));
}

/* The folder's op among the kernels from `first` to `end`, or NULL. */
static const struct osw_kernel *find_kernel(const struct scan *s,
                                            const struct folder *f,
                                            size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (s->at[i].any == f->any && strcmp(s->at[i].op, f->op) == 0)
            return &s->at[i];
    return NULL;
}

/* `later`: kernels from there to `end` are of runs that count more than this
 * folder's.
 */
static int read_folder(struct scan *s, const char *path, const char *name,
                       size_t later, size_t end)
{
    struct folder f = {.path = path};
    const struct osw_kernel *taken;
    struct names names;
    int rc = read_name(s, &f, name);

    if (rc != 0)
        return rc < 0 ? -1 : note(s, path, "no operator's name");
    taken = find_kernel(s, &f, later, end);
    if (taken)
        return note(s, path,
                    osw_arena_printf(s->arena,
                                     "passed over: '%s' of another run is "
                                     "taken for this op",
                                     taken->file.path));
    if (s->n_folders++ == OSW_CATALOG_MAX_OPS)
        return osw_fail(s->err, OSW_BAD_INPUT, "'%s': more than %d folders",
                        path, OSW_CATALOG_MAX_OPS);
    names.n = scandir(path, &names.at, is_shown, alphasort);
    if (names.n < 0)
        return note(
            s, path,
            osw_arena_printf(s->arena, "cannot be read: %s", strerror(errno)));
    rc = read_files(s, &f, &names);
    close_names(&names);
    return rc;
}

/* --- trees --- */

/* Does the folder hold a file that is a kernel's by its name?  1, 0, or -1 with
 * err set.
 */
static int holds_kernel(const struct scan *s, const char *path,
                        const char *name)
{
    struct folder f = {.path = path};
    const char *impl = NULL;
    struct names names;
    int rc = read_name(s, &f, name);

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    names.n = scandir(path, &names.at, is_shown, alphasort);
    for (int i = 0; rc == 0 && !impl && i < names.n; i++)
        rc = impl_of_file(s, &f, names.at[i]->d_name, &impl);
    if (names.n >= 0)
        close_names(&names);
    return rc < 0 ? -1 : impl != NULL;
}

/* Is it a folder under any name that holds folders of ops, and no kernel?  As
 * holds_kernel().
 */
static int is_named_run(const struct scan *s, const char *path,
                        const char *name)
{
    int rc = holds_kernel(s, path, name);
    struct names names;

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    names.n = scandir(path, &names.at, is_shown, alphasort);
    for (int i = 0; rc == 0 && i < names.n; i++) {
        const char *below =
            osw_arena_printf(s->arena, "%s/%s", path, names.at[i]->d_name);

        if (!below)
            rc = no_memory(s);
        else if (is_folder(below))
            rc = holds_kernel(s, below, names.at[i]->d_name);
    }
    if (names.n >= 0)
        close_names(&names);
    return rc;
}

/* What a folder of the root is; -1 with err set. */
static int tree_of(const struct scan *s, const char *path, const char *name)
{
    int rc;

    if (!is_folder(path))
        return TREE_NO_FOLDER;
    if (strcmp(name, "evaluation_only") == 0)
        return TREE_MANUAL;
    if (starts_with(name, "run_"))
        return TREE_RUN;
    rc = is_named_run(s, path, name);
    return rc < 0 ? -1 : rc ? TREE_NAMED_RUN : TREE_OP;
}

/* `later`: see read_folder(). */
static int read_ops(struct scan *s, const char *path, bool root, size_t later)
{
    size_t end = s->n;
    struct names names;
    int rc = 0;

    if (open_names(s, path, &names) < 0)
        return -1;
    for (int i = 0; rc == 0 && i < names.n; i++) {
        const char *name = names.at[i]->d_name;
        const char *below = osw_arena_printf(s->arena, "%s/%s", path, name);

        int tree = !below ? no_memory(s)
                   : root ? tree_of(s, below, name)
                          : (is_folder(below) ? TREE_OP : TREE_NO_FOLDER);

        rc = tree < 0 ? -1 : 0;
        if (tree == TREE_OP)
            rc = read_folder(s, below, name, later, end);
    }
    close_names(&names);
    return rc;
}

/* Runs of one kind, the last by name first.  An op that is among the kernels
 * from `first` on is of an earlier one.
 */
static int read_runs(struct scan *s, const char *path, enum tree kind,
                     size_t first)
{
    struct names names;
    int rc = 0;

    if (open_names(s, path, &names) < 0)
        return -1;
    for (int i = names.n; rc == 0 && i-- > 0;) {
        const char *below =
            osw_arena_printf(s->arena, "%s/%s", path, names.at[i]->d_name);

        int tree =
            below ? tree_of(s, below, names.at[i]->d_name) : no_memory(s);

        rc = tree < 0 ? -1 : 0;
        if (tree == (int)kind)
            rc = read_ops(s, below, false, first);
    }
    close_names(&names);
    return rc;
}

int osw_kernels_scan(osw_arena_t *arena, const char *root,
                     struct osw_kernels *out, struct osw_error *err)
{
    struct scan s = {.arena = arena, .err = err};
    const char *path, *manual;
    char real[PATH_MAX];
    size_t first_of_runs;

    if (!realpath(root, real) || !is_folder(real))
        return osw_fail(err, OSW_BAD_INPUT,
                        "cannot read '%s' as a folder of kernels: %s", root,
                        is_folder(root) ? strerror(errno) : "no folder");
    if (strchr(real, '\n') || strchr(real, '\t'))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': a folder of kernels with a tab or a newline in "
                        "its name",
                        root);
    path = osw_arena_strdup(arena, real);
    manual = osw_arena_printf(arena, "%s/evaluation_only", real);
    if (!path || !manual)
        return no_memory(&s);
    if (read_ops(&s, path, true, 0) < 0 ||
        (is_folder(manual) && read_ops(&s, manual, false, s.n) < 0))
        return -1;
    first_of_runs = s.n;
    if (read_runs(&s, path, TREE_RUN, first_of_runs) < 0 ||
        read_runs(&s, path, TREE_NAMED_RUN, first_of_runs) < 0)
        return -1;
    if (s.n == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': no kernel found, expected "
                        "<op>/<op>_implementation*.py, <op>/<op>_attempt_N.py "
                        "or <op>/<op>.py, or such folders in a folder such "
                        "as run_* or evaluation_only",
                        root);
    *out = (struct osw_kernels){path, s.n, s.at, s.n_notes, s.notes};
    return 0;
}

/* --- of an op --- */

/* Is the kernel, of any overload, one of this overload?  One that writes into
 * a given result has another signature.
 */
static bool is_of_base(const struct osw_kernel *k, const char *op)
{
    static const char aten[] = "aten.";
    const char *mine = k->op, *dot;
    size_t n = (size_t)(strrchr(mine, '.') - mine);

    if (starts_with(op, aten) && !starts_with(mine, aten))
        op += sizeof(aten) - 1;
    dot = strrchr(op, '.');
    return dot && (size_t)(dot - op) == n && memcmp(op, mine, n) == 0 &&
           strcmp(dot, ".out") != 0 &&
           (strlen(dot) < 4 || strcmp(dot + strlen(dot) - 4, "_out") != 0);
}

static bool is_of(osw_arena_t *arena, const struct osw_kernel *k,
                  const struct osw_op *op)
{
    const char *full;

    if (k->any)
        return is_of_base(k, op->name);
    full = osw_arena_printf(arena, "aten.%s", k->op);
    return osw_op_is_called(op, k->op) || (full && osw_op_is_called(op, full));
}

static bool has_name(const struct osw_op_file *files, size_t n,
                     const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(files[i].name, name) == 0)
            return true;
    return false;
}

int osw_kernels_of(osw_arena_t *arena, const struct osw_kernels *kernels,
                   const struct osw_op *op, const struct osw_op_file **files,
                   size_t *n, struct osw_error *err)
{
    struct osw_op_file *made =
        osw_arena_array(arena, kernels->n, sizeof(*made));

    if (!made)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the kernels");
    *n = 0;
    for (int any = 0; *n == 0 && any < 2; any++)
        for (size_t i = 0; i < kernels->n; i++) {
            const struct osw_kernel *k = &kernels->at[i];

            if (k->any == (any == 1) && is_of(arena, k, op) &&
                !has_name(made, *n, k->file.name))
                made[(*n)++] = k->file;
        }
    *files = made;
    return 0;
}
