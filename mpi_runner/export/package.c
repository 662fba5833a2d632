/* mpi_runner/export/package.c - a package's folder, with its tests' cases */
#include "mpi_runner/export/package.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "mpi_runner/export/cases.h"
#include "ops/build/build_cache.h"
#include "ops/cases/gen_input.h"
#include "ops/export/export_file.h"
#include "worker/made.h"
#include "worker/worker.h"

struct writing {
    const struct osw_gathered *g;
    osw_worker_t *worker;
    const char *dir;
};

static osw_worker_t *open_worker(const struct osw_export_opts *o,
                                 struct osw_error *err)
{
    struct osw_worker_config config = {
        .device = "cpu",
        .n_local = 1,
        .seed = o->seed,
        .max_bytes = UINT64_C(1) << 30,
        .keep_going = true,
        .profile = osw_profile_find("correct"),
        .deadline_ns = INT64_C(30000000000),
        .objects_dir = osw_paths_objects_dir(NULL),
        .include_dir = osw_paths_include_dir(err),
        .sandbox_path = osw_paths_sandbox(err),
    };

    if (!config.include_dir || !config.sandbox_path ||
        osw_build_cache_check(NULL, err) < 0)
        return NULL;
    return osw_worker_create(&config, err);
}

/* Cases of one op, into its place in the list of ops. */
static int add_cases(struct writing *w, const struct osw_export_op *e,
                     struct osw_json_out *json, struct osw_error *err)
{
    struct osw_export_cases c = {.json = json,
                                 .max_bytes = w->g->opts->max_bytes};
    const char *data = osw_arena_printf(w->g->arena, "%s.bin", e->op->folder);
    const char *path =
        osw_arena_printf(w->g->arena, "%s/tests/%s", w->dir, data);
    struct osw_gen_cases cases = {.n = 0};
    int rc = 0;

    if (!path)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    osw_json_out_object(json, NULL);
    osw_json_out_str(json, "op", e->op->name);
    osw_json_out_str(json, "data", data);
    osw_json_out_list(json, "cases");
    if (e->op->oracle == OSW_ORACLE_INDEPENDENT &&
        !osw_gen_input_missing(e->op))
        rc = osw_gen_input_load(w->g->arena, e->op, &cases, err);
    for (size_t i = 0; rc == 0 && i < cases.n && c.n_cases < w->g->opts->cases;
         i++) {
        const struct osw_bundle bundle =
            osw_bundle_of_case(e->op->dir, cases.at[i].text, cases.at[i].fill);
        char why[512];

        if (cases.at[i].why_not)
            continue;
        c.text = cases.at[i].text;
        rc = osw_worker_make(w->worker, &bundle, osw_export_cases_add, &c, why,
                             err);
    }
    osw_json_out_end(json);
    osw_json_out_end(json);
    if (rc == 0 && c.data.failed)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    if (rc == 0)
        rc = osw_export_put(path, c.data.data ? c.data.data : "", c.data.used,
                            err);
    osw_text_free(&c.data);
    if (rc < 0)
        return -1;
    printf("exported  %s:", e->op->name);
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++)
        for (size_t k = 0; k < e->n_impls[d]; k++)
            printf("%s %s%s", k ? "," : "",
                   k   ? ""
                   : d ? "; cuda "
                       : "cpu ",
                   e->impls[d][k].file->name);
    printf("; %llu test cases\n", (unsigned long long)c.n_cases);
    return 0;
}

static int write_cases(struct writing *w, struct osw_error *err)
{
    const char *path =
        osw_arena_printf(w->g->arena, "%s/tests/cases.json", w->dir);
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out json = osw_json_out(&text);
    int rc = path ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory for cases");

    osw_json_out_object(&json, NULL);
    osw_json_out_str(&json, "namespace", w->g->opts->ns);
    osw_json_out_list(&json, "ops");
    for (size_t i = 0; rc == 0 && i < w->g->n_ops; i++)
        rc = add_cases(w, &w->g->ops[i], &json, err);
    if (rc == 0) {
        osw_json_out_end(&json);
        osw_json_out_end(&json);
        rc = osw_text_str(&text)
                 ? osw_export_put(path, text.data, text.used, err)
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    }
    osw_text_free(&text);
    return rc;
}

int osw_package_write_cases(const struct osw_gathered *g, const char *dir,
                            struct osw_error *err)
{
    struct writing w = {g, open_worker(g->opts, err), dir};
    int rc = w.worker ? write_cases(&w, err) : -1;

    osw_worker_destroy(w.worker);
    return rc;
}

/* --- folders --- */

const char *osw_package_part(osw_arena_t *arena, const char *output,
                             struct osw_error *err)
{
    size_t n = strlen(output);
    const char *part;

    while (n > 1 && output[n - 1] == '/')
        n--;
    part = osw_arena_printf(arena, "%.*s.part-%ld", (int)n, output,
                            (long)getpid());
    if (!part)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a package");
    return part;
}

int osw_package_write(const struct osw_gathered *g, const char *dir,
                      struct osw_error *err)
{
    const struct osw_export e = {g->opts->ns, g->ops, g->n_ops};
    const char *include_dir = osw_paths_include_dir(err);

    if (!include_dir || osw_paths_make_folders(dir, 0777, err) < 0)
        return -1;
    return osw_export_write(g->arena, &e, include_dir, dir, err);
}

int osw_package_finish(const char *dir, const char *output,
                       struct osw_error *err)
{
    return rename(dir, output) == 0
               ? 0
               : osw_fail_sys(err, errno, "cannot make '%s'", output);
}
