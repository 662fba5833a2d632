/* mpi_runner/generate/summary.c - what people read of a run */
#include "mpi_runner/generate/summary.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/version.h"
#include "mpi_runner/generate/rows.h"
#include "results/report/report_generation.h"

/* --- totals --- */

struct totals {
    size_t n_asks, n_outcomes[OSW_N_OUTCOMES];
    struct osw_usage used;
    double cost, ask_s;
    size_t n_same_prompt;
};

static struct totals add_up(const struct osw_drive_result *result, size_t n)
{
    struct totals t = {.n_asks = 0};

    for (size_t i = 0; i < n; i++) {
        const struct osw_asked_op *op = result->ops[i].log;

        for (size_t k = 0; k < op->n; k++) {
            const struct osw_ask *a = &op->asks[k];

            t.n_asks++;
            t.n_outcomes[op->attempts[k].outcome]++;
            t.used.in += a->used.in;
            t.used.out += a->used.out;
            t.used.cache_read += a->used.cache_read;
            t.used.cache_write += a->used.cache_write;
            t.cost += a->cost;
            t.ask_s += (double)a->ms * 1e-3;
            t.n_same_prompt += a->same_prompt;
        }
    }
    return t;
}

static void add_totals(const struct osw_drive_config *config,
                       const struct osw_drive_result *result,
                       const struct totals *t, struct osw_text *out)
{
    osw_text_printf(out, "requests     %zu", t->n_asks);
    for (int i = 0; i < OSW_N_OUTCOMES; i++)
        if (t->n_outcomes[i])
            osw_text_printf(out, ", %zu %s", t->n_outcomes[i],
                            osw_outcome_name((enum osw_outcome)i));
    osw_text_add(out, "\n");
    if (osw_usage_known(&t->used))
        osw_text_printf(out,
                        "tokens       %" PRIu64 " in, %" PRIu64
                        " read from the cache, %" PRIu64
                        " written to it, %" PRIu64 " out\n",
                        t->used.in, t->used.cache_read, t->used.cache_write,
                        t->used.out);
    if (config->price.in > 0 || config->price.out > 0)
        osw_text_printf(out, "cost         %.6g", t->cost);
    if (config->max_cost > 0)
        osw_text_printf(out, " of at most %.6g", config->max_cost);
    if (config->price.in > 0 || config->price.out > 0)
        osw_text_add(out, "\n");
    if (config->api_config.replay)
        osw_text_printf(out,
                        "replayed     %zu of %zu prompts are the same as in "
                        "'%s'\n",
                        t->n_same_prompt, t->n_asks, config->api_config.replay);
    osw_text_printf(out,
                    "time         %.1f s in all, %.1f s of campaigns (%zu "
                    "waves), %.1f s of requests side by side\n",
                    result->wall_s, result->judge_s, result->n_waves, t->ask_s);
    if (*result->why)
        osw_text_printf(out, "asking ended %s\n", result->why);
}

/* --- scores --- */

static void add_scores(const struct osw_drive_config *config,
                       const struct osw_tasks *tasks, const osw_asked_t *asked,
                       const struct osw_drive_result *result,
                       struct osw_text *out)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_generation rows = {.n_ops = 0};

    if (arena && osw_generate_rows(config, tasks, asked, result, arena, &rows,
                                   NULL) == 0)
        osw_generation_scores_add(&rows, out);
    else
        out->failed = true;
    osw_generation_free(&rows);
    osw_arena_destroy(arena);
}

/* --- ops --- */

static size_t count_right(const struct osw_asked_op *op)
{
    size_t n = 0;

    for (size_t i = 0; i < op->n; i++)
        n += op->attempts[i].outcome == OSW_OUTCOME_JUDGED &&
             osw_attempt_right(&op->attempts[i].verdict);
    return n;
}

static void add_finalist(const struct osw_finalist *f, struct osw_text *out)
{
    const struct osw_attempt_verdict *v = &f->verdict;

    osw_text_printf(out, "%s  %u of %u cells pass, %u of %u held out", f->impl,
                    v->n_passed, v->n_planned, f->n_held_out_passed,
                    f->n_held_out);
    if (v->n_timed > 0)
        osw_text_printf(out, "; speedup %.3f", v->speedup);
    if (v->speedup_lo > 0)
        osw_text_printf(out, " (%.3f to %.3f)", v->speedup_lo, v->speedup_hi);
    if (v->light > 0)
        osw_text_printf(out, ", %.1f %% of the speed of light", 100 * v->light);
}

static void add_op(const struct osw_drive_op *op, struct osw_text *out)
{
    const struct osw_finalist *best =
        op->chosen >= 0 ? &op->finalists[op->chosen] : NULL;

    osw_text_printf(out, "%s: %zu attempt%s, %zu right; %s; baseline %s\n",
                    op->task->label, op->log->n, osw_plural(op->log->n),
                    count_right(op->log), op->why ? op->why : "not finished",
                    *op->task->baseline ? op->task->baseline : "none");
    for (size_t i = 0; i < op->n_finalists; i++) {
        const struct osw_finalist *f = &op->finalists[i];

        osw_text_add(out, (int)i == op->chosen ? "  chosen  " : "          ");
        add_finalist(f, out);
        if (best && f != best && osw_attempt_right(&f->verdict) &&
            f->verdict.n_timed > 0 && !osw_final_told_apart(f, best))
            osw_text_add(out, "; not told apart from the chosen one");
        osw_text_add(out, "\n");
    }
    if (!best)
        osw_text_add(out, "  chosen  none: no kernel passes every cell\n");
}

void osw_generate_summary_add(const struct osw_drive_config *config,
                              const struct osw_tasks *tasks,
                              const osw_asked_t *asked,
                              const struct osw_drive_result *result,
                              struct osw_text *out)
{
    const struct totals t = add_up(result, tasks->n);

    osw_text_printf(out,
                    "Kernels generated by opsweep %s in '%s'\n\n"
                    "asked for    %s, by %s%s%s, search %s, at most %u "
                    "attempts an op\n"
                    "judged on    %s, profile %s, seed %" PRIu64 "\n",
                    OSW_VERSION, osw_asked_folder(asked), config->lang->name,
                    config->api->name, config->api_config.model ? " " : "",
                    config->api_config.model ? config->api_config.model : "",
                    osw_search_names[config->rules.search],
                    config->rules.n_attempts, tasks->campaign.device,
                    tasks->campaign.profile, tasks->campaign.seed);
    add_totals(config, result, &t, out);
    osw_text_add(out, "\n");
    add_scores(config, tasks, asked, result, out);
    osw_text_add(out, "\n");
    for (size_t i = 0; i < tasks->n; i++)
        add_op(&result->ops[i], out);
}

/* --- files --- */

/* Kernels that an earlier session chose. */
static void remove_old(const osw_asked_t *asked, const char *label)
{
    char path[PATH_MAX], name[2 * PATH_MAX];
    struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof(path), "%s/%s", osw_asked_folder(asked), label);
    dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (strstr(entry->d_name, "_implementation_v")) {
            snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
            (void)unlink(name);
        }
    if (dir)
        closedir(dir);
}

static int write_best(const struct osw_drive_config *config, osw_asked_t *asked,
                      const struct osw_drive_op *op, struct osw_error *err)
{
    const char *label = op->task->label, *suffix = config->lang->suffix;
    char to[PATH_MAX], *code;
    uint32_t number;
    size_t n;
    int rc;

    remove_old(asked, label);
    if (op->chosen < 0)
        return 0;
    number = op->finalists[op->chosen].number;
    snprintf(to, sizeof(to), "%s/%s_implementation_v%03u%s", label, label,
             number, suffix);
    if (osw_wave_code(asked, op->task, config->lang, number, &code, &n, err) <
        0)
        return -1;
    rc = osw_asked_put(asked, to, code, n, err);
    free(code);
    return rc;
}

static int put_text(osw_asked_t *asked, const char *path, struct osw_text *t,
                    struct osw_error *err)
{
    int rc = osw_text_str(t)
                 ? osw_asked_put(asked, path, osw_text_str(t), t->used, err)
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for a summary");

    osw_text_free(t);
    return rc;
}

static int write_op(const struct osw_drive_config *config, osw_asked_t *asked,
                    const struct osw_drive_op *op, struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    char path[PATH_MAX];

    add_op(op, &t);
    snprintf(path, sizeof(path), "%s/metadata.txt", op->task->label);
    return put_text(asked, path, &t, err) < 0 ||
                   write_best(config, asked, op, err) < 0
               ? -1
               : 0;
}

static int write_readme(const struct osw_drive_config *config,
                        const struct osw_tasks *tasks, osw_asked_t *asked,
                        struct osw_error *err)
{
    char word[OSW_SHELL_WORD];
    const char *folder = osw_shell_word(osw_asked_folder(asked), word);
    struct osw_text t = OSW_TEXT_INIT;

    osw_text_printf(
        &t,
        "# A run of opsweep generate\n\n"
        "| file | holds |\n|---|---|\n"
        "| `OVERALL_SUMMARY.txt` | scores, with their denominators; what came "
        "of each op |\n"
        "| `run.h5` | the last campaign, and all attempts (`/generation`): "
        "`opsweep report %s/run.h5` |\n"
        "| `OP/OP_implementation_vNNN%s` | the chosen kernel of an op |\n"
        "| `OP/metadata.txt` | its finalists |\n"
        "| `OP/attempts/NNN/` | each attempt: `prompt.txt`, `answer.txt`, "
        "`kernel%s`, `feedback.txt`, `verdict.json` |\n"
        "| `.root/` | the ops' folders with every kernel as one more "
        "implementation |\n"
        "| `journal` | what was asked and answered, in order |\n\n",
        folder, config->lang->suffix, config->lang->suffix);
    osw_text_printf(
        &t,
        "Judge one again: `opsweep run %s %s/.root --ops OP --impls "
        "NAME --device %s`. Go on: `opsweep generate --resume "
        "%s`.\n",
        osw_campaign_root(&tasks->campaign) == tasks->campaign.custom_ops_root
            ? "--custom-ops-root"
            : "--library",
        folder, tasks->campaign.device, folder);
    return put_text(asked, "README.md", &t, err);
}

int osw_generate_summary_write(const struct osw_drive_config *config,
                               const struct osw_tasks *tasks,
                               osw_asked_t *asked,
                               const struct osw_drive_result *result,
                               struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;

    for (size_t i = 0; i < tasks->n; i++)
        if (write_op(config, asked, &result->ops[i], err) < 0)
            return -1;
    osw_generate_summary_add(config, tasks, asked, result, &t);
    return put_text(asked, "OVERALL_SUMMARY.txt", &t, err) < 0 ||
                   write_readme(config, tasks, asked, err) < 0
               ? -1
               : 0;
}
