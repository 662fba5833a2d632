/* ops/build/tool.h - run programs such as compilers, with a deadline
 *
 * No shell, a process group of its own that is killed at the end whatever
 * happened, standard input empty or a file, C locale.
 */
#ifndef OSW_OPS_TOOL_H
#define OSW_OPS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/deadline.h"
#include "common/error.h"

struct osw_tool {
    const char *const *argv; /* ends in NULL; argv[0] is looked up in PATH */
    const char *tmp_dir;     /* TMPDIR of the program; NULL: as here */
    bool split;              /* only standard output goes to sink */
    const char *input;       /* file that is standard input; NULL: empty */
    const char *errors;      /* with `split`: new file that standard error goes
                                to; NULL: nowhere */
    int64_t deadline_ns;     /* it may take so long */
    /* Takes the program's output as it comes; may be NULL. */
    void (*sink)(void *arg, const char *bytes, size_t n);
    void *sink_arg;
    void (*tick)(void *arg); /* called at least every 100 ms; may be NULL */
    void *tick_arg;
};

/* A sink: add the output to a struct osw_text. */
void osw_tool_to_text(void *text, const char *bytes, size_t n);

struct osw_tool_end {
    int exit_code; /* -1: ended by a signal */
    int signal;    /* 0: none */
    bool late;     /* stopped at the deadline */
};

/* A program that runs.  Fill it by osw_tool_start(). */
struct osw_tool_process {
    const struct osw_tool *tool;
    pid_t pid;
    int fd; /* of its output; -1: it has closed that */
    struct osw_deadline deadline;
};

/* Start it.  Standard output and error both go to the sink, unless `split`:
 * then errors go to `errors`.  *tool is borrowed until the end.  Returns 0,
 * or -1 with err set: OSW_SYSTEM when it cannot be started, OSW_NO_MEMORY.
 */
int osw_tool_start(const struct osw_tool *tool,
                   struct osw_tool_process *process,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Give the sink what was written meanwhile; never blocks, never ticks.  To be
 * called often, by the thread that started it, until it is not 0.
 * Returns 1 when the program is gone and *end is set; 0 while it runs; or -1
 * with err set: OSW_SYSTEM when it cannot be watched, and is gone too.
 */
int osw_tool_poll(struct osw_tool_process *process, struct osw_tool_end *end,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Run it to its end.  Blocks.  Returns 0, or -1 with err set as by
 * osw_tool_start() and osw_tool_poll().
 */
int osw_tool_run(const struct osw_tool *tool, struct osw_tool_end *end,
                 struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_TOOL_H */
