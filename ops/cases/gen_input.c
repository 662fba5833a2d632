/* ops/cases/gen_input.c - the cases of an op folder, expanded */
#include "ops/cases/gen_input.h"

#include "ops/cases/gen_json.h"
#include "ops/cases/gen_lines.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

static bool has_json(const struct osw_op *op)
{
    return op->cases_json != NULL;
}

static struct {
    osw_gen_run_f *run;
    void *arg;
} runner;

void osw_gen_input_set_runner(osw_gen_run_f *run, void *arg)
{
    runner.run = run;
    runner.arg = arg;
}

int osw_gen_input_run(osw_arena_t *arena, const char *path, const char *asked,
                      bool divisible, const char **lines, size_t *n,
                      struct osw_error *err)
{
    return runner.run
               ? runner.run(runner.arg, arena, path, asked, divisible, lines, n,
                            err)
               : osw_fail(err, OSW_BAD_INPUT, "nothing here runs '%s'", path);
}

static bool has_python(const struct osw_op *op)
{
    return op->cases_py != NULL;
}

/* A generator that fails costs its op's cases, not the campaign. */
static int refuse_all(osw_arena_t *arena, const struct osw_error *why,
                      struct osw_gen_cases *out, struct osw_error *err)
{
    struct osw_gen_case *one = osw_arena_array(arena, 1, sizeof(*one));

    if (!one || why->status == OSW_NO_MEMORY)
        return no_memory(err);
    if (osw_gen_lines_refuse(arena, "gen_input.py", why->text, one, err) < 0)
        return -1;
    one->broken = true;
    *out = (struct osw_gen_cases){1, one};
    return 0;
}

static int expand_python(osw_arena_t *arena, const struct osw_op *op,
                         struct osw_gen_cases *out, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *lines;
    size_t n;

    *out = (struct osw_gen_cases){0, NULL};
    if (!runner.run)
        return 0;
    if (osw_gen_input_run(arena, op->cases_py, "", false, &lines, &n, &why) <
            0 ||
        osw_gen_lines_parse(arena, op, lines, n, out, &why) < 0)
        return refuse_all(arena, &why, out, err);
    return 0;
}

/* The first that an op has is asked. */
static const struct generator {
    bool (*has)(const struct osw_op *op);
    int (*expand)(osw_arena_t *arena, const struct osw_op *op,
                  struct osw_gen_cases *out, struct osw_error *err);
    const char *missing; /* why it gives no cases without a runner */
} generators[] = {
    {has_json, osw_gen_json_load, NULL},
    {has_python, expand_python, "nothing here runs gen_input.py"},
};

static const struct generator *find_generator(const struct osw_op *op)
{
    for (size_t i = 0; i < N_ELEM(generators); i++)
        if (generators[i].has(op))
            return &generators[i];
    return NULL;
}

const char *osw_gen_input_missing(const struct osw_op *op)
{
    const struct generator *g = find_generator(op);

    if (!g)
        return "no gen_input.json or gen_input.py";
    return runner.run ? NULL : g->missing;
}

int osw_gen_input_load(osw_arena_t *arena, const struct osw_op *op,
                       struct osw_gen_cases *out, struct osw_error *err)
{
    const struct generator *g = find_generator(op);

    if (g)
        return g->expand(arena, op, out, err);
    *out = (struct osw_gen_cases){0, NULL};
    return 0;
}
