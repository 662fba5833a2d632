/* mpi_runner/commands/cmd_export.c - opsweep export: all cells, for other
 * programs */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/paths.h"
#include "common/whole_file.h"
#include "results/export/anonymize.h"
#include "results/export/export.h"
#include "results/file/file.h"
#include "results/file/run_place.h"

enum { CSV, JSON, PARQUET };

struct export_opts {
    int format; /* index in formats */
    bool samples;
    bool anonymize;
    const char *output;
    const char *python;
};

static const struct export_opts export_defaults = {.format = CSV};
static const char *const formats[] = {"csv", "json", "parquet", NULL};

#define AT(field) offsetof(struct export_opts, field)
static const struct osw_opt export_optv[] = {
    {"format", OSW_OPT_CHOICE, AT(format),
     "csv: RFC 4180, a line per cell; json: one object with columns and "
     "cells; parquet: by a python3 that has pyarrow",
     .letter = 'f', .choices = formats},
    {"samples", OSW_OPT_FLAG, AT(samples), "with the samples of each cell"},
    {"anonymize", OSW_OPT_FLAG, AT(anonymize),
     "without names of hosts and users, paths, addresses and UUIDs"},
    {"output", OSW_OPT_STR, AT(output), "write there [standard output]",
     .letter = 'o', .value = "FILE"},
    {"python", OSW_OPT_STR, AT(python),
     "interpreter with pyarrow [OPSWEEP_PYTHON, the active venv's, python3]",
     .value = "PROGRAM"},
    {0},
};
#undef AT

static int check_opts(const struct export_opts *o, struct osw_error *err)
{
    if (o->format == PARQUET && !o->output)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--format parquet' needs '--output FILE'");
    return 0;
}

/* By a program of its own, under the name of the moment. */
static int write_parquet(const struct export_opts *o,
                         const struct osw_export *e, const char *name,
                         struct osw_error *err)
{
    const char *python = osw_paths_python(o->python, err);

    return python ? osw_export_parquet(e, python, name, err) : -1;
}

static int write_output(const struct export_opts *o, const struct osw_export *e,
                        struct osw_error *err)
{
    struct osw_whole_file out;
    int rc = osw_whole_file_open(&out, o->output, err);

    if (rc < 0)
        return -1;
    rc = o->format == PARQUET
             ? write_parquet(o, e, osw_whole_file_name(&out), err)
         : o->format == JSON ? osw_export_json(e, out.file, err)
                             : osw_export_csv(e, out.file, err);
    return osw_whole_file_close(&out, rc, err);
}

static int export_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct export_opts *o = opts;
    struct osw_anonymized n;
    osw_file_t *file;
    int rc = -1;

    if (check_opts(o, err) ||
        osw_whole_file_apart(o->output, args->operands, 1, err) < 0 ||
        osw_whole_file_fits(o->output, formats[o->format], err) < 0 ||
        osw_run_place_held(o->output, err) < 0)
        return -1;
    file = osw_file_open(args->operands[0], err);
    if (!file)
        return -1;
    if (!o->anonymize || osw_anonymize(file, &n, err) == 0) {
        const struct osw_export e = {.file = file, .samples = o->samples};

        if (o->anonymize)
            osw_anonymized_print(&n, stderr);
        rc = write_output(o, &e, err);
    }
    osw_file_close(file);
    return rc;
}

extern const struct osw_cmd osw_cmd_export;
const struct osw_cmd osw_cmd_export = {
    .name = "export",
    .topic = "read results",
    .operands = "FILE",
    .summary = "write all cells with all columns as CSV, JSON or Parquet",
    .details = "Exit code: 0, 2 the file cannot be read, or none made at OUT,\n"
               "5 the cells cannot be written (a full disk) or python3 has no "
               "pyarrow.\nWhat the cells say does not matter.\n",
    .min_operands = 1,
    .max_operands = 1,
    .opts = export_optv,
    .defaults = &export_defaults,
    .opts_size = sizeof(export_defaults),
    .guarded = true,
    .run = export_run,
};
