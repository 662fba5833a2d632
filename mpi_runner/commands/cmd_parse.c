/* mpi_runner/commands/cmd_parse.c - opsweep parse: read lines, print them
 * canonically */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/text.h"
#include "ops/cases/trace.h"
#include "ops/notation/notation.h"
#include "ops/notation/schema.h"
#include "ops/notation/schema_yaml.h"

enum { MAX_LINE = OSW_NOTATION_MAX_BYTES, MAX_READ = 64 << 20 };

struct parse_opts {
    bool cases, schemas, traces;
};

static const struct parse_opts parse_defaults = {.cases = false};

#define AT(field) offsetof(struct parse_opts, field)
/* clang-format off */
static const struct osw_opt parse_optv[] = {
    { "case",   OSW_OPT_FLAG, AT(cases),   "lines are cases: ((T([2, 3], f32),), {'dim': 1})" },
    { "schema", OSW_OPT_FLAG, AT(schemas), "lines are schemas: neg(Tensor self) -> Tensor; or a YAML list of them: - func: ..." },
    { "trace",  OSW_OPT_FLAG, AT(traces),  "lines are those of a trace: Operator: and cnt:" },
    { 0 },
};
/* clang-format on */
#undef AT

/* Read one line and append its canonical form. */
typedef int (*parse_f)(osw_arena_t *arena, const char *line, size_t n,
                       struct osw_text *out, struct osw_error *err);

static int parse_case(osw_arena_t *arena, const char *line, size_t n,
                      struct osw_text *out, struct osw_error *err)
{
    struct osw_case c;

    if (osw_notation_parse_case(arena, line, n, &c, err) < 0)
        return -1;
    osw_notation_print_case(out, &c);
    return 0;
}

static int parse_schema(osw_arena_t *arena, const char *line, size_t n,
                        struct osw_text *out, struct osw_error *err)
{
    struct osw_schema schema;

    if (osw_schema_parse(arena, line, n, &schema, err) < 0)
        return -1;
    osw_schema_print(out, &schema);
    return 0;
}

static int parse_trace(osw_arena_t *arena, const char *text, size_t n,
                       struct osw_text *out, struct osw_error *err)
{
    struct osw_trace_line line;

    if (osw_trace_parse_line(arena, text, n, &line, err) < 0)
        return -1;
    if (line.kind == OSW_TRACE_OPERATOR)
        osw_text_printf(out, "Operator: %s", line.op);
    if (line.kind == OSW_TRACE_CALL) {
        osw_text_printf(out, "cnt: %lld, ", (long long)line.count);
        osw_notation_print_case(out, &line.args);
    }
    return 0;
}

/* A pass over the lines of one stream. */
struct pass {
    osw_arena_t *arena;
    parse_f parse;
    bool schemas; /* there may be comments, and it may be YAML */
    bool begun;   /* a line was neither empty nor a comment */
    bool is_yaml;
    struct osw_schema_yaml yaml;
    const char *name; /* of the stream, in messages */
    struct osw_text out;
    uint64_t n_lines; /* that held something; of YAML: schemas */
    uint64_t n_bad;
};

static bool is_blank(const char *line, size_t n)
{
    return strspn(line, " \t\r") == n;
}

static void tell(struct pass *p, uint64_t number, const char *wrong)
{
    fprintf(stderr, "%s:%llu: %s\n", p->name, (unsigned long long)number,
            wrong);
    p->n_bad++;
}

/* Print one line, or what is wrong with it.  -1 only when that fails. */
static int take_line(struct pass *p, const char *line, size_t n,
                     uint64_t number, struct osw_error *err)
{
    struct osw_error bad = OSW_ERROR_INIT;

    p->n_lines++;
    osw_arena_reset(p->arena);
    osw_text_reset(&p->out);
    if (p->parse(p->arena, line, n, &p->out, &bad) < 0) {
        if (bad.status != OSW_BAD_INPUT)
            return osw_fail(err, bad.status, "%s", bad.text);
        tell(p, number, bad.text);
        return 0;
    }
    if (!osw_text_str(&p->out))
        return osw_fail(err, OSW_NO_MEMORY, "no memory to print a line");
    puts(osw_text_str(&p->out));
    return 0;
}

/* A schema of a YAML file, or what is wrong in it. */
static int take_found(void *arg, const struct osw_schema_yaml_found *found,
                      struct osw_error *err)
{
    struct pass *p = arg;

    if (found->text)
        return take_line(p, found->text, found->n, found->line, err);
    p->n_lines++;
    tell(p, found->line, found->wrong);
    return 0;
}

static bool is_comment(const struct pass *p, const char *line)
{
    return p->schemas && line[strspn(line, " \t")] == '#';
}

/* A line as it was read: YAML's own reader takes all of a YAML file's. */
static int take_any_line(struct pass *p, const char *line, size_t n,
                         uint64_t number, struct osw_error *err)
{
    bool holds = !is_blank(line, n) && !is_comment(p, line);

    if (holds && p->schemas && !p->begun)
        p->is_yaml = osw_schema_yaml_begins(line, n);
    p->begun = p->begun || holds;
    if (p->is_yaml)
        return osw_schema_yaml_line(&p->yaml, number, line, n, err);
    return holds ? take_line(p, line, n, number, err) : 0;
}

/* A line that is too long is read to its end and counted as bad; one without
 * an end (a device) is the last.
 */
static size_t read_line(FILE *in, char *line, bool *end)
{
    size_t n = 0, n_read = 0;
    int c;

    while ((c = getc_unlocked(in)) != EOF && c != '\n' && n_read++ < MAX_READ)
        if (n <= MAX_LINE)
            line[n++] = (char)c;
    *end = c != '\n';
    line[n] = '\0';
    return n;
}

static int take_lines(struct pass *p, FILE *in, char *line,
                      struct osw_error *err)
{
    bool end = false;

    for (uint64_t number = 1; !end; number++) {
        size_t n = read_line(in, line, &end);

        if (take_any_line(p, line, n, number, err) < 0)
            return -1;
    }
    if (osw_schema_yaml_end(&p->yaml, err) < 0)
        return -1;
    if (ferror(in))
        return osw_fail(err, OSW_BAD_INPUT, "cannot read '%s': %s", p->name,
                        strerror(errno));
    if (fflush(stdout) != 0 || ferror(stdout))
        return osw_fail_sys(err, errno, "cannot write to standard output");
    if (p->n_bad == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT, "%llu of %llu %s are invalid",
                    (unsigned long long)p->n_bad,
                    (unsigned long long)p->n_lines,
                    p->is_yaml ? "schemas" : "lines");
}

static int parse_stream(parse_f parse, const char *name, FILE *in,
                        struct osw_error *err)
{
    struct pass p = {.arena = osw_arena_create(),
                     .parse = parse,
                     .schemas = parse == parse_schema,
                     .name = name,
                     .yaml = OSW_SCHEMA_YAML_INIT(take_found, &p)};
    char *line = malloc(MAX_LINE + 2);
    int rc;

    if (p.arena && line)
        rc = take_lines(&p, in, line, err);
    else
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a line");
    free(line);
    osw_schema_yaml_free(&p.yaml);
    osw_text_free(&p.out);
    osw_arena_destroy(p.arena);
    return rc;
}

static int parse_run(void *opts, const struct osw_args *args,
                     struct osw_error *err)
{
    const struct parse_opts *o = opts;
    const char *path = args->n_operands ? args->operands[0] : "-";
    bool standard = strcmp(path, "-") == 0;
    parse_f parse = o->cases     ? parse_case
                    : o->schemas ? parse_schema
                                 : parse_trace;
    FILE *in;
    int rc;

    if (o->cases + o->schemas + o->traces != 1)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected exactly one of --case, --schema, --trace; "
                        "found %d of them",
                        o->cases + o->schemas + o->traces);
    in = standard ? stdin : fopen(path, "r");
    if (!in)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open '%s': %s", path,
                        strerror(errno));
    rc = parse_stream(parse, standard ? "standard input" : path, in, err);
    if (!standard)
        fclose(in);
    return rc;
}

const struct osw_cmd osw_cmd_parse = {
    .name = "parse",
    .topic = "write ops",
    .operands = "--case|--schema|--trace [FILE]",
    .summary = "read cases, schemas or a trace, and print them canonically",
    .details = "Reads FILE, or standard input, line by line.  What is wrong "
               "goes to standard\nerror as FILE:LINE: column C: expected X, "
               "found Y, and the other lines are\nprinted all the same.  "
               "Exits 2 when a line was wrong.  Of a YAML file of\noperators "
               "(native_functions.yaml) it prints the schemas.\n",
    .max_operands = 1,
    .opts = parse_optv,
    .defaults = &parse_defaults,
    .opts_size = sizeof(parse_defaults),
    .run = parse_run,
};
