/* common/cli/cli_help.c - what --help says, from the tables of
 * common/cli/command.h */
#include "common/cli/cli_help.h"

#include <string.h>

enum { COLUMN = 28, COLUMNS = 80 };

const char osw_cli_help_exit_codes[] =
    "0 ok, 1 failure or regression, 2 usage or bad input, 3 nothing to\n"
    "compare or judge, 4 incomplete (resumable), 5 I/O or internal error";

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

void osw_cli_help_value(const struct osw_opt *o, struct osw_text *t)
{
    const char *value = value_word(o);

    if (value) {
        osw_text_add(t, value);
        return;
    }
    for (int i = 0; o->choices[i]; i++)
        osw_text_printf(t, "%s%s", i ? "|" : "", o->choices[i]);
}

/* Words that the help text does not name itself. */
static void add_words(const struct osw_opt *o, struct osw_text *t)
{
    const char *word = o->words ? o->words(0) : NULL;

    if (!word || strstr(o->help, word))
        return;
    osw_text_add(t, *o->help ? ": " : "");
    for (size_t i = 0; (word = o->words(i)); i++)
        osw_text_printf(t, "%s%s",
                        i == 0            ? ""
                        : o->words(i + 1) ? ", "
                                          : " or ",
                        word);
}

void osw_cli_help_option(const struct osw_cmd *cmd, const struct osw_opt *o,
                         struct osw_text *t)
{
    struct osw_text value = OSW_TEXT_INIT;
    size_t n = strlen(o->help);
    const char *bracket =
        n && o->help[n - 1] == ']' ? strrchr(o->help, '[') : NULL;
    const char *s;

    osw_text_add(t, o->help);
    if (!bracket)
        add_words(o, t);
    if (o->alias)
        osw_text_printf(t, " (also --%s)", o->alias);
    if (bracket)
        return;
    osw_opt_print(o, cmd->defaults, &value);
    s = osw_text_str(&value);
    if (s && *s)
        osw_text_printf(t, " [%s]", s);
    osw_text_free(&value);
}

/* --- two columns --- */

/* Print `right` from COLUMN on, broken at blanks before COLUMNS. */
static void print_wrapped(FILE *out, const char *right)
{
    size_t width = COLUMNS - COLUMN - 1;

    while (strlen(right) > width) {
        size_t n = width;

        while (n > 0 && right[n] != ' ')
            n--;
        if (n == 0)
            n = strcspn(right, " "); /* one word that is longer */
        fprintf(out, "%.*s\n", (int)n, right);
        right += n + (right[n] == ' ');
        if (!*right)
            return;
        fprintf(out, "%*s", COLUMN, "");
    }
    fprintf(out, "%s\n", right);
}

static void print_row(FILE *out, const char *left, const char *right)
{
    if (strlen(left) < COLUMN)
        fprintf(out, "%-*s", COLUMN, left);
    else
        fprintf(out, "%s\n%*s", left, COLUMN, "");
    print_wrapped(out, right);
}

static void add_names(const struct osw_opt *o, struct osw_text *t)
{
    struct osw_text value = OSW_TEXT_INIT;
    const char *word;

    if (o->letter)
        osw_text_printf(t, "  -%c, --%s", o->letter, o->name);
    else
        osw_text_printf(t, "      --%s", o->name);
    osw_cli_help_value(o, &value);
    word = osw_text_str(&value);
    if (word && *word)
        osw_text_printf(t, o->implied ? "[=%s]" : " %s", word);
    osw_text_free(&value);
}

static void print_option(FILE *out, const struct osw_cmd *cmd,
                         const struct osw_opt *o)
{
    struct osw_text names = OSW_TEXT_INIT, help = OSW_TEXT_INIT;
    const char *left, *right;

    add_names(o, &names);
    osw_cli_help_option(cmd, o, &help);
    left = osw_text_str(&names);
    right = osw_text_str(&help);
    if (left && right)
        print_row(out, left, right);
    osw_text_free(&names);
    osw_text_free(&help);
}

static void print_options(FILE *out, const struct osw_cmd *cmd, bool all)
{
    const char *topic = "options";

    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        topic = o->topic ? o->topic : topic;
        if ((o->expert && !all) || osw_cmd_refuses(cmd, o))
            continue;
        if (topic)
            fprintf(out, "\n%s:\n", topic);
        topic = NULL; /* it is printed */
        print_option(out, cmd, o);
    }
}

static bool has_expert_options(const struct osw_cmd *cmd)
{
    for (const struct osw_opt *o = cmd->opts; o->name; o++)
        if (o->expert)
            return true;
    return false;
}

void osw_cli_help(FILE *out, const struct osw_cmd *cmd, bool all)
{
    fprintf(out, "usage: opsweep %s [options]%s%s\n\n%s\n", cmd->name,
            cmd->operands ? " " : "", cmd->operands ? cmd->operands : "",
            cmd->summary);
    if (cmd->verbs)
        fputs("\n", out);
    for (const struct osw_verb *v = cmd->verbs; v && v->name; v++)
        fprintf(out, "  %-9s %s\n", v->name, v->summary);
    if (cmd->details)
        fprintf(out, "\n%s", cmd->details);
    print_options(out, cmd, all);
    fputs("\nhelp:\n", out);
    print_row(out, "  -h, --help", "print this");
    print_row(out, "      --help-all",
              has_expert_options(cmd)
                  ? "print this, with the options for experts"
                  : "the same: this command has no options for experts");
}

void osw_cli_help_commands(FILE *out, const struct osw_cmd *const *cmds,
                           size_t n)
{
    const char *topic = "";

    fputs("usage: opsweep COMMAND [options] [operands]\n\n"
          "Sweeps ops x implementations x cases, checks every implementation\n"
          "against a reference, times it, and leaves one HDF5 file.\n",
          out);
    for (size_t i = 0; i < n; i++) {
        const char *of = cmds[i]->topic ? cmds[i]->topic : "commands";

        if (strcmp(of, topic) != 0)
            fprintf(out, "\n%s:\n", of);
        topic = of;
        fprintf(out, "  %-12s%s\n", cmds[i]->name, cmds[i]->summary);
    }
    fprintf(out,
            "\n'opsweep COMMAND --help' tells the options of a command;\n"
            "'opsweep --help-all' tells everything; 'opsweep --version' the "
            "version.\n"
            "SIZE is bytes, or a number with K, M, G or T, powers of 1024: "
            "512M, 1.5G.\nOf an option that is given again the last value "
            "counts, unless its help says\nthat it may be repeated.\n\n"
            "exit codes: %s\n",
            osw_cli_help_exit_codes);
}
