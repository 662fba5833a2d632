/* worker/isolation.h - how much op code is kept from: a setting */
#ifndef OSW_WORKER_ISOLATION_H
#define OSW_WORKER_ISOLATION_H

#include <string.h>

/* Of $OPSWEEP_ISOLATION. */
enum osw_isolation {
    OSW_ISOLATION_FULL,
    OSW_ISOLATION_BASIC,
    OSW_ISOLATION_OFF,
    OSW_N_ISOLATIONS
};

/* By word; NULL or "": FULL.  OSW_N_ISOLATIONS: no such word. */
static inline enum osw_isolation osw_isolation_level(const char *word)
{
    static const char *const words[OSW_N_ISOLATIONS] = {"full", "basic", "off"};
    int i = 0;

    if (!word || !word[0])
        return OSW_ISOLATION_FULL;
    while (i < OSW_N_ISOLATIONS && strcmp(word, words[i]) != 0)
        i++;
    return (enum osw_isolation)i;
}

#endif /* OSW_WORKER_ISOLATION_H */
