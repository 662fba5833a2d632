/* mpi_runner/generate/prompt.c - what a model is asked */
#include "mpi_runner/generate/prompt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/paths.h"
#include "mpi_runner/generate/feedback.h"
#include "mpi_runner/generate/template.h"

enum { MAX_SHOWN_CASES = 24, MAX_HEADER = 64 * 1024, MAX_CODE = 256 * 1024 };

/* --- parts --- */

static const char *keep(osw_arena_t *arena, struct osw_text *t)
{
    const char *text = osw_text_str(t);
    const char *kept = text ? osw_arena_strdup(arena, text) : NULL;

    osw_text_free(t);
    return kept;
}

/* The ABI, for languages that are compiled. */
static const char *read_op_h(osw_arena_t *arena, struct osw_error *err)
{
    const char *dir = osw_paths_include_dir(err);
    char path[4096], *text = osw_arena_alloc(arena, MAX_HEADER + 1);
    FILE *f;
    size_t n;

    if (!dir || !text)
        return NULL;
    snprintf(path, sizeof(path), "%s/opsweep/op.h", dir);
    f = fopen(path, "re");
    if (!f) {
        osw_fail(err, OSW_SYSTEM, "cannot read '%s'", path);
        return NULL;
    }
    n = fread(text, 1, MAX_HEADER, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static const char *tell_tolerance(osw_arena_t *arena,
                                  const struct osw_task *task)
{
    struct osw_text t = OSW_TEXT_INIT;
    const char *seen[16];
    size_t n = 0;

    if (task->op->exact)
        return "outputs must be equal to the bit";
    for (size_t i = 0; i < task->n_cases && n < 16; i++) {
        const char *dtype = task->cases[i].dtype;
        const struct osw_dtype_info *info =
            osw_dtype_find(dtype, strlen(dtype));
        size_t k = 0;

        while (k < n && strcmp(seen[k], dtype) != 0)
            k++;
        if (k < n || !info || task->cases[i].held_out)
            continue;
        seen[n++] = dtype;
        osw_text_printf(&t, "%s%s: |got - expected| <= %g + %g * |expected|",
                        t.used ? "; " : "", dtype,
                        osw_op_tolerance(task->op, info).atol,
                        osw_op_tolerance(task->op, info).rtol);
    }
    osw_text_add(&t, t.used ? "" : "by dtype");
    return keep(arena, &t);
}

static const char *tell_attempts(osw_arena_t *arena, const struct osw_prompt *p)
{
    struct osw_text t = OSW_TEXT_INIT;

    osw_text_add(&t, "Attempts so far:\n");
    for (size_t i = 0; i < p->n_attempts; i++) {
        const struct osw_attempt *a = &p->attempts[i];

        if (!osw_attempt_over(a))
            continue;
        osw_text_printf(&t, "  %3u  %-12s", a->number,
                        osw_outcome_name(a->outcome));
        if (a->outcome == OSW_OUTCOME_JUDGED)
            osw_text_printf(&t, " %u of %u cases pass", a->verdict.n_passed,
                            a->verdict.n_planned);
        if (a->verdict.n_timed > 0)
            osw_text_printf(&t, ", speedup %.3g", a->verdict.speedup);
        if (a->verdict.light > 0)
            osw_text_printf(&t, ", %.1f %% of the speed of light",
                            100 * a->verdict.light);
        osw_text_add(&t, "\n");
    }
    return keep(arena, &t);
}

static const char *quote_code(osw_arena_t *arena, const struct osw_prompt *p)
{
    struct osw_text t = OSW_TEXT_INIT;
    size_t n = strlen(p->code);

    osw_text_printf(&t, "````\n%.*s%s````\n",
                    (int)(n < MAX_CODE ? n : MAX_CODE), p->code,
                    n > 0 && p->code[n - 1] == '\n' ? "" : "\n");
    return keep(arena, &t);
}

static const char *fill(osw_arena_t *arena, const struct osw_prompt *p,
                        const char *file, const struct osw_template_hole *holes,
                        size_t n, struct osw_error *err)
{
    const char *template = osw_template_get(arena, p->templates, file, err);
    struct osw_text t = OSW_TEXT_INIT;
    const char *made = NULL;

    if (template && osw_template_fill(template, holes, n, &t, err) < 0)
        osw_error_in(err, "template '%s'", file);
    else if (template)
        made = keep(arena, &t);
    osw_text_free(&t);
    if (template && !made)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a prompt");
    return made;
}

static const char *make_contract(osw_arena_t *arena, const struct osw_prompt *p,
                                 struct osw_error *err)
{
    const char *op_h = p->lang->python ? "" : read_op_h(arena, err);
    const struct osw_template_hole holes[] = {
        {"symbol", p->task->symbol},
        {"op_h", op_h},
    };

    return op_h ? fill(arena, p, p->lang->contract, holes, 2, err) : NULL;
}

/* Is the parent right? */
static const char *task_file(const struct osw_prompt *p)
{
    const struct osw_attempt *a;

    if (p->parent == 0)
        return "task_start.txt";
    a = &p->attempts[p->parent - 1];
    return a->outcome == OSW_OUTCOME_JUDGED && osw_attempt_right(&a->verdict)
               ? "task_improve.txt"
               : "task_repair.txt";
}

static const char *make_task(osw_arena_t *arena, const struct osw_prompt *p,
                             struct osw_error *err)
{
    char number[16];
    const struct osw_template_hole holes[] = {
        {"parent", number},
        {"attempts", p->parent ? tell_attempts(arena, p) : ""},
        {"code", p->parent ? quote_code(arena, p) : ""},
        {"feedback", p->parent ? p->feedback : ""},
    };

    snprintf(number, sizeof(number), "%u", p->parent);
    if (!holes[1].text || !holes[2].text) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a prompt");
        return NULL;
    }
    return fill(arena, p, task_file(p), holes, 4, err);
}

int osw_prompt_make(const struct osw_prompt *p, struct osw_text *out,
                    struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    const struct osw_op *op = p->task->op;
    const char *contract = arena ? make_contract(arena, p, err) : NULL;
    const char *task = contract ? make_task(arena, p, err) : NULL;
    const char *schema =
        arena ? osw_arena_printf(arena, "%s%s",
                                 *op->schema_text ? "Schema: " : "",
                                 op->schema_text)
              : NULL;
    const struct osw_template_hole holes[] = {
        {"contract", contract},
        {"op", op->name},
        {"schema", schema},
        {"symbol", p->task->symbol},
        {"tolerance", task ? tell_tolerance(arena, p->task) : NULL},
        {"cases", p->cases},
        {"device", p->device},
        {"task", task},
    };
    const char *text = NULL;

    if (task && schema && holes[4].text)
        text = fill(arena, p, "prompt.txt", holes,
                    sizeof(holes) / sizeof(holes[0]), err);
    if (text)
        osw_text_add(out, text);
    osw_arena_destroy(arena);
    return text && !out->failed
               ? 0
               : osw_fail(err, OSW_NO_MEMORY, "no memory for a prompt");
}

/* --- cases --- */

static const struct osw_record *find(const struct osw_judged_cell *cells,
                                     size_t n, const struct osw_task_case *c)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(cells[i].case_text, c->text) == 0 &&
            strcmp(cells[i].fill, c->fill) == 0)
            return &cells[i].record;
    return NULL;
}

void osw_prompt_add_cases(const struct osw_task *task,
                          const struct osw_judged_cell *cells, size_t n,
                          struct osw_text *out)
{
    size_t n_shown = 0;

    /* Timed cases first: they are what is to be made fast. */
    for (int timed = 1; timed >= 0; timed--)
        for (size_t i = 0; i < task->n_cases; i++) {
            const struct osw_task_case *c = &task->cases[i];
            const struct osw_record *r = find(cells, n, c);

            if (c->held_out || c->timed != (timed == 1) ||
                n_shown == MAX_SHOWN_CASES)
                continue;
            n_shown++;
            osw_text_printf(out, "%s%s%s%s\n", c->text,
                            *c->fill ? "  filled with " : "", c->fill,
                            c->timed ? "  (timed)" : "");
            if (c->bytes > 0 && c->timed)
                osw_text_printf(out, "       %.4g bytes at least", c->bytes);
            if (c->flops > 0 && c->timed)
                osw_text_printf(out, "%s%.4g operations",
                                c->bytes > 0 ? ", " : "       ", c->flops);
            if (c->timed && (c->bytes > 0 || c->flops > 0))
                osw_text_add(out, "\n");
            if (r && r->t_median_ns > 0) {
                osw_text_printf(out, "       baseline (%s): ", task->baseline);
                osw_feedback_add_time(r, out);
                osw_text_add(out, "\n");
            }
        }
    if (n_shown < task->n_shown)
        osw_text_printf(out, "... and %zu more like these\n",
                        task->n_shown - n_shown);
}
