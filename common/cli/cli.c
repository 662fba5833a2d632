/* common/cli/cli.c - commands and their options as tables */
#include "common/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/cli_complete.h"
#include "common/cli/cli_help.h"
#include "common/cli/cli_man.h"
#include "common/guard.h"
#include "common/suggest.h"
#include "common/utf8.h"
#include "common/version.h"

bool osw_args_given(const struct osw_args *args, const char *name)
{
    const struct osw_opt *opt = osw_opt_find(args->opts, name);

    return opt && (args->given >> (opt - args->opts) & 1);
}

const char *osw_cmd_refuses(const struct osw_cmd *cmd,
                            const struct osw_opt *opt)
{
    for (const struct osw_refusal *r = cmd->refused; r && r->option; r++)
        if (strcmp(r->option, opt->name) == 0)
            return r->why;
    return NULL;
}

/* --- parsing ------------------------------------------------------------ */

/* The option that may be `word`, for a user who took the value for an option;
 * or NULL.
 */
static const struct osw_opt *with_word(const struct osw_cmd *cmd,
                                       const char *word)
{
    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        const char *name;

        for (size_t i = 0; (name = osw_opt_word(o, i)); i++)
            if (strcmp(name, word) == 0)
                return o;
    }
    return NULL;
}

/* All of the program; of none where a command is parsed by itself. */
static struct {
    const struct osw_cmd *const *at;
    size_t n;
} commands;

/* "one of 'opsweep submit'; ": the commands that take that option. */
static void add_whose(const char *name, struct osw_text *out)
{
    for (size_t i = 0; i < commands.n; i++) {
        const struct osw_cmd *c = commands.at[i];
        const struct osw_opt *opt = osw_opt_find(c->opts, name);

        if (opt && !osw_cmd_refuses(c, opt))
            osw_text_printf(out, "%s'opsweep %s'", out->used ? ", " : "one of ",
                            c->name);
    }
    if (out->used)
        osw_text_add(out, "; ");
}

static int unknown_option(const struct osw_cmd *cmd, const char *name, size_t n,
                          struct osw_error *err)
{
    const char *names[2 * OSW_OPT_MAX_ROWS + 2];
    char word[OSW_SUGGEST_MAX + 1];
    const struct osw_opt *opt;
    struct osw_text whose = OSW_TEXT_INIT;
    const char *near;
    size_t k = 0;

    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        if (osw_cmd_refuses(cmd, o))
            continue;
        names[k++] = o->name;
        names[k++] = o->alias;
    }
    names[k++] = "help";
    names[k++] = "help-all";
    snprintf(word, sizeof(word), "%.*s", (int)n, name);
    opt = with_word(cmd, word);
    near = opt ? opt->name : osw_suggest(word, names, k);
    if (near)
        return osw_fail(err, OSW_BAD_INPUT,
                        "unknown option '--%s' (did you mean '--%s%s%s'?)",
                        word, near, opt ? " " : "", opt ? word : "");
    add_whose(word, &whose);
    osw_fail(err, OSW_BAD_INPUT,
             "unknown option '--%s' (%ssee 'opsweep %s --help')", word,
             whose.failed ? "" : osw_text_str(&whose), cmd->name);
    osw_text_free(&whose);
    return -1;
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

/* Is the word an option of the command?  Then the value before it was left
 * out.  Options of other programs (sbatch's) are values.
 */
static bool is_option(const struct line *l, const struct osw_opt *opt,
                      const char *word)
{
    size_t n = strcspn(word, "=");
    char name[OSW_SUGGEST_MAX];

    if (strncmp(word, "--", 2) != 0 || n < 3 || n - 2 >= sizeof(name) ||
        (opt->value && strcmp(opt->value, "OPTION") == 0))
        return false;
    snprintf(name, sizeof(name), "%.*s", (int)(n - 2), word + 2);
    return osw_opt_find(l->cmd->opts, name);
}

static int take(struct line *l, const struct osw_opt *opt, const char *attached,
                struct osw_error *err)
{
    const char *word = attached, *why = osw_cmd_refuses(l->cmd, opt);

    if (why)
        return osw_fail(err, OSW_BAD_INPUT, "option '--%s' is not for %s: %s",
                        opt->name, l->cmd->name, why);
    if (!word)
        word = opt->kind == OSW_OPT_FLAG ? "true" : opt->implied;
    if (!word) {
        if (l->at == l->argc)
            return osw_fail(err, OSW_BAD_INPUT, "option '--%s': needs a value",
                            opt->name);
        word = l->argv[l->at++];
        if (is_option(l, opt, word))
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s': needs a value, found the option "
                            "'%s'",
                            opt->name, word);
    }
    if (osw_opt_check_given(opt, word, err) < 0 ||
        osw_opt_set(opt, l->opts, word, err) < 0)
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

/* Is one of them the value of an option whose value follows a '='? */
static int refuse_surplus(const struct osw_cmd *cmd, const struct osw_args *a,
                          struct osw_error *err)
{
    const char *usage = cmd->operands ? cmd->operands : "";

    for (size_t i = 0; i < a->n_operands; i++) {
        const struct osw_opt *o = with_word(cmd, a->operands[i]);

        if (o && o->implied && osw_args_given(a, o->name))
            return osw_fail(err, OSW_BAD_INPUT,
                            "unexpected operand '%s' (did you mean "
                            "'--%s=%s'?)",
                            a->operands[i], o->name, a->operands[i]);
    }
    return osw_fail(err, OSW_BAD_INPUT,
                    "unexpected operand '%s' (usage: opsweep %s [options]%s%s)",
                    a->operands[cmd->max_operands], cmd->name,
                    *usage ? " " : "", usage);
}

static int check_operands(const struct osw_cmd *cmd, const struct osw_args *a,
                          struct osw_error *err)
{
    for (size_t i = 0; i < a->n_operands; i++)
        if (!*a->operands[i])
            return osw_fail(err, OSW_BAD_INPUT,
                            "operand %zu is empty (usage: opsweep %s [options]"
                            "%s%s)",
                            i + 1, cmd->name, cmd->operands ? " " : "",
                            cmd->operands ? cmd->operands : "");
    if (a->n_operands < cmd->min_operands)
        return osw_fail(
            err, OSW_BAD_INPUT,
            "too few operands: expected %s%zu, found %zu (usage: "
            "opsweep %s [options] %s)",
            cmd->max_operands > cmd->min_operands ? "at least " : "",
            cmd->min_operands, a->n_operands, cmd->name, cmd->operands);
    if (a->n_operands > cmd->max_operands)
        return refuse_surplus(cmd, a, err);
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
            return OSW_CLI_HELP;
        if (strcmp(word, "--help-all") == 0)
            return OSW_CLI_HELP_ALL;
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

/* --- main --------------------------------------------------------------- */

static int fail_code(const struct osw_error *err)
{
    int code = osw_status_exit_code(err->status);

    fputs("opsweep: ", stderr);
    osw_utf8_put_visible(stderr, err->text, strlen(err->text));
    fputc('\n', stderr);
    return code ? code : osw_status_exit_code(OSW_INTERNAL);
}

/* The exit code of a command that returned rc; what it printed must have
 * arrived.
 */
static int finish(int rc, struct osw_error *err)
{
    if (rc >= 0 && osw_guard_flush(err) < 0)
        rc = -1;
    return rc < 0 ? fail_code(err) : rc;
}

struct call {
    const struct osw_cmd *cmd;
    void *opts;
    const struct osw_args *args;
};

static int unknown_verb(const struct osw_cmd *cmd, const char *word,
                        struct osw_error *err)
{
    const char *names[OSW_OPT_MAX_WORDS];
    char what[64];
    size_t n = 0;

    for (; n < OSW_OPT_MAX_WORDS && cmd->verbs[n].name; n++)
        names[n] = cmd->verbs[n].name;
    snprintf(what, sizeof(what), "command '%s'", cmd->name);
    return osw_suggest_refuse(what, word, names, n, err);
}

static int call(void *arg, struct osw_error *err)
{
    const struct call *c = arg;

    if (!c->cmd->verbs)
        return c->cmd->run(c->opts, c->args, err);
    for (const struct osw_verb *v = c->cmd->verbs; v->name; v++)
        if (strcmp(v->name, c->args->operands[0]) == 0)
            return v->run(c->opts, c->args, err);
    return unknown_verb(c->cmd, c->args->operands[0], err);
}

static int run(const struct osw_cmd *base, int argc, const char *const *argv)
{
    const struct osw_cmd *form = base->form ? base->form(argc, argv) : NULL;
    const struct osw_cmd *cmd = form ? form : base;
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
    if (rc > 0) {
        osw_cli_help(stdout, cmd, rc == OSW_CLI_HELP_ALL);
        rc = 0;
    } else if (rc == 0) {
        struct call c = {cmd, opts, &args};

        rc = cmd->guarded ? osw_guard_call(call, &c, &err) : call(&c, &err);
    }
out:
    free(opts);
    return finish(rc, &err);
}

/* The command with a verb of that name, for a user who left the command out;
 * or NULL.
 */
static const struct osw_cmd *with_verb(const struct osw_cmd *const *cmds,
                                       size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        for (const struct osw_verb *v = cmds[i]->verbs; v && v->name; v++)
            if (strcmp(v->name, word) == 0)
                return cmds[i];
    return NULL;
}

static int unknown_command(const struct osw_cmd *const *cmds, size_t n,
                           const char *word)
{
    const struct osw_cmd *of = with_verb(cmds, n, word);
    const char *names[OSW_OPT_MAX_ROWS + 3];
    struct osw_error err = OSW_ERROR_INIT;
    const char *near;

    if (n > OSW_OPT_MAX_ROWS)
        n = OSW_OPT_MAX_ROWS;
    for (size_t i = 0; i < n; i++)
        names[i] = cmds[i]->name;
    names[n++] = "help";
    names[n++] = "--help";
    names[n++] = "--version";
    near = of ? of->name : osw_suggest(word, names, n);
    if (*word == '-' && !near)
        osw_fail(&err, OSW_BAD_INPUT,
                 "expected a command before the option '%s' (see 'opsweep "
                 "--help')",
                 word);
    osw_fail(&err, OSW_BAD_INPUT, "unknown command '%s' (%s%s%s%s%s)", word,
             near ? "did you mean '" : "see 'opsweep --help", near ? near : "",
             of ? " " : "", of ? word : "", near ? "'?" : "'");
    return fail_code(&err);
}

static const struct osw_cmd *find_command(const struct osw_cmd *const *cmds,
                                          size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(cmds[i]->name, word) == 0)
            return cmds[i];
    return NULL;
}

/* --- words that stand for a command --- */

static int print_help(const struct osw_cmd *const *cmds, size_t n,
                      const char *word)
{
    const struct osw_cmd *cmd = word ? find_command(cmds, n, word) : NULL;
    struct osw_error err = OSW_ERROR_INIT;

    if (word && !cmd)
        return unknown_command(cmds, n, word);
    if (cmd)
        osw_cli_help(stdout, cmd, false);
    else
        osw_cli_help_commands(stdout, cmds, n);
    return finish(0, &err);
}

/* All that --help and --help-all say of anything. */
static int print_all_help(const struct osw_cmd *const *cmds, size_t n,
                          const char *word)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)word;
    osw_cli_help_commands(stdout, cmds, n);
    for (size_t i = 0; i < n; i++) {
        putchar('\n');
        osw_cli_help(stdout, cmds[i], true);
    }
    return finish(0, &err);
}

static int print_version(const struct osw_cmd *const *cmds, size_t n,
                         const char *word)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)cmds;
    (void)n;
    (void)word;
    printf("opsweep %s\n", OSW_VERSION);
    return finish(0, &err);
}

static int print_man(const struct osw_cmd *const *cmds, size_t n,
                     const char *word)
{
    const struct osw_cmd *cmd = word ? find_command(cmds, n, word) : NULL;
    struct osw_error err = OSW_ERROR_INIT;

    if (word && !cmd)
        return unknown_command(cmds, n, word);
    if (cmd)
        osw_cli_man(stdout, cmd);
    else
        osw_cli_man_commands(stdout, cmds, n);
    return finish(0, &err);
}

static int print_completion(const struct osw_cmd *const *cmds, size_t n,
                            const char *word)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_cli_shell *shell;

    for (size_t i = 0; (shell = osw_cli_complete_shell(i)); i++) {
        if (!word || strcmp(shell->name, word) != 0)
            continue;
        shell->write(stdout, cmds, n);
        return finish(0, &err);
    }
    osw_fail(&err, OSW_BAD_INPUT,
             "option '--completion': expected bash or zsh, found '%s'",
             word ? word : "");
    return fail_code(&err);
}

/* The last two are for the build. */
static const struct {
    const char *name;
    int (*print)(const struct osw_cmd *const *cmds, size_t n, const char *word);
} words[] = {
    {"--help", print_help},
    {"-h", print_help},
    {"help", print_help},
    {"--help-all", print_all_help},
    {"--version", print_version},
    {"--man", print_man},
    {"--completion", print_completion},
};

int osw_cli_main(const struct osw_cmd *const *cmds, size_t n_cmds, int argc,
                 char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    const struct osw_cmd *cmd;

    commands.at = cmds;
    commands.n = n_cmds;
    if (!*word) {
        osw_cli_help_commands(stderr, cmds, n_cmds);
        return osw_status_exit_code(OSW_BAD_INPUT);
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].name, word) == 0)
            return words[i].print(cmds, n_cmds, argc > 2 ? argv[2] : NULL);
    cmd = find_command(cmds, n_cmds, word);
    return cmd ? run(cmd, argc, (const char *const *)argv)
               : unknown_command(cmds, n_cmds, word);
}
