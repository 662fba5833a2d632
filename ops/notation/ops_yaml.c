/* ops/notation/ops_yaml.c - an ExecuTorch file of operators and their kernels
 */
#include "ops/notation/ops_yaml.h"

#include <string.h>
#include <yaml.h>

#include "common/grow.h"
#include "common/text.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_KEYS = 12, MAX_SHOWN = 60 };

struct reader {
    osw_arena_t *arena;
    yaml_parser_t yaml;
    yaml_event_t event; /* the current one, if `has` */
    bool has;
    struct osw_yaml_op *ops; /* [n] of room for size */
    size_t n, size;
    struct osw_error *err;
};

/* What an entry was found to have, before it is an operator. */
struct entry {
    struct osw_yaml_op op;
    const char *schema; /* NULL: none */
    size_t schema_line;
    size_t key_lines[MAX_KEYS]; /* 0: not seen */
};

static int no_memory(const struct reader *r)
{
    return osw_fail(r->err, OSW_NO_MEMORY, "no memory for operators");
}

static size_t line_of(const struct reader *r)
{
    return r->event.start_mark.line + 1;
}

/* --- events --- */

static int fail_syntax(struct reader *r)
{
    const yaml_parser_t *y = &r->yaml;
    size_t line = y->problem_mark.line + 1;

    if (y->error == YAML_MEMORY_ERROR)
        return no_memory(r);
    return osw_fail(r->err, OSW_BAD_INPUT, "line %zu: %s", line,
                    y->problem ? y->problem : "no YAML");
}

/* The next event; anchors, aliases and tags are none of this format. */
static int next(struct reader *r)
{
    const yaml_char_t *anchor = NULL;

    if (r->has)
        yaml_event_delete(&r->event);
    r->has = false;
    if (!yaml_parser_parse(&r->yaml, &r->event))
        return fail_syntax(r);
    r->has = true;
    if (r->event.type == YAML_ALIAS_EVENT)
        return osw_fail(r->err, OSW_BAD_INPUT,
                        "line %zu: expected a value, found the alias '*%.*s'",
                        line_of(r), MAX_SHOWN,
                        (const char *)r->event.data.alias.anchor);
    if (r->event.type == YAML_SCALAR_EVENT)
        anchor = r->event.data.scalar.anchor;
    if (r->event.type == YAML_SEQUENCE_START_EVENT)
        anchor = r->event.data.sequence_start.anchor;
    if (r->event.type == YAML_MAPPING_START_EVENT)
        anchor = r->event.data.mapping_start.anchor;
    return anchor ? osw_fail(r->err, OSW_BAD_INPUT,
                             "line %zu: expected a value, found the anchor "
                             "'&%.*s'",
                             line_of(r), MAX_SHOWN, (const char *)anchor)
                  : 0;
}

static const char *found(const struct reader *r)
{
    switch (r->event.type) {
    case YAML_SCALAR_EVENT:
        return "a text";
    case YAML_SEQUENCE_START_EVENT:
        return "a list";
    case YAML_MAPPING_START_EVENT:
        return "keys";
    default:
        return "the end";
    }
}

static int expected(const struct reader *r, const char *what)
{
    return osw_fail(r->err, OSW_BAD_INPUT, "line %zu: expected %s, found %s",
                    line_of(r), what, found(r));
}

/* The current text, which holds no NUL; NULL with err set. */
static const char *take_text(struct reader *r, const char *what)
{
    const char *text;
    size_t n;

    if (r->event.type != YAML_SCALAR_EVENT) {
        expected(r, what);
        return NULL;
    }
    n = r->event.data.scalar.length;
    if (n == 0 || memchr(r->event.data.scalar.value, '\0', n)) {
        osw_fail(r->err, OSW_BAD_INPUT, "line %zu: expected %s, found %s",
                 line_of(r), what, n ? "a zero byte" : "nothing");
        return NULL;
    }
    text = osw_arena_strndup(r->arena, (const char *)r->event.data.scalar.value,
                             n);
    if (!text)
        no_memory(r);
    return text;
}

/* Past the current value, whatever it holds. */
static int pass_over(struct reader *r)
{
    size_t depth = 0;

    for (;;) {
        if (r->event.type == YAML_SEQUENCE_START_EVENT ||
            r->event.type == YAML_MAPPING_START_EVENT) {
            if (depth++ == OSW_OPS_YAML_MAX_DEPTH)
                return osw_fail(r->err, OSW_BAD_INPUT,
                                "line %zu: expected at most %d levels",
                                line_of(r), OSW_OPS_YAML_MAX_DEPTH);
        } else if (r->event.type != YAML_SCALAR_EVENT) {
            depth--;
        }
        if (depth == 0)
            return 0;
        if (next(r) < 0)
            return -1;
    }
}

/* --- keys --- */

struct key {
    const char *name;
    /* The value is the current event; afterwards its last one is. */
    int (*take)(struct reader *r, struct entry *e);
};

static void fail_unknown(struct reader *r, const char *name,
                         const struct key *keys, size_t n)
{
    struct osw_text all = OSW_TEXT_INIT;

    for (size_t i = 0; i < n; i++)
        osw_text_printf(&all, "%s%s", i ? ", " : "", keys[i].name);
    osw_fail(r->err, OSW_BAD_INPUT,
             "line %zu: unknown key '%.*s': expected one of %s", line_of(r),
             MAX_SHOWN, name, osw_text_str(&all) ? osw_text_str(&all) : "");
    osw_text_free(&all);
}

/* The row of the current key; NULL with err set: unknown, or seen before. */
static const struct key *find_key(struct reader *r, const struct key *keys,
                                  size_t n, size_t lines[MAX_KEYS])
{
    const char *name = take_text(r, "a key");
    size_t i = 0;

    if (!name)
        return NULL;
    while (i < n && strcmp(keys[i].name, name) != 0)
        i++;
    if (i == n) {
        fail_unknown(r, name, keys, n);
        return NULL;
    }
    if (lines[i]) {
        osw_fail(r->err, OSW_BAD_INPUT,
                 "line %zu: '%s' is there already, in line %zu", line_of(r),
                 name, lines[i]);
        return NULL;
    }
    lines[i] = line_of(r);
    return &keys[i];
}

/* Keys and values from the current event, which begins them, to the end. */
static int read_keys(struct reader *r, const struct key *keys, size_t n,
                     size_t lines[MAX_KEYS], struct entry *e)
{
    const struct key *key;

    if (next(r) < 0)
        return -1;
    while (r->event.type != YAML_MAPPING_END_EVENT) {
        key = find_key(r, keys, n, lines);
        if (!key || next(r) < 0 || key->take(r, e) < 0 || next(r) < 0)
            return -1;
    }
    return 0;
}

/* --- kernels --- */

static int take_arg_meta(struct reader *r, struct entry *e)
{
    const char *text = (const char *)r->event.data.scalar.value;

    (void)e;
    if (r->event.type == YAML_SCALAR_EVENT &&
        (!*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0))
        return 0;
    return osw_fail(r->err, OSW_BAD_INPUT,
                    "line %zu: arg_meta: expected null: kernels of some dtypes "
                    "only are not read",
                    line_of(r));
}

static bool is_function(const char *name)
{
    static const char words[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    for (;;) {
        size_t n = strspn(name, words);

        if (n == 0 || (name[0] >= '0' && name[0] <= '9'))
            return false;
        if (!name[n])
            return true;
        if (strncmp(name + n, "::", 2) != 0)
            return false;
        name += n + 2;
    }
}

static int take_kernel_name(struct reader *r, struct entry *e)
{
    const char **kernels = (const char **)e->op.kernels;
    const char *name = take_text(r, "a function, such as myns::scale_out");

    if (!name)
        return -1;
    if (!is_function(name))
        return osw_fail(r->err, OSW_BAD_INPUT,
                        "line %zu: kernel_name: expected a function, such as "
                        "myns::scale_out, found '%.*s'",
                        line_of(r), MAX_SHOWN, name);
    kernels[e->op.n_kernels++] = name;
    return 0;
}

static const struct key kernel_keys[] = {
    {"arg_meta", take_arg_meta},
    {"kernel_name", take_kernel_name},
};

static int take_kernel(struct reader *r, struct entry *e)
{
    size_t lines[MAX_KEYS] = {0}, line = line_of(r), n = e->op.n_kernels;

    if (r->event.type != YAML_MAPPING_START_EVENT)
        return expected(r, "'arg_meta: null' and 'kernel_name: FUNCTION'");
    if (n == OSW_OPS_YAML_MAX_KERNELS)
        return osw_fail(r->err, OSW_BAD_INPUT,
                        "line %zu: expected at most %d kernels", line,
                        OSW_OPS_YAML_MAX_KERNELS);
    if (read_keys(r, kernel_keys, N_ELEM(kernel_keys), lines, e) < 0)
        return -1;
    return e->op.n_kernels > n
               ? 0
               : osw_fail(r->err, OSW_BAD_INPUT,
                          "line %zu: the kernel has no 'kernel_name'", line);
}

static int take_kernels(struct reader *r, struct entry *e)
{
    e->op.kernels = osw_arena_array(r->arena, OSW_OPS_YAML_MAX_KERNELS,
                                    sizeof(*e->op.kernels));
    if (!e->op.kernels)
        return no_memory(r);
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return expected(r, "a list of kernels");
    for (;;) {
        if (next(r) < 0)
            return -1;
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            return 0;
        if (take_kernel(r, e) < 0)
            return -1;
    }
}

/* --- entries --- */

static int take_schema(struct reader *r, struct entry *e, bool is_func)
{
    if (e->schema)
        return osw_fail(r->err, OSW_BAD_INPUT,
                        "line %zu: expected one of 'func' and 'op', found both",
                        line_of(r));
    e->op.is_func = is_func;
    e->schema_line = line_of(r);
    e->schema = take_text(r, is_func ? "a schema" : "an operator's name");
    return e->schema ? 0 : -1;
}

static int take_func(struct reader *r, struct entry *e)
{
    return take_schema(r, e, true);
}

static int take_op(struct reader *r, struct entry *e)
{
    return take_schema(r, e, false);
}

static int take_other(struct reader *r, struct entry *e)
{
    (void)e;
    return pass_over(r);
}

static const struct key entry_keys[] = {
    {"func", take_func},
    {"op", take_op},
    {"kernels", take_kernels},
    {"variants", take_other},
    {"tags", take_other},
    {"type_alias", take_other},
    {"namespace", take_other},
    {"dim_order_alias", take_other},
    {"cpp_no_default_args", take_other},
    {"dispatch", take_other},
};

_Static_assert(N_ELEM(entry_keys) <= MAX_KEYS, "room for their lines");

static int parse_schema(struct reader *r, struct entry *e)
{
    const char *key = e->op.is_func ? "func" : "op";
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_schema_parse(r->arena, e->schema, strlen(e->schema), &e->op.schema,
                         &why) < 0)
        return osw_fail(r->err, why.status, "line %zu: %s: %s", e->schema_line,
                        key, why.text);
    if (e->op.schema.has_signature != e->op.is_func)
        return osw_fail(r->err, OSW_BAD_INPUT, "line %zu: %s: expected %s",
                        e->schema_line, key,
                        e->op.is_func ? "arguments and returns" : "a name");
    return 0;
}

static const char *ns_of(const struct osw_schema *s)
{
    return s->ns ? s->ns : "aten";
}

static int check_new(struct reader *r, const struct entry *e)
{
    const struct osw_schema *s = &e->op.schema;

    for (size_t i = 0; i < r->n; i++) {
        const struct osw_schema *o = &r->ops[i].schema;

        if (strcmp(o->name, s->name) == 0 &&
            strcmp(o->overload, s->overload) == 0 &&
            strcmp(ns_of(o), ns_of(s)) == 0)
            return osw_fail(
                r->err, OSW_BAD_INPUT,
                "line %zu: '%s::%s%s%s' is there already, in line %zu",
                e->op.line, ns_of(s), s->name, *s->overload ? "." : "",
                s->overload, r->ops[i].line);
    }
    return 0;
}

static int add(struct reader *r, const struct osw_yaml_op *op)
{
    struct osw_yaml_op *ops;

    if (r->n == OSW_OPS_YAML_MAX_OPS)
        return osw_fail(r->err, OSW_BAD_INPUT,
                        "line %zu: expected at most %d operators", op->line,
                        OSW_OPS_YAML_MAX_OPS);
    ops = osw_grow_in(r->arena, r->ops, r->n, &r->size, sizeof(*ops));
    if (!ops)
        return no_memory(r);
    r->ops = ops;
    r->ops[r->n++] = *op;
    return 0;
}

static int read_entry(struct reader *r)
{
    struct entry e = {.op.line = line_of(r)};

    if (r->event.type != YAML_MAPPING_START_EVENT)
        return expected(r, "'func: SCHEMA' or 'op: NAME'");
    if (read_keys(r, entry_keys, N_ELEM(entry_keys), e.key_lines, &e) < 0)
        return -1;
    if (!e.schema)
        return osw_fail(r->err, OSW_BAD_INPUT,
                        "line %zu: expected 'func: SCHEMA' or 'op: NAME', "
                        "found neither",
                        e.op.line);
    return parse_schema(r, &e) < 0 || check_new(r, &e) < 0 ? -1 : add(r, &e.op);
}

/* The stream's one document: a list, or nothing at all. */
static int read_all(struct reader *r)
{
    if (next(r) < 0 || next(r) < 0)
        return -1;
    if (r->event.type == YAML_STREAM_END_EVENT)
        return 0;
    if (next(r) < 0)
        return -1;
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return expected(r, "a list of operators");
    for (;;) {
        if (next(r) < 0)
            return -1;
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (read_entry(r) < 0)
            return -1;
    }
    if (next(r) < 0 || next(r) < 0)
        return -1;
    return r->event.type == YAML_STREAM_END_EVENT
               ? 0
               : osw_fail(
                     r->err, OSW_BAD_INPUT,
                     "line %zu: expected one list, found a second document",
                     line_of(r));
}

int osw_ops_yaml_read(osw_arena_t *arena, const char *text, size_t n,
                      struct osw_ops_yaml *out, struct osw_error *err)
{
    struct reader r = {.arena = arena, .err = err};
    int rc;

    if (n > OSW_OPS_YAML_MAX_BYTES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected at most %d bytes, found %zu",
                        OSW_OPS_YAML_MAX_BYTES, n);
    if (!yaml_parser_initialize(&r.yaml))
        return no_memory(&r);
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, n);
    rc = read_all(&r);
    if (r.has)
        yaml_event_delete(&r.event);
    yaml_parser_delete(&r.yaml);
    if (rc == 0)
        *out = (struct osw_ops_yaml){r.n, r.ops};
    return rc;
}
