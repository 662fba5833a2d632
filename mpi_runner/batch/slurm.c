/* mpi_runner/batch/slurm.c - programs of Slurm, and what they say */
#include "mpi_runner/batch/slurm.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_ANSWER = 1 << 20, MAX_WORDS = 300 };

/* --- to run them --- */

/* Not by ops/build/tool.h: sbatch hands its environment on to the job, which is
 * to be the user's and not in the C locale, and reads the script as its input.
 */

static int start(const char *const *argv, FILE *input, int out_fd, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    int e = posix_spawn_file_actions_init(&files);

    if (e)
        return e;
    e = posix_spawn_file_actions_adddup2(&files, fileno(input), STDIN_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(&files, out_fd, STDOUT_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(&files, out_fd, STDERR_FILENO);
    if (e == 0)
        e = posix_spawnp(pid, argv[0], &files, NULL, (char *const *)argv,
                         environ);
    posix_spawn_file_actions_destroy(&files);
    return e;
}

/* All of it is read, so that the program can end. */
static void collect(FILE *f, struct osw_text *out)
{
    char buf[4096];
    size_t n;

    rewind(f);
    while (out->used < MAX_ANSWER && (n = fread(buf, 1, sizeof(buf), f)) > 0)
        osw_text_add_n(out, buf, n);
}

static int call(const char *const *argv, FILE *input, FILE *output,
                struct osw_slurm_answer *answer, struct osw_error *err)
{
    int status = 0, e;
    pid_t pid;

    e = start(argv, input, fileno(output), &pid);
    if (e == ENOENT)
        return osw_fail(err, OSW_SYSTEM,
                        "no %s in PATH: a machine of the cluster with Slurm's "
                        "programs is needed",
                        argv[0]);
    if (e)
        return osw_fail_sys(err, e, "cannot start %s", argv[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return osw_fail_sys(err, errno, "cannot wait for %s", argv[0]);
    answer->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    collect(output, &answer->out);
    return answer->out.failed ? osw_fail(err, OSW_NO_MEMORY,
                                         "no memory for what %s says", argv[0])
                              : 0;
}

int osw_slurm_call(const char *const *argv, const char *input,
                   struct osw_slurm_answer *answer, struct osw_error *err)
{
    FILE *in = tmpfile(), *out = tmpfile();
    int rc = -1;

    *answer = (struct osw_slurm_answer){.out = OSW_TEXT_INIT};
    if (!in || !out || (input && fputs(input, in) < 0) || fflush(in) != 0 ||
        fseek(in, 0, SEEK_SET) != 0)
        osw_fail_sys(err, errno, "cannot write a temporary file");
    else
        rc = call(argv, in, out, answer, err);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    return rc;
}

/* --- what they say --- */

/* Words of Slurm, without regard to case, and what to change. */
static const struct advice {
    const char *words, *advice;
    enum osw_status status;
} advices[] = {
    /* clang-format off */
    {"invalid partition", "--partition names one of `sinfo -s`", OSW_BAD_INPUT},
    {"invalid account", "--account and --partition name those of `sacctmgr "
     "show associations user=$USER`", OSW_BAD_INPUT},
    {"invalid qos", "--qos names one of `sacctmgr show qos`", OSW_BAD_INPUT},
    {"invalid --time", "--time is as 30 (minutes), 2:00:00 or 1-12 (days and "
     "hours)", OSW_BAD_INPUT},
    {"time limit", "--time is at most that of the partition in `sinfo -s`",
     OSW_BAD_INPUT},
    {"gres", "--gpus-per-node is at most what `sinfo -o '%P %D %G'` shows",
     OSW_BAD_INPUT},
    {"node count", "--nodes is at most that of the partition in `sinfo -s`",
     OSW_BAD_INPUT},
    {"more processors requested", "--nodes is at most that of the partition in "
     "`sinfo -s`", OSW_BAD_INPUT},
    {"node configuration", "--nodes and --gpus-per-node are at most what "
     "`sinfo -o '%P %D %G'` shows", OSW_BAD_INPUT},
    {"dependency", "--after names a job of `squeue`", OSW_BAD_INPUT},
    {"invalid job array", "--array is less than MaxArraySize of `scontrol show "
     "config`", OSW_BAD_INPUT},
    {"invalid job id", "`squeue --me` lists yours; of a job that has ended "
     "`opsweep status FILE` says how far it came", OSW_BAD_INPUT},
    {"limit", "fewer or smaller jobs, or another --qos", OSW_BAD_INPUT},
    {"unrecognized option", "--sbatch takes options of this Slurm's sbatch",
     OSW_BAD_INPUT},
    {"access/permission denied", "only its owner may signal a job",
     OSW_BAD_INPUT},
    {"unable to contact slurm", "`scontrol ping` shows whether the controller "
     "answers", OSW_SYSTEM},
    {"connection refused", "`scontrol ping` shows whether the controller "
     "answers", OSW_SYSTEM},
    {"could not establish a configuration source", "SLURM_CONF names Slurm's "
     "configuration, on a machine of the cluster", OSW_SYSTEM},
    {"unable to process", "SLURM_CONF names Slurm's configuration, on a "
     "machine of the cluster", OSW_SYSTEM},
    {"munge", "authentication does not work on this machine: its "
     "administrator can start munged", OSW_SYSTEM},
    {"timed out", "`scontrol ping` shows whether the controller answers",
     OSW_SYSTEM},
    /* clang-format on */
};

static const struct advice *find_advice(const char *words)
{
    for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
        if (strcasestr(words, advices[i].words))
            return &advices[i];
    return NULL;
}

/* The first lines, as one: "a; b". */
static void one_line(const char *words, char out[MAX_WORDS + 1])
{
    size_t used = 0;

    for (; *words && used + 2 < MAX_WORDS; words++) {
        if (*words != '\n')
            out[used++] = *words;
        else if (words[1]) {
            out[used++] = ';';
            out[used++] = ' ';
        }
    }
    out[used] = '\0';
    if (*words)
        memcpy(out + used - 3, "...", 3);
}

int osw_slurm_refuse(const char *what, const char *words, struct osw_error *err)
{
    const struct advice *a = find_advice(words);
    char line[MAX_WORDS + 1];

    one_line(words, line);
    return osw_fail(err, a ? a->status : OSW_BAD_INPUT, "%s: %s%s%s%s", what,
                    *line ? line : "Slurm refused it without a word",
                    a ? " (" : "", a ? a->advice : "", a ? ")" : "");
}

/* --- sbatch --- */

/* The job's number: a line of digits, which a cluster's name may follow. */
static const char *find_id(osw_arena_t *arena, const char *said)
{
    for (const char *s = said; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        size_t n = strspn(s, "0123456789");

        if (n > 0 && (s[n] == '\n' || s[n] == ';' || s[n] == '\0'))
            return osw_arena_strndup(arena, s, n);
    }
    return NULL;
}

const char *osw_slurm_submit(osw_arena_t *arena, const char *script,
                             const char *const *words, size_t n_words,
                             struct osw_error *err)
{
    const char **argv = osw_arena_array(arena, n_words + 3, sizeof(*argv));
    struct osw_slurm_answer answer;
    const char *id = NULL;

    if (!argv) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a command");
        return NULL;
    }
    argv[0] = "sbatch";
    argv[1] = "--parsable";
    for (size_t i = 0; i < n_words; i++)
        argv[i + 2] = words[i];
    if (osw_slurm_call(argv, script, &answer, err) == 0) {
        const char *said = osw_text_str(&answer.out);

        id = find_id(arena, said);
        if (!id)
            (void)osw_slurm_refuse("not submitted", said, err);
    }
    osw_text_free(&answer.out);
    return id;
}
