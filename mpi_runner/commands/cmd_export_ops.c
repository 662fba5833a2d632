/* mpi_runner/commands/cmd_export_ops.c - opsweep export-ops: ops as a package
 * of torch's operators
 */
#include <stdio.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/paths.h"
#include "mpi_runner/export/gather.h"
#include "mpi_runner/export/package.h"

static const struct osw_export_opts export_ops_defaults =
    OSW_EXPORT_OPTS_DEFAULT;

#define AT(field) offsetof(struct osw_export_opts, field)
static const struct osw_opt export_ops_optv[] = {
    OSW_EXPORT_OPT_ROWS(AT),
    {0},
};
#undef AT

/* Under another name until it is whole. */
static int write_package(const struct osw_gathered *g, struct osw_error *err)
{
    const char *dir = osw_package_part(g->arena, g->opts->output, err);
    int rc = -1;

    if (!dir)
        return -1;
    if (osw_package_write(g, dir, err) == 0 &&
        osw_package_write_cases(g, dir, err) == 0)
        rc = osw_package_finish(dir, g->opts->output, err);
    if (rc < 0)
        osw_paths_remove(dir);
    return rc;
}

static int export_all(struct osw_gathered *g, const struct osw_args *args,
                      struct osw_error *err)
{
    char word[OSW_SHELL_WORD];

    if (osw_gather_check(g->opts, err) < 0 || osw_gather(g, args, err) < 0)
        return -1;
    if (g->opts->dry_run)
        return osw_gather_tell(g);
    if (write_package(g, err) < 0)
        return -1;
    printf("%s: %zu op%s, %zu left out; next: make -C %s test\n",
           g->opts->output, g->n_ops, osw_plural(g->n_ops), g->n_left_out,
           osw_shell_word(g->opts->output, word));
    return g->n_left_out ? 1 : 0;
}

static int export_ops_run(void *opts, const struct osw_args *args,
                          struct osw_error *err)
{
    struct osw_gathered *g = osw_gather_begin(opts, err);
    int rc;

    if (!g)
        return -1;
    rc = export_all(g, args, err);
    osw_gather_end(g);
    return rc;
}

extern const struct osw_cmd osw_cmd_export_ops;
const struct osw_cmd osw_cmd_export_ops = {
    .name = "export-ops",
    .topic = "write ops",
    .operands = "[FOLDER|OP...]",
    .summary = "make a Python package of torch's operators from op folders",
    .details =
        "FOLDER is an op's folder or a root of them, OP the name of a shipped "
        "op.  The\npackage needs a C compiler to be built (make) and torch "
        "1.13 or newer to run;\nit holds tests with the expected results.  An "
        "op needs `schema` and `outputs` in\nop.json.  Exit code: 0; 1 an op "
        "was left out; 2 bad input; 3 no op is left;\n"
        "5 the package cannot be written.\n",
    .max_operands = 64,
    .opts = export_ops_optv,
    .defaults = &export_ops_defaults,
    .opts_size = sizeof(export_ops_defaults),
    .run = export_ops_run,
};
