/* mpi_runner/generate/final.c - the last campaign, and what a run comes to */
#include "mpi_runner/generate/final.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"

int osw_final_choose(const struct osw_finalist *finalists, size_t n)
{
    int best = -1;

    for (size_t i = 0; i < n; i++)
        if (osw_attempt_right(&finalists[i].verdict) &&
            (best < 0 ||
             finalists[i].verdict.speedup > finalists[best].verdict.speedup))
            best = (int)i;
    return best;
}

bool osw_final_told_apart(const struct osw_finalist *a,
                          const struct osw_finalist *b)
{
    const struct osw_attempt_verdict *v = &a->verdict, *w = &b->verdict;

    return v->speedup_lo > 0 && w->speedup_lo > 0 &&
           (v->speedup_lo > w->speedup_hi || w->speedup_lo > v->speedup_hi);
}

/* --- who meets --- */

static int name_finalist(osw_asked_t *asked, const struct osw_lang *lang,
                         const struct osw_task *task, struct osw_finalist *f,
                         struct osw_error *err)
{
    char *code;
    size_t n;

    if (osw_wave_code(asked, task, lang, f->number, &code, &n, err) < 0)
        return -1;
    osw_wave_name(f->number, code, n, f->impl);
    free(code);
    return 0;
}

static int choose_all(const struct osw_drive_config *config, osw_asked_t *asked,
                      const struct osw_tasks *tasks,
                      struct osw_drive_result *result, struct osw_error *err)
{
    for (size_t i = 0; i < tasks->n; i++) {
        struct osw_drive_op *op = &result->ops[i];
        const struct osw_attempt *best[OSW_FINAL_MAX];

        op->n_finalists = osw_search_finalists(op->log->attempts, op->log->n,
                                               best, OSW_FINAL_MAX);
        for (size_t k = 0; k < op->n_finalists; k++) {
            op->finalists[k] = (struct osw_finalist){.number = best[k]->number};
            if (name_finalist(asked, config->lang, op->task, &op->finalists[k],
                              err) < 0)
                return -1;
        }
    }
    return 0;
}

static int list_items(const struct osw_tasks *tasks,
                      const struct osw_drive_result *result, struct osw_wave *w,
                      struct osw_error *err)
{
    w->items = calloc(tasks->n * OSW_FINAL_MAX, sizeof(*w->items));
    if (!w->items || !w->arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the last campaign");
    for (size_t i = 0; i < tasks->n; i++)
        for (size_t k = 0; k < result->ops[i].n_finalists; k++) {
            struct osw_wave_item *item = &w->items[w->n++];

            item->task = result->ops[i].task;
            item->number = result->ops[i].finalists[k].number;
            memcpy(item->impl, result->ops[i].finalists[k].impl,
                   sizeof(item->impl));
        }
    return 0;
}

/* --- what comes of it --- */

static void take_item(const struct osw_wave_item *item, struct osw_drive_op *op)
{
    for (size_t k = 0; k < op->n_finalists; k++) {
        struct osw_finalist *f = &op->finalists[k];

        if (f->number != item->number)
            continue;
        f->verdict = osw_judged_verdict(item->cells, item->n_cells);
        for (size_t i = 0; i < item->n_cells; i++) {
            const struct osw_judged_cell *cell = &item->cells[i];
            const struct osw_task_case *c =
                osw_tasks_case(item->task, cell->case_text, cell->fill);

            if (!c || !c->held_out)
                continue;
            f->n_held_out++;
            f->n_held_out_passed += cell->record.status_id == OSW_STATE_PASS;
        }
    }
}

static bool is_there(const osw_asked_t *asked)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s.h5", osw_asked_folder(asked),
             OSW_FINAL_FILE);
    return access(path, R_OK) == 0;
}

static int judge(const struct osw_drive_config *config, osw_asked_t *asked,
                 struct osw_wave *w, struct osw_drive_result *result,
                 struct osw_error *err)
{
    int64_t start_ns = osw_clock_ns();
    int rc;

    if (is_there(asked))
        return osw_wave_read(w, OSW_FINAL_FILE, err);
    osw_log(OSW_LOG_INFO, "last campaign: %zu finalist%s on a new seed", w->n,
            osw_plural(w->n));
    rc = osw_wave_run(w, OSW_FINAL_WAVE, config->n_stop, err);
    result->judged = rc == 0;
    result->judge_s += (double)(osw_clock_ns() - start_ns) * 1e-9;
    return rc;
}

static void take_all(const struct osw_tasks *tasks, const struct osw_wave *w,
                     struct osw_drive_result *result)
{
    for (size_t k = 0; k < w->n; k++)
        take_item(&w->items[k], &result->ops[w->items[k].task - tasks->at]);
    for (size_t i = 0; i < tasks->n; i++)
        result->ops[i].chosen = osw_final_choose(result->ops[i].finalists,
                                                 result->ops[i].n_finalists);
}

int osw_final_run(const struct osw_drive_config *config,
                  const struct osw_tasks *tasks, osw_asked_t *asked,
                  struct osw_subrun_series *series,
                  struct osw_drive_result *result, struct osw_error *err)
{
    struct osw_wave w = {.tasks = tasks,
                         .asked = asked,
                         .arena = osw_arena_create(),
                         .seed =
                             osw_search_random(tasks->campaign.seed, 0) >> 16,
                         .all_cases = true,
                         .series = series};
    int rc = choose_all(config, asked, tasks, result, err) < 0 ||
                     list_items(tasks, result, &w, err) < 0
                 ? -1
                 : 0;

    if (rc == 0 && w.n > 0)
        rc = judge(config, asked, &w, result, err);
    if (rc == 0)
        take_all(tasks, &w, result);
    free(w.items);
    osw_arena_destroy(w.arena);
    return rc;
}
