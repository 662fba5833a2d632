/* mpi_runner/diagnose/check_open.c - what opsweep check opens */
#include "mpi_runner/diagnose/check_open.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "common/text.h"
#include "ops/catalog/catalog.h"
#include "ops/catalog/op_load.h"

/* No folder of an op: it may be a root, whose first ops are named. */
static int fail_no_op(osw_arena_t *memory, const char *device, const char *dir,
                      const char *missing, struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_catalog in = {.n_ops = 0};
    size_t n = 0;

    if (osw_catalog_scan(memory, &dir, 1, device, &in, NULL) < 0)
        in.n_ops = 0;
    for (size_t i = 0; i < in.n_ops && n < 3; i++)
        if (!osw_gen_input_missing(&in.ops[i]))
            osw_text_printf(&text, "%s%s", n++ == 0 ? ", such as " : ", ",
                            in.ops[i].dir);
    osw_fail(err, OSW_NOTHING, "%s: %s: expected the folder of one op%s", dir,
             missing, osw_text_str(&text) ? osw_text_str(&text) : "");
    osw_text_free(&text);
    return -1;
}

int osw_check_load(osw_arena_t *memory, const char *device, const char *dir,
                   struct osw_op *op, struct osw_gen_cases *cases,
                   struct osw_error *err)
{
    const char *missing;

    if (osw_op_load(memory, dir, device, op, err) < 0)
        return -1;
    missing = osw_gen_input_missing(op);
    if (missing && access(dir, R_OK | X_OK) < 0)
        return osw_fail(err, OSW_BAD_INPUT, "cannot read '%s': %s", dir,
                        strerror(errno));
    if (missing)
        return fail_no_op(memory, device, dir, missing, err);
    return osw_gen_input_load(memory, op, cases, err);
}

osw_worker_t *osw_check_worker(const char *device, uint64_t seed,
                               double timeout_s, struct osw_error *err)
{
    struct osw_worker_config config = {
        .device = device,
        .n_local = 1,
        .seed = seed,
        .max_bytes = UINT64_C(1) << 30,
        .keep_going = true,
        .profile = osw_profile_find("correct"),
        .deadline_ns = (int64_t)(timeout_s * 1e9),
        .objects_dir = osw_paths_objects_dir(NULL),
        .include_dir = osw_paths_include_dir(err),
        .sandbox_path = osw_paths_sandbox(err),
    };

    if (!config.include_dir || !config.sandbox_path)
        return NULL;
    return osw_worker_create(&config, err);
}
