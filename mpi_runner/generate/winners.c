/* mpi_runner/generate/winners.c - what won, as a campaign of its own */
#include "mpi_runner/generate/winners.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "mpi_runner/generate/rows.h"

static const char wave_name[] = ".waves/winners";

/* 0: no attempt at the op could be judged. */
static uint32_t winner_of(const struct osw_drive_op *op)
{
    const struct osw_attempt *best;

    if (op->chosen >= 0)
        return op->finalists[op->chosen].number;
    best = osw_search_best(op->log->attempts, op->log->n);
    return best ? best->number : 0;
}

static int add_winner(const struct osw_drive_config *config, osw_asked_t *asked,
                      const struct osw_task *task, uint32_t number,
                      struct osw_error *err)
{
    char *code = NULL;
    size_t n;
    int rc;

    if (osw_wave_code(asked, task, config->lang, number, &code, &n, err) < 0)
        return -1;
    rc =
        osw_wave_add(asked, task, config->lang, OSW_WINNERS_IMPL, code, n, err);
    free(code);
    return rc;
}

static int list_winners(const struct osw_drive_config *config,
                        const struct osw_drive_result *result,
                        struct osw_wave *w, struct osw_error *err)
{
    w->items = calloc(w->tasks->n, sizeof(*w->items));
    if (!w->items || !w->arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
    for (size_t i = 0; i < w->tasks->n; i++) {
        uint32_t number = winner_of(&result->ops[i]);

        if (!number)
            continue;
        if (add_winner(config, w->asked, result->ops[i].task, number, err) < 0)
            return -1;
        w->items[w->n] = (struct osw_wave_item){.task = result->ops[i].task,
                                                .number = number};
        snprintf(w->items[w->n++].impl, OSW_WAVE_MAX_NAME, "%s",
                 OSW_WINNERS_IMPL);
    }
    return w->n > 0 ? 0
                    : osw_fail(err, OSW_NOTHING,
                               "no op has a kernel that could be judged: "
                               "'%s/OVERALL_SUMMARY.txt' says why",
                               osw_asked_folder(w->asked));
}

int osw_winners_run(const struct osw_drive_config *config,
                    const struct osw_tasks *tasks, osw_asked_t *asked,
                    const struct osw_drive_result *result, const char *to,
                    struct osw_error *err)
{
    struct osw_subrun_series series = OSW_SUBRUN_SERIES_INIT;
    struct osw_wave w = {.tasks = tasks,
                         .asked = asked,
                         .arena = osw_arena_create(),
                         .seed = tasks->campaign.seed,
                         .all_cases = true,
                         .series = &series};
    int rc = list_winners(config, result, &w, err);

    if (rc == 0) {
        osw_log(OSW_LOG_INFO, "what won: %zu op%s into '%s'", w.n,
                osw_plural(w.n), to);
        rc = osw_wave_run(&w, wave_name, config->n_stop, err);
        osw_subrun_series_end(&series);
    }
    if (rc == 0)
        rc = osw_generate_rows_write(config, tasks, asked, result, wave_name,
                                     to, err);
    free(w.items);
    osw_arena_destroy(w.arena);
    return rc;
}
