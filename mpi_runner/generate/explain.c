/* mpi_runner/generate/explain.c - why a kernel fails, or is slow: what
 * `opsweep show` finds out */
#include "mpi_runner/generate/explain.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/log.h"
#include "common/paths.h"
#include "mpi_runner/diagnose/subrun.h"
#include "mpi_runner/generate/profiled.h"

enum {
    MAX_CELL_JSON = 1024 * 1024,
    MAX_REPORT = 1024 * 1024,
    MAX_PROFILE = 16 * 1024 * 1024,
    MAX_LINE = 240,
};

/* Of a search that must not hold the loop up. */
static const char shrink_trials[] = "60", shrink_seconds[] = "4";
#define SHRINK_LIMIT_S   20.0
#define SANITIZE_LIMIT_S 120.0
#define PROFILE_LIMIT_S  60.0

/* --- a sanitizer's report --- */

static const char frame_mark[] = "  in ";

/* A line without "==123== ", "========= ". */
static const char *skip_mark(const char *line)
{
    const char *at = line + strspn(line, "=");

    if (at == line)
        return line;
    at += strspn(at, "0123456789");
    at += strspn(at, "=");
    return *at == ' ' ? at + 1 : at;
}

/* "   at 0x4853252: f (file.c:14)": from f on; else NULL. */
static const char *frame_of(const char *line)
{
    const char *at = line + strspn(line, " ");

    if (strncmp(at, "at 0x", 5) != 0 && strncmp(at, "by 0x", 5) != 0)
        return NULL;
    at = strchr(at, ':');
    return at ? at + 2 : NULL;
}

static bool begins_error(const char *line)
{
    static const char *const words[] = {
        "Invalid ",     "Uninitialized ", "Misaligned ",   "Use of ",
        "Conditional ", "Jump to ",       "Process ",      "Program hit ",
        "Error: ",      "Race reported ", "Barrier error", "Mismatched ",
        "Source and ",  "Syscall ",       "Argument ",     "Illegal "};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static bool ends_error(const char *line)
{
    const char *at = line + strspn(line, " ");

    return !*at || strncmp(at, "</error>", 8) == 0 ||
           strncmp(at, "Saved host", 10) == 0 ||
           strncmp(at, "Host Frame", 10) == 0;
}

/* Places in memory say nothing to a reader. */
static void add_line(const char *line, struct osw_text *out)
{
    for (const char *at; (at = strstr(line, "0x")); line = at) {
        osw_text_add_n(out, line, (size_t)(at - line));
        osw_text_add(out, "...");
        at += 2 + strspn(at + 2, "0123456789abcdefABCDEF");
    }
    osw_text_printf(out, "%s\n", line);
}

void osw_explain_add_report(const char *report, const char *file,
                            struct osw_text *out)
{
    char line[MAX_LINE];
    bool in = false;
    int n = 0;

    for (const char *at = report; *at && n < OSW_EXPLAIN_MAX_LINES;) {
        size_t size = strcspn(at, "\n");
        const char *said, *frame;

        snprintf(line, sizeof(line), "%.*s",
                 (int)(size < MAX_LINE ? size : MAX_LINE - 1), at);
        at += size + (at[size] == '\n');
        said = skip_mark(line);
        if (in && ends_error(said))
            return;
        in = in || begins_error(said);
        frame = frame_of(said);
        if (!in || (frame && !strstr(frame, file)))
            continue;
        if (frame)
            osw_text_add(out, frame_mark);
        add_line(frame ? frame : said, out);
        n++;
    }
}

/* --- a smaller case --- */

static int read_text(osw_arena_t *arena, const osw_json_t *root,
                     const char *key, const char **out, struct osw_error *err)
{
    const osw_json_t *v = osw_json_need(root, key, err);
    const char *text = "";

    if (!v || osw_json_str(v, &text, err) < 0)
        return -1;
    *out = osw_arena_strdup(arena, text);
    return *out ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory for a case");
}

static int read_state(const osw_json_t *root, struct osw_record *r,
                      struct osw_error *err)
{
    const osw_json_t *v = osw_json_need(root, "status", err);
    const char *name = "";
    enum osw_state state;

    if (!v || osw_json_str(v, &name, err) < 0)
        return -1;
    state = osw_state_find(name);
    if (state == OSW_STATE_NONE)
        return osw_json_fail(v, err, "unknown state '%s'", name);
    r->status_id = (uint8_t)state;
    return 0;
}

/* What is unknown is null there, and stays missing. */
static const osw_json_t *known(const osw_json_t *object, const char *key)
{
    const osw_json_t *v = osw_json_get(object, key);

    return osw_json_kind(v) == OSW_JSON_NULL ? NULL : v;
}

static int read_numbers(const osw_json_t *root, struct osw_record *r,
                        struct osw_error *err)
{
    const osw_json_t *first = known(root, "first_bad");
    int64_t signal = 0, output = r->bad_output;

    if (osw_json_i64(known(root, "signal"), &signal, err) < 0 ||
        osw_json_i64(known(root, "n_bad"), &r->n_bad, err) < 0 ||
        osw_json_i64(known(root, "n_elem"), &r->n_elem, err) < 0 ||
        osw_json_i64(known(first, "index"), &r->first_bad, err) < 0 ||
        osw_json_i64(known(first, "output"), &output, err) < 0 ||
        osw_json_f64(known(root, "tol_abs"), &r->tol_abs, err) < 0 ||
        osw_json_f64(known(root, "tol_rel"), &r->tol_rel, err) < 0 ||
        osw_json_f64(known(root, "max_abs_err"), &r->max_abs_err, err) < 0)
        return -1;
    r->signal = (int32_t)signal;
    r->bad_output = (int32_t)output;
    return 0;
}

int osw_explain_read(osw_arena_t *arena, const char *text, size_t n,
                     struct osw_judged_cell *out, struct osw_error *err)
{
    osw_json_t *root = osw_json_parse(text, n, "cell.json", err);
    struct osw_judged_cell cell = {.case_text = NULL};
    int rc = root ? 0 : -1;

    osw_record_init(&cell.record);
    if (rc == 0)
        rc = read_text(arena, root, "case", &cell.case_text, err) < 0 ||
                     read_text(arena, root, "fill", &cell.fill, err) < 0 ||
                     read_text(arena, root, "reason", &cell.record.reason,
                               err) < 0 ||
                     read_text(arena, root, "output", &cell.record.output,
                               err) < 0 ||
                     read_state(root, &cell.record, err) < 0 ||
                     read_numbers(root, &cell.record, err) < 0
                 ? -1
                 : 0;
    osw_json_free(root);
    if (rc == 0)
        *out = cell;
    return rc;
}

/* --- by `opsweep show` --- */

/* What depends on the sizes of a case, and is quickly seen. */
static bool can_shrink(enum osw_state state)
{
    switch (state) {
    case OSW_STATE_VALUE:
    case OSW_STATE_PRECISION:
    case OSW_STATE_NAN:
    case OSW_STATE_SHAPE:
    case OSW_STATE_DTYPE:
    case OSW_STATE_UNWRITTEN:
    case OSW_STATE_GUARD:
    case OSW_STATE_MUTATED:
    case OSW_STATE_RETURNED:
    case OSW_STATE_CUDA:
    case OSW_STATE_CRASH:
        return true;
    default:
        return false;
    }
}

static bool can_sanitize(enum osw_state state)
{
    return state == OSW_STATE_CRASH || state == OSW_STATE_CUDA ||
           state == OSW_STATE_GUARD;
}

struct places {
    char key[24], folder[PATH_MAX], log[PATH_MAX];
};

static struct places name_places(const struct osw_explain_job *job)
{
    const char *run = osw_asked_folder(job->asked);
    struct places p;

    snprintf(p.key, sizeof(p.key), "%016" PRIx64, job->cell->cell_key);
    snprintf(p.folder, sizeof(p.folder), "%s/.waves/explain", run);
    snprintf(p.log, sizeof(p.log), "%s/.waves/explain.log", run);
    return p;
}

/* A case that no prompt may show is no example either. */
static bool is_hidden(const struct osw_task *task,
                      const struct osw_judged_cell *cell)
{
    const struct osw_task_case *c =
        osw_tasks_case(task, cell->case_text, cell->fill);

    return c && c->held_out;
}

static void shrink(const struct osw_explain_job *job,
                   struct osw_explanation *out)
{
    const struct places p = name_places(job);
    const char *const words[] = {"show",
                                 job->cell->file,
                                 p.key,
                                 "--shrink",
                                 "--shrink-trials",
                                 shrink_trials,
                                 "--shrink-seconds",
                                 shrink_seconds,
                                 "--dump",
                                 p.folder,
                                 NULL};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_judged_cell smallest;
    char *text = NULL;
    size_t n;

    osw_paths_remove(p.folder);
    if (osw_subrun_command(words, p.log, SHRINK_LIMIT_S, job->n_stop, &err) ==
            0 &&
        osw_asked_get(job->asked, ".waves/explain/cell.json", MAX_CELL_JSON,
                      &text, &n, &err) == 0 &&
        osw_explain_read(job->arena, text, n, &smallest, &err) == 0 &&
        smallest.record.status_id == job->cell->state &&
        !is_hidden(job->task, &smallest))
        out->smallest = smallest;
    free(text);
    osw_paths_remove(p.folder);
}

/* As osw_subrun_command(), of a tool, without isolation where that is wanted.
 */
static int run_tool(const struct osw_explain_job *job, const char *const *words,
                    const char *log, double limit_s, struct osw_error *err)
{
    static const char variable[] = "OPSWEEP_ISOLATION";
    const char *given = getenv(variable);
    char before[32];
    int rc;

    if (!job->unisolated)
        return osw_subrun_command(words, log, limit_s, job->n_stop, err);
    snprintf(before, sizeof(before), "%s", given ? given : "");
    setenv(variable, "off", 1);
    rc = osw_subrun_command(words, log, limit_s, job->n_stop, err);
    if (given) /* result files keep it */
        setenv(variable, before, 1);
    else
        unsetenv(variable);
    return rc;
}

static void sanitize(const struct osw_explain_job *job,
                     struct osw_explanation *out)
{
    static const char report_name[] = ".waves/explain.report";
    const struct places p = name_places(job);
    char report[PATH_MAX];
    const char *const words[] = {"show", job->cell->file, p.key, "--sanitize",
                                 "-o",   report,          NULL};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;
    char *text = NULL;
    const char *kept = NULL;
    size_t n;
    int rc;

    snprintf(report, sizeof(report), "%s/%s", osw_asked_folder(job->asked),
             report_name);
    rc = run_tool(job, words, p.log, SANITIZE_LIMIT_S, &err);
    if ((rc == 0 || rc == 1) && osw_asked_get(job->asked, report_name,
                                              MAX_REPORT, &text, &n, &err) == 0)
        osw_explain_add_report(text, job->cell->impl, &t);
    /* Without an error (0) it may still say where the process ended. */
    if (t.used && osw_text_str(&t) &&
        (rc == 1 || strstr(osw_text_str(&t), frame_mark)))
        kept = osw_arena_strdup(job->arena, osw_text_str(&t));
    out->sanitizer = kept ? kept : "";
    osw_text_free(&t);
    free(text);
}

static void profile(const struct osw_explain_job *job,
                    struct osw_explanation *out)
{
    const struct places p = name_places(job);
    const char *const words[] = {"show", job->cell->file, p.key, "--profile",
                                 NULL};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;
    char *text = NULL;
    const char *kept = NULL;
    size_t n;
    int rc = run_tool(job, words, p.log, PROFILE_LIMIT_S, &err);

    if (rc < 0)
        snprintf(out->no_profile, sizeof(out->no_profile), "%.255s", err.text);
    else if (rc > 0)
        osw_subrun_last_line(p.log, out->no_profile, sizeof(out->no_profile));
    else if (osw_asked_get(job->asked, ".waves/explain.log", MAX_PROFILE, &text,
                           &n, &err) == 0)
        osw_profiled_add(text, job->code, &t);
    if (t.used && osw_text_str(&t))
        kept = osw_arena_strdup(job->arena, osw_text_str(&t));
    out->profile = kept ? kept : "";
    osw_text_free(&t);
    free(text);
}

bool osw_explain_can(enum osw_state state)
{
    return can_shrink(state) || can_sanitize(state);
}

struct osw_explanation osw_explain(const struct osw_explain_job *job)
{
    struct osw_explanation out = {.sanitizer = "", .profile = ""};

    if (job->cell->state == OSW_STATE_PASS)
        profile(job, &out);
    if (can_shrink(job->cell->state) && !*job->n_stop)
        shrink(job, &out);
    if (job->sanitize && can_sanitize(job->cell->state) && !*job->n_stop)
        sanitize(job, &out);
    return out;
}
