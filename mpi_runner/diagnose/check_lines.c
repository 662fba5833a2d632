/* mpi_runner/diagnose/check_lines.c - what `opsweep check` prints */
#include "mpi_runner/diagnose/check_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/utf8.h"

enum {
    TOLD = 4,    /* cells of an implementation and a state with a line each */
    COLUMN = 37, /* of the text */
};

void osw_check_say(const char *mark, const char *who, const char *fmt, ...)
{
    char text[4096];
    const char *at = text;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    printf("%-7s %-28s ", mark, who);
    for (;;) {
        size_t n = strcspn(at, "\n");

        osw_utf8_put_visible(stdout, at, n);
        putchar('\n');
        at += n + (at[n] == '\n');
        if (!*at)
            break;
        printf("%*s", COLUMN, "");
    }
    fflush(stdout);
}

const char *osw_check_mark(enum osw_state state)
{
    enum osw_state_group group = osw_state_group(state);

    if (group == OSW_GROUP_PASS || state == OSW_STATE_UNSUPPORTED)
        return NULL;
    return group == OSW_GROUP_NOT_JUDGED ? "note" : "wrong";
}

bool osw_check_tell(struct osw_check_told *told, enum osw_state state,
                    const char *reason)
{
    char cut[sizeof(told->reason)];
    bool again;

    told->ran |= state != OSW_STATE_UNSUPPORTED;
    if (!osw_check_mark(state))
        return false;
    snprintf(cut, sizeof(cut), "%s", reason);
    again = *cut && told->state == state && strcmp(cut, told->reason) == 0;
    told->state = state;
    memcpy(told->reason, cut, sizeof(cut));
    told->n[state]++;
    if (again || told->n_said[state] >= TOLD)
        return false;
    told->n_said[state]++;
    return true;
}

void osw_check_say_rest(const struct osw_check_told *told, const char *folder,
                        const char *impl)
{
    for (int k = 1; k < OSW_STATE_COUNT; k++)
        if (told->n[k] > told->n_said[k])
            osw_check_say(osw_check_mark((enum osw_state)k), folder,
                          "%s: %s on %llu more case%s", impl,
                          osw_state_name((enum osw_state)k),
                          (unsigned long long)(told->n[k] - told->n_said[k]),
                          told->n[k] - told->n_said[k] == 1 ? "" : "s");
    if (!told->ran)
        osw_check_say("note", folder, "%s supports none of the cases", impl);
}
