/* mpi_runner/generate/wave.c - campaigns over what models wrote */
#include "mpi_runner/generate/wave.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "common/text.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_load.h"
#include "results/file/file.h"

static const char root_name[] = OSW_WAVE_ROOT;
enum { POLL_MS = 5, READ_ROWS = 1024, MAX_CODE = 1024 * 1024 };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
}

/* --- the root --- */

static int link_one(const char *from, const char *to, struct osw_error *err)
{
    if (symlink(from, to) < 0 && errno != EEXIST)
        return osw_fail_sys(err, errno, "cannot make the link '%s'", to);
    return 0;
}

/* Links in `to` for all that is in `from`. */
static int link_all(const char *from, const char *to, struct osw_error *err)
{
    char real[PATH_MAX], source[2 * PATH_MAX], target[2 * PATH_MAX];
    DIR *dir = realpath(from, real) ? opendir(real) : NULL;
    struct dirent *entry;
    int rc = 0;

    if (!dir)
        return osw_fail_sys(err, errno, "cannot read '%s'", from);
    while (rc == 0 && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' ||
            strcmp(entry->d_name, "__pycache__") == 0)
            continue;
        snprintf(source, sizeof(source), "%s/%s", real, entry->d_name);
        snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
        rc = link_one(source, target, err);
    }
    closedir(dir);
    return rc;
}

/* Folders beside an op's that are none themselves: headers that ops share. */
static int link_shared(const char *root, const char *to, struct osw_error *err)
{
    char source[2 * PATH_MAX], target[2 * PATH_MAX], real[PATH_MAX];

    if (!realpath(root, real))
        return osw_fail_sys(err, errno, "cannot read '%s'", root);
    snprintf(source, sizeof(source), "%s/shared", real);
    snprintf(target, sizeof(target), "%s/shared", to);
    return access(source, R_OK) == 0 ? link_one(source, target, err) : 0;
}

int osw_wave_make_root(osw_asked_t *asked, const struct osw_tasks *tasks,
                       struct osw_error *err)
{
    char root[PATH_MAX], folder[PATH_MAX + OSW_OP_MAX_NAME + 2];

    snprintf(root, sizeof(root), "%s/.waves", osw_asked_folder(asked));
    if (osw_paths_make_folders(root, 0700, err) < 0)
        return -1;
    snprintf(root, sizeof(root), "%s/%s", osw_asked_folder(asked), root_name);
    for (size_t i = 0; i < tasks->n; i++) {
        snprintf(folder, sizeof(folder), "%s/%s", root,
                 tasks->at[i].op->folder);
        if (osw_paths_make_folders(folder, 0700, err) < 0 ||
            link_all(tasks->at[i].op->dir, folder, err) < 0)
            return -1;
    }
    return link_shared(osw_campaign_root(&tasks->campaign), root, err);
}

void osw_wave_name(uint32_t number, const char *code, size_t n,
                   char out[OSW_WAVE_MAX_NAME])
{
    char sha256[65];

    osw_asked_sha256(code, n, sha256);
    snprintf(out, OSW_WAVE_MAX_NAME, "g%03u_%.8s", number, sha256);
}

int osw_wave_code(const osw_asked_t *asked, const struct osw_task *task,
                  const struct osw_lang *lang, uint32_t number, char **code,
                  size_t *n, struct osw_error *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/attempts/%03u/kernel%s", task->label,
             number, lang->suffix);
    return osw_asked_get(asked, path, MAX_CODE, code, n, err);
}

int osw_wave_add(osw_asked_t *asked, const struct osw_task *task,
                 const struct osw_lang *lang, const char *impl,
                 const char *code, size_t n, struct osw_error *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s/%s_%s%s", root_name, task->op->folder,
             task->op->folder, impl, lang->suffix);
    return osw_asked_write(asked, path, code, n, err);
}

/* --- the campaign --- */

static bool is_item(const struct osw_wave *w, const char *op, const char *impl)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->items[i].task->op->name, op) == 0 &&
            strcmp(w->items[i].impl, impl) == 0)
            return true;
    return false;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The cells of the items, of cases that are to be judged. */
static int choose_cells(const struct osw_wave *w, osw_arena_t *arena,
                        struct osw_campaign *c, struct osw_error *err)
{
    struct osw_backend_ops ops;
    struct osw_plan plan;
    uint64_t *keys;
    size_t n = 0;

    if (osw_plan_load(arena, c, &ops, &plan, err) < 0)
        return -1;
    keys = osw_arena_array(arena, plan.n_cells + 1, sizeof(*keys));
    if (!keys)
        return no_memory(err);
    for (size_t i = 0; i < plan.n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan.bundles[i];
        const struct osw_task *task = osw_tasks_find(w->tasks, b->op_name);
        const struct osw_task_case *at =
            task ? osw_tasks_case(task, b->case_text, b->fill) : NULL;

        if (!at || (at->held_out && !w->all_cases))
            continue;
        for (uint32_t k = 0; k < b->n_run; k++) /* within the limits */
            if (is_item(w, b->op_name, b->impls[k]))
                keys[n++] = b->cell_keys[k];
    }
    if (n == 0)
        return osw_fail(err, OSW_NOTHING, "no cell is left to be judged");
    qsort(keys, n, sizeof(*keys), ascending);
    c->cells = keys;
    c->n_cells = n;
    return 0;
}

/* Names of the items' ops and implementations, each once. */
static int name_items(const struct osw_wave *w, osw_arena_t *arena,
                      struct osw_campaign *c, struct osw_error *err)
{
    const char **ops = osw_arena_array(arena, w->n, sizeof(*ops));
    const char **impls = osw_arena_array(arena, w->n, sizeof(*impls));

    if (!ops || !impls)
        return no_memory(err);
    c->n_ops = c->n_impls = 0;
    for (size_t i = 0; i < w->n; i++) {
        size_t k = 0;

        while (k < c->n_ops && strcmp(ops[k], w->items[i].task->op->name) != 0)
            k++;
        if (k == c->n_ops)
            ops[c->n_ops++] = w->items[i].task->op->name;
        for (k = 0; k < c->n_impls; k++)
            if (strcmp(impls[k], w->items[i].impl) == 0)
                break;
        if (k == c->n_impls)
            impls[c->n_impls++] = w->items[i].impl;
    }
    c->ops = ops;
    c->impls = impls;
    return 0;
}

static int write_campaign(const struct osw_wave *w, struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_campaign c = w->tasks->campaign;
    struct osw_text text = OSW_TEXT_INIT;
    bool custom = osw_campaign_root(&c) == c.custom_ops_root;
    const char *root =
        arena ? osw_arena_printf(arena, "%s/%s", osw_asked_folder(w->asked),
                                 root_name)
              : NULL;
    int rc = root ? 0 : no_memory(err);

    *(custom ? &c.custom_ops_root : &c.library) = root;
    c.seed = w->seed;
    c.output = w->file;
    if (rc == 0)
        rc = name_items(w, arena, &c, err);
    if (rc == 0)
        rc = choose_cells(w, arena, &c, err);
    if (rc == 0) {
        osw_campaign_dump(&c, &text);
        rc = osw_text_str(&text)
                 ? osw_subrun_write(w->campaign, osw_text_str(&text), err)
                 : no_memory(err);
    }
    osw_text_free(&text);
    osw_arena_destroy(arena);
    return rc;
}

static int name_files(struct osw_wave *w, const char *name,
                      struct osw_error *err)
{
    const char *folder = osw_asked_folder(w->asked);

    if (snprintf(w->campaign, sizeof(w->campaign), "%s/%s.json", folder,
                 name) >= (int)sizeof(w->campaign))
        return osw_fail(err, OSW_BAD_INPUT, "'%s': too long a path", folder);
    snprintf(w->file, sizeof(w->file), "%s/%s.h5", folder, name);
    return 0;
}

int osw_wave_start(struct osw_wave *w, const char *name, struct osw_error *err)
{
    char log[PATH_MAX];

    if (name_files(w, name, err) < 0)
        return -1;
    if (write_campaign(w, err) < 0)
        return osw_error_in(err, "campaign '%s'", w->campaign);
    snprintf(log, sizeof(log), "%s/.waves/log", osw_asked_folder(w->asked));
    return osw_subrun_series_start(w->series, w->campaign, log, err);
}

/* --- its result --- */

static int keep_cell(struct osw_wave *w, const osw_file_t *file,
                     const struct osw_record *r, struct osw_error *err)
{
    const char *op = osw_file_text(file, OSW_DICT_OP, r->op_id);
    const char *impl = osw_file_text(file, OSW_DICT_IMPL, r->impl_id);
    struct osw_judged_cell cell = {.record = *r};

    cell.case_text = osw_arena_strdup(
        w->arena, osw_file_text(file, OSW_DICT_CASE, r->case_id));
    cell.fill = osw_arena_strdup(
        w->arena, osw_file_text(file, OSW_DICT_FILL, r->fill_id));
    cell.record.reason = osw_arena_strdup(w->arena, r->reason);
    cell.record.output = osw_arena_strdup(w->arena, r->output);
    cell.record.baseline = osw_arena_strdup(w->arena, r->baseline);
    cell.record.reference = "";
    cell.record.samples = NULL;
    if (!cell.case_text || !cell.fill || !cell.record.reason ||
        !cell.record.output || !cell.record.baseline)
        return no_memory(err);
    for (size_t i = 0; i < w->n; i++) {
        struct osw_wave_item *item = &w->items[i];

        if (strcmp(item->task->op->name, op) != 0 ||
            strcmp(item->impl, impl) != 0)
            continue;
        if (!item->cells)
            item->cells = osw_arena_array(w->arena, item->task->n_cases,
                                          sizeof(*item->cells));
        if (!item->cells)
            return no_memory(err);
        if (item->n_cells < item->task->n_cases)
            item->cells[item->n_cells++] = cell;
    }
    return 0;
}

/* Columns are read for a block at a time: each has to be opened. */
static int read_cells(struct osw_wave *w, const osw_file_t *file,
                      struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    struct osw_record *records = malloc(READ_ROWS * sizeof(*records));
    int rc = records ? 0 : no_memory(err);

    for (uint64_t at = 0; rc == 0 && at < n; at += READ_ROWS) {
        size_t k = n - at < READ_ROWS ? (size_t)(n - at) : READ_ROWS;

        rc = osw_file_records(file, at, k, records, err);
        for (size_t i = 0; rc == 0 && i < k; i++)
            rc = keep_cell(w, file, &records[i], err);
    }
    free(records);
    return rc;
}

static int read_result(struct osw_wave *w, struct osw_error *err)
{
    osw_file_t *file = osw_file_open(w->file, err);
    const struct osw_file_device *devices;
    size_t n = 0;
    int rc;

    if (!file)
        return -1;
    devices = osw_file_devices(file, &n);
    w->device =
        osw_arena_strdup(w->arena, n > 0 ? osw_file_text(file, OSW_DICT_DEVICE,
                                                         devices[0].device_id)
                                         : "");
    rc = w->device ? read_cells(w, file, err) : no_memory(err);
    osw_file_close(file);
    return rc;
}

int osw_wave_poll(struct osw_wave *w, struct osw_error *err)
{
    int rc = osw_subrun_series_poll(w->series, err);

    if (rc == 0)
        return 0;
    return rc < 0 || read_result(w, err) < 0 ? -1 : 1;
}

int osw_wave_run(struct osw_wave *w, const char *name,
                 const volatile sig_atomic_t *n_stop, struct osw_error *err)
{
    int rc = osw_wave_start(w, name, err);

    while (rc == 0 && (rc = osw_wave_poll(w, err)) == 0) {
        if (*n_stop)
            osw_subrun_series_stop(w->series);
        osw_clock_sleep_ns(POLL_MS * INT64_C(1000000));
    }
    return rc < 0 ? -1 : 0;
}

int osw_wave_read(struct osw_wave *w, const char *name, struct osw_error *err)
{
    return name_files(w, name, err) < 0 ? -1 : read_result(w, err);
}
