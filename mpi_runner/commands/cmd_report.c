/* mpi_runner/commands/cmd_report.c - opsweep report: what a result file says */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/text.h"
#include "common/whole_file.h"
#include "mpi_runner/commands/fail_on.h"
#include "mpi_runner/commands/result_files.h"
#include "results/export/anonymize.h"
#include "results/file/file.h"
#include "results/file/live.h"
#include "results/file/run_place.h"
#include "results/history/history.h"
#include "results/report/report.h"
#include "results/report/run_status.h"

struct report_opts {
    const char *format;
    const char *output;
    const char *fail_on;
    bool anonymize;
    bool all;
};

static const struct report_opts report_defaults = {.format = "text",
                                                   .fail_on = "fail,error"};

static const char *format_word(size_t i)
{
    const struct osw_report_format *format = osw_report_at(i);

    return format ? format->name : NULL;
}

#define AT(field) offsetof(struct report_opts, field)
static const struct osw_opt report_optv[] = {
    {"format", OSW_OPT_STR, AT(format), "", .letter = 'f', .value = "NAME",
     .words = format_word},
    {"output", OSW_OPT_STR, AT(output),
     "write there, into a folder for backendbench [standard output]",
     .letter = 'o', .value = "FILE"},
    {"anonymize", OSW_OPT_FLAG, AT(anonymize),
     "without names of hosts and users, paths, addresses and UUIDs"},
    {"all", OSW_OPT_FLAG, AT(all),
     "text: every implementation, with what was not judged and why"},
    {"fail-on", OSW_OPT_STR, AT(fail_on),
     "exit 1 when cells end in these groups (pass, fail, error, not-judged, "
     "infra) or single states; or none",
     .value = "A,B"},
    {0},
};
#undef AT

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

static int write_to(const struct osw_report_format *format,
                    const osw_file_t *file, const char *output,
                    const struct osw_report_options *options,
                    struct osw_error *err)
{
    struct osw_whole_file out;
    int rc = osw_whole_file_open(&out, output, err);

    if (rc == 0)
        rc = osw_whole_file_close(
            &out, osw_report_write(format, file, options, out.file, err), err);
    return rc;
}

/* Each file of a format that is a folder; one that is there stays. */
static int write_folder(const struct osw_report_format *format,
                        const osw_file_t *file, const char *output,
                        const struct osw_report_options *options,
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
        rc = write_to(format->files[i], file, path, options, err);
    }
    free(path);
    return rc;
}

static int write_report(const struct osw_report_format *format,
                        const osw_file_t *file, const struct report_opts *o,
                        const osw_history_t *history, struct osw_error *err)
{
    struct osw_report_options options = options_for(o->output);

    options.history = history;
    options.all = o->all;
    if (format->files)
        return write_folder(format, file, o->output, &options, err);
    return write_to(format, file, o->output, &options, err);
}

/* --- more campaigns beside the one --- */

static int add_others(osw_history_t *h, const struct osw_result_files *files,
                      struct osw_error *err)
{
    /* The first is the one that is reported. */
    for (size_t i = 1; i < files->n; i++) {
        osw_file_t *file = osw_file_open(files->paths[i], err);
        int rc = file ? osw_history_add(h, file, false, err) : -1;

        osw_file_close(file);
        if (rc)
            return -1;
    }
    return 0;
}

/* The history of a file and of the other operands; the caller's to destroy.
 * NULL with err set.
 */
static osw_history_t *make_history(const struct osw_args *args,
                                   const osw_file_t *file, const char *output,
                                   struct osw_error *err)
{
    static const struct osw_history_options options = {.threshold = 0.02,
                                                       .max_shift = 0.05};
    struct osw_result_files files = {.n = 0};
    osw_history_t *h = NULL;
    int rc = osw_result_files(args->operands, args->n_operands, &files, err);

    if (rc == 0)
        rc = osw_whole_file_apart(output, (const char *const *)files.paths,
                                  files.n, err);
    if (rc == 0)
        h = osw_history_create(&options, err);
    if (h)
        rc = osw_history_add(h, file, false, err) ||
             add_others(h, &files, err) || osw_history_judge(h, NULL, err);
    osw_result_files_free(&files);
    if (rc == 0)
        return h;
    osw_history_destroy(h);
    return NULL;
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
                       const struct osw_report_format *format, uint32_t fail_on,
                       osw_file_t *file, const osw_history_t *history,
                       struct osw_error *err)
{
    struct osw_report_summary summary;
    enum osw_status outcome;

    if ((o->anonymize && anonymize(file, err)) ||
        write_report(format, file, o, history, err) ||
        osw_report_summarize(file, &summary, err))
        return -1;
    outcome = osw_report_outcome(file, &summary, fail_on);
    osw_report_summary_free(&summary);
    return osw_status_exit_code(outcome);
}

static void say_live(const osw_file_t *file, const struct osw_live *live)
{
    const struct osw_file_info *i = osw_file_info(file);
    char word[OSW_SHELL_WORD];

    if (live->state == OSW_LIVE_RUNNING)
        osw_log(OSW_LOG_INFO,
                "'%s' is being written by %s: %" PRIu64 " of %" PRIu64
                " cell%s recorded so far",
                i->path, live->who, i->n_results, i->n_planned,
                osw_plural(i->n_planned));
    if (live->state == OSW_LIVE_CUT_OFF)
        osw_log(OSW_LOG_WARNING,
                "'%s' is not there: its run %s, and its journal holds "
                "%" PRIu64 " of %" PRIu64 " cell%s; opsweep run --resume %s %s",
                i->path,
                live->ended ? "ended without writing it" : "was cut off",
                i->n_results, i->n_planned, osw_plural(i->n_planned),
                osw_shell_word(i->path, word),
                live->ended && i->n_results == i->n_planned ? "writes it"
                                                            : "goes on");
}

/* A journal that is damaged, or beside the file that is read and says something
 * else.
 */
static void say_journal(const osw_file_t *file, const struct osw_live *live)
{
    const struct osw_file_info *i = osw_file_info(file);
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_run_status s;

    if (live->state == OSW_LIVE_RUNNING)
        return;
    if (osw_run_status_load(i->path, osw_clock_unix_ns(), &s, &why) < 0) {
        osw_log(OSW_LOG_WARNING, "its journal is not read: %s", why.text);
        return;
    }
    if (live->state == OSW_LIVE_SEALED && s.beside &&
        (s.other_run || s.n_done + s.n_again != i->n_results))
        osw_log(OSW_LOG_WARNING,
                "'%s' is read, with %" PRIu64 " cell%s, and not '%s', which "
                "holds %" PRIu64 "%s",
                i->path, i->n_results, osw_plural(i->n_results), s.journal,
                s.n_done, s.other_run ? " of another run" : "");
    if (s.damage)
        osw_log(OSW_LOG_WARNING, "'%s' is damaged at %s", s.journal, s.damage);
    osw_run_status_free(&s);
}

static int refuse_several(const struct osw_report_format *format, size_t n,
                          struct osw_error *err)
{
    struct osw_text others = OSW_TEXT_INIT;
    const struct osw_report_format *other;

    for (size_t i = 0; (other = osw_report_at(i)); i++)
        if (other->history)
            osw_text_printf(&others, "%s--format %s", others.used ? ", " : "",
                            other->name);
    (void)osw_fail(err, OSW_BAD_INPUT,
                   "format '%s' takes one file, found %zu; several: %s",
                   format->name, n,
                   osw_text_str(&others) ? osw_text_str(&others) : "");
    osw_text_free(&others);
    return -1;
}

static int report_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct report_opts *o = opts;
    const struct osw_report_format *format = osw_report_find(o->format);
    bool several = args->n_operands > 1;
    uint32_t fail_on;
    osw_history_t *history = NULL;
    struct osw_live live;
    osw_file_t *file;
    int rc = -1;

    if (format->files && !o->output)
        return osw_fail(err, OSW_BAD_INPUT,
                        "format '%s' is a folder of files: name it with "
                        "'--output'",
                        format->name);
    if (several && !format->history)
        return refuse_several(format, args->n_operands, err);
    if (several && o->anonymize)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--anonymize' takes one file, found %zu",
                        args->n_operands);
    if (osw_fail_on_states(o->fail_on, &fail_on, err) < 0)
        return -1;
    if (osw_whole_file_apart(o->output, args->operands, 1, err) < 0 ||
        (!format->files &&
         osw_whole_file_fits(o->output, format->name, err) < 0) ||
        osw_run_place_held(o->output, err) < 0)
        return -1;
    file = osw_live_open(args->operands[0], &live, err);
    if (!file)
        return -1;
    say_live(file, &live);
    say_journal(file, &live);
    if (several)
        history = make_history(args, file, o->output, err);
    if (!several || history)
        rc = report_file(o, format, fail_on, file, history, err);
    osw_history_destroy(history);
    osw_file_close(file);
    return rc;
}

extern const struct osw_cmd osw_cmd_report;
const struct osw_cmd osw_cmd_report = {
    .name = "report",
    .topic = "read results",
    .operands = "FILE [FILE|FOLDER ...]",
    .summary = "print what a result file says",
    .details =
        "A run that is going on is read from its journal and is not "
        "disturbed:\n"
        "the report says INCOMPLETE and how many cells are recorded so far.\n"
        "Exit codes: 0 all is well, 1 cells failed (see --fail-on), 2 a file\n"
        "cannot be read, or made by -o, 3 no cell was judged, 4 the run is\n"
        "incomplete or going on, 5 the report cannot be written (a full "
        "disk).\n"
        "LIST: groups pass, fail, error, not-judged, infra, or single states\n"
        "such as value or crash, separated by commas; or none.\n"
        "Format html: files after the first one, or those of folders, are\n"
        "campaigns whose times are shown as lines; what changed is named.\n",
    .min_operands = 1,
    .max_operands = OSW_CLI_MAX_OPERANDS,
    .opts = report_optv,
    .defaults = &report_defaults,
    .opts_size = sizeof(report_defaults),
    .guarded = true,
    .run = report_run,
};
