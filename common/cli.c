/* common/cli.c - commands and their options as tables */
#include "common/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/guard.h"
#include "common/suggest.h"
#include "common/version.h"

bool osw_args_given(const struct osw_args *args, const char *name)
{
    const struct osw_opt *opt = osw_opt_find(args->opts, name);

    return opt && (args->given >> (opt - args->opts) & 1);
}

/* --- parsing ------------------------------------------------------------ */

static int unknown_option(const struct osw_cmd *cmd, const char *name, size_t n,
                          struct osw_error *err)
{
    const char *names[2 * OSW_OPT_MAX_ROWS + 1];
    char word[OSW_SUGGEST_MAX + 1];
    const char *near;
    size_t k = 0;

    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        names[k++] = o->name;
        names[k++] = o->alias;
    }
    names[k++] = "help";
    snprintf(word, sizeof(word), "%.*s", (int)n, name);
    near = osw_suggest(word, names, k);
    if (near)
        return osw_fail(err, OSW_BAD_INPUT,
                        "unknown option '--%s' (did you mean '--%s'?)", word,
                        near);
    return osw_fail(err, OSW_BAD_INPUT,
                    "unknown option '--%s' (see 'opsweep %s --help')", word,
                    cmd->name);
}

/* What is being parsed, and how far. */
struct line {
    const struct osw_cmd *cmd;
    int argc;
    const char *const *argv;
    int at; /* next word */
    void *opts;
    struct osw_args *args;
};

static int take(struct line *l, const struct osw_opt *opt, const char *attached,
                struct osw_error *err)
{
    const char *word = attached;

    if (!word)
        word = opt->kind == OSW_OPT_FLAG ? "true" : opt->implied;
    if (!word) {
        if (l->at == l->argc)
            return osw_fail(err, OSW_BAD_INPUT, "option '--%s': needs a value",
                            opt->name);
        word = l->argv[l->at++];
    }
    if (osw_opt_set(opt, l->opts, word, err) < 0)
        return -1;
    l->args->given |= (uint64_t)1 << (opt - l->cmd->opts);
    return 0;
}

static int long_option(struct line *l, const char *word, struct osw_error *err)
{
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const struct osw_opt *o;
    char name[OSW_SUGGEST_MAX];

    if (n >= sizeof(name))
        return unknown_option(l->cmd, word, n, err);
    memcpy(name, word, n);
    name[n] = '\0';
    o = osw_opt_find(l->cmd->opts, name);
    if (!o)
        return unknown_option(l->cmd, word, n, err);
    return take(l, o, equals ? equals + 1 : NULL, err);
}

static int short_option(struct line *l, const char *word, struct osw_error *err)
{
    for (const struct osw_opt *o = l->cmd->opts; o->name; o++)
        if (o->letter == *word)
            return take(l, o, word[1] ? word + 1 : NULL, err);
    return osw_fail(err, OSW_BAD_INPUT,
                    "unknown option '-%s' (see 'opsweep %s --help')", word,
                    l->cmd->name);
}

static int check_operands(const struct osw_cmd *cmd, const struct osw_args *a,
                          struct osw_error *err)
{
    if (a->n_operands < cmd->min_operands)
        return osw_fail(err, OSW_BAD_INPUT,
                        "too few operands (usage: opsweep %s [options] %s)",
                        cmd->name, cmd->operands);
    if (a->n_operands > cmd->max_operands)
        return osw_fail(err, OSW_BAD_INPUT,
                        "unexpected operand '%s' (usage: opsweep %s [options]"
                        "%s%s)",
                        a->operands[cmd->max_operands], cmd->name,
                        cmd->operands ? " " : "",
                        cmd->operands ? cmd->operands : "");
    return 0;
}

int osw_cli_parse(const struct osw_cmd *cmd, int argc, const char *const *argv,
                  void *opts, const char **operands, struct osw_args *args,
                  struct osw_error *err)
{
    struct osw_args a = {
        .operands = operands, .argv = argv, .argc = argc, .opts = cmd->opts};
    struct line l = {cmd, argc, argv, 2, opts, &a};
    bool only_operands = false;
    int rc;

    while (l.at < argc) {
        const char *word = argv[l.at++];

        if (only_operands || word[0] != '-' || !word[1]) {
            if (a.n_operands == OSW_CLI_MAX_OPERANDS)
                return osw_fail(err, OSW_BAD_INPUT, "more than %d operands",
                                OSW_CLI_MAX_OPERANDS);
            operands[a.n_operands++] = word;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            return 1;
        if (strcmp(word, "--") == 0) {
            only_operands = true;
            continue;
        }
        rc = word[1] == '-' ? long_option(&l, word + 2, err)
                            : short_option(&l, word + 1, err);
        if (rc < 0)
            return -1;
    }
    if (check_operands(cmd, &a, err) < 0)
        return -1;
    *args = a;
    return 0;
}

/* --- help --------------------------------------------------------------- */

enum { HELP_COLUMN = 28 };

static const char *value_word(const struct osw_opt *o)
{
    static const char *const words[] = {
        [OSW_OPT_FLAG] = "",     [OSW_OPT_STR] = "WORD",
        [OSW_OPT_U64] = "N",     [OSW_OPT_I64] = "N",
        [OSW_OPT_F64] = "X",     [OSW_OPT_SIZE] = "BYTES",
        [OSW_OPT_CHOICE] = NULL, [OSW_OPT_LIST] = "WORD",
    };

    return o->value ? o->value : words[o->kind];
}

static void option_names(const struct osw_opt *o, struct osw_text *t)
{
    const char *value = value_word(o);

    if (o->letter)
        osw_text_printf(t, "  -%c, --%s", o->letter, o->name);
    else
        osw_text_printf(t, "      --%s", o->name);
    if (value) {
        osw_text_printf(t, *value ? " %s" : "%s", value);
        return;
    }
    for (int i = 0; o->choices[i]; i++)
        osw_text_printf(t, "%s%s",
                        i            ? "|"
                        : o->implied ? "[="
                                     : " ",
                        o->choices[i]);
    osw_text_add(t, o->implied ? "]" : "");
}

static void option_help(const struct osw_cmd *cmd, const struct osw_opt *o,
                        struct osw_text *t)
{
    struct osw_text value = OSW_TEXT_INIT;
    size_t n = strlen(o->help);
    const char *s;

    osw_text_add(t, o->help);
    if (o->alias)
        osw_text_printf(t, " (also --%s)", o->alias);
    if (n && o->help[n - 1] == ']')
        return;
    osw_opt_print(o, cmd->defaults, &value);
    s = osw_text_str(&value);
    if (s && *s)
        osw_text_printf(t, " [%s]", s);
    osw_text_free(&value);
}

void osw_cli_help(FILE *out, const struct osw_cmd *cmd)
{
    fprintf(out, "usage: opsweep %s [options]%s%s\n\n%s\n", cmd->name,
            cmd->operands ? " " : "", cmd->operands ? cmd->operands : "",
            cmd->summary);
    if (cmd->details)
        fprintf(out, "\n%s", cmd->details);
    fputs("\noptions:\n", out);
    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        struct osw_text names = OSW_TEXT_INIT, help = OSW_TEXT_INIT;
        const char *left, *right;

        option_names(o, &names);
        option_help(cmd, o, &help);
        left = osw_text_str(&names);
        right = osw_text_str(&help);
        if (left && right && strlen(left) < HELP_COLUMN)
            fprintf(out, "%-*s%s\n", HELP_COLUMN, left, right);
        else if (left && right)
            fprintf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", right);
        osw_text_free(&names);
        osw_text_free(&help);
    }
    fprintf(out, "%-*s%s\n", HELP_COLUMN, "  -h, --help", "print this");
}

void osw_cli_usage(FILE *out, const struct osw_cmd *const *cmds, size_t n)
{
    fputs("usage: opsweep COMMAND [options] [operands]\n\n"
          "Sweeps ops x implementations x cases, checks every implementation\n"
          "against a reference, times it, and leaves one HDF5 file.\n\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-10s%s\n", cmds[i]->name, cmds[i]->summary);
    fputs("\n'opsweep COMMAND --help' tells the options of a command;\n"
          "'opsweep --version' the version.\n\n"
          "exit codes: 0 ok, 1 failure or regression, 2 usage or bad input,\n"
          "3 nothing to compare or judge, 4 incomplete (resumable), 5 I/O or\n"
          "internal error\n",
          out);
}

/* --- main --------------------------------------------------------------- */

static int fail_code(const struct osw_error *err)
{
    int code = osw_status_exit_code(err->status);

    fprintf(stderr, "opsweep: %s\n", err->text);
    return code ? code : osw_status_exit_code(OSW_INTERNAL);
}

/* The exit code of a command that returned rc; what it printed must have
 * arrived.
 */
static int finish(int rc, struct osw_error *err)
{
    if (fflush(stdout) != 0 && rc >= 0)
        rc = osw_fail_sys(err, errno, "cannot write to standard output");
    return rc < 0 ? fail_code(err) : rc;
}

struct call {
    const struct osw_cmd *cmd;
    void *opts;
    const struct osw_args *args;
};

static int call(void *arg, struct osw_error *err)
{
    const struct call *c = arg;

    return c->cmd->run(c->opts, c->args, err);
}

static int run(const struct osw_cmd *cmd, int argc, const char *const *argv)
{
    const char *operands[OSW_CLI_MAX_OPERANDS];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_args args;
    void *opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
    int rc = -1;

    if (!opts) {
        osw_fail(&err, OSW_NO_MEMORY, "no memory for the options");
        goto out;
    }
    if (cmd->opts_size)
        memcpy(opts, cmd->defaults, cmd->opts_size);
    rc = osw_cli_parse(cmd, argc, argv, opts, operands, &args, &err);
    if (rc == 1) {
        osw_cli_help(stdout, cmd);
        rc = 0;
    } else if (rc == 0) {
        struct call c = {cmd, opts, &args};

        rc = cmd->guarded ? osw_guard_call(call, &c, &err) : call(&c, &err);
    }
out:
    free(opts);
    return finish(rc, &err);
}

static int unknown_command(const struct osw_cmd *const *cmds, size_t n,
                           const char *word)
{
    const char *names[OSW_OPT_MAX_ROWS];
    struct osw_error err = OSW_ERROR_INIT;
    const char *near;

    if (n > OSW_OPT_MAX_ROWS)
        n = OSW_OPT_MAX_ROWS;
    for (size_t i = 0; i < n; i++)
        names[i] = cmds[i]->name;
    near = osw_suggest(word, names, n);
    osw_fail(&err, OSW_BAD_INPUT, "unknown command '%s' (%s%s%s)", word,
             near ? "did you mean '" : "see 'opsweep --help", near ? near : "",
             near ? "'?" : "'");
    return fail_code(&err);
}

int osw_cli_main(const struct osw_cmd *const *cmds, size_t n_cmds, int argc,
                 char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    struct osw_error err = OSW_ERROR_INIT;

    if (!*word) {
        osw_cli_usage(stderr, cmds, n_cmds);
        return osw_status_exit_code(OSW_BAD_INPUT);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0) {
        osw_cli_usage(stdout, cmds, n_cmds);
        return finish(0, &err);
    }
    if (strcmp(word, "--version") == 0) {
        printf("opsweep %s\n", OSW_VERSION);
        return finish(0, &err);
    }
    for (size_t i = 0; i < n_cmds; i++)
        if (strcmp(cmds[i]->name, word) == 0)
            return run(cmds[i], argc, (const char *const *)argv);
    return unknown_command(cmds, n_cmds, word);
}
