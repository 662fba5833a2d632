/* mpi_runner/batch/batch_script.c - the batch script of one campaign */
#include "mpi_runner/batch/batch_script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/log.h"
#include "common/paths.h"
#include "results/file/run_place.h"

enum { MAX_SCRIPT = 1 << 20 };

static const char first_line[] = "#!/bin/bash\n";
static const char directive[] = "#SBATCH ";

int osw_batch_check(const char *option, const char *word, struct osw_error *err)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-+=./,:@%[]()&|*!";

    if (*word && strspn(word, safe) == strlen(word))
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--%s': expected letters, digits and any of "
                    "_-+=./,:@%%[]()&|*!, found '%.80s'",
                    option, word);
}

/* Of "A:B:C" with digits in each part the number of parts; 0: it is not so. */
static int count_parts(const char *word)
{
    for (int n = 1;; n++, word++) {
        size_t digits = strspn(word, "0123456789");

        word += digits;
        if (digits == 0 || digits > 9 || (*word && *word != ':'))
            return 0;
        if (!*word)
            return n;
    }
}

int osw_batch_check_time(const char *word, struct osw_error *err)
{
    size_t days = strspn(word, "0123456789");
    int n = count_parts(days && word[days] == '-' ? word + days + 1 : word);

    if ((n >= 1 && n <= 3) || strcasecmp(word, "unlimited") == 0 ||
        strcasecmp(word, "infinite") == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--time': expected minutes, or a time such as "
                    "2:00:00 or 1-12:00, found '%.80s'",
                    word);
}

bool osw_batch_is_for_merge(const char *word)
{
    static const char *const names[] = {"account", "clusters", "partition",
                                        "qos",     "time",     "reservation"};
    static const char letters[] = "AMpqt";
    size_t n;

    if (word[0] != '-' || word[1] == '\0')
        return false;
    if (word[1] != '-')
        return strchr(letters, word[1]) != NULL;
    word += 2;
    n = strcspn(word, "=");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (n == strlen(names[i]) && strncmp(word, names[i], n) == 0)
            return true;
    return false;
}

bool osw_batch_is_dependency(const char *word)
{
    return strncmp(word, "-d", 2) == 0 ||
           strncmp(word, "--dependency", strlen("--dependency")) == 0;
}

void osw_batch_add_merge(const char *output, struct osw_text *out)
{
    struct osw_text base = OSW_TEXT_INIT;

    osw_text_printf(&base, "%.*s", osw_batch_base_length(output), output);
    osw_text_add(out, "opsweep merge ");
    osw_text_add_shell(out, output);
    osw_text_add(out, " ");
    if (osw_text_str(&base))
        osw_text_add_shell(out, osw_text_str(&base));
    osw_text_add(out, ".shard-*.h5");
    out->failed |= base.failed;
    osw_text_free(&base);
}

int osw_batch_base_length(const char *output)
{
    size_t n = strlen(output);

    return (int)(n > 3 && strcmp(output + n - 3, ".h5") == 0 ? n - 3 : n);
}

/* The value of an #SBATCH line, which Slurm reads as a shell reads a word in
 * double quotes; there is no way to write a new line.
 */
static int add_comment(const char *comment, struct osw_text *out,
                       struct osw_error *err)
{
    if (strpbrk(comment, "\n\r"))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': expected a name of one line, found "
                        "one of several");
    osw_text_printf(out, "%s--comment=\"", directive);
    for (const char *s = comment; *s; s++) {
        osw_text_add(out, *s == '"' || *s == '\\' ? "\\" : "");
        osw_text_add_n(out, s, 1);
    }
    osw_text_add(out, "\"\n");
    return 0;
}

static void add_default(const char *name, const char *value,
                        struct osw_text *out)
{
    osw_text_printf(out, "%s=${%s:-", name, name);
    osw_text_add_shell(out, value);
    osw_text_add(out, "}\n");
}

const char *osw_batch_shard_file(osw_arena_t *memory, const char *output,
                                 uint64_t i, const char *ending)
{
    return osw_arena_printf(memory, "%.*s.shard-%" PRIu64 ".%s",
                            osw_batch_base_length(output), output, i, ending);
}

static int move_old(const char *path, const char *aside,
                    enum osw_batch_old what)
{
    int rc = what == OSW_BATCH_SET_ASIDE  ? rename(path, aside)
             : what == OSW_BATCH_PUT_BACK ? rename(aside, path)
                                          : unlink(aside);

    return rc == 0 || errno == ENOENT ? 0 : -1;
}

int osw_batch_old_shards(osw_arena_t *memory, const char *output, uint64_t n,
                         enum osw_batch_old what, struct osw_error *err)
{
    static const char *const endings[] = {"exit", "h5"};
    struct osw_error unused = OSW_ERROR_INIT;
    int rc = 0;

    for (uint64_t i = 0; rc == 0 && i < 2 * n; i++) {
        const char *path =
            osw_batch_shard_file(memory, output, i / 2 + 1, endings[i % 2]);
        const char *aside =
            path ? osw_arena_printf(memory, "%s.old", path) : NULL;

        if (!aside)
            rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a file's name");
        else if (move_old(path, aside, what) < 0)
            rc = osw_fail_sys(err, errno, "cannot replace '%s'", path);
    }
    if (rc < 0 && what == OSW_BATCH_SET_ASIDE)
        (void)!osw_batch_old_shards(memory, output, n, OSW_BATCH_PUT_BACK,
                                    &unused);
    return rc;
}

bool osw_batch_shards_none(osw_arena_t *memory, const char *output, uint64_t n)
{
    static const char *const endings[] = {"h5", "h5.journal"};

    for (uint64_t i = 0; i < 2 * n; i++) {
        const char *path =
            osw_batch_shard_file(memory, output, i / 2 + 1, endings[i % 2]);

        if (path && access(path, F_OK) == 0)
            return false;
    }
    return true;
}

int osw_batch_try_places(osw_arena_t *memory, const char *output, uint64_t n,
                         bool force, struct osw_error *err)
{
    int rc = osw_run_place_try(output, force, err);

    for (uint64_t i = 1; rc == 0 && i <= n; i++) {
        const char *shard = osw_batch_shard_file(memory, output, i, "h5");

        rc = shard
                 ? osw_run_place_try(shard, force, err)
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for a file's name");
    }
    return rc;
}

void osw_batch_look_for_image(const char *image)
{
    const char *dot = strrchr(image, '.');
    bool is_path = *image == '/' || *image == '.' ||
                   (dot && strcmp(dot, ".sif") == 0 && !strstr(image, "://"));

    if (is_path && access(image, F_OK) != 0)
        osw_log(OSW_LOG_WARNING,
                "option '--container': expected an image, found no '%s' on "
                "this machine",
                image);
}

/* Words of the shell that stand for one shard's file. */
static void add_shard_file(const char *output, const char *ending,
                           struct osw_text *out)
{
    struct osw_text base = OSW_TEXT_INIT;

    osw_text_add_n(&base, output, (size_t)osw_batch_base_length(output));
    osw_text_add_shell(out, osw_text_str(&base) ? osw_text_str(&base) : "");
    osw_text_printf(out, "\".shard-$SLURM_ARRAY_TASK_ID.%s\"", ending);
    out->failed |= base.failed;
    osw_text_free(&base);
}

static void add_setup(const struct osw_batch *b, struct osw_text *out)
{
    osw_text_add(out, "#\n# Made by opsweep submit.  Words after its name are "
                      "added to those below.\n\n");
    if (b->folder) {
        osw_text_add(out, "cd -- ");
        osw_text_add_shell(out, b->folder);
        osw_text_add(out, " || exit 2\n");
    }
    if (b->program)
        add_default("OPSWEEP", b->program, out);
    if (b->container) {
        osw_text_add(out, "OPSWEEP_CONTAINER=");
        osw_text_add_shell(out, b->container);
        osw_text_add(out, "\n");
    }
    osw_text_add(out, "set --");
    for (size_t i = 0; i < b->n_words; i++) {
        osw_text_add(out, " ");
        osw_text_add_shell(out, b->words[i]);
    }
    if (b->n_shards) {
        osw_text_printf(
            out, " --shard=\"$SLURM_ARRAY_TASK_ID/%u\" --output=", b->n_shards);
        add_shard_file(b->output, "h5", out);
    }
    osw_text_add(out, " \"$@\"\n");
    if (b->n_shards) {
        osw_text_add(out, "OPSWEEP_EXIT_FILE=");
        add_shard_file(b->output, "exit", out);
        osw_text_add(out, "\nrm -f \"$OPSWEEP_EXIT_FILE\"\n");
    }
    osw_text_add(out, "\n");
}

const char *osw_batch_template(osw_arena_t *memory, struct osw_error *err)
{
    const char *path = osw_paths_batch_script(err);
    FILE *f = path ? fopen(path, "re") : NULL;
    char *text = f ? osw_arena_array(memory, MAX_SCRIPT, 1) : NULL;
    size_t n = text ? fread(text, 1, MAX_SCRIPT - 1, f) : 0;

    if (path && !f)
        osw_fail_sys(err, errno, "cannot open '%s'", path);
    if (f)
        fclose(f);
    if (!text && f)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a batch script");
    if (text)
        text[n] = '\0';
    return text;
}

int osw_batch_script(const char *script, const struct osw_batch *b,
                     struct osw_text *out, struct osw_error *err)
{
    const char *rest = script + sizeof(first_line) - 1;

    if (strncmp(script, first_line, sizeof(first_line) - 1) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "batch script: expected '#!/bin/bash' as its first "
                        "line, found '%.20s'",
                        script);
    osw_text_add(out, first_line);
    /* Of two lines for one option Slurm takes the last. */
    while (strncmp(rest, directive, sizeof(directive) - 1) == 0) {
        size_t n = strcspn(rest, "\n");

        osw_text_add_n(out, rest, n);
        osw_text_add(out, "\n");
        rest += n + (rest[n] != '\0');
    }
    for (size_t i = 0; i < b->n_sbatch; i++)
        osw_text_printf(out, "%s%s\n", directive, b->sbatch[i]);
    if (b->n_shards)
        osw_text_printf(out, "%s--array=1-%u\n", directive, b->n_shards);
    if (b->comment && add_comment(b->comment, out, err) < 0)
        return -1;
    add_setup(b, out);
    osw_text_add(out, rest);
    return out->failed
               ? osw_fail(err, OSW_NO_MEMORY, "no memory for a batch script")
               : 0;
}
