/* mpi_runner/commands/cmd_repeat.c - opsweep repeat: is it real? */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/paths.h"
#include "common/text.h"
#include "mpi_runner/campaign/backend_ops.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/diagnose/find_cell.h"
#include "mpi_runner/diagnose/rerun.h"
#include "mpi_runner/diagnose/subrun.h"
#include "mpi_runner/ranks/launch.h"
#include "ops/record/state.h"
#include "results/compare/compare_floor.h"
#include "results/compare/stats.h"
#include "results/file/file_runs.h"
#include "results/file/file_sources.h"

enum { MAX_RUNS = 1000, MAX_PATH = 256 };
#define DEVIATION_OF_MAD 1.4826 /* of normal values */
#define HALF_95          1.96
#define LEVEL            0.95 /* of the interval for the recorded time */

struct repeat_opts {
    uint64_t n;
    const char *profile;
};

static const struct repeat_opts repeat_defaults = {.n = 20};

#define AT(field) offsetof(struct repeat_opts, field)
static const struct osw_opt repeat_optv[] = {
    {"runs", OSW_OPT_U64, AT(n), "how often", .letter = 'n', .value = "N",
     .least = 1, .most = MAX_RUNS},
    {"profile", OSW_OPT_STR, AT(profile),
     "how hard to measure: smoke, sweep, precise or correct [that of the file]",
     .value = "NAME", .words = osw_campaign_profile},
    {0},
};
#undef AT

/* What a run made of the cell. */
struct outcome {
    enum osw_state state;
    double ns, half; /* median, half width of its interval; NaN: no time */
};

struct repeat {
    const osw_file_t *file;
    struct osw_record record; /* as it was recorded */
    char folder[64];
    char root[MAX_PATH];  /* op folders */
    struct outcome *runs; /* [n] */
    size_t n;
    double noise; /* of two launches, in log: half a 95 % interval */
    const volatile sig_atomic_t *n_stop;
    bool stopped; /* by Ctrl-C */
};

/* --- running --- */

/* The coordinator's worker alone, or those of a collective op besides.  Files
 * before schema 1.5 do not say how many.
 */
static uint32_t ranks_for(osw_arena_t *arena, const struct osw_campaign *c,
                          const struct repeat *r, const char *name)
{
    struct osw_error none = OSW_ERROR_INIT; /* the run itself says it */
    struct osw_backend_ops ops;
    const struct osw_op *op = osw_backend_ops_load(arena, c, &ops, &none) == 0
                                  ? osw_catalog_find(&ops.catalog, name)
                                  : NULL;

    if (r->record.world > 1)
        return r->record.world + 1;
    return op && op->world > 1 ? (uint32_t)op->world + 1 : 1;
}

/* The file's campaign, cut down to the cell. */
static int cut_down(struct repeat *r, osw_arena_t *arena, const char *profile,
                    struct osw_text *out, struct osw_error *err)
{
    const struct osw_file_info *info = osw_file_info(r->file);
    struct osw_campaign_opts opts = OSW_CAMPAIGN_DEFAULTS;
    struct osw_file_run run;
    struct osw_campaign c;
    const char *text;
    char key[24];

    if (osw_file_run_of(r->file, &r->record, &run, err))
        return -1;
    text = run.campaign_resolved;
    if (osw_campaign_read(arena, "/campaign/resolved", text, strlen(text), NULL,
                          &opts, err) < 0)
        return osw_error_in(err, "'%s'", info->path);
    opts.ops = osw_file_text(r->file, OSW_DICT_OP, r->record.op_id);
    opts.impls = osw_file_text(r->file, OSW_DICT_IMPL, r->record.impl_id);
    opts.given_case = osw_file_text(r->file, OSW_DICT_CASE, r->record.case_id);
    opts.fill = osw_file_text(r->file, OSW_DICT_FILL, r->record.fill_id);
    snprintf(key, sizeof(key), "0x%016" PRIx64, r->record.cell_key);
    if (r->record.world > 1)
        opts.cells = key; /* others have the same words, but for the world */
    opts.traces.n = 0;
    opts.output = NULL;
    opts.ranks = 1;
    if (profile)
        opts.profile = profile;
    if (opts.library && access(opts.library, R_OK) < 0)
        opts.library = NULL; /* recorded elsewhere: the one that is here */
    if (osw_campaign_make(arena, &opts, NULL, 1, &c, err) < 0 ||
        osw_campaign_check_root(&c, false, err) < 0)
        return -1;
    snprintf(r->root, sizeof(r->root), "%s", osw_campaign_root(&c));
    c.ranks = ranks_for(arena, &c, r, opts.ops);
    osw_campaign_dump(&c, out);
    return osw_text_str(out) ? 0
                             : osw_fail(err, OSW_NO_MEMORY,
                                        "no memory for a "
                                        "campaign");
}

/* Once: is it the code of the file? */
static void warn_sources(const struct repeat *r, const osw_file_t *ran)
{
    struct osw_run_source *list = NULL;
    struct osw_error unused = OSW_ERROR_INIT;
    size_t n = 0;

    if (osw_file_sources(ran, &list, &n, &unused) == 0)
        osw_rerun_warn_sources(r->file, list, n, r->root);
    free(list);
}

static int read_outcome(const struct repeat *r, const char *path,
                        struct outcome *out, struct osw_error *err)
{
    osw_file_t *file = osw_file_open(path, err);
    struct osw_record record;
    char key[24];
    uint64_t row;
    int rc = -1;

    snprintf(key, sizeof(key), "0x%016" PRIx64, r->record.cell_key);
    if (file && osw_find_cell(file, key, &row, err) == 0 &&
        osw_file_records(file, row, 1, &record, err) == 0) {
        *out = (struct outcome){
            .state = (enum osw_state)record.status_id,
            .ns = record.t_median_ns,
            .half = (record.t_ci_hi_ns - record.t_ci_lo_ns) / 2};
        if (out == r->runs)
            warn_sources(r, file);
        rc = 0;
    }
    osw_file_close(file);
    return rc;
}

static void print_time(const struct outcome *o)
{
    if (isnan(o->ns))
        return;
    printf("  %12.4f us", o->ns / 1e3);
    if (!isnan(o->half))
        printf("  +- %.2f %%", 100 * o->half / o->ns);
}

/* Ctrl-C ends the run at work, too: it is in the terminal's group. */
static bool is_stopped(struct repeat *r, size_t n_ended)
{
    r->stopped = *r->n_stop > 0;
    if (r->stopped)
        r->n = n_ended;
    return r->stopped;
}

static int run_all(struct repeat *r, struct osw_error *err)
{
    char campaign[MAX_PATH], file[MAX_PATH], log[MAX_PATH];

    snprintf(campaign, sizeof(campaign), "%s/cell.json", r->folder);
    snprintf(file, sizeof(file), "%s/cell.h5", r->folder);
    snprintf(log, sizeof(log), "%s/cell.log", r->folder);
    for (size_t i = 0; i < r->n && !is_stopped(r, i); i++) {
        if (osw_subrun(campaign, file, log, r->n_stop, err) < 0 ||
            read_outcome(r, file, &r->runs[i], err) < 0) {
            if (!is_stopped(r, i))
                return -1;
            *err = (struct osw_error)OSW_ERROR_INIT;
            break;
        }
        printf("run %4zu  %-10s", i + 1, osw_state_name(r->runs[i].state));
        print_time(&r->runs[i]);
        putchar('\n');
        fflush(stdout);
    }
    osw_paths_remove(r->folder);
    return 0;
}

/* --- what it comes to --- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Does every run end as recorded? */
static bool say_states(const struct repeat *r)
{
    size_t n[256] = {0}, same;

    for (size_t i = 0; i < r->n; i++)
        n[r->runs[i].state]++;
    same = n[r->record.status_id];
    printf("%zu of %zu run%s ended as recorded (%s)", same, r->n,
           osw_plural(r->n),
           osw_state_name((enum osw_state)r->record.status_id));
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        if (osw_state_at(i) != (enum osw_state)r->record.status_id &&
            n[osw_state_at(i)])
            printf(", %zu %s", n[osw_state_at(i)],
                   osw_state_name(osw_state_at(i)));
    putchar('\n');
    return same == r->n;
}

/* Half the width of the interval for one more run, in log: runs of the same
 * code differ by the noise of such times, if not by more.
 */
static double half_of_next(const struct repeat *r, const double *v, size_t n)
{
    float *logs = malloc(n * sizeof(*logs) + 1);
    double half = INFINITY;

    for (size_t i = 0; logs && i < n; i++)
        logs[i] = (float)log(v[i]);
    if (logs)
        half = osw_stats_next(logs, n, r->noise / (HALF_95 * sqrt(2)), LEVEL);
    free(logs);
    return half;
}

/* Is the recorded time one more of v[n], in rising order? */
static bool say_recorded(const struct repeat *r, const double *v, size_t n,
                         double middle)
{
    double was = r->record.t_median_ns, half, off = log(was / middle);
    bool within = was >= v[0] && was <= v[n - 1];

    printf("recorded       %.4f us, %+.2f %%: ", was / 1e3,
           100 * (was / middle - 1));
    if (n == 1 || within) {
        puts(n == 1 ? "one run does not tell" : "within these runs");
        return true;
    }
    half = half_of_next(r, v, n);
    within = fabs(off) <= half;
    printf("%s +- %.1f %%, the noise of %zu runs\n",
           within ? "within" : "not one of these runs: outside",
           100 * expm1(half), n);
    return within;
}

/* Is the recorded time one of these?  True where there is nothing to tell. */
static bool say_times(const struct repeat *r, double *v, double *half)
{
    double middle, spread;
    size_t n = 0, m = 0;

    for (size_t i = 0; i < r->n; i++) {
        if (!isnan(r->runs[i].ns))
            v[n++] = r->runs[i].ns;
        if (!isnan(r->runs[i].half))
            half[m++] = r->runs[i].half / r->runs[i].ns;
    }
    if (n == 0)
        return true;
    middle = median(v, n);
    printf("median of %zu run%s %.4f us", n, osw_plural(n), middle / 1e3);
    if (n > 1)
        printf(", %.4f .. %.4f us", v[0] / 1e3, v[n - 1] / 1e3);
    putchar('\n');
    if (m > 0)
        printf("within a run   %6.2f %%  (median half width of the 95 %% "
               "interval)\n",
               100 * median(half, m));
    for (size_t i = 0; i < n; i++)
        half[i] = fabs(v[i] - middle);
    spread = DEVIATION_OF_MAD * median(half, n);
    if (n > 1)
        printf("between runs   %6.2f %%  (deviation of medians)\n",
               100 * spread / middle);
    return isnan(r->record.t_median_ns) || say_recorded(r, v, n, middle);
}

static int judge(const struct repeat *r, struct osw_error *err)
{
    double *v = malloc(2 * r->n * sizeof(*v) + 1);
    bool real;

    if (!v)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu runs", r->n);
    if (r->stopped)
        printf("stopped after %zu run%s\n", r->n, osw_plural(r->n));
    real = say_states(r);
    real = say_times(r, v, v + r->n) && real;
    free(v);
    if (r->stopped)
        return osw_status_exit_code(OSW_INCOMPLETE);
    return real ? 0 : osw_status_exit_code(OSW_FAILED);
}

/* --- the command --- */

/* By how much launches of the cell's code differ; of several devices of its
 * model the larger noise counts.
 */
static int find_noise(struct repeat *r, struct osw_error *err)
{
    size_t n;
    const struct osw_file_device *d = osw_file_devices(r->file, &n);
    struct osw_compare_floor *floors = osw_compare_floors(r->file, err);
    struct osw_compare_floor floor = {NAN, NAN};

    if (!floors)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (d[i].device_id == r->record.device_id) {
            floor.ns = fmax(floor.ns, floors[i].ns);
            floor.part = fmax(floor.part, floors[i].part);
        }
    free(floors);
    r->noise = (double)osw_compare_floor_noise(&floor, r->record.t_median_ns);
    return 0;
}

static int prepare(struct repeat *r, const char *profile, struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_text text = OSW_TEXT_INIT;
    char path[MAX_PATH];
    int rc = -1;

    snprintf(r->folder, sizeof(r->folder), "/tmp/opsweep-repeat.XXXXXX");
    r->runs = calloc(r->n, sizeof(*r->runs));
    if (!arena || !r->runs) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for %zu runs", r->n);
    } else if (cut_down(r, arena, profile, &text, err) == 0) {
        if (!mkdtemp(r->folder)) {
            osw_fail_sys(err, errno, "cannot make a folder in /tmp");
        } else {
            snprintf(path, sizeof(path), "%s/cell.json", r->folder);
            rc = osw_subrun_write(path, osw_text_str(&text), err);
        }
    }
    osw_text_free(&text);
    osw_arena_destroy(arena);
    return rc;
}

static int repeat(struct repeat *r, const char *profile, struct osw_error *err)
{
    struct outcome was = {(enum osw_state)r->record.status_id,
                          r->record.t_median_ns,
                          (r->record.t_ci_hi_ns - r->record.t_ci_lo_ns) / 2};
    int rc;

    r->n_stop = osw_launch_count_stops();
    if (find_noise(r, err) < 0 || prepare(r, profile, err) < 0)
        return -1;
    printf("%s/%s %s\nrecorded  %-10s",
           osw_file_text(r->file, OSW_DICT_OP, r->record.op_id),
           osw_file_text(r->file, OSW_DICT_IMPL, r->record.impl_id),
           osw_file_text(r->file, OSW_DICT_CASE, r->record.case_id),
           osw_state_name(was.state));
    print_time(&was);
    putchar('\n');
    rc = run_all(r, err);
    return rc < 0 ? rc : judge(r, err);
}

static int repeat_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct repeat_opts *o = opts;
    struct repeat r = {.n = o->n};
    osw_file_t *file;
    uint64_t row;
    int rc = -1;

    file = osw_file_open(args->operands[0], err);
    if (!file)
        return -1;
    r.file = file;
    if (osw_find_cell(file, args->operands[1], &row, err) == 0 &&
        osw_file_records(file, row, 1, &r.record, err) == 0)
        rc = osw_state_is_folder(r.record.status_id, r.record.phase_id)
                 ? osw_fail(err, OSW_BAD_INPUT,
                            "nothing to repeat: the cell stands for an op "
                            "folder whose cases could not be read")
                 : repeat(&r, o->profile, err);
    free(r.runs);
    osw_file_close(file);
    return rc;
}

extern const struct osw_cmd osw_cmd_repeat;
const struct osw_cmd osw_cmd_repeat = {
    .name = "repeat",
    .topic = "compare campaigns",
    .operands = "FILE CELL",
    .summary = "run a recorded cell again and again: is it real?",
    .details =
        "Each run is a campaign of its own, with fresh processes.  CELL: a\n"
        "row, a cell key, OP/IMPL or OP/IMPL/INDEX, as for `opsweep show`.\n"
        "Exit codes: 0 all runs ended as recorded, and its time is one of\n"
        "theirs; 1 not so; 2 bad input; 4 a run did not come to its end, or\n"
        "Ctrl-C: runs that ended are summed up.  Another time is one outside\n"
        "all runs and of the 95 % interval for one more (Student's t, so that\n"
        "few runs say less), where runs differ by the noise that `compare`\n"
        "assumes at least.  One run does not tell.\n",
    .min_operands = 2,
    .max_operands = 2,
    .opts = repeat_optv,
    .defaults = &repeat_defaults,
    .opts_size = sizeof(repeat_defaults),
    .guarded = true,
    .run = repeat_run,
};
