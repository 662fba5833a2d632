/* results/file/replaces.c - may the file that a journal makes take the place of
 * the one that is there?
 */
#include "results/file/replaces.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/file/file.h"

static int check_run(const osw_file_t *file, const struct osw_replay *replay,
                     struct osw_error *err)
{
    const struct osw_file_info *i = osw_file_info(file);

    if (strcmp(i->run_uuid, replay->info.uuid) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' is of run %s (%" PRIu64 " cell%s), '%s' of run %s "
                    "(%zu cell%s): nothing is changed; move away the one that "
                    "does not belong there",
                    i->path, i->run_uuid, i->n_results,
                    osw_plural(i->n_results), replay->dir, replay->info.uuid,
                    replay->n_rows, osw_plural(replay->n_rows));
}

static bool has_cell(const struct osw_replay *replay, uint64_t cell)
{
    size_t lo = 0, hi = replay->n_rows;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (replay->rows[mid].cell < cell)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < replay->n_rows && replay->rows[lo].cell == cell;
}

static int check_cells(const osw_file_t *file, const struct osw_replay *replay,
                       struct osw_error *err)
{
    const struct osw_file_info *i = osw_file_info(file);
    uint64_t *cells = malloc((size_t)i->n_results * sizeof(*cells) + 1);
    uint64_t n_more = 0;
    int rc =
        cells ? osw_file_column(file, "cell", OSW_COLUMN_u64, cells, err)
              : osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", i->path);

    for (uint64_t k = 0; rc == 0 && k < i->n_results; k++)
        n_more += !has_cell(replay, cells[k]);
    free(cells);
    if (rc < 0 || n_more == 0)
        return rc;
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' holds %" PRIu64 " of %" PRIu64 " cell%s, '%s' only "
                    "%zu: %" PRIu64 " would be lost, nothing is changed; to "
                    "make a file of the journal alone, move '%s' away",
                    i->path, i->n_results, i->n_planned,
                    osw_plural(i->n_planned), replay->dir, replay->n_rows,
                    n_more, i->path);
}

int osw_replaces_same_run(const char *path, const struct osw_replay *replay,
                          struct osw_error *err)
{
    osw_file_t *file =
        access(path, F_OK) == 0 ? osw_file_open_bare(path, NULL) : NULL;
    int rc = file ? check_run(file, replay, err) : 0;

    osw_file_close(file);
    return rc;
}

int osw_replaces_whole(const char *path, const struct osw_replay *replay,
                       struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    osw_file_t *file;
    int rc;

    if (access(path, F_OK) != 0)
        return 0;
    file = osw_file_open_bare(path, &why);
    if (!file)
        return osw_fail(err, why.status,
                        "%s: nothing is changed; to make a file of the journal "
                        "alone, move '%s' away",
                        why.text, path);
    rc = check_run(file, replay, err) < 0 ? -1 : check_cells(file, replay, err);
    osw_file_close(file);
    return rc;
}
