/* common/cli/cli_man.c - man pages, from the tables of common/cli/command.h */
#include "common/cli/cli_man.h"

#include <ctype.h>
#include <string.h>

#include "common/cli/cli_help.h"
#include "common/text.h"
#include "common/version.h"

/* Text of n bytes in which nothing means something to roff; `start`: it begins
 * a line of input.
 */
static void put_n(FILE *out, const char *s, size_t n, bool start)
{
    if (start && n && (*s == '.' || *s == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < n; i++)
        switch (s[i]) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        default:
            putc(s[i], out);
        }
}

static void put(FILE *out, const char *s)
{
    put_n(out, s, strlen(s), true);
}

static void put_title(FILE *out, const char *name)
{
    fputs(".TH OPSWEEP", out);
    if (name)
        putc('-', out);
    for (; name && *name; name++)
        putc(toupper((unsigned char)*name), out);
    fprintf(out, " 1 \"\" \"opsweep %s\" \"opsweep manual\"\n", OSW_VERSION);
}

/* Lines that are indented stand as they are, others are filled. */
static void put_paragraphs(FILE *out, const char *s)
{
    bool verbatim = false;

    while (*s) {
        size_t n = strcspn(s, "\n");
        bool indented = *s == ' ';

        if (indented != verbatim)
            fputs(indented ? ".nf\n" : ".fi\n", out);
        verbatim = indented;
        if (strncmp(s, "Exit code", 9) == 0)
            fputs(".PP\n", out);
        put_n(out, s, n, true);
        putc('\n', out);
        s += n + (s[n] == '\n');
    }
    if (verbatim)
        fputs(".fi\n", out);
}

/* Headings of man pages are in capitals, those within a section are not. */
static void put_subheading(FILE *out, const char *topic)
{
    fputs(".SS ", out);
    putc(toupper((unsigned char)*topic), out);
    fprintf(out, "%s\n", topic + 1);
}

static void put_option(FILE *out, const struct osw_cmd *cmd,
                       const struct osw_opt *o)
{
    struct osw_text value = OSW_TEXT_INIT, help = OSW_TEXT_INIT;
    const char *word, *text;

    osw_cli_help_value(o, &value);
    osw_cli_help_option(cmd, o, &help);
    word = osw_text_str(&value);
    text = osw_text_str(&help);
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    put_n(out, o->name, strlen(o->name), false);
    fputs("\\fR", out);
    if (word && *word) {
        fprintf(out, "%s\\fI", o->implied ? "[=" : " ");
        put_n(out, word, strlen(word), false);
        fprintf(out, "\\fR%s", o->implied ? "]" : "");
    }
    putc('\n', out);
    put(out, text && *text ? text : o->name);
    putc('\n', out);
    osw_text_free(&value);
    osw_text_free(&help);
}

static void put_options(FILE *out, const struct osw_cmd *cmd)
{
    fputs(".SH OPTIONS\n", out);
    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        if (o->topic)
            put_subheading(out, o->topic);
        if (!osw_cmd_refuses(cmd, o))
            put_option(out, cmd, o);
    }
    put_subheading(out, "help");
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary\n"
          ".TP\n\\fB\\-\\-help\\-all\\fR\n"
          "print it with the options for experts\n",
          out);
}

void osw_cli_man(FILE *out, const struct osw_cmd *cmd)
{
    put_title(out, cmd->name);
    fprintf(out, ".SH NAME\nopsweep\\-%s \\- ", cmd->name);
    put_n(out, cmd->summary, strlen(cmd->summary), false);
    fprintf(out, "\n.SH SYNOPSIS\n\\fBopsweep %s\\fR [\\fIoptions\\fR]",
            cmd->name);
    if (cmd->operands) {
        putc(' ', out);
        put_n(out, cmd->operands, strlen(cmd->operands), false);
    }
    putc('\n', out);
    if (cmd->details || cmd->verbs)
        fputs(".SH DESCRIPTION\n", out);
    if (cmd->details)
        put_paragraphs(out, cmd->details);
    for (const struct osw_verb *v = cmd->verbs; v && v->name; v++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", v->name);
        put(out, v->summary);
        putc('\n', out);
    }
    put_options(out, cmd);
    fputs(".SH SEE ALSO\n.BR opsweep (1)\n", out);
}

void osw_cli_man_commands(FILE *out, const struct osw_cmd *const *cmds,
                          size_t n)
{
    const char *topic = "";

    put_title(out, NULL);
    fputs(".SH NAME\nopsweep \\- check and time GPU kernels on a cluster\n"
          ".SH SYNOPSIS\n\\fBopsweep\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] "
          "[\\fIoperands\\fR]\n"
          ".SH DESCRIPTION\n"
          "opsweep runs every implementation of an op on every case, checks\n"
          "it against a reference, times it, and leaves one HDF5 file.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; i < n; i++) {
        const char *of = cmds[i]->topic ? cmds[i]->topic : topic;

        if (strcmp(of, topic) != 0)
            put_subheading(out, of);
        topic = of;
        fprintf(out, ".TP\n.BR opsweep\\-%s (1)\n", cmds[i]->name);
        put(out, cmds[i]->summary);
        putc('\n', out);
    }
    fputs(".SH EXIT STATUS\n", out);
    put(out, osw_cli_help_exit_codes);
    fputs("\n.SH SEE ALSO\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, ".BR opsweep\\-%s (1)%s\n", cmds[i]->name,
                i + 1 < n ? "," : "");
}
