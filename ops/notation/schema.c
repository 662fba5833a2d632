/* ops/notation/schema.c - signatures of ops, in PyTorch's `func:` language */
#include "ops/notation/schema.h"

#include <string.h>

#include "common/suggest.h"
#include "ops/notation/notation_parse.h"

static const struct {
    enum osw_type_base base;
    const char *word;
} types[] = {
#define X(NAME, word) {OSW_TYPE_##NAME, word},
    OSW_TYPE_MAP(X)
#undef X
};

/* Defaults that PyTorch writes as a word of C++. */
static const struct {
    const char *word;
    struct osw_value value;
} words[] = {
    {"Mean", {.kind = OSW_VALUE_INT, .u.i = 1}}, /* at::Reduction */
    {"Sum", {.kind = OSW_VALUE_INT, .u.i = 2}},
    {"long", {.kind = OSW_VALUE_DTYPE, .u.dtype = OSW_I64}},
};

/* Words that are values in the case notation too. */
static const char *const values[] = {"None", "True", "False", "inf", "nan"};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

int osw_schema_arg_index(const struct osw_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->n_args; i++)
        if (strcmp(schema->args[i].name, name) == 0)
            return (int)i;
    return -1;
}

int osw_schema_check_written(const struct osw_schema *schema,
                             struct osw_error *err)
{
    for (uint32_t i = 0; i < schema->n_args; i++)
        if (schema->args[i].written && schema->args[i].type.list)
            return osw_fail(err, OSW_BAD_INPUT,
                            "argument '%s' is a list of tensors that the op "
                            "writes: expected an argument for each",
                            schema->args[i].name);
    return 0;
}

/* A copy of text[from..to) in the arena; NULL with err set. */
static const char *keep(struct osw_scan *s, size_t from, size_t to)
{
    const char *copy = osw_arena_strndup(s->arena, s->text + from, to - from);

    if (!copy)
        (void)osw_scan_no_memory(s);
    return copy;
}

/* An identifier; NULL with err set. */
static const char *parse_name(struct osw_scan *s, const char *what)
{
    const char *word;
    size_t n = osw_scan_take_word(s, &word);

    if (n == 0) {
        osw_scan_fail(s, s->at, "%s", what);
        return NULL;
    }
    return keep(s, s->at - n, s->at);
}

static bool take_arrow(struct osw_scan *s)
{
    if (osw_scan_peek(s) != '-' || s->n - s->at < 2 ||
        s->text[s->at + 1] != '>')
        return false;
    s->at += 2;
    return true;
}

/* a, a|b, *: appended to `text`. */
static int parse_alias_set(struct osw_scan *s, struct osw_text *text)
{
    do {
        const char *word;
        size_t n = osw_scan_take_word(s, &word);

        if (n == 0 && !osw_scan_take(s, '*'))
            return osw_scan_fail(s, s->at, "an alias name or '*'");
        osw_text_add_n(text, n ? word : "*", n ? n : 1);
        if (osw_scan_peek(s) == '|')
            osw_text_add(text, "|");
    } while (osw_scan_take(s, '|'));
    return 0;
}

/* After the '(': a, a!, a -> *, a! -> a|b. */
static int parse_alias(struct osw_scan *s, struct osw_type *t)
{
    struct osw_text text = OSW_TEXT_INIT;
    int rc = parse_alias_set(s, &text);

    if (rc == 0 && osw_scan_take(s, '!')) {
        t->written = true;
        osw_text_add(&text, "!");
    }
    if (rc == 0 && take_arrow(s)) {
        osw_text_add(&text, " -> ");
        rc = parse_alias_set(s, &text);
    }
    if (rc == 0)
        rc = osw_scan_expect(s, ')');
    if (rc == 0 && osw_text_str(&text))
        t->alias = osw_arena_strdup(s->arena, osw_text_str(&text));
    osw_text_free(&text);
    if (rc == 0 && !t->alias)
        return osw_scan_no_memory(s);
    return rc;
}

static int parse_list_size(struct osw_scan *s, struct osw_type *t)
{
    struct osw_value v;
    size_t at;

    t->list = true;
    t->list_size = OSW_TYPE_ANY_SIZE;
    if (osw_scan_take(s, ']'))
        return 0;
    at = s->at;
    if (osw_scan_number(s, &v) < 0)
        return -1;
    if (v.kind != OSW_VALUE_INT || v.u.i < 1 || v.u.i > OSW_SCHEMA_MAX_ARGS)
        return osw_scan_fail(s, at, "a list size of 1 to %d",
                             OSW_SCHEMA_MAX_ARGS);
    t->list_size = v.u.i;
    return osw_scan_expect(s, ']');
}

/* The language has more types than the table; what is a letter from one of the
 * table is a typo.
 */
static int find_type(struct osw_scan *s, size_t at, struct osw_type *t)
{
    for (size_t i = 0; i < N_ELEM(types); i++)
        if (strcmp(types[i].word, t->word) == 0) {
            t->base = types[i].base;
            return 0;
        }
    for (size_t i = 0; i < N_ELEM(types); i++)
        if (osw_suggest_distance(types[i].word, t->word) == 1)
            return osw_scan_fail(s, at, "the type '%s'", types[i].word);
    return 0;
}

static int parse_type(struct osw_scan *s, struct osw_type *out)
{
    struct osw_type t = {.base = OSW_TYPE_OTHER};
    size_t at;

    (void)osw_scan_peek(s);
    at = s->at;
    t.word = parse_name(s, "a type");
    if (!t.word || find_type(s, at, &t) < 0)
        return -1;
    if (osw_scan_take(s, '(') && parse_alias(s, &t) < 0)
        return -1;
    t.optional = osw_scan_take(s, '?');
    if (osw_scan_take(s, '[')) {
        t.item_optional = t.optional;
        if (parse_list_size(s, &t) < 0)
            return -1;
        t.optional = osw_scan_take(s, '?');
    }
    *out = t;
    return 0;
}

static bool stands_value(struct osw_scan *s)
{
    size_t n = osw_scan_peek_word(s);

    if (n == 0 || osw_dtype_find(s->text + s->at, n))
        return true;
    for (size_t i = 0; i < N_ELEM(values); i++)
        if (osw_scan_is_word(s, values[i]))
            return true;
    return false;
}

/* After the '=': a value of the case notation, or a word. */
static int parse_default(struct osw_scan *s, struct osw_schema_arg *a)
{
    size_t start;

    (void)osw_scan_peek(s);
    start = s->at;
    if (!stands_value(s)) {
        const char *word = parse_name(s, "a default");

        if (!word)
            return -1;
        a->value = (struct osw_value){
            .kind = OSW_VALUE_WORD, .n = (uint32_t)strlen(word), .u.s = word};
        for (size_t i = 0; i < N_ELEM(words); i++)
            if (strcmp(words[i].word, word) == 0)
                a->value = words[i].value;
    } else if (osw_notation_parse_scan_value(s, &a->value) < 0) {
        return -1;
    }
    a->default_text = keep(s, start, s->at);
    return a->default_text ? 0 : -1;
}

static int parse_arg(struct osw_scan *s, struct osw_schema_arg *args,
                     uint32_t n)
{
    struct osw_schema_arg a = {.default_text = NULL};
    size_t at;

    if (n == OSW_SCHEMA_MAX_ARGS)
        return osw_scan_fail(s, s->at, "at most %d arguments",
                             OSW_SCHEMA_MAX_ARGS);
    if (parse_type(s, &a.type) < 0)
        return -1;
    (void)osw_scan_peek(s);
    at = s->at;
    a.name = parse_name(s, "an argument name");
    if (!a.name)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(args[i].name, a.name) == 0)
            return osw_scan_fail(s, at, "an argument name not used before");
    if (osw_scan_take(s, '=') && parse_default(s, &a) < 0)
        return -1;
    a.written = a.type.written;
    args[n] = a;
    return 0;
}

/* After the '('. */
static int parse_args(struct osw_scan *s, struct osw_schema *out)
{
    struct osw_schema_arg args[OSW_SCHEMA_MAX_ARGS], *kept;
    bool star = false, more = !osw_scan_take(s, ')');
    uint32_t n = 0;

    while (more) {
        (void)osw_scan_peek(s);
        if (!star && osw_scan_take(s, '*')) {
            star = true;
            if (osw_scan_expect(s, ',') < 0)
                return -1;
        }
        if (parse_arg(s, args, n) < 0)
            return -1;
        args[n++].kwarg_only = star;
        more = osw_scan_take(s, ',');
        if (!more && !osw_scan_take(s, ')'))
            return osw_scan_fail(s, s->at, "',' or ')'");
    }
    kept = osw_arena_array(s->arena, n, sizeof(*kept));
    if (!kept)
        return osw_scan_no_memory(s);
    if (n)
        memcpy(kept, args, n * sizeof(*kept));
    out->args = kept;
    out->n_args = n;
    return 0;
}

static int parse_return(struct osw_scan *s, struct osw_schema_return *out)
{
    struct osw_schema_return r = {.name = NULL};

    if (parse_type(s, &r.type) < 0)
        return -1;
    if (osw_scan_peek_word(s)) {
        r.name = parse_name(s, "a name");
        if (!r.name)
            return -1;
    }
    *out = r;
    return 0;
}

/* After the '->': one return, or any number in parentheses. */
static int parse_returns(struct osw_scan *s, struct osw_schema *out)
{
    struct osw_schema_return returns[OSW_SCHEMA_MAX_ARGS], *kept;
    bool more = true;
    uint32_t n = 0;

    out->return_tuple = osw_scan_take(s, '(');
    if (out->return_tuple)
        more = !osw_scan_take(s, ')');
    while (more) {
        if (n == OSW_SCHEMA_MAX_ARGS)
            return osw_scan_fail(s, s->at, "at most %d returns",
                                 OSW_SCHEMA_MAX_ARGS);
        if (parse_return(s, &returns[n++]) < 0)
            return -1;
        if (!out->return_tuple)
            break;
        more = osw_scan_take(s, ',');
        if (!more && !osw_scan_take(s, ')'))
            return osw_scan_fail(s, s->at, "',' or ')'");
    }
    kept = osw_arena_array(s->arena, n, sizeof(*kept));
    if (!kept)
        return osw_scan_no_memory(s);
    if (n)
        memcpy(kept, returns, n * sizeof(*kept));
    out->returns = kept;
    out->n_returns = n;
    return 0;
}

/* name, ns::name, name.overload */
static int parse_op_name(struct osw_scan *s, struct osw_schema *out)
{
    if (osw_scan_is_word(s, "func")) {
        size_t start = s->at;

        s->at += strlen("func");
        if (osw_scan_peek(s) != ':' ||
            (s->n - s->at > 1 && s->text[s->at + 1] == ':'))
            s->at = start;
        else
            s->at++;
    }
    out->name = parse_name(s, "the name of an op");
    if (!out->name)
        return -1;
    if (osw_scan_take(s, ':')) {
        out->ns = out->name;
        if (osw_scan_expect(s, ':') < 0)
            return -1;
        out->name = parse_name(s, "the name of an op");
        if (!out->name)
            return -1;
    }
    out->overload = "";
    if (osw_scan_take(s, '.'))
        out->overload = parse_name(s, "the name of an overload");
    return out->overload ? 0 : -1;
}

int osw_schema_parse(osw_arena_t *arena, const char *text, size_t n,
                     struct osw_schema *out, struct osw_error *err)
{
    struct osw_scan s = {.text = text, .n = n, .arena = arena, .err = err};
    struct osw_schema schema = {.ns = NULL};

    if (n > OSW_SCHEMA_MAX_BYTES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %d: expected a schema of at most %d bytes, "
                        "found %zu",
                        OSW_SCHEMA_MAX_BYTES + 1, OSW_SCHEMA_MAX_BYTES, n);
    if (parse_op_name(&s, &schema) < 0)
        return -1;
    if (osw_scan_peek(&s) >= 0) {
        schema.has_signature = true;
        if (osw_scan_expect(&s, '(') < 0 || parse_args(&s, &schema) < 0)
            return -1;
        if (!take_arrow(&s))
            return osw_scan_fail(&s, s.at, "'->'");
        if (parse_returns(&s, &schema) < 0 || osw_scan_end(&s) < 0)
            return -1;
    }
    *out = schema;
    return 0;
}

static void print_type(struct osw_text *out, const struct osw_type *t)
{
    osw_text_add(out, t->word);
    if (t->alias)
        osw_text_printf(out, "(%s)", t->alias);
    if (t->item_optional)
        osw_text_add(out, "?");
    if (t->list && t->list_size == OSW_TYPE_ANY_SIZE)
        osw_text_add(out, "[]");
    else if (t->list)
        osw_text_printf(out, "[%lld]", (long long)t->list_size);
    if (t->optional)
        osw_text_add(out, "?");
}

static void print_arg(struct osw_text *out, const struct osw_schema_arg *a)
{
    print_type(out, &a->type);
    osw_text_printf(out, " %s", a->name);
    if (a->default_text)
        osw_text_printf(out, "=%s", a->default_text);
}

void osw_schema_print_name(struct osw_text *out,
                           const struct osw_schema *schema)
{
    osw_text_printf(out, "%s%s%s", schema->name, *schema->overload ? "." : "",
                    schema->overload);
}

void osw_schema_print(struct osw_text *out, const struct osw_schema *schema)
{
    bool star = false;

    if (schema->ns)
        osw_text_printf(out, "%s::", schema->ns);
    osw_schema_print_name(out, schema);
    if (!schema->has_signature)
        return;
    osw_text_add(out, "(");
    for (uint32_t i = 0; i < schema->n_args; i++) {
        const struct osw_schema_arg *a = &schema->args[i];

        osw_text_add(out, i ? ", " : "");
        if (a->kwarg_only && !star)
            osw_text_add(out, "*, ");
        star = a->kwarg_only;
        print_arg(out, a);
    }
    osw_text_add(out, schema->return_tuple ? ") -> (" : ") -> ");
    for (uint32_t i = 0; i < schema->n_returns; i++) {
        const struct osw_schema_return *r = &schema->returns[i];

        osw_text_add(out, i ? ", " : "");
        print_type(out, &r->type);
        if (r->name)
            osw_text_printf(out, " %s", r->name);
    }
    osw_text_add(out, schema->return_tuple ? ")" : "");
}
