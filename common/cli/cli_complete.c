/* common/cli/cli_complete.c - completion for shells, from the tables of
 * common/cli/command.h
 */
#include "common/cli/cli_complete.h"

#include <string.h>

#include "common/cli/cli_help.h"
#include "common/text.h"

/* --- bash --- */

static void put_commands(FILE *out, const struct osw_cmd *const *cmds, size_t n)
{
    fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s ", cmds[i]->name);
    fputs("help --help --version'\n    else\n", out);
}

/* One line per option that takes one of some words. */
static void put_values(FILE *out, const struct osw_cmd *cmd)
{
    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        const char *word = osw_opt_word(o, 0);

        if (!word || osw_cmd_refuses(cmd, o))
            continue;
        fprintf(out, "        '%s --%s'", cmd->name, o->name);
        if (o->alias)
            fprintf(out, " | '%s --%s'", cmd->name, o->alias);
        if (o->letter)
            fprintf(out, " | '%s -%c'", cmd->name, o->letter);
        fputs(") words='", out);
        for (size_t i = 0; (word = osw_opt_word(o, i)); i++)
            fprintf(out, "%s%s", i ? " " : "", word);
        fputs("' ;;\n", out);
    }
}

static void put_options(FILE *out, const struct osw_cmd *cmd)
{
    fprintf(out, "        '%s -'*) words='", cmd->name);
    for (const struct osw_opt *o = cmd->opts; o->name; o++)
        if (!osw_cmd_refuses(cmd, o))
            fprintf(out, "--%s %s%s%s", o->name, o->alias ? "--" : "",
                    o->alias ? o->alias : "", o->alias ? " " : "");
    fputs("--help --help-all' ;;\n", out);
}

static void put_verbs(FILE *out, const struct osw_cmd *cmd)
{
    if (!cmd->verbs)
        return;
    fprintf(out, "        '%s '*) [ \"$COMP_CWORD\" -ne 2 ] || words='",
            cmd->name);
    for (const struct osw_verb *v = cmd->verbs; v->name; v++)
        fprintf(out, "%s%s", v == cmd->verbs ? "" : " ", v->name);
    fputs("' ;;\n", out);
}

/* Where there are no words the shell offers names of files. */
static void write_bash(FILE *out, const struct osw_cmd *const *cmds, size_t n)
{
    fputs(
        "# Completion of opsweep for bash, made by opsweep --completion bash\n"
        "_opsweep()\n"
        "{\n"
        "    local words='' command=${COMP_WORDS[1]}\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=\n"
        "    [ \"$COMP_CWORD\" -lt 1 ] || "
        "before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    # \"--option=word\" is three words to bash.\n"
        "    if [ \"$word\" = = ]; then\n"
        "        word=\n"
        "    elif [ \"$before\" = = ]; then\n"
        "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    fi\n",
        out);
    put_commands(out, cmds, n);
    fputs("        case \"$command $before\" in\n", out);
    for (size_t i = 0; i < n; i++)
        put_values(out, cmds[i]);
    fputs("        *) case \"$command $word\" in\n", out);
    for (size_t i = 0; i < n; i++) {
        put_options(out, cmds[i]);
        put_verbs(out, cmds[i]);
    }
    fputs(
        "        esac ;;\n"
        "        esac\n"
        "    fi\n"
        "    COMPREPLY=()\n"
        "    [ -z \"$words\" ] ||\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "}\n"
        "complete -o default -F _opsweep opsweep\n",
        out);
}

/* --- zsh --- */

/* Within '...', where [ ] : mean something to _arguments and _describe. */
static void put_escaped(FILE *out, const char *s)
{
    for (; *s; s++)
        if (*s == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *s))
            fprintf(out, "\\%c", *s);
        else
            putc(*s, out);
}

/* What follows an option: ":NAME:(a b)" or ":FILE:_files". */
static void put_argument(FILE *out, const struct osw_opt *o)
{
    struct osw_text value = OSW_TEXT_INIT;
    const char *word, *text;

    if (o->kind == OSW_OPT_FLAG)
        return;
    osw_cli_help_value(o, &value);
    text = osw_text_str(&value);
    fputs(o->implied ? "::" : ":", out);
    put_escaped(out, text ? text : "");
    if (osw_opt_word(o, 0)) {
        fputs(":(", out);
        for (size_t i = 0; (word = osw_opt_word(o, i)); i++)
            fprintf(out, "%s%s", i ? " " : "", word);
        putc(')', out);
    } else {
        fputs(":_files", out);
    }
    osw_text_free(&value);
}

/* By its own name, or by its other one, which has no letter. */
static void put_specification(FILE *out, const struct osw_cmd *cmd,
                              const struct osw_opt *o, const char *name)
{
    const char *equals = o->kind == OSW_OPT_FLAG ? "" : o->implied ? "=-" : "=";
    struct osw_text help = OSW_TEXT_INIT;
    const char *text;

    osw_cli_help_option(cmd, o, &help);
    text = osw_text_str(&help);
    fputs("            ", out);
    if (o->letter && name == o->name)
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, name, o->letter,
                *equals ? "+" : "", name, equals);
    else
        fprintf(out, "'%s--%s%s[", o->kind == OSW_OPT_LIST ? "*" : "", name,
                equals);
    put_escaped(out, text ? text : "");
    putc(']', out);
    put_argument(out, o);
    fputs("' \\\n", out);
    osw_text_free(&help);
}

static void put_zsh_command(FILE *out, const struct osw_cmd *cmd)
{
    fprintf(out, "    %s)\n        _arguments -s \\\n", cmd->name);
    for (const struct osw_opt *o = cmd->opts; o->name; o++) {
        if (osw_cmd_refuses(cmd, o))
            continue;
        put_specification(out, cmd, o, o->name);
        if (o->alias)
            put_specification(out, cmd, o, o->alias);
    }
    fputs("            '(-h --help)'{-h,--help}'[print the options]' \\\n"
          "            '--help-all[print all options]' \\\n",
          out);
    if (cmd->verbs) {
        fputs("            '1:verb:(", out);
        for (const struct osw_verb *v = cmd->verbs; v->name; v++)
            fprintf(out, "%s%s", v == cmd->verbs ? "" : " ", v->name);
        fputs(")' \\\n", out);
    }
    fputs("            '*:file:_files' ;;\n", out);
}

static void write_zsh(FILE *out, const struct osw_cmd *const *cmds, size_t n)
{
    fputs("#compdef opsweep\n"
          "# Completion of opsweep for zsh, made by opsweep --completion zsh\n"
          "_opsweep()\n"
          "{\n"
          "    local -a commands\n"
          "    commands=(\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "        '%s:", cmds[i]->name);
        put_escaped(out, cmds[i]->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          out);
    for (size_t i = 0; i < n; i++)
        put_zsh_command(out, cmds[i]);
    fputs("    esac\n"
          "}\n"
          "_opsweep \"$@\"\n",
          out);
}

const struct osw_cli_shell *osw_cli_complete_shell(size_t i)
{
    static const struct osw_cli_shell shells[] = {{"bash", write_bash},
                                                  {"zsh", write_zsh}};

    return i < sizeof(shells) / sizeof(shells[0]) ? &shells[i] : NULL;
}
