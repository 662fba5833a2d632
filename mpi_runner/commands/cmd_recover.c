/* mpi_runner/commands/cmd_recover.c - opsweep recover: make a file of a journal
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "common/log.h"
#include "common/text.h"
#include "results/file/file.h"
#include "results/file/run.h"
#include "results/journal/journal_verify.h"

static const struct osw_opt recover_optv[] = {{0}};

/* A bad record is told before it is cut off. */
static int warn(const char *path, struct osw_error *err)
{
    struct osw_text dir = OSW_TEXT_INIT;
    struct osw_journal_verdict v;
    int rc = -1;

    osw_text_printf(&dir, "%s.journal", path);
    if (dir.failed)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a path");
    else
        rc = osw_journal_verify(osw_text_str(&dir), &v, err);
    if (rc == 0 && v.state == OSW_JOURNAL_DAMAGED)
        osw_log(OSW_LOG_WARNING,
                "'%s' is damaged at byte %" PRIu64 " of segment %" PRIu32
                ": %s; opsweep journal verify says more",
                osw_text_str(&dir), v.offset, v.segment, v.why);
    osw_text_free(&dir);
    return rc;
}

static int say(const char *path, struct osw_error *err)
{
    osw_file_t *file = osw_file_open(path, err);
    const struct osw_file_info *i;
    int code;

    if (!file)
        return -1;
    i = osw_file_info(file);
    printf("%s: %" PRIu64 " of %" PRIu64 " cells%s\n", path, i->n_results,
           i->n_planned,
           i->complete ? "; complete"
                       : "; opsweep run --resume finishes the run");
    code = i->complete ? 0 : osw_status_exit_code(OSW_INCOMPLETE);
    osw_file_close(file);
    return code;
}

static int recover_run(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    const char *path = args->operands[0];
    osw_run_t *run;
    int rc;

    (void)opts;
    if (warn(path, err) < 0)
        return -1;
    run = osw_run_open(path, 0, NULL, err);
    rc = run ? osw_run_recover(run, err) : -1;
    osw_run_close(run);
    return rc < 0 ? -1 : say(path, err);
}

extern const struct osw_cmd osw_cmd_recover;
const struct osw_cmd osw_cmd_recover = {
    .name = "recover",
    .operands = "FILE",
    .summary = "write FILE from what the journal beside it holds, run nothing",
    .details =
        "For a look at a run that was cut off; the journal stays, and opsweep\n"
        "run --resume FILE finishes it.  A FILE that is there is replaced.\n"
        "Exit codes: 0 the file is complete, 2 no journal, or another opsweep\n"
        "is writing it, 4 cells are missing, 5 I/O error.\n",
    .min_operands = 1,
    .max_operands = 1,
    .opts = recover_optv,
    .guarded = true,
    .run = recover_run,
};
