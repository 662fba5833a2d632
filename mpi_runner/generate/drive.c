/* mpi_runner/generate/drive.c - the loop: ask, judge what is ready, choose */
#include "mpi_runner/generate/drive.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json_out.h"
#include "common/log.h"
#include "mpi_runner/generate/confine.h"
#include "mpi_runner/generate/drive_parts.h"
#include "mpi_runner/generate/final.h"
#include "mpi_runner/generate/prompt.h"
#include "mpi_runner/generate/rows.h"

static const char stop_hint[] =
    "stopped; to go on: opsweep generate --resume %s";

/* A reply ends the wait at once, the end of a campaign does not. */
enum { POLL_MS = 20, JUDGING_POLL_MS = 5 };

static const char unmeasured[] = "not measured yet";
static const char device_file[] = "device.txt";
static const char ended[] = "asking ended";

static int no_memory(const struct drive *d)
{
    return osw_fail(d->err, OSW_NO_MEMORY, "no memory for a run");
}

/* --- asking --- */

static int make_prompt(struct drive *d, size_t i, uint32_t parent,
                       struct osw_text *out)
{
    const struct osw_drive_op *op = &d->result->ops[i];
    char *code = NULL, *feedback = NULL, file[32];
    size_t n;
    int rc = 0;
    struct osw_prompt p = {
        .task = op->task,
        .lang = d->config->lang,
        .templates = d->config->templates,
        .cases = d->states[i].cases,
        .device = d->device,
        .attempts = op->log->attempts,
        .n_attempts = op->log->n,
        .parent = parent,
    };

    osw_drive_kernel_file(d, file);
    if (parent)
        rc = osw_drive_get(d, op->task, parent, file, &code, &n) < 0 ||
                     osw_drive_get(d, op->task, parent, "feedback.txt",
                                   &feedback, &n) < 0
                 ? -1
                 : 0;
    p.code = code;
    p.feedback = feedback;
    if (rc == 0)
        rc = osw_prompt_make(&p, out, d->err);
    free(code);
    free(feedback);
    return rc;
}

static bool affordable(const struct drive *d, double most)
{
    return d->config->max_cost <= 0 ||
           osw_asked_spent(d->asked) + most <= d->config->max_cost;
}

static void name_file(const osw_asked_t *asked, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.h5", osw_asked_folder(asked),
             OSW_FINAL_FILE);
}

/* The last campaign of an earlier session is not the last one any more. */
static int forget_last(struct drive *d)
{
    char path[PATH_MAX];

    name_file(d->asked, path);
    return unlink(path) == 0 || errno == ENOENT
               ? 0
               : osw_fail_sys(d->err, errno, "cannot remove '%s'", path);
}

/* 1: it was asked; 0: there is no money for it; or -1. */
static int ask(struct drive *d, size_t i, uint32_t parent)
{
    struct osw_drive_op *op = &d->result->ops[i];
    struct osw_api_request request = {.op = (uint32_t)i,
                                      .number = (uint32_t)op->log->n + 1};
    struct osw_text prompt = OSW_TEXT_INIT;
    struct osw_ask note = {.reserved = 0};
    int rc = make_prompt(d, i, parent, &prompt);

    if (rc == 0) {
        note.reserved = osw_price_most(&d->config->price, prompt.used,
                                       d->config->api_config.max_tokens);
        osw_asked_sha256(prompt.data, prompt.used, note.prompt_sha256);
    }
    if (rc == 0 && !affordable(d, note.reserved)) {
        osw_text_free(&prompt);
        return 0;
    }
    osw_drive_folder(op->task, request.number, request.folder);
    if (rc == 0)
        rc = osw_drive_put_text(d, op->task, request.number, "prompt.txt",
                                &prompt);
    osw_text_free(&prompt);
    if (rc < 0 || forget_last(d) < 0 ||
        osw_asked_note_ask(d->asked, op->log, parent, &note, d->err) < 0 ||
        osw_asker_submit(&d->asker, &request, d->err) < 0)
        return -1;
    return 1;
}

/* What one op wants next.  1: something was asked for; 0; -1. */
static int advance(struct drive *d, size_t i)
{
    struct osw_drive_op *op = &d->result->ops[i];
    struct osw_search_choice c;
    int rc;

    if (op->why || d->asker.n_busy >= d->config->concurrency)
        return 0;
    if (!d->states[i].cases || !d->device) {
        if (d->result->out_of_money)
            op->why = ended;
        return 0;
    }
    c = osw_search_next(&d->config->rules, op->log->attempts, op->log->n);
    if (c.what == OSW_SEARCH_STOP)
        op->why = c.why;
    if (c.what != OSW_SEARCH_ASK)
        return 0;
    if (d->result->out_of_money) {
        op->why = ended;
        return 0;
    }
    if (d->states[i].unexplained[c.parent]) {
        if (d->judging)
            return 0; /* times would suffer */
        if (osw_drive_explain(d, i, c.parent) < 0)
            return -1;
    }
    rc = ask(d, i, c.parent);
    if (rc == 0) {
        op->why = "the money is spent";
        d->result->out_of_money = true;
        snprintf(d->result->why, sizeof(d->result->why),
                 "the next request could exceed --max-cost");
    }
    return rc;
}

static int ask_all(struct drive *d)
{
    bool asked = true;

    /* One each in turn: an op with many starts does not hold others up. */
    while (asked && !*d->config->n_stop) {
        asked = false;
        for (size_t i = 0; i < d->tasks->n; i++) {
            int rc = advance(d, i);

            if (rc < 0)
                return -1;
            asked = asked || rc == 1;
        }
    }
    return 0;
}

/* --- what prompts say of cases and device --- */

static void name_cases(const struct osw_task *task, char out[OSW_API_MAX_PATH])
{
    snprintf(out, OSW_API_MAX_PATH, "%s/cases.txt", task->label);
}

static int put_device(struct drive *d, const char *device)
{
    d->device = strdup(device);
    return d->device ? osw_asked_put(d->asked, device_file, device,
                                     strlen(device), d->err)
                     : no_memory(d);
}

/* item NULL: there is no baseline to measure. */
static int put_cases(struct drive *d, size_t i,
                     const struct osw_wave_item *item)
{
    const struct osw_task *task = &d->tasks->at[i];
    char name[OSW_API_MAX_PATH];
    struct osw_text text = OSW_TEXT_INIT;

    name_cases(task, name);
    osw_prompt_add_cases(task, item ? item->cells : NULL,
                         item ? item->n_cells : 0, &text);
    d->states[i].cases =
        osw_text_str(&text) ? strdup(osw_text_str(&text)) : NULL;
    osw_text_free(&text);
    return d->states[i].cases
               ? osw_asked_put(d->asked, name, d->states[i].cases,
                               strlen(d->states[i].cases), d->err)
               : no_memory(d);
}

/* --- judging --- */

static void reset_wave(struct drive *d)
{
    free(d->wave.items);
    osw_arena_destroy(d->wave.arena);
    d->wave = (struct osw_wave){.tasks = d->tasks,
                                .asked = d->asked,
                                .arena = osw_arena_create(),
                                .seed = d->tasks->campaign.seed,
                                .series = &d->series};
}

static int start_wave(struct drive *d, const char *name)
{
    d->wave_start_ns = osw_clock_ns();
    if (osw_wave_start(&d->wave, name, d->err) < 0)
        return -1;
    d->judging = true;
    return 0;
}

/* A number that no earlier session has taken: its campaign may still be ending.
 */
static void name_wave(struct drive *d, char *name, size_t size)
{
    char path[PATH_MAX];

    do {
        snprintf(name, size, ".waves/%04zu", ++d->wave_number);
        snprintf(path, sizeof(path), "%s/%s.json", osw_asked_folder(d->asked),
                 name);
    } while (access(path, F_OK) == 0);
}

static void add_item(struct drive *d, size_t i, uint32_t number,
                     const char *impl)
{
    struct osw_wave_item *item = &d->wave.items[d->wave.n++];

    item->task = d->result->ops[i].task;
    item->number = number;
    snprintf(item->impl, sizeof(item->impl), "%.60s", impl);
}

static bool waits_for_baseline(const struct drive *d, size_t i)
{
    return !d->states[i].cases && !d->result->ops[i].why;
}

static void add_attempts(struct drive *d, size_t i)
{
    for (uint32_t k = 1; k <= OSW_ATTEMPT_MAX; k++)
        if (d->states[i].impls[k])
            add_item(d, i, k, d->states[i].impls[k]);
}

/* What prompts say of an op comes from its baseline.  A half of those that can
 * be asked for at a time: asking begins while the others are measured.
 */
static void add_baselines(struct drive *d)
{
    size_t n = (d->config->concurrency + 1) / 2;

    for (size_t i = 0; i < d->tasks->n && n > 0; i++)
        if (waits_for_baseline(d, i)) {
            add_item(d, i, 0, d->tasks->at[i].baseline);
            n--;
        }
}

/* All that is ready, in one campaign. */
static int judge_ready(struct drive *d)
{
    char name[32];
    size_t n = 0;

    for (size_t i = 0; i < d->tasks->n; i++)
        n += d->states[i].n_ready + waits_for_baseline(d, i);
    if (n == 0)
        return 0;
    reset_wave(d);
    d->wave.items = calloc(n, sizeof(*d->wave.items));
    if (!d->wave.items || !d->wave.arena)
        return no_memory(d);
    for (size_t i = 0; i < d->tasks->n; i++)
        add_attempts(d, i);
    d->result->n_waves += d->wave.n > 0;
    add_baselines(d);
    name_wave(d, name, sizeof(name));
    return start_wave(d, name);
}

static int write_verdict(struct drive *d, const struct osw_wave_item *item)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "impl", item->impl);
    osw_json_out_list(&o, "cells");
    for (size_t i = 0; i < item->n_cells; i++) {
        const struct osw_record *r = &item->cells[i].record;

        osw_json_out_object(&o, NULL);
        osw_json_out_str(&o, "case", item->cells[i].case_text);
        osw_json_out_str(&o, "fill", item->cells[i].fill);
        osw_json_out_str(&o, "state",
                         osw_state_name((enum osw_state)r->status_id));
        osw_json_out_str(&o, "reason", r->reason);
        osw_json_out_f64(&o, "t_median_ns", r->t_median_ns);
        osw_json_out_f64(&o, "t_light_ns", r->t_light_ns);
        osw_json_out_f64(&o, "speedup", r->speedup);
        osw_json_out_f64(&o, "speedup_lo", r->speedup_lo);
        osw_json_out_f64(&o, "speedup_hi", r->speedup_hi);
        osw_json_out_end(&o);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    return osw_drive_put_text(d, item->task, item->number, "verdict.json",
                              &text);
}

static int take_verdict(struct drive *d, size_t i,
                        const struct osw_wave_item *item)
{
    struct osw_attempt end = d->result->ops[i].log->attempts[item->number - 1];

    end.outcome = OSW_OUTCOME_JUDGED;
    end.verdict = osw_judged_verdict(item->cells, item->n_cells);
    if (write_verdict(d, item) < 0 || osw_drive_note_cell(d, i, item) < 0 ||
        osw_drive_end_attempt(d, i, &end, item->cells, item->n_cells) < 0)
        return -1;
    free(d->states[i].impls[item->number]);
    d->states[i].impls[item->number] = NULL;
    d->states[i].n_ready--;
    return 0;
}

static int take_wave(struct drive *d)
{
    if (!d->device && put_device(d, d->wave.device) < 0)
        return -1;
    for (size_t k = 0; k < d->wave.n; k++) {
        const struct osw_wave_item *item = &d->wave.items[k];
        size_t i = (size_t)(item->task - d->tasks->at);

        if ((item->number ? take_verdict(d, i, item) : put_cases(d, i, item)) <
            0)
            return -1;
    }
    return 0;
}

/* 1: nothing is being judged any more; 0; -1. */
static int poll_wave(struct drive *d)
{
    int rc = osw_wave_poll(&d->wave, d->err);

    if (rc == 0)
        return 0;
    d->judging = false;
    d->result->judge_s += (double)(osw_clock_ns() - d->wave_start_ns) * 1e-9;
    return rc;
}

/* --- before --- */

/* What an earlier session measured is kept, so that prompts say the same. */
static int load_cases(struct drive *d, size_t i)
{
    const struct osw_task *task = &d->tasks->at[i];
    char path[PATH_MAX], name[OSW_API_MAX_PATH];
    size_t n;

    name_cases(task, name);
    snprintf(path, sizeof(path), "%s/%s", osw_asked_folder(d->asked), name);
    if (access(path, R_OK) < 0)
        return *task->baseline ? 0 : put_cases(d, i, NULL);
    return osw_asked_get(d->asked, name, OSW_DRIVE_MAX_TEXT,
                         &d->states[i].cases, &n, d->err);
}

static int prepare(struct drive *d)
{
    char path[PATH_MAX];
    bool measures = false;
    size_t n;

    for (size_t i = 0; i < d->tasks->n; i++) {
        if (load_cases(d, i) < 0)
            return -1;
        measures = measures || !d->states[i].cases;
    }
    snprintf(path, sizeof(path), "%s/%s", osw_asked_folder(d->asked),
             device_file);
    if (access(path, R_OK) == 0)
        return osw_asked_get(d->asked, device_file, OSW_DRIVE_MAX_TEXT,
                             &d->device, &n, d->err);
    return measures ? 0 : put_device(d, unmeasured);
}

/* --- all --- */

static bool all_stopped(const struct drive *d)
{
    for (size_t i = 0; i < d->tasks->n; i++)
        if (!d->result->ops[i].why || d->states[i].n_ready > 0)
            return false;
    return true;
}

static int loop(struct drive *d)
{
    char word[OSW_SHELL_WORD];
    int rc;

    while (d->judging || d->asker.n_busy > 0 || !all_stopped(d)) {
        if (*d->config->n_stop > 1 ||
            (*d->config->n_stop && !d->asker.n_busy && !d->judging))
            break;
        if (ask_all(d) < 0 ||
            osw_drive_take_replies(d, d->judging ? JUDGING_POLL_MS : POLL_MS) <
                0)
            return -1;
        osw_build_ahead_look(&d->ahead);
        if (!d->judging && !*d->config->n_stop && judge_ready(d) < 0)
            return -1;
        if (!d->judging)
            continue;
        rc = poll_wave(d);
        if (rc < 0 && *d->config->n_stop) { /* it was stopped, too */
            *d->err = (struct osw_error)OSW_ERROR_INIT;
            continue;
        }
        if (rc < 0 || (rc == 1 && take_wave(d) < 0))
            return -1;
    }
    return *d->config->n_stop
               ? osw_fail(d->err, OSW_INCOMPLETE, stop_hint,
                          osw_shell_word(osw_asked_folder(d->asked), word))
               : 0;
}

/* Which tools can tell more of code. */
static void choose_tools(struct drive *d)
{
    const struct osw_drive_config *config = d->config;
    const char *device = d->tasks->campaign.device;
    bool cuda = strcmp(device, "cuda") == 0 && !config->lang->python;
    bool can = osw_generate_confine_lets_tools(device) || config->unisolated;

    d->sanitizes = config->sanitize && can;
    d->profiles = config->profile && can && cuda;
    if (cuda && !can && (config->sanitize || config->profile))
        osw_log(OSW_LOG_INFO,
                "compute-sanitizer and ncu cannot watch isolated code: "
                "--unisolated-tools lets them run it without isolation");
}

static int open_drive(struct drive *d)
{
    d->result->ops = calloc(d->tasks->n, sizeof(*d->result->ops));
    d->states = calloc(d->tasks->n, sizeof(*d->states));
    if (!d->result->ops || !d->states)
        return no_memory(d);
    for (size_t i = 0; i < d->tasks->n; i++)
        if (!osw_asked_op(d->asked, d->tasks->at[i].op->name, d->err))
            return -1;
    for (size_t i = 0; i < d->tasks->n; i++)
        d->result->ops[i] = (struct osw_drive_op){
            .task = &d->tasks->at[i],
            .log = osw_asked_op(d->asked, d->tasks->at[i].op->name, d->err),
            .chosen = -1};
    if (osw_wave_make_root(d->asked, d->tasks, d->err) < 0 ||
        osw_generate_confine(d->asked, d->tasks, d->err) < 0)
        return -1;
    osw_build_ahead_init(&d->ahead, osw_asked_folder(d->asked),
                         d->tasks->campaign.device, d->config->lang);
    choose_tools(d);
    return 0;
}

static void close_drive(struct drive *d)
{
    osw_asker_stop(&d->asker);
    osw_build_ahead_stop(&d->ahead);
    if (d->judging)
        osw_subrun_series_stop(&d->series);
    osw_subrun_series_end(&d->series);
    free(d->wave.items);
    osw_arena_destroy(d->wave.arena);
    for (size_t i = 0; d->states && i < d->tasks->n; i++) {
        for (size_t k = 0; k <= OSW_ATTEMPT_MAX; k++) {
            free(d->states[i].plain[k]);
            free(d->states[i].impls[k]);
            free(d->states[i].unexplained[k]);
        }
        free(d->states[i].cases);
    }
    free(d->states);
    free(d->device);
}

int osw_drive_run(const struct osw_drive_config *config,
                  const struct osw_tasks *tasks, osw_asked_t *asked,
                  struct osw_drive_result *result, struct osw_error *err)
{
    int64_t start_ns = osw_clock_ns();
    struct drive d = {.config = config,
                      .tasks = tasks,
                      .asked = asked,
                      .result = result,
                      .asker = {.pid = -1, .fd = -1},
                      .series = OSW_SUBRUN_SERIES_INIT,
                      .ahead = {.pid = -1},
                      .err = err};
    char file[PATH_MAX];
    int rc;

    *result = (struct osw_drive_result){.n_waves = 0};
    name_file(asked, file);
    reset_wave(&d);
    /* The asker first: from there on this process has no key. */
    rc = osw_asker_start(&d.asker, config->api, &config->api_config, err);
    if (rc == 0)
        rc = open_drive(&d) < 0 || prepare(&d) < 0 ||
                     osw_drive_take_up(&d) < 0 || loop(&d) < 0
                 ? -1
                 : 0;
    osw_asker_stop(&d.asker);
    osw_build_ahead_stop(&d.ahead);
    if (rc == 0)
        rc = osw_final_run(config, tasks, asked, &d.series, result, err);
    if (rc == 0 && result->judged)
        rc = osw_generate_rows_write(config, tasks, asked, result,
                                     OSW_FINAL_WAVE, file, err);
    close_drive(&d);
    result->wall_s = (double)(osw_clock_ns() - start_ns) * 1e-9;
    return rc;
}

int osw_drive_first_prompt(const struct osw_drive_config *config,
                           const struct osw_task *task, struct osw_text *out,
                           struct osw_error *err)
{
    struct osw_text cases = OSW_TEXT_INIT;
    struct osw_prompt p = {.task = task,
                           .lang = config->lang,
                           .templates = config->templates,
                           .device = unmeasured};
    int rc;

    osw_prompt_add_cases(task, NULL, 0, &cases);
    p.cases = osw_text_str(&cases);
    rc = p.cases ? osw_prompt_make(&p, out, err)
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for a prompt");
    osw_text_free(&cases);
    return rc;
}
