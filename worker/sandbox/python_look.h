/* worker/sandbox/python_look.h - what a result leaves to be computed
 *
 * Python's results are looked at after the clock stopped.  One that computes
 * itself then takes the time there that its call did not take.
 */
#ifndef OSW_WORKER_PYTHON_LOOK_H
#define OSW_WORKER_PYTHON_LOOK_H

#include <stdint.h>

enum { OSW_PYTHON_LOOKS = 9 };

struct osw_python_looks {
    int64_t ns[OSW_PYTHON_LOOKS]; /* of the last ones */
    uint32_t n;                   /* so far; 0: begin anew */
};

/* Processor time of this thread, ns. */
int64_t osw_python_own_ns(void);

/* Note a look of `ns` at n_leaves outputs.  The median of the last looks, ns,
 * if it is more than looking takes, else 0.
 */
int64_t osw_python_late(struct osw_python_looks *looks, int64_t ns,
                        int64_t n_leaves);

#endif /* OSW_WORKER_PYTHON_LOOK_H */
