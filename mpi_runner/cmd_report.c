/* mpi_runner/cmd_report.c - opsweep report: what a result file says */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli.h"
#include "results/anonymize.h"
#include "results/file.h"
#include "results/report.h"

struct report_opts {
    const char *format;
    const char *output;
    const char *fail_on;
    bool anonymize;
};

static const struct report_opts report_defaults = {.format = "table",
                                                   .fail_on = "fail,error"};

#define AT(field) offsetof(struct report_opts, field)
static const struct osw_opt report_optv[] = {
    {"format", OSW_OPT_STR, AT(format),
     "table (or text), markdown, csv, json, junit, backendbench or html",
     .letter = 'f', .value = "NAME"},
    {"output", OSW_OPT_STR, AT(output),
     "write there, into a folder for backendbench [standard output]",
     .letter = 'o', .value = "FILE"},
    {"anonymize", OSW_OPT_FLAG, AT(anonymize),
     "without names of hosts and users, paths, addresses and UUIDs"},
    {"fail-on", OSW_OPT_STR, AT(fail_on),
     "exit 1 when cells end in these groups or states, or none",
     .value = "LIST"},
    {0},
};
#undef AT

static const struct osw_report_format *find_format(const char *name,
                                                   struct osw_error *err)
{
    const struct osw_report_format *format = osw_report_find(name);
    char names[128] = "";

    if (format)
        return format;
    for (size_t i = 0; osw_report_at(i); i++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                 i ? ", " : "", osw_report_at(i)->name);
    osw_fail(err, OSW_BAD_INPUT, "option '--format': expected %s, found '%s'",
             names, name);
    return NULL;
}

/* A terminal gets its width and colours; anything else neither. */
static struct osw_report_options options_for(const char *output)
{
    struct osw_report_options o = {0};
    struct winsize size;
    const char *no_colour = getenv("NO_COLOR");

    if (output || !isatty(STDOUT_FILENO))
        return o;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        o.width = size.ws_col;
    o.colour = !no_colour || !*no_colour;
    return o;
}

/* To a temporary name, so that nothing half-written is left. */
static int write_to(const struct osw_report_format *format,
                    const osw_file_t *file, const char *output,
                    struct osw_error *err)
{
    struct osw_report_options options = options_for(output);
    size_t size = strlen(output) + 32;
    char *temp = malloc(size);
    FILE *out = NULL;
    int rc = -1;

    if (!temp)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    snprintf(temp, size, "%s.tmp.%ld", output, (long)getpid());
    out = fopen(temp, "we");
    if (!out) {
        osw_fail(err, OSW_BAD_INPUT, "cannot write '%s': %s", output,
                 strerror(errno));
        goto out;
    }
    rc = osw_report_write(format, file, &options, out, err);
    if (fclose(out) && rc == 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", output);
    if (rc == 0 && rename(temp, output))
        rc = osw_fail_sys(err, errno, "cannot write '%s'", output);
    if (rc)
        unlink(temp);
out:
    free(temp);
    return rc;
}

static int write_stdout(const struct osw_report_format *format,
                        const osw_file_t *file, struct osw_error *err)
{
    struct osw_report_options options = options_for(NULL);

    return osw_report_write(format, file, &options, stdout, err);
}

/* Each file of a format that is a folder; one that is there stays. */
static int write_folder(const struct osw_report_format *format,
                        const osw_file_t *file, const char *output,
                        struct osw_error *err)
{
    size_t size = strlen(output) + 64;
    char *path = malloc(size);
    int rc = 0;

    if (!path)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    if (mkdir(output, 0777) && errno != EEXIST)
        rc = osw_fail(err, OSW_BAD_INPUT, "cannot make the folder '%s': %s",
                      output, strerror(errno));
    for (size_t i = 0; format->files[i] && rc == 0; i++) {
        snprintf(path, size, "%s/%s", output, format->files[i]->name);
        rc = write_to(format->files[i], file, path, err);
    }
    free(path);
    return rc;
}

static int write_report(const struct osw_report_format *format,
                        const osw_file_t *file, const char *output,
                        struct osw_error *err)
{
    if (format->files)
        return write_folder(format, file, output, err);
    return output ? write_to(format, file, output, err)
                  : write_stdout(format, file, err);
}

static int anonymize(osw_file_t *file, struct osw_error *err)
{
    struct osw_anonymized n;

    if (osw_anonymize(file, &n, err))
        return -1;
    osw_anonymized_print(&n, stderr);
    return 0;
}

static int report_file(const struct report_opts *o,
                       const struct osw_report_format *format,
                       const struct osw_report_fail_on *fail_on,
                       osw_file_t *file, struct osw_error *err)
{
    struct osw_report_summary summary;
    enum osw_status outcome;

    if ((o->anonymize && anonymize(file, err)) ||
        write_report(format, file, o->output, err) ||
        osw_report_summarize(file, &summary, err))
        return -1;
    outcome = osw_report_outcome(file, &summary, fail_on);
    osw_report_summary_free(&summary);
    return osw_status_exit_code(outcome);
}

static int report_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct report_opts *o = opts;
    const struct osw_report_format *format = find_format(o->format, err);
    struct osw_report_fail_on fail_on;
    osw_file_t *file;
    int rc;

    if (!format)
        return -1;
    if (format->files && !o->output)
        return osw_fail(err, OSW_BAD_INPUT,
                        "format '%s' is a folder of files: name it with "
                        "'--output'",
                        format->name);
    if (osw_report_parse_fail_on(o->fail_on, &fail_on, err))
        return osw_error_in(err, "option '--fail-on'");
    file = osw_file_open(args->operands[0], err);
    if (!file)
        return -1;
    rc = report_file(o, format, &fail_on, file, err);
    osw_file_close(file);
    return rc;
}

extern const struct osw_cmd osw_cmd_report;
const struct osw_cmd osw_cmd_report = {
    .name = "report",
    .operands = "FILE",
    .summary = "print what a result file says",
    .details =
        "Exit code: 0 all is well, 1 cells failed (see --fail-on), 2 the file\n"
        "cannot be read, 3 no cell was judged, 4 the run is incomplete.\n"
        "LIST: groups pass, fail, error, not-judged, infra, or single states\n"
        "such as value or crash, separated by commas; or none.\n",
    .min_operands = 1,
    .max_operands = 1,
    .opts = report_optv,
    .defaults = &report_defaults,
    .opts_size = sizeof(report_defaults),
    .run = report_run,
};
