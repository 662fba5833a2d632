/* ops/catalog/op_folder.c - the folder of an op, read: op.json and the files
 * beside it */
#include "ops/catalog/op_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/grow.h"
#include "ops/catalog/op_json.h"
#include "ops/catalog/op_registered.h"
#include "ops/catalog/op_symbol.h"
#include "ops/inputs/trials.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Which of several files of one name is taken on a device: the lowest number,
 * by language; 0: none of that language is.
 */
static const struct preference {
    const char *device;
    uint8_t impl[OSW_N_LANGUAGES], reference[OSW_N_LANGUAGES];
    const char *others; /* what is to be said of other devices' files */
} preferences[] = {
/* clang-format off */
#define RANKS(c, cpp, so, py, cu)                                              \
    { [OSW_LANGUAGE_C] = (c), [OSW_LANGUAGE_CPP] = (cpp),                      \
      [OSW_LANGUAGE_SO] = (so), [OSW_LANGUAGE_PY] = (py),                      \
      [OSW_LANGUAGE_CU] = (cu) }
    /*        implementations:      references:
     *        c cpp  so  py  cu     c cpp  so  py  cu
     */
    { "cpu",  RANKS(1, 2, 3, 4, 0), RANKS(1, 2, 3, 4, 0),
      "CUDA code: needs --device cuda" },
    { "cuda", RANKS(0, 0, 2, 3, 1), RANKS(3, 4, 5, 2, 1),
      "host code: needs --device cpu" },
    { "twin", RANKS(1, 2, 3, 4, 0), RANKS(1, 2, 3, 4, 0),
      "CUDA code: needs --device cuda" },
#undef RANKS
    /* clang-format on */
};

/* Files that stand beside ops and need no word. */
static const char *const bystanders[] = {".sh", ".h", ".cuh", ".txt", ".md"};

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && strcmp(s + n - m, end) == 0;
}

/* --- files --- */

struct folder {
    osw_arena_t *arena;
    struct osw_op *op;
    char **names; /* [n_names] entries of the folder, sorted */
    size_t n_names, room;
    const struct preference *preference; /* of the device */
    struct osw_op_file *files;           /* [n_files] of impls and references */
    size_t n_files;
    struct osw_op_file *host_reference; /* room for one */
    struct osw_note *notes;             /* room for all that can be said */
    struct osw_error *err;
};

static int no_memory(const struct folder *f)
{
    return osw_fail(f->err, OSW_NO_MEMORY, "no memory for '%s'", f->op->dir);
}

static const char *path_of(const struct folder *f, const char *name)
{
    return osw_arena_printf(f->arena, "%s/%s", f->op->dir, name);
}

static int note(struct folder *f, const char *name, const char *text)
{
    const char *path = name ? path_of(f, name) : f->op->dir;

    if (!path || !text)
        return no_memory(f);
    f->notes[f->op->n_notes++] = (struct osw_note){path, text, false};
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct folder *f, const char *name)
{
    char **names =
        osw_grow_in(f->arena, f->names, f->n_names, &f->room, sizeof(*names));

    if (!names)
        return no_memory(f);
    f->names = names;
    f->names[f->n_names] = osw_arena_strdup(f->arena, name);
    return f->names[f->n_names++] ? 0 : no_memory(f);
}

static int read_names(struct folder *f)
{
    DIR *dir = opendir(f->op->dir);
    struct dirent *entry;
    int rc = -1;

    if (!dir)
        return osw_fail_sys(f->err, errno, "cannot read '%s'", f->op->dir);
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        if (f->n_names == OSW_OP_MAX_FILES) {
            osw_fail(f->err, OSW_BAD_INPUT, "'%s': more than %d files",
                     f->op->dir, OSW_OP_MAX_FILES);
            goto out;
        }
        if (add_name(f, entry->d_name) < 0)
            goto out;
    }
    if (f->n_names)
        qsort(f->names, f->n_names, sizeof(*f->names), by_name);
    rc = 0;
out:
    closedir(dir);
    return rc;
}

static bool is_folder(const struct folder *f, const char *name)
{
    const char *path = path_of(f, name);
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Neither file nor folder: a pipe or a device, which may never end. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int refuse_special(const struct folder *f, const char *path)
{
    return osw_fail(f->err, OSW_BAD_INPUT,
                    "'%s' is a pipe or a device, expected a file", path);
}

static bool is_bystander(const char *name)
{
    for (size_t i = 0; i < N_ELEM(bystanders); i++)
        if (ends_with(name, bystanders[i]))
            return true;
    return false;
}

/* The implementation's name in "<op>_<name><suffix>", or NULL. */
static const char *impl_name(const struct folder *f, const char *file,
                             const struct osw_language *language)
{
    size_t n = strlen(f->op->folder), end;

    if (strncmp(file, f->op->folder, n) != 0 || file[n] != '_')
        return NULL;
    end = strlen(file) - strlen(language->suffix);
    if (end <= n + 1 || end - n - 1 > OSW_OP_MAX_NAME)
        return NULL;
    for (size_t i = n + 1; i < end; i++)
        if (!osw_op_is_word(file[i]) && file[i] != '-')
            return NULL;
    return osw_arena_strndup(f->arena, file + n + 1, end - n - 1);
}

/* How much a file is preferred on the device; 0: it is not for it. */
static int rank_of(const struct folder *f, const struct osw_op_file *file)
{
    size_t i = osw_language_row(file->language);

    return strcmp(file->name, "reference") == 0 ? f->preference->reference[i]
                                                : f->preference->impl[i];
}

/* What a device's own reference is preferred to may still serve small cases. */
static bool keep_host_reference(struct folder *f,
                                const struct osw_op_file *file)
{
    if (!file->language->host || rank_of(f, file) == 0)
        return false;
    *f->host_reference = *file;
    f->op->host_reference = f->host_reference;
    return true;
}

/* Add a file; of one name in several languages the preferred one wins, and
 * those of another device go without a word.
 */
static int add_file(struct folder *f, const struct osw_op_file *file)
{
    bool reference = strcmp(file->name, "reference") == 0, kept;

    for (size_t i = 0; i < f->n_files; i++) {
        struct osw_op_file *old = &f->files[i];
        int rank = rank_of(f, file), other = rank_of(f, old);
        bool better = rank != 0 && (other == 0 || rank < other);
        const char *loser = better ? old->file : file->file;
        const char *winner = better ? file->file : old->file;

        if (strcmp(old->name, file->name) != 0)
            continue;
        kept = reference && keep_host_reference(f, better ? old : file);
        if (better)
            *old = *file;
        if (rank == 0 || other == 0 || kept)
            return 0;
        if (note(f, loser,
                 osw_arena_printf(f->arena, "passed over: '%s' %s", winner,
                                  reference ? "is the reference"
                                            : "has the same name")) < 0)
            return -1;
        f->notes[f->op->n_notes - 1].lost = true;
        return 0;
    }
    f->files[f->n_files++] = *file;
    return 0;
}

static int sort_file(struct folder *f, const char *name)
{
    const struct osw_language *language = osw_language_of(name);
    struct osw_op_file file = {.file = name, .words = "", .language = language};

    if (strcmp(name, "op.json") == 0 || strcmp(name, "__pycache__") == 0)
        return 0;
    file.path = path_of(f, name);
    if (!file.path)
        return no_memory(f);
    if (is_special(file.path) && (language || !is_bystander(name)))
        return refuse_special(f, file.path);
    if (strcmp(name, "gen_input.json") == 0)
        f->op->cases_json = file.path;
    else if (strcmp(name, "gen_input.py") == 0)
        f->op->cases_py = file.path;
    else if (is_folder(f, name))
        return note(f, name, "a folder in an op's folder: not looked into");
    else if (language && ((file.name = impl_name(f, name, language)) ||
                          (file.name = osw_op_symbol_impl(f->arena, file.path,
                                                          f->op->folder))))
        return add_file(f, &file);
    else if (language || !is_bystander(name))
        return note(f, name,
                    osw_arena_printf(f->arena,
                                     "not understood: expected "
                                     "%s_<name>.{c,cpp,cu,py,so}, a name of "
                                     "letters, digits, '_' and '-', at most %d",
                                     f->op->folder, OSW_OP_MAX_NAME));
    return 0;
}

/* --- the whole --- */

static int read_json(struct folder *f)
{
    const char *path = path_of(f, "op.json");
    struct stat st;
    osw_json_t *doc;
    int rc;

    if (!path)
        return no_memory(f);
    if (stat(path, &st) < 0 && errno == ENOENT)
        return 0;
    if (is_special(path))
        return refuse_special(f, path);
    doc = osw_json_load_file(path, f->err);
    if (!doc)
        return -1;
    rc = osw_op_json_read(f->arena, doc, f->preference->device, f->op, f->files,
                          f->n_files, f->err);
    osw_json_free(doc);
    return rc;
}

/* The folder's own name is another name of the op. */
static int add_folder_alias(struct folder *f, const char *name)
{
    struct osw_op *op = f->op;
    const char **all;

    if (!op->name)
        op->name = name;
    if (strcmp(op->name, name) == 0)
        return 0;
    all = osw_arena_array(f->arena, op->n_aliases + 1, sizeof(*all));
    if (!all)
        return no_memory(f);
    if (op->n_aliases)
        memcpy(all, op->aliases, op->n_aliases * sizeof(*all));
    all[op->n_aliases++] = name;
    op->aliases = all;
    return 0;
}

/* Where expected results come from: see docs/OPS_REFERENCE.md. */
static int choose_oracle(struct folder *f)
{
    struct osw_op *op = f->op;

    if (op->reference) {
        op->oracle = OSW_ORACLE_INDEPENDENT;
        return 0;
    }
    if (op->n_impls > 0)
        op->reference = &op->impls[0];
    op->oracle =
        op->reference ? OSW_ORACLE_IMPLEMENTATION : OSW_ORACLE_IDENTITY;
    return note(f, NULL,
                op->reference
                    ? osw_arena_printf(f->arena,
                                       "no %s_reference.*: implementation '%s' "
                                       "stands in, cells end as unverified",
                                       op->folder, op->reference->name)
                    : osw_arena_printf(f->arena,
                                       "no %s_reference.*: cells that are "
                                       "judged end as unverified",
                                       op->folder));
}

static const char no_communicator[] =
    "a collective op (\"world\" in op.json) needs C: Python code has no "
    "communicator";

/* Can code in its language reach other ranks? */
static bool is_collective(const struct osw_op_file *file)
{
    return strcmp(file->language->suffix, ".py") != 0;
}

/* Split the files into the reference and the implementations. */
static int place_files(struct folder *f)
{
    struct osw_op_file *impls =
        osw_arena_array(f->arena, f->n_files, sizeof(*impls));

    if (!impls)
        return no_memory(f);
    f->op->impls = impls;
    for (size_t i = 0; i < f->n_files; i++) {
        const struct osw_op_file *file = &f->files[i];

        if (rank_of(f, file) == 0) {
            if (note(f, file->file, f->preference->others) < 0)
                return -1;
            continue;
        }
        if (f->op->world > 1 && !is_collective(file)) {
            if (note(f, file->file, no_communicator) < 0)
                return -1;
            continue;
        }
        if (strcmp(file->name, "reference") == 0)
            f->op->reference = file;
        else
            impls[f->op->n_impls++] = *file;
    }
    return 0;
}

/* Is the path the file's, or that of the package it is of? */
static bool is_of_registered(const struct folder *f, const char *path,
                             const char *file)
{
    size_t n = strlen(path);

    return strncmp(path, file, n) == 0 &&
           (file[n] == '\0' || (file[n] == '/' && n > strlen(f->op->dir)));
}

/* What op.json names as a file that registers operators is no implementation by
 * its own name, and understood.
 */
static int forget_registered(struct folder *f)
{
    for (size_t i = 0; i < f->op->n_registered; i++) {
        const char *path = path_of(f, f->op->registered[i].file);
        size_t n_files = 0, n_notes = 0;

        if (!path)
            return no_memory(f);
        for (size_t k = 0; k < f->n_files; k++)
            if (strcmp(f->files[k].path, path) != 0)
                f->files[n_files++] = f->files[k];
        for (size_t k = 0; k < f->op->n_notes; k++)
            if (!is_of_registered(f, f->notes[k].path, path))
                f->notes[n_notes++] = f->notes[k];
        f->n_files = n_files;
        f->op->n_notes = n_notes;
    }
    return 0;
}

static int by_impl_name(const void *a, const void *b)
{
    return strcmp(((const struct osw_op_file *)a)->name,
                  ((const struct osw_op_file *)b)->name);
}

static int load(struct folder *f)
{
    const char *name = osw_op_folder_canonical(f->arena, f->op->folder);

    if (!name && osw_op_is_folder_name(f->op->folder))
        return no_memory(f);
    if (!name)
        return osw_fail(f->err, OSW_BAD_INPUT,
                        "'%s': expected a folder named by letters, digits and "
                        "'_', at most %d",
                        f->op->dir, OSW_OP_MAX_NAME);
    if (read_names(f) < 0)
        return -1;
    f->files = osw_arena_array(f->arena, f->n_names, sizeof(*f->files));
    f->notes = osw_arena_array(f->arena, 2 * f->n_names + 2, sizeof(*f->notes));
    f->host_reference = osw_arena_alloc(f->arena, sizeof(*f->host_reference));
    if (!f->files || !f->notes || !f->host_reference)
        return no_memory(f);
    for (size_t i = 0; i < f->n_names; i++)
        if (sort_file(f, f->names[i]) < 0)
            return -1;
    if (f->n_files)
        qsort(f->files, f->n_files, sizeof(*f->files), by_impl_name);
    if (read_json(f) < 0 || forget_registered(f) < 0 ||
        add_folder_alias(f, name) < 0)
        return -1;
    f->op->notes = f->notes;
    if (place_files(f) < 0 ||
        osw_op_registered_add(f->arena, f->op, f->err) < 0)
        return -1;
    return choose_oracle(f);
}

static const struct preference *preference_of(const char *device)
{
    for (size_t i = 0; i < N_ELEM(preferences); i++)
        if (strcmp(preferences[i].device, device) == 0)
            return &preferences[i];
    return NULL;
}

int osw_op_folder_check_device(const char *device, struct osw_error *err)
{
    return preference_of(device)
               ? 0
               : osw_fail(err, OSW_BAD_INPUT,
                          "device '%s': expected cpu or cuda", device);
}

int osw_op_folder_load(osw_arena_t *arena, const char *dir, const char *device,
                       struct osw_op *out, struct osw_error *err)
{
    struct osw_op op = {
        .schema_text = "", .trials = OSW_TRIALS_ALWAYS, .world = 1};
    struct folder f = {.arena = arena,
                       .op = &op,
                       .preference = preference_of(device),
                       .err = err};
    char path[PATH_MAX];
    struct stat st;

    if (osw_op_folder_check_device(device, err) < 0)
        return -1;
    for (size_t i = 0; i < N_ELEM(op.tolerance); i++)
        op.tolerance[i] = (struct osw_tolerance){NAN, NAN};
    if (!realpath(dir, path) || stat(path, &st) < 0)
        return osw_fail(err, OSW_BAD_INPUT, "cannot read '%s': %s", dir,
                        strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return osw_fail(err, OSW_BAD_INPUT, "'%s': expected an op's folder",
                        dir);
    op.dir = osw_arena_strdup(arena, path);
    if (!op.dir)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", dir);
    op.folder = strrchr(op.dir, '/') + 1;
    if (load(&f) < 0)
        return -1;
    if (!op.says_trials)
        op.trials = osw_trial_defaults(op.name);
    *out = op;
    return 0;
}
