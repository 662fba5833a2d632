/* mpi_runner/campaign/preflight.h - what a campaign needs of the node that
 * starts it
 *
 * A driver for its device, an interpreter for its Python files and compilers
 * for the others.  What is named and does not run stops a campaign before
 * anything else does; what is missing stops a campaign before anything runs
 * when nothing could be judged without it; otherwise the rest is judged, and
 * the end of the run says it.
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_PREFLIGHT_H
#define OSW_MPI_RUNNER_PREFLIGHT_H

#include <stdbool.h>

#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/plan.h"

enum { OSW_PREFLIGHT_OPEN_FILES = 64 }; /* with fewer no sandbox starts */

#define OSW_PREFLIGHT_TEMP_DIR_CURE                                            \
    "let TMPDIR name a folder that can be written"

/* Before anything runs: can files be made where ranks and sandboxes work, and
 * may enough of them be open?  0, or -1 with err set: OSW_BAD_INPUT, which
 * names the cure.
 */
int osw_preflight_node(struct osw_error *err) OSW_MUST_CHECK;

/* For ranks that all run on this node, after osw_preflight_plan().  0, or -1
 * with err set: OSW_BAD_INPUT when the driver is missing, or when the package
 * by which the backend is judged is missing and every cell needs it.
 */
int osw_preflight_check(const struct osw_campaign *campaign,
                        const struct osw_plan *plan,
                        struct osw_error *err) OSW_MUST_CHECK;

/* What the plan needs of this node.  Blocks: the interpreter is started once,
 * where Python files are planned.  `here`: the workers run on this node, and
 * need compilers; an object in the build cache is named by its compiler, so it
 * takes the place of none.  Returns 0, or -1 with err set: OSW_BAD_INPUT when
 * an interpreter or a compiler that was named, or that every cell needs, does
 * not run or is not there; else compilers cannot leave objects in the build
 * cache, and err names the folder and the cure.
 */
int osw_preflight_plan(const struct osw_campaign *campaign,
                       const struct osw_plan *plan, bool here,
                       struct osw_error *err) OSW_MUST_CHECK;

/* For a campaign on other nodes: is the interpreter that was named a program?
 * Where this machine does not have its folder either, a warning is logged.
 * Returns 0, or -1 with err set to OSW_BAD_INPUT.
 */
int osw_preflight_python_there(const struct osw_campaign *campaign,
                               struct osw_error *err) OSW_MUST_CHECK;

/* At the end of a run: log, as errors, folders that could not be read and an
 * interpreter that is not there.
 */
void osw_preflight_report(const struct osw_campaign *campaign,
                          const struct osw_plan *plan);

#endif /* OSW_MPI_RUNNER_PREFLIGHT_H */
