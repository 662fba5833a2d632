/* mpi_runner/commands/cmd_show.c - opsweep show: one cell, and how to run it
 * again */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/text.h"
#include "common/utf8.h"
#include "mpi_runner/diagnose/find_cell.h"
#include "mpi_runner/diagnose/instrument.h"
#include "mpi_runner/diagnose/recheck.h"
#include "mpi_runner/diagnose/rerun.h"
#include "results/file/file.h"
#include "results/file/live.h"
#include "results/report/report.h"
#include "results/report/report_cell.h"
#include "results/report/report_devices.h"

struct show_opts {
    bool samples;
    bool verbose;
    struct osw_recheck recheck;
};

static const struct show_opts show_defaults = {
    .recheck = {.shrink_trials = 200,
                .shrink_s = 600,
                .sanitize = -1,
                .profile = -1},
};

#define AT(field)      offsetof(struct show_opts, field)
#define RECHECK(field) offsetof(struct show_opts, recheck.field)
/* clang-format off */
static const struct osw_opt show_optv[] = {
    { "samples", OSW_OPT_FLAG, AT(samples),
      "print every timed sample, too [no]" },
    { "verbose", OSW_OPT_FLAG, AT(verbose),
      "print all columns of the record [no]", .letter = 'v' },
    { "rerun", OSW_OPT_FLAG, RECHECK(rerun), "judge the cell again, here [no]",
      .topic = "judging it again" },
    { "dump", OSW_OPT_STR, RECHECK(dump),
      "judge it again, leave its tensors in a new folder [no]",
      .value = "DIR" },
    { "shrink", OSW_OPT_FLAG, RECHECK(shrink),
      "find the smallest case that fails in the same way; --dump then keeps "
      "that one [no]" },
    { "shrink-trials", OSW_OPT_U64, RECHECK(shrink_trials),
      "cases that --shrink tries", .value = "N", .most = 100000,
      .expert = true },
    { "shrink-seconds", OSW_OPT_F64, RECHECK(shrink_s),
      "seconds that --shrink takes", .value = "S",
      .high = OSW_RECHECK_MAX_S, .nonzero = true, .expert = true },
    { "sanitize", OSW_OPT_CHOICE, RECHECK(sanitize),
      "judge it again under a sanitizer [no]",
      .choices = osw_instrument_sanitizers, .implied = "memcheck" },
    { "profile", OSW_OPT_CHOICE, RECHECK(profile),
      "judge it again under a profiler [no]",
      .choices = osw_instrument_profilers, .implied = "ncu" },
    { "output", OSW_OPT_STR, RECHECK(output),
      "where the report of these goes [standard output]", .letter = 'o',
      .value = "FILE" },
    { "timeout", OSW_OPT_F64, RECHECK(timeout_s),
      "shortest deadline of a call, in seconds [the campaign's]",
      .value = "S", .high = OSW_RECHECK_MAX_S, .nonzero = true },
    { 0 },
};
/* clang-format on */
#undef AT
#undef RECHECK

/* --- printing it --- */

enum { DEFAULT_WIDTH = 100, MIN_WIDTH = 40 };

static int width_of_output(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return DEFAULT_WIDTH;
    return size.ws_col < MIN_WIDTH ? MIN_WIDTH : size.ws_col;
}

/* One line, whatever is in it; lines of captured output are indented. */
static void put_value(const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "\n\t");

        osw_utf8_put_visible(stdout, s, n);
        s += n;
        if (*s == '\n' && s[1])
            fputs("\n                     | ", stdout);
        else if (*s)
            putchar(*s == '\t' ? '\t' : ' ');
        s += *s != '\0';
    }
}

static void print_record(const osw_file_t *file, const struct osw_record *r)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);
    char buffer[64];

    for (size_t c = 0; c < n; c++) {
        enum osw_dict dict = osw_report_dict(&columns[c]);
        const char *value =
            osw_report_value(file, r, &columns[c], buffer, sizeof(buffer));
        const char *units = columns[c].units;

        printf("%-20s ",
               dict == OSW_DICT_COUNT ? columns[c].name : osw_dict_name(dict));
        put_value(*value ? value : "-");
        if (*value && strcmp(units, "1") != 0)
            printf(" %s", units);
        if (dict == OSW_DICT_COUNT)
            printf("  (%s)", columns[c].text);
        putchar('\n');
    }
}

/* Beside the columns, where it ran: its name is one of them. */
static void print_device(const osw_file_t *file, int32_t rank, uint32_t host_id)
{
    struct osw_text t = OSW_TEXT_INIT;

    osw_report_devices_of(file, rank, host_id, &t);
    if (t.used && !t.failed) {
        printf("%-20s ", "measured on");
        put_value(osw_text_str(&t));
        putchar('\n');
    }
    osw_text_free(&t);
}

static int print_samples(const osw_file_t *file, const struct osw_record *r,
                         struct osw_error *err)
{
    float *samples = malloc(((size_t)r->sample_n + 1) * sizeof(*samples));
    int rc = -1;

    if (!samples)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %u samples",
                        r->sample_n);
    if (osw_file_samples(file, r->sample_off, r->sample_n, samples, err) == 0) {
        printf("\nsamples in ns, as taken:");
        for (uint32_t i = 0; i < r->sample_n; i++)
            printf("%s%.9g", i % 8 ? " " : "\n  ", (double)samples[i]);
        putchar('\n');
        rc = 0;
    }
    free(samples);
    return rc;
}

/* --- running it again --- */

static int print_command(const osw_file_t *file, const struct osw_record *r,
                         struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    int rc = -1;

    if (!*osw_file_text(file, OSW_DICT_IMPL, r->impl_id)) {
        printf("\nno implementation: there is nothing to run again\n");
        return 0;
    }
    if (osw_rerun_command(
            file, r, osw_file_text(file, OSW_DICT_CASE, r->case_id),
            osw_file_text(file, OSW_DICT_FILL, r->fill_id), &t, err) == 0) {
        if (osw_text_str(&t)) {
            printf("\nrun it again:\n%s\n", osw_text_str(&t));
            rc = 0;
        } else {
            osw_fail(err, OSW_NO_MEMORY, "no memory for the command");
        }
    }
    osw_text_free(&t);
    return rc;
}

static int show_cell(const struct show_opts *o, const osw_file_t *file,
                     const char *cell, struct osw_error *err)
{
    struct osw_record record;
    uint64_t row = 0;

    if (osw_find_cell(file, cell, &row, err) ||
        osw_file_records(file, row, 1, &record, err))
        return -1;
    if (o->verbose) {
        printf("%-20s %" PRIu64 "\n", "row", row);
        print_device(file, record.rank, record.host_id);
        print_record(file, &record);
    } else {
        osw_report_cell(file, row, &record, width_of_output(), stdout);
    }
    if (o->samples && print_samples(file, &record, err))
        return -1;
    if (print_command(file, &record, err))
        return -1;
    return osw_recheck_wanted(&o->recheck)
               ? osw_recheck_run(&o->recheck, file, &record, cell, err)
               : 0;
}

static int show_run(void *opts, const struct osw_args *args,
                    struct osw_error *err)
{
    static const char *const of_shrink[] = {"shrink-trials", "shrink-seconds"};
    const struct show_opts *o = opts;
    struct osw_live live;
    osw_file_t *file;
    int rc;

    for (size_t i = 0; i < sizeof(of_shrink) / sizeof(of_shrink[0]); i++)
        if (osw_args_given(args, of_shrink[i]) && !o->recheck.shrink)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s' needs '--shrink'", of_shrink[i]);
    if (osw_recheck_check(&o->recheck, err))
        return -1;
    file = osw_live_open(args->operands[0], &live, err);
    if (!file)
        return -1;
    rc = show_cell(o, file, args->operands[1], err);
    if (rc >= 0 && (fflush(stdout) || ferror(stdout)))
        rc = osw_fail_sys(err, errno, "cannot write the record");
    osw_file_close(file);
    return rc;
}

extern const struct osw_cmd osw_cmd_show;
const struct osw_cmd osw_cmd_show = {
    .name = "show",
    .topic = "read results",
    .operands = "FILE CELL",
    .summary = "print one cell, and the command that runs it again",
    .details =
        "Without --verbose: verdict, why, times, speedup with its baseline,\n"
        "share of the speed of light, largest error over what is allowed.\n"
        "CELL: a row number, a cell key of 16 hexadecimal digits, or\n"
        "OP/IMPL or OP/IMPL/INDEX, the INDEX-th cell of these from 0.\n"
        "A cell is judged again by the sources as they are now, in this\n"
        "process and its sandboxes, without MPI.\n"
        "Exit codes: 0 ok, 1 the sanitizer found errors, 2 bad input,\n"
        "3 nothing to judge, dump or shrink, 5 I/O, no such tool.\n",
    .min_operands = 2,
    .max_operands = 2,
    .opts = show_optv,
    .defaults = &show_defaults,
    .opts_size = sizeof(show_defaults),
    .guarded = true,
    .run = show_run,
};
