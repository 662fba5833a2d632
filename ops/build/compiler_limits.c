/* ops/build/compiler_limits.c - what a compiler may take of the node */
#include "ops/build/compiler_limits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "common/cli/opt.h"
#include "common/confine.h"
#include "common/paths.h"
#include "ops/build/build_confine.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define GIB       (UINT64_C(1) << 30)

enum { CPU_SECONDS = 3600, FILE_GIB = 1 };

uint64_t osw_compiler_memory(uint64_t node_bytes)
{
    const uint64_t most = 8 * GIB, least = 2 * GIB;

    if (node_bytes == 0 || node_bytes / 2 > most)
        return most;
    return node_bytes / 2 < least ? least : node_bytes / 2;
}

int osw_compiler_limits_memory(uint64_t *bytes, struct osw_error *err)
{
    const char *own = getenv(OSW_COMPILER_MEMORY_VARIABLE);
    struct osw_error why = OSW_ERROR_INIT;
    struct sysinfo node;

    if (!own || !*own) {
        *bytes = osw_compiler_memory(
            sysinfo(&node) == 0 ? (uint64_t)node.totalram * node.mem_unit : 0);
        return 0;
    }
    if (osw_opt_size(own, bytes, &why) == 0 && *bytes > 0)
        return 0;
    return osw_fail(
        err, OSW_BAD_INPUT,
        OSW_COMPILER_MEMORY_VARIABLE " '%s': expected a size such as 16G", own);
}

/* At the hard limit of time there is only SIGKILL: `room` before it. */
static void limit(__rlimit_resource_t resource, uint64_t most, rlim_t room)
{
    struct rlimit now;

    if (getrlimit(resource, &now) < 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most)
        now.rlim_cur = (rlim_t)most;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > now.rlim_cur + room)
        now.rlim_max = now.rlim_cur + room;
    (void)setrlimit(resource, &now);
}

/* RLIMIT_DATA counts what a process can write and does not share.  RLIMIT_AS
 * would count files that are mapped and addresses that are only reserved, of
 * which some allocators and compilers take more than a node has.
 */
void osw_compiler_limits_set(void)
{
    uint64_t bytes;

    if (osw_compiler_limits_memory(&bytes, NULL) == 0)
        limit(RLIMIT_DATA, bytes, 0);
    limit(RLIMIT_CPU, CPU_SECONDS, 5);
    limit(RLIMIT_FSIZE, FILE_GIB * GIB, 0);
    limit(RLIMIT_CORE, 0, 0);
}

/* --- what it says --- */

enum which { MEMORY, TIME, FILE_SIZE };

/* Signals are of the compiler's driver; its parts print a text (LC_ALL=C). */
static const struct {
    enum which which;
    int signal;
    const char *words;
} signs[] = {
    {TIME, SIGXCPU, "CPU time limit exceeded"},
    {FILE_SIZE, SIGXFSZ, "File size limit exceeded"},
    {MEMORY, 0, "out of memory allocating "},   /* gcc, its assembler, ld */
    {MEMORY, 0, "virtual memory exhausted: "},  /* gcc */
    {MEMORY, 0, "failed: memory exhausted"},    /* ld */
    {MEMORY, 0, "an instance of 'std::bad_al"}, /* NVIDIA's parts */
    {MEMORY, 0, "Memory allocation failure"},   /* ptxas */
    {MEMORY, 0, "LLVM ERROR: out of memory"},   /* clang */
};

/* Lines of the source, which a compiler shows, begin with a blank. */
static bool says(const char *output, const char *words)
{
    for (const char *at = output; (at = strstr(at, words)); at++) {
        const char *line = at;

        while (line > output && line[-1] != '\n')
            line--;
        if (*line != ' ')
            return true;
    }
    return false;
}

static void say_memory(char *out, size_t size)
{
    uint64_t bytes = 0;

    if (osw_compiler_limits_memory(&bytes, NULL) < 0)
        bytes = 0;
    snprintf(out, size,
             "the compiler was out of memory: limit %.3g GiB "
             "(" OSW_COMPILER_MEMORY_VARIABLE ")",
             (double)bytes / (double)GIB);
}

/* Where it is less already, that. */
static uintmax_t cpu_seconds(void)
{
    struct rlimit now;

    return getrlimit(RLIMIT_CPU, &now) == 0 && now.rlim_cur < CPU_SECONDS
               ? now.rlim_cur
               : CPU_SECONDS;
}

static void say(enum which which, char *out, size_t size)
{
    if (which == MEMORY)
        say_memory(out, size);
    else if (which == TIME)
        snprintf(out, size,
                 "the compiler was out of time: limit %ju s of a processor",
                 cpu_seconds());
    else
        snprintf(out, size, "the compiler wrote too large a file: limit %d GiB",
                 FILE_GIB);
}

bool osw_compiler_limits_say(int signal, char *output, size_t size)
{
    for (size_t i = 0; i < N_ELEM(signs); i++)
        if ((signal && signal == signs[i].signal) ||
            says(output, signs[i].words)) {
            say(signs[i].which, output, size);
            return true;
        }
    return false;
}

bool osw_compiler_was_killed(int signal, const char *output)
{
    static const char *const words[] = {
        "fatal error: Killed signal terminated program", /* gcc */
        "unable to execute command: Killed",             /* clang */
        "died due to signal 9",                          /* nvcc */
    };

    for (size_t i = 0; i < N_ELEM(words); i++)
        if (says(output, words[i]))
            return true;
    return signal == SIGKILL;
}

const char *const *osw_compiler_limits_command(const char *const *command,
                                               const char *source,
                                               const char **words,
                                               struct osw_error *err)
{
    uint64_t bytes;
    size_t n = 0;

    if (osw_compiler_limits_memory(&bytes, err) < 0)
        return NULL;
    words[n++] = osw_paths_sandbox(err);
    words[n++] = osw_confine_wanted() ? osw_build_confine_word(source)
                                      : OSW_COMPILER_WORD;
    for (; *command; command++)
        words[n++] = *command;
    words[n] = NULL;
    return words[0] ? words : NULL;
}
