/* mpi_runner/commands/cmd_merge.c - opsweep merge: several result files into
 * one */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/whole_file.h"
#include "results/export/merge.h"
#include "results/file/file.h"
#include "results/file/run_place.h"

struct merge_opts {
    int keep; /* index in keeps, as enum osw_merge_keep */
    bool force;
};

static const struct merge_opts merge_defaults = {.keep = OSW_MERGE_AGREEING};
static const char *const keeps[] = {"agreeing", "first", "last", NULL};

#define AT(field) offsetof(struct merge_opts, field)
static const struct osw_opt merge_optv[] = {
    {"keep", OSW_OPT_CHOICE, AT(keep),
     "of files that do not agree on a cell: agreeing (that is an error), the "
     "first, or the last",
     .value = "WHICH", .choices = keeps},
    {"force", OSW_OPT_FLAG, AT(force), "replace OUT"},
    {0},
};
#undef AT

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* Can a file be made there?  Else its temporary name would be in the error. */
static int check_folder(const char *path, struct osw_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
    int rc = 0;

    if (slash && !folder)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a folder's name");
    if (access(folder ? folder : ".", W_OK | X_OK) < 0)
        rc = osw_fail(err, OSW_BAD_INPUT, "cannot write '%s': %s", path,
                      strerror(errno));
    free(folder);
    return rc;
}

/* operands[0] is to be written, the others are read. */
static int check_names(const struct osw_args *args, bool force,
                       struct osw_error *err)
{
    const char *const *name = args->operands;
    struct stat st;

    if (osw_whole_file_apart(name[0], name + 1, args->n_operands - 1, err) <
            0 ||
        osw_run_place_held(name[0], err) < 0)
        return -1;
    for (size_t i = 1; i < args->n_operands; i++)
        for (size_t k = 1; k < i; k++)
            if (is_same(name[i], name[k]))
                return osw_fail(err, OSW_BAD_INPUT,
                                "'%s' and '%s' are the same file", name[i],
                                name[k]);
    if (!force && stat(name[0], &st) == 0 && S_ISREG(st.st_mode))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' exists; use --force to replace it", name[0]);
    return osw_whole_file_forced(name[0], err) < 0 ? -1
                                                   : check_folder(name[0], err);
}

static int merge_files(const struct merge_opts *o, const struct osw_args *args,
                       osw_file_t **files, struct osw_error *err)
{
    size_t n = args->n_operands - 1;
    struct osw_merged m;

    for (size_t i = 0; i < n; i++) {
        files[i] = osw_file_open(args->operands[i + 1], err);
        if (!files[i])
            return -1;
    }
    if (osw_merge(files, n, (enum osw_merge_keep)o->keep, args->operands[0], &m,
                  err))
        return -1;
    printf("%s: %" PRIu64 " cell%s of %zu file%s", args->operands[0], m.n_rows,
           osw_plural(m.n_rows), n, osw_plural(n));
    if (m.n_dropped)
        printf(", %" PRIu64 " result%s of cells that several have left out",
               m.n_dropped, osw_plural(m.n_dropped));
    if (m.n_conflicts)
        printf(", %" PRIu64 " cell%s on which they do not agree (%s kept)",
               m.n_conflicts, osw_plural(m.n_conflicts), keeps[o->keep]);
    if (m.n_missing)
        printf("; INCOMPLETE: %" PRIu64 " planned cell%s without a result",
               m.n_missing, osw_plural(m.n_missing));
    if (m.n_missing && m.n_missing_shards)
        printf("; shard%s %s of %" PRIu32 " %s not among the files",
               osw_plural(m.n_missing_shards), m.missing_shards, m.n_shards,
               m.n_missing_shards == 1 ? "is" : "are");
    putchar('\n');
    return m.n_missing ? osw_status_exit_code(OSW_INCOMPLETE) : 0;
}

static int merge_run(void *opts, const struct osw_args *args,
                     struct osw_error *err)
{
    const struct merge_opts *o = opts;
    osw_file_t **files = calloc(args->n_operands, sizeof(*files));
    int rc = -1;

    if (!files)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to merge the files");
    if (check_names(args, o->force, err) == 0)
        rc = merge_files(o, args, files, err);
    for (size_t i = 0; i < args->n_operands; i++)
        osw_file_close(files[i]);
    free(files);
    return rc;
}

extern const struct osw_cmd osw_cmd_merge;
const struct osw_cmd osw_cmd_merge = {
    .name = "merge",
    .topic = "read results",
    .operands = "OUT.h5 FILE.h5...",
    .summary = "make one result file of several",
    .details =
        "Cells are the same by cell_key; of one that several files have, the\n"
        "last that judged it counts. Files that do not agree on its verdict\n"
        "or on the model of the device are an error, unless --keep decides.\n"
        "Shards of a campaign (run --shard I/N) become the file that one run\n"
        "would have made.\n"
        "Exit code: 0, 2 a file cannot be read, none made at OUT, or files do\n"
        "not agree, 4 cells that were planned are in none of them, 5 writing\n"
        "failed (a full disk).\n",
    .min_operands = 2,
    .max_operands = OSW_CLI_MAX_OPERANDS,
    .opts = merge_optv,
    .defaults = &merge_defaults,
    .opts_size = sizeof(merge_defaults),
    .guarded = true,
    .run = merge_run,
};
