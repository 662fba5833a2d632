/* mpi_runner/generate/drive_answers.c - the loop: from answers to code that can
 * be judged */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "common/log.h"
#include "mpi_runner/generate/ask/extract.h"
#include "mpi_runner/generate/drive_parts.h"
#include "mpi_runner/generate/feedback.h"

static int no_memory(const struct drive *d)
{
    return osw_fail(d->err, OSW_NO_MEMORY, "no memory for a run");
}

void osw_drive_folder(const struct osw_task *task, uint32_t number,
                      char out[OSW_API_MAX_PATH])
{
    snprintf(out, OSW_API_MAX_PATH, "%s/attempts/%03u", task->label, number);
}

int osw_drive_put(struct drive *d, const struct osw_task *task, uint32_t number,
                  const char *file, const char *bytes, size_t n)
{
    char folder[OSW_API_MAX_PATH], path[OSW_API_MAX_PATH + 64];

    osw_drive_folder(task, number, folder);
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return osw_asked_write(d->asked, path, bytes, n, d->err);
}

int osw_drive_put_text(struct drive *d, const struct osw_task *task,
                       uint32_t number, const char *file, struct osw_text *text)
{
    int rc = osw_text_str(text) ? osw_drive_put(d, task, number, file,
                                                osw_text_str(text), text->used)
                                : no_memory(d);

    osw_text_free(text);
    return rc;
}

int osw_drive_get(struct drive *d, const struct osw_task *task, uint32_t number,
                  const char *file, char **bytes, size_t *n)
{
    char folder[OSW_API_MAX_PATH], path[OSW_API_MAX_PATH + 64];

    osw_drive_folder(task, number, folder);
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return osw_asked_get(d->asked, path, OSW_DRIVE_MAX_TEXT, bytes, n, d->err);
}

void osw_drive_kernel_file(const struct drive *d, char out[32])
{
    snprintf(out, 32, "kernel%s", d->config->lang->suffix);
}

/* It cannot be made again, and later prompts have it. */
static int put_feedback(struct drive *d, const struct osw_task *task,
                        uint32_t number, struct osw_text *text)
{
    char folder[OSW_API_MAX_PATH], path[OSW_API_MAX_PATH + 64];
    int rc;

    osw_drive_folder(task, number, folder);
    snprintf(path, sizeof(path), "%s/feedback.txt", folder);
    rc = osw_text_str(text) ? osw_asked_put(d->asked, path, osw_text_str(text),
                                            text->used, d->err)
                            : no_memory(d);
    osw_text_free(text);
    return rc;
}

/* --- why it fails --- */

/* The cell to look into; NULL: there is none. */
static const struct osw_judged_cell *
choose_cell(const struct drive *d, const struct osw_wave_item *item)
{
    const struct osw_judged_cell *failure =
        osw_judged_failure(item->cells, item->n_cells);

    if (failure)
        return osw_explain_can((enum osw_state)failure->record.status_id)
                   ? failure
                   : NULL;
    return d->profiles ? osw_judged_slowest(item->cells, item->n_cells) : NULL;
}

int osw_drive_note_cell(struct drive *d, size_t i,
                        const struct osw_wave_item *item)
{
    const struct osw_judged_cell *of = choose_cell(d, item);
    struct osw_explain_cell *cell;

    if (!of)
        return 0;
    cell = calloc(1, sizeof(*cell));
    if (!cell)
        return no_memory(d);
    snprintf(cell->file, sizeof(cell->file), "%s", d->wave.file);
    snprintf(cell->impl, sizeof(cell->impl), "%s", item->impl);
    cell->cell_key = of->record.cell_key;
    cell->state = (enum osw_state)of->record.status_id;
    free(d->states[i].unexplained[item->number]);
    d->states[i].unexplained[item->number] = cell;
    return 0;
}

static int add_feedback(struct drive *d, const struct osw_task *task,
                        uint32_t number, const struct osw_explanation *found)
{
    struct osw_feedback_why why = {.sanitizer = found->sanitizer,
                                   .profile = found->profile};
    const char *smallest = found->smallest.case_text;
    struct osw_text text = OSW_TEXT_INIT;
    char *before = NULL;
    size_t n;

    if (osw_drive_get(d, task, number, "feedback.txt", &before, &n) < 0)
        return -1;
    if (smallest && !strstr(before, smallest))
        why.smallest = &found->smallest; /* else it was told already */
    osw_text_add(&text, before);
    free(before);
    osw_feedback_add_why(&why, number, d->config->send_output, &text);
    return put_feedback(d, task, number, &text);
}

/* Once it cannot, it never can. */
static void heed_profiler(struct drive *d, const char *why)
{
    if (!*why)
        return;
    d->profiles = false;
    osw_log(OSW_LOG_WARNING, "feedback has nothing from ncu: %s", why);
}

int osw_drive_explain(struct drive *d, size_t i, uint32_t number)
{
    const struct osw_task *task = d->result->ops[i].task;
    struct osw_explain_cell *cell = d->states[i].unexplained[number];
    struct osw_explain_job job = {
        .asked = d->asked,
        .task = task,
        .cell = cell,
        .sanitize = d->sanitizes,
        .unisolated = d->config->unisolated &&
                      strcmp(d->tasks->campaign.device, "cuda") == 0,
        .n_stop = d->config->n_stop,
        .arena = osw_arena_create(),
    };
    struct osw_explanation found;
    char *code = NULL;
    size_t n;
    int rc = 0;

    if (!job.arena)
        return no_memory(d);
    if (cell->state != OSW_STATE_PASS || d->profiles)
        rc = osw_wave_code(d->asked, task, d->config->lang, number, &code, &n,
                           d->err);
    if (rc == 0 && code) {
        job.code = code;
        found = osw_explain(&job);
        heed_profiler(d, found.no_profile);
        if (found.smallest.case_text || *found.sanitizer || *found.profile)
            rc = add_feedback(d, task, number, &found);
    }
    free(code);
    osw_arena_destroy(job.arena);
    free(cell);
    d->states[i].unexplained[number] = NULL;
    return rc;
}

/* --- answers --- */

/* For people who watch. */
static void tell(const struct osw_task *task, const struct osw_attempt *a)
{
    const struct osw_attempt_verdict *v = &a->verdict;
    char speedup[32] = "";

    if (v->n_timed > 0)
        snprintf(speedup, sizeof(speedup), ", speedup %.3g", v->speedup);
    if (a->outcome == OSW_OUTCOME_JUDGED)
        osw_log(OSW_LOG_INFO, "%s, attempt %u: %u of %u cells pass%s",
                task->label, a->number, v->n_passed, v->n_planned, speedup);
    else
        osw_log(OSW_LOG_INFO, "%s, attempt %u: %s", task->label, a->number,
                osw_outcome_text(a->outcome));
}

int osw_drive_end_attempt(struct drive *d, size_t i, struct osw_attempt *end,
                          const struct osw_judged_cell *cells, size_t n)
{
    struct osw_drive_op *op = &d->result->ops[i];
    struct osw_text text = OSW_TEXT_INIT;
    const struct osw_feedback f = {
        .attempt = end,
        .why = op->log->asks[end->number - 1].why,
        .cells = cells,
        .n_cells = n,
        .send_output = d->config->send_output,
    };

    osw_feedback_add(&f, &text);
    tell(op->task, end);
    if (put_feedback(d, op->task, end->number, &text) < 0)
        return -1;
    if (op->log->attempts[end->number - 1].outcome != OSW_OUTCOME_ANSWERED)
        return 0; /* its answer's entry says all */
    return osw_asked_note_end(d->asked, op->log, end, d->err);
}

/* Another attempt with the same source but for blanks; 0: none. */
static uint32_t find_twin(const struct op_state *s, uint32_t number)
{
    for (uint32_t k = 1; k <= OSW_ATTEMPT_MAX; k++)
        if (k != number && s->plain[k] &&
            strcmp(s->plain[k], s->plain[number]) == 0)
            return k;
    return 0;
}

static int keep_plain(struct drive *d, size_t i, uint32_t number,
                      const char *code, size_t n)
{
    struct osw_text plain = OSW_TEXT_INIT;
    char sha256[65];

    osw_extract_plain(code, n, d->config->lang->python, &plain);
    osw_asked_sha256(plain.used ? plain.data : "", plain.used, sha256);
    free(d->states[i].plain[number]);
    d->states[i].plain[number] = plain.failed ? NULL : strdup(sha256);
    osw_text_free(&plain);
    return d->states[i].plain[number] ? 0 : no_memory(d);
}

static int make_ready(struct drive *d, size_t i, uint32_t number,
                      const char *code, size_t n)
{
    struct osw_drive_op *op = &d->result->ops[i];
    struct op_state *s = &d->states[i];
    char impl[OSW_WAVE_MAX_NAME], file[32];

    osw_drive_kernel_file(d, file);
    osw_wave_name(number, code, n, impl);
    if (osw_drive_put(d, op->task, number, file, code, n) < 0 ||
        keep_plain(d, i, number, code, n) < 0)
        return -1;
    if (find_twin(s, number)) {
        struct osw_attempt end = op->log->attempts[number - 1];

        end.outcome = OSW_OUTCOME_DUPLICATE;
        end.twin = find_twin(s, number);
        free(s->plain[number]); /* the other one stands for both */
        s->plain[number] = NULL;
        return osw_drive_end_attempt(d, i, &end, NULL, 0);
    }
    if (osw_wave_add(d->asked, op->task, d->config->lang, impl, code, n,
                     d->err) < 0)
        return -1;
    s->impls[number] = strdup(impl);
    s->n_ready++;
    if (d->judging)
        osw_build_ahead_want(&d->ahead);
    return s->impls[number] ? 0 : no_memory(d);
}

/* Look into an answer that is in the asked. */
static int take_answer(struct drive *d, size_t i, uint32_t number)
{
    struct osw_drive_op *op = &d->result->ops[i];
    struct osw_attempt end = op->log->attempts[number - 1];
    char *answer = NULL, sha256[65];
    const char *code;
    size_t n = 0, size;
    int rc;

    if (end.outcome != OSW_OUTCOME_ANSWERED)
        return osw_drive_end_attempt(d, i, &end, NULL, 0);
    if (osw_drive_get(d, op->task, number, "answer.txt", &answer, &n) < 0)
        return -1;
    osw_asked_sha256(answer, n, sha256);
    if (strcmp(sha256, op->log->asks[number - 1].answer_sha256) != 0) {
        free(answer);
        return osw_fail(d->err, OSW_BAD_INPUT,
                        "the answer of '%s', attempt %u, is not the one in the "
                        "journal: its digest differs",
                        op->task->label, number);
    }
    end.outcome = osw_extract(answer, n, op->task->symbol, &code, &size);
    rc = end.outcome == OSW_OUTCOME_ANSWERED
             ? make_ready(d, i, number, code, size)
             : osw_drive_end_attempt(d, i, &end, NULL, 0);
    free(answer);
    return rc;
}

static int write_answer_json(struct drive *d, const struct osw_task *task,
                             const struct osw_api_reply *r, double cost)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "outcome", osw_outcome_name(r->outcome));
    osw_json_out_str(&o, "why", r->why);
    osw_json_out_str(&o, "stop", r->stop);
    osw_json_out_str(&o, "model", r->model);
    osw_json_out_u64(&o, "input_tokens", r->used.in);
    osw_json_out_u64(&o, "output_tokens", r->used.out);
    osw_json_out_u64(&o, "cache_read_tokens", r->used.cache_read);
    osw_json_out_u64(&o, "cache_write_tokens", r->used.cache_write);
    osw_json_out_f64(&o, "cost", cost);
    osw_json_out_i64(&o, "ms", r->ms);
    osw_json_out_u64(&o, "tries", r->tries);
    osw_json_out_end(&o);
    return osw_drive_put_text(d, task, r->number, "answer.json", &text);
}

static int take_reply(struct drive *d, const struct osw_api_reply *r)
{
    struct osw_drive_op *op = &d->result->ops[r->op];
    struct osw_ask ask = op->log->asks[r->number - 1];
    char *answer = NULL;
    size_t n = 0;

    ask.used = r->used;
    ask.ms = r->ms;
    ask.tries = r->tries;
    ask.same_prompt = r->same_prompt;
    if (r->unpaid || osw_usage_known(&r->used))
        ask.cost = osw_price_of(&d->config->price, &r->used);
    snprintf(ask.stop, sizeof(ask.stop), "%s", r->stop);
    snprintf(ask.model, sizeof(ask.model), "%s", r->model);
    snprintf(ask.why, sizeof(ask.why), "%s", r->why);
    if (r->outcome == OSW_OUTCOME_ANSWERED) {
        if (osw_drive_get(d, op->task, r->number, "answer.txt", &answer, &n) <
            0)
            return -1;
        osw_asked_sha256(answer, n, ask.answer_sha256);
        free(answer);
    }
    if (r->fatal) {
        d->result->out_of_money = true;
        snprintf(d->result->why, sizeof(d->result->why), "%s", r->why);
    }
    return write_answer_json(d, op->task, r, ask.cost) < 0 ||
                   osw_asked_note_answer(d->asked, op->log, r->number,
                                         r->outcome, &ask, d->err) < 0 ||
                   take_answer(d, r->op, r->number) < 0
               ? -1
               : 0;
}

/* Words of an endpoint go to terminals, too. */
static void remove_controls(char *words)
{
    for (unsigned char *at = (unsigned char *)words; *at; at++)
        if (*at < ' ' || *at == 0x7f)
            *at = '?';
        else if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
            at[0] = at[1] = '?'; /* U+0080 to U+009F */
}

int osw_drive_take_replies(struct drive *d, int wait_ms)
{
    struct osw_api_reply reply;
    int rc;

    while ((rc = osw_asker_poll(&d->asker, wait_ms, &reply, d->err)) == 1) {
        remove_controls(reply.why);
        remove_controls(reply.stop);
        remove_controls(reply.model);
        if (take_reply(d, &reply) < 0)
            return -1;
        wait_ms = 0;
    }
    return rc;
}

/* The source of what an earlier session judged, from its answer: if the machine
 * failed, files that were made of it may not be whole.
 */
static int recall_source(struct drive *d, size_t i, uint32_t number)
{
    const struct osw_task *task = d->result->ops[i].task;
    char file[32], impl[OSW_WAVE_MAX_NAME], *answer = NULL;
    const char *code;
    size_t n = 0, size;
    int rc = osw_drive_get(d, task, number, "answer.txt", &answer, &n);

    osw_drive_kernel_file(d, file);
    if (rc == 0 && osw_extract(answer, n, task->symbol, &code, &size) !=
                       OSW_OUTCOME_ANSWERED)
        rc = osw_fail(d->err, OSW_BAD_INPUT,
                      "the answer of '%s', attempt %u, has no code any more",
                      task->label, number);
    if (rc == 0) {
        osw_wave_name(number, code, size, impl);
        rc = osw_drive_put(d, task, number, file, code, size) < 0 ||
                     osw_wave_add(d->asked, task, d->config->lang, impl, code,
                                  size, d->err) < 0 ||
                     keep_plain(d, i, number, code, size) < 0
                 ? -1
                 : 0;
    }
    free(answer);
    return rc;
}

int osw_drive_take_up(struct drive *d)
{
    /* First what was judged: an answer may be the same code. */
    for (int answers = 0; answers < 2; answers++)
        for (size_t i = 0; i < d->tasks->n; i++) {
            const struct osw_asked_op *log = d->result->ops[i].log;

            for (uint32_t k = 1; k <= log->n; k++) {
                enum osw_outcome outcome = log->attempts[k - 1].outcome;

                if (outcome == OSW_OUTCOME_JUDGED && !answers &&
                    recall_source(d, i, k) < 0)
                    return -1;
                if (outcome == OSW_OUTCOME_ANSWERED && answers &&
                    take_answer(d, i, k) < 0)
                    return -1;
            }
        }
    return 0;
}
