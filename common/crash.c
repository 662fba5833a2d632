/* common/crash.c - where this program crashed */
#include "common/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum {
    FRAMES = 32,
    LIMIT_S = 5, /* for the words: locks may be held by what crashed */
};

/* strsignal() is not for handlers. */
static const struct {
    int number;
    const char *name;
} faults[] = {
    {SIGSEGV, "SIGSEGV"},
    {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},
    {SIGABRT, "SIGABRT"},
};

#define N_FAULTS (sizeof(faults) / sizeof(faults[0]))

static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* The handler is reset when it begins: a fault in it, too, ends the process. */
static void on_fault(int number)
{
    void *frames[FRAMES];
    int n;

    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(LIMIT_S);
    say("opsweep: error: this program crashed by ");
    for (size_t i = 0; i < N_FAULTS; i++)
        if (faults[i].number == number)
            say(faults[i].name);
    say(", in:\n");
    n = backtrace(frames, FRAMES);
    backtrace_symbols_fd(frames, n, STDERR_FILENO);
    (void)raise(number);
}

void osw_crash_tell(void)
{
    const struct sigaction action = {
        .sa_handler = on_fault, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    void *frame;

    (void)backtrace(&frame, 1); /* loads a library, here and not in a crash */
    for (size_t i = 0; i < N_FAULTS; i++) {
        struct sigaction before;

        if (sigaction(faults[i].number, NULL, &before) == 0 &&
            before.sa_handler == SIG_DFL)
            (void)sigaction(faults[i].number, &action, NULL);
    }
}
