/* worker/isolation.h - how much op code is kept from: what judge and sandbox
 * both have to know
 */
#ifndef OSW_WORKER_ISOLATION_H
#define OSW_WORKER_ISOLATION_H

/* Of $OPSWEEP_ISOLATION. */
enum osw_isolation {
    OSW_ISOLATION_FULL,
    OSW_ISOLATION_BASIC,
    OSW_ISOLATION_OFF,
    OSW_N_ISOLATIONS
};

/* By word; NULL or "": FULL.  OSW_N_ISOLATIONS: no such word. */
enum osw_isolation osw_isolation_level(const char *word);

/* Version of the kernel's Landlock; 0: it has none. */
int osw_isolation_landlock(void);

/* Without Landlock, processes of one user can read each other's memory.  So
 * close this process to all but root, permanently.
 */
void osw_isolation_close(enum osw_isolation level);

#endif /* OSW_WORKER_ISOLATION_H */
