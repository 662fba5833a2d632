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
static int refuse_all(osw_arena_t *arena, const char *file,
                      const struct osw_error *why, struct osw_gen_cases *out,
                      struct osw_error *err)
{
    struct osw_gen_case *one = osw_arena_array(arena, 1, sizeof(*one));

    if (!one || why->status == OSW_NO_MEMORY)
        return no_memory(err);
    if (osw_gen_lines_refuse(arena, file, why->text, one, err) < 0)
        return -1;
    one->broken = true;
    *out = (struct osw_gen_cases){1, one};
    return 0;
}

static int expand_python(osw_arena_t *arena, const struct osw_op *op,
                         struct osw_gen_sink *sink, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *lines;
    size_t n;

    if (!runner.run)
        return 0;
    if (osw_gen_input_run(arena, op->cases_py, "", false, &lines, &n, &why) ==
            0 &&
        osw_gen_lines_parse(op, lines, n, sink, &why) == 0)
        return 0;
    return osw_fail(err,
                    why.status == OSW_NO_MEMORY ? OSW_NO_MEMORY : OSW_BAD_INPUT,
                    "%s", why.text);
}

/* The first that an op has is asked. */
static const struct generator {
    const char *file;
    bool (*has)(const struct osw_op *op);
    int (*expand)(osw_arena_t *arena, const struct osw_op *op,
                  struct osw_gen_sink *sink, struct osw_error *err);
    bool refused;        /* when it fails, one case says so */
    const char *missing; /* why it gives no cases without a runner */
} generators[] = {
    {"gen_input.json", has_json, osw_gen_json_load, false, NULL},
    {"gen_input.py", has_python, expand_python, true,
     "nothing here runs gen_input.py"},
};

static const struct generator *find_generator(const struct osw_op *op)
{
    for (size_t i = 0; i < N_ELEM(generators); i++)
        if (generators[i].has(op))
            return &generators[i];
    return NULL;
}

const char *osw_gen_input_file(const struct osw_op *op)
{
    const struct generator *g = find_generator(op);

    return g ? g->file : "gen_input.json";
}

const char *osw_gen_input_missing(const struct osw_op *op)
{
    const struct generator *g = find_generator(op);

    if (!g)
        return "no gen_input.json or gen_input.py";
    return runner.run ? NULL : g->missing;
}

int osw_gen_input_each(const struct osw_op *op, struct osw_gen_sink *sink,
                       struct osw_error *err)
{
    const struct generator *g = find_generator(op);
    osw_arena_t *arena = osw_arena_create();
    int rc = arena ? 0 : no_memory(err);

    if (rc == 0 && g)
        rc = g->expand(arena, op, sink, err);
    osw_arena_destroy(arena);
    return rc;
}

int osw_gen_input_load(osw_arena_t *arena, const struct osw_op *op,
                       struct osw_gen_cases *out, struct osw_error *err)
{
    const struct generator *g = find_generator(op);
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_gen_list list;
    int rc = 0;

    osw_gen_list_begin(&list, arena);
    if (g)
        rc = g->expand(arena, op, &list.sink, &why);
    rc = osw_gen_list_finish(&list, rc, out, &why);
    if (rc == 0)
        return 0;
    return g && g->refused ? refuse_all(arena, g->file, &why, out, err)
                           : osw_fail(err, why.status, "%s", why.text);
}
