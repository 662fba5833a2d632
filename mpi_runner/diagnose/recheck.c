/* mpi_runner/diagnose/recheck.c - what can be done with a recorded cell */
#include "mpi_runner/diagnose/recheck.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/arena.h"
#include "common/clock.h"
#include "common/guard.h"
#include "common/paths.h"
#include "common/utf8.h"
#include "mpi_runner/diagnose/dump.h"
#include "mpi_runner/diagnose/instrument.h"
#include "mpi_runner/diagnose/rerun.h"
#include "mpi_runner/diagnose/shrink.h"
#include "ops/record/state.h"
#include "results/file/file_runs.h"

enum {
    BLOCK = 1024, /* elements at a time */
};

struct rechecking {
    const struct osw_recheck *want;
    const osw_file_t *file;
    const struct osw_record *record;
    const char *cell;
    osw_rerun_t *rerun;
    osw_dump_t *dump;
    bool looking;           /* the next run is the one to dump */
    struct osw_record last; /* of the last run */
    bool nan;               /* the reference made a NaN in it */
    /* while it shrinks */
    bool nan_at_first;
    enum osw_state state;
    uint32_t n_trials;
    int64_t until_ns;
};

/* --- options --- */

bool osw_recheck_wanted(const struct osw_recheck *a)
{
    return a->rerun || a->dump || a->shrink || a->sanitize >= 0 ||
           a->profile >= 0;
}

int osw_recheck_check(const struct osw_recheck *a, struct osw_error *err)
{
    bool tool = a->sanitize >= 0 || a->profile >= 0;

    if (a->sanitize >= 0 && a->profile >= 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "options '--sanitize' and '--profile' do not go "
                        "together");
    if (tool && (a->dump || a->shrink))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--%s' does not go together with '--%s': run "
                        "the one, then the other",
                        a->sanitize >= 0 ? "sanitize" : "profile",
                        a->dump ? "dump" : "shrink");
    if (a->output && !tool)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output' needs --sanitize or --profile");
    return 0;
}

/* --- judged again --- */

static bool has_nan(const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i]))
            return true;
    return false;
}

static bool view_has_nan(const struct osw_view *v)
{
    enum osw_dtype_id dtype = v->desc->dtype;
    double block[BLOCK];
    struct osw_walk walk;
    struct osw_run run;
    bool found = false;

    osw_walk_memory(&walk, v->desc);
    while (!found && osw_walk_next(&walk, BLOCK, &run)) {
        osw_view_load(dtype,
                      (const char *)v->data +
                          run.offset * (int64_t)osw_view_elem_bytes(v),
                      run.stride, run.n, block);
        found = has_nan(block, run.n);
    }
    return found;
}

/* Did the reference make a NaN? */
static bool expects_nan(const struct osw_capture *c)
{
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        const struct osw_capture_output *o = &c->outputs[i];

        if (o->exact ? has_nan(o->exact, osw_view_numel(&o->want))
                     : o->want.data && view_has_nan(&o->want))
            return true;
    }
    return false;
}

static void look(void *arg, const struct osw_capture *capture)
{
    struct rechecking *a = arg;

    if (a->looking)
        osw_dump_capture(a->dump, capture);
    if (a->want->shrink)
        a->nan = expects_nan(capture);
}

static int run(struct rechecking *a, const struct osw_case *c,
               struct osw_error *err)
{
    a->nan = false;
    return osw_rerun_run(a->rerun, c, &a->last, err);
}

static void print_reason(const struct rechecking *a)
{
    if (!*a->last.reason)
        return;
    osw_utf8_put_visible(stdout, a->last.reason, strlen(a->last.reason));
    putchar('\n');
}

static void print_verdict(const struct rechecking *a)
{
    enum osw_state was = a->record->status_id, is = a->last.status_id;

    if (was == is)
        printf("\nagain, here: %s, as in the file\n", osw_state_name(is));
    else
        printf("\nagain, here: %s; in the file: %s\n", osw_state_name(is),
               osw_state_name(was));
    print_reason(a);
    fflush(stdout);
}

static int run_first(struct rechecking *a, struct osw_error *err)
{
    a->looking = a->dump && !a->want->shrink;
    if (run(a, NULL, err) < 0)
        return -1;
    osw_rerun_warn(a->rerun);
    print_verdict(a);
    if (a->last.status_id == OSW_STATE_SKIPPED)
        return osw_fail(err, OSW_NOTHING, "the cell cannot be judged here: %s",
                        a->last.reason);
    return 0;
}

/* --- shrunk --- */

/* States that say that the op does not take such a case. */
static bool is_refused(enum osw_state state)
{
    return state == OSW_STATE_REFERENCE || state == OSW_STATE_UNSUPPORTED ||
           state == OSW_STATE_SKIPPED;
}

/* A reference that does not check its sizes reads beyond a tensor that shrank
 * alone, into the guard around it, which is NaN.
 */
static enum osw_shrink_answer answer_of(const struct rechecking *a)
{
    if (a->nan && !a->nan_at_first)
        return OSW_SHRINK_UNFIT;
    if (a->last.status_id == a->state)
        return OSW_SHRINK_SAME;
    return is_refused(a->last.status_id) ? OSW_SHRINK_UNFIT : OSW_SHRINK_OTHER;
}

static int ask(void *arg, const struct osw_case *c,
               enum osw_shrink_answer *answer, struct osw_error *err)
{
    struct rechecking *a = arg;
    struct osw_error why = OSW_ERROR_INIT;

    *answer = OSW_SHRINK_STOP;
    if (osw_clock_ns() >= a->until_ns)
        return 0;
    a->n_trials++;
    if (run(a, c, &why) < 0 && why.status != OSW_BAD_INPUT)
        return osw_fail(err, why.status, "%s", why.text);
    /* A case that cannot even be bound to the op's arguments is no case. */
    *answer = why.status == OSW_OK ? answer_of(a) : OSW_SHRINK_UNFIT;
    if (*answer == OSW_SHRINK_SAME) {
        printf("%6" PRIu32 "  %s\n", a->n_trials,
               osw_rerun_case_text(a->rerun));
        fflush(stdout);
    }
    return 0;
}

static int print_command(const struct rechecking *a, const char *intro,
                         const char *fill, struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    int rc = osw_rerun_command(a->file, a->record,
                               osw_rerun_case_text(a->rerun), fill, &t, err);

    if (rc == 0 && !osw_text_str(&t))
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the command");
    if (rc == 0)
        printf("%s:\n%s\n", intro, osw_text_str(&t));
    fflush(stdout); /* an error may follow, on the other stream */
    osw_text_free(&t);
    return rc;
}

/* Random numbers in their place can be made of any size. */
static int refuse_made(const struct rechecking *a, struct osw_error *err)
{
    if (print_command(a, "a case of random numbers, which can be shrunk", "",
                      err) < 0)
        return -1;
    return osw_fail(err, OSW_NOTHING,
                    "nothing to shrink: code makes the inputs of this case "
                    "(gen_input.py or torch's op database), and of no other "
                    "size; --case, or gen_input.json, gives one that can be "
                    "shrunk");
}

static int can_shrink(const struct rechecking *a, struct osw_error *err)
{
    enum osw_state_group group = osw_state_group(a->state);

    if (group != OSW_GROUP_FAIL && group != OSW_GROUP_ERROR)
        return osw_fail(err, OSW_NOTHING,
                        "nothing to shrink: the cell does not fail here, it "
                        "ends as '%s'",
                        osw_state_name(a->state));
    if (strstr(osw_rerun_fill(a->rerun), "drawn(") ||
        strstr(osw_rerun_fill(a->rerun), "independent("))
        return refuse_made(a, err);
    if (osw_state_scope(a->state) == OSW_SCOPE_IMPL)
        return osw_fail(err, OSW_NOTHING,
                        "nothing to shrink: '%s' does not depend on the case",
                        osw_state_name(a->state));
    return 0;
}

/* The smallest case once more: for its words, and to look at it. */
static int show_smallest(struct rechecking *a,
                         const struct osw_shrink_result *result,
                         struct osw_error *err)
{
    a->looking = a->dump != NULL;
    if (run(a, &result->smallest, err) < 0)
        return -1;
    printf("\nthe smallest of %" PRIu32
           " cases tried that ends as '%s'%s%s:\n%s\n",
           result->n_trials, osw_state_name(a->state),
           result->smaller ? "" : ", the cell's own",
           result->finished ? "" : "; more could be tried",
           osw_rerun_case_text(a->rerun));
    if (a->last.status_id != a->state)
        printf("but not each time: now it ended as '%s'\n",
               osw_state_name(a->last.status_id));
    print_reason(a);
    return print_command(a, "run it again", osw_rerun_fill(a->rerun), err);
}

static int shrink(struct rechecking *a, struct osw_error *err)
{
    struct osw_shrink_result result;
    struct osw_shrink_job job = {
        .memory = osw_arena_create(),
        .start = osw_rerun_case(a->rerun),
        .max_trials = (uint32_t)a->want->shrink_trials,
        .ask = ask,
        .arg = a,
    };
    int rc = -1;

    a->state = a->last.status_id;
    a->nan_at_first = a->nan;
    a->until_ns = osw_clock_ns() + (int64_t)(a->want->shrink_s * 1e9);
    if (!job.memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for smaller cases");
    if (can_shrink(a, err) == 0) {
        printf("\nshrinking, at most %" PRIu64 " trial%s and %g s\n",
               a->want->shrink_trials, osw_plural(a->want->shrink_trials),
               a->want->shrink_s);
        if (osw_shrink(&job, &result, err) == 0)
            rc = show_smallest(a, &result, err);
    }
    osw_arena_destroy(job.memory);
    return rc;
}

/* --- dumped --- */

static int finish_dump(const struct rechecking *a, struct osw_error *err)
{
    const osw_file_t *file = a->file;
    struct osw_text command = OSW_TEXT_INIT;
    struct osw_dump_about about = {
        .op = osw_file_text(file, OSW_DICT_OP, a->record->op_id),
        .impl = osw_file_text(file, OSW_DICT_IMPL, a->record->impl_id),
        .case_text = osw_rerun_case_text(a->rerun),
        .fill = osw_rerun_fill(a->rerun),
        .device = osw_rerun_device(a->rerun),
        .record = &a->last,
    };
    struct osw_file_run run;
    int rc = osw_file_run_of(file, a->record, &run, err);

    if (rc == 0) {
        about.seed = run.seed;
        rc = osw_rerun_command(file, a->record, about.case_text, about.fill,
                               &command, err);
    }
    about.command = osw_text_str(&command);
    if (rc == 0 && !about.command)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the command");
    if (rc == 0)
        rc = osw_dump_finish(a->dump, &about, err);
    if (rc == 0)
        printf("\ntensors are in %s, cell.json there says which\n",
               a->want->dump);
    osw_text_free(&command);
    return rc;
}

/* --- under a tool --- */

/* Calls that may each take their whole deadline, and what loading takes. */
enum { CALLS = 4, LOADING_S = 120 };

/* This very command, with nothing but the run in it. */
static int run_under(const struct rechecking *a, const char *tool,
                     double timeout_s, const char *device,
                     struct osw_error *err)
{
    const char *self = osw_paths_self(err);
    char timeout[40];
    const char *command[] = {self,    "show", "--rerun",
                             timeout, "--",   osw_file_info(a->file)->path,
                             a->cell, NULL};
    const struct osw_instrument_job job = {.tool = tool,
                                           .device = device,
                                           .command = command,
                                           .output = a->want->output,
                                           .out = stdout,
                                           .limit_s =
                                               CALLS * timeout_s + LOADING_S};
    int found;

    if (!self)
        return -1;
    snprintf(timeout, sizeof(timeout), "--timeout=%.0f", timeout_s + 1);
    printf("\nunder %s:\n", tool);
    found = osw_instrument_run(&job, err);
    if (found < 0)
        return -1;
    if (a->want->output)
        printf("report: %s\n", a->want->output);
    if (a->want->sanitize >= 0)
        printf("%s: %s\n", tool, found ? "errors found" : "no errors found");
    return found;
}

/* Tools follow opsweep's own process for native code; a Python interpreter
 * would take minutes to start under valgrind, and is not looked at on a GPU.
 */
static int refuse_python(const struct rechecking *a, const char *tool,
                         const char *device, struct osw_error *err)
{
    const char *path = osw_rerun_python(a->rerun, strcmp(device, "cpu") == 0);

    return path ? osw_fail(err, OSW_BAD_INPUT,
                           "'%s' looks at native code: '%s' is Python", tool,
                           path)
                : 0;
}

/* Run without the tool first: what is to be built is built then, and what
 * cannot run is told without delay.
 */
static int instrument(struct rechecking *a, struct osw_error *err)
{
    const char *tool = a->want->sanitize >= 0
                           ? osw_instrument_sanitizers[a->want->sanitize]
                           : osw_instrument_profilers[a->want->profile];
    char device[32];
    double timeout_s;

    snprintf(device, sizeof(device), "%s", osw_rerun_device(a->rerun));
    if (osw_instrument_check(tool, device, err) < 0 || run_first(a, err) < 0 ||
        refuse_python(a, tool, device, err) < 0)
        return -1;
    timeout_s = osw_rerun_deadline_s(a->rerun, OSW_INSTRUMENT_SLOWDOWN);
    osw_rerun_destroy(a->rerun); /* the device is the tool's now */
    a->rerun = NULL;
    return run_under(a, tool, timeout_s, device, err);
}

/* --- all of it --- */

static int run_all(struct rechecking *a, struct osw_error *err)
{
    const struct osw_recheck *w = a->want;

    if (w->sanitize >= 0 || w->profile >= 0)
        return instrument(a, err);
    if (run_first(a, err) < 0 || (w->shrink && shrink(a, err) < 0))
        return -1;
    return a->dump ? finish_dump(a, err) : 0;
}

int osw_recheck_run(const struct osw_recheck *want, const osw_file_t *file,
                    const struct osw_record *record, const char *cell,
                    struct osw_error *err)
{
    struct rechecking a = {
        .want = want, .file = file, .record = record, .cell = cell};
    const struct osw_rerun_job job = {
        .file = file,
        .record = record,
        .timeout_s = want->timeout_s,
        .capture = want->dump || want->shrink ? look : NULL,
        .capture_arg = &a};
    int rc = -1;

    if (osw_state_is_folder(record->status_id, record->phase_id))
        return osw_fail(err, OSW_NOTHING,
                        "nothing to judge: the cell stands for an op folder "
                        "whose cases could not be read; the campaign's command "
                        "above reads it again");
    osw_guard_ceilings(false); /* sandboxes would have them too */
    if (want->dump) {
        a.dump = osw_dump_create(want->dump, err);
        if (!a.dump)
            return -1;
    }
    a.rerun = osw_rerun_create(&job, err);
    osw_guard_ceilings(false); /* and the file has been read */
    if (a.rerun)
        rc = run_all(&a, err);
    osw_rerun_destroy(a.rerun);
    osw_dump_destroy(a.dump);
    return rc;
}
