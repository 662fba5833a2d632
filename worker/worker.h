/* worker/worker.h - a worker: judges bundles, one at a time
 *
 * Upstream: mpi_runner's worker loop hands over bundles as they arrive.
 * Downstream: worker/judge, which talks to worker/sandbox through processes.
 * Knows nothing of MPI, of scheduling or of files of results.
 */
#ifndef OSW_WORKER_WORKER_H
#define OSW_WORKER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/record/record.h"
#include "worker/bundle.h"
#include "worker/config.h"
#include "worker/subtest.h"

typedef struct osw_worker osw_worker_t;

/* Open the device and make ready.  Blocks.  Returns a worker that the caller
 * owns, or NULL with err set.
 */
osw_worker_t *osw_worker_create(const struct osw_worker_config *config,
                                struct osw_error *err) OSW_MUST_CHECK;
void osw_worker_destroy(osw_worker_t *worker); /* NULL is ignored */

/* The host threads that an op of such a worker may use. */
uint32_t osw_worker_n_threads(const struct osw_worker_config *config);

/* So many files will be loaded, about (0: it is not known): sandboxes for them
 * are started ahead.  For a worker that was made before that was planned.
 */
void osw_worker_expect(osw_worker_t *worker, uint32_t n_files);

/* A campaign is over, and another may follow: end the sandboxes of its last op,
 * whose folder is read anew when it comes again, and give back the device's
 * memory.
 */
void osw_worker_rest(osw_worker_t *worker);

/* End all its sandboxes and remove its folder, in the middle of a bundle too,
 * without waiting: this process is about to end, and nothing else may be done
 * with the worker.
 */
void osw_worker_abandon(osw_worker_t *worker);

/* Judge n bundles, small ones together: emit exactly n_impls records for each,
 * in any order, with `cell`, `cell_key`, `attempt` and `rank` set.  Of a bundle
 * with a gang every member emits them, of which those of rank 0 count, and none
 * does when an exchange failed: then a member is lost, and this worker is
 * sound. The record is borrowed during the call.  Blocks until all are done, or
 * config.stop is set.
 *
 * Returns 0, whatever the verdicts; or -1 with err set when this worker cannot
 * go on; then the cells not emitted have no record.  Example: the build cache
 * cannot be written, which is no file's fault.
 */
int osw_worker_run(osw_worker_t *worker, const struct osw_bundle *bundles,
                   uint32_t n,
                   void (*emit)(void *arg, const struct osw_record *record),
                   void *arg, struct osw_error *err) OSW_MUST_CHECK;

/* Between bundles: is its device still sound?  Below a millisecond on a
 * processor and as much on a GPU, beside what its driver takes to answer.
 * Returns 0, or -1 with err set (OSW_DEVICE): what was judged since this last
 * returned 0 may be wrong, and nothing more must be judged.
 */
int osw_worker_prove(osw_worker_t *worker,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Load implementation `impl` ("reference" for the reference) of the bundle's
 * op, run the case, and all sub-tests with it; `other` is a bundle of the same
 * op with another case (NULL: there is none).  Returns 0 whatever was found, or
 * -1 with err set: OSW_BAD_INPUT when case or folder is wrong.
 */
int osw_worker_contract(osw_worker_t *worker, const struct osw_bundle *bundle,
                        const struct osw_bundle *other, const char *impl,
                        struct osw_contract *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* torch's own sub-tests of an operator that is registered with it, in order:
 * their names; NULL after the last.
 */
const char *osw_opcheck_name(size_t i);

/* Run sub-test i of implementation `impl` on the bundle's case.  Returns as
 * osw_worker_contract; OSW_BAD_INPUT too when it is no registered operator.
 */
int osw_worker_opcheck(osw_worker_t *worker, const struct osw_bundle *bundle,
                       const char *impl, size_t i, struct osw_subtest *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Does implementation `impl` of out's op, whose last n_outs arguments are
 * places for results, make what the one of that name of the functional op makes
 * on its bundle's case?  Same bits over two poisons; an `out` with strides, at
 * an offset, in an argument's memory, of another shape or dtype: right or
 * refused. Of `out` only the folder counts.  Returns as osw_worker_contract.
 */
int osw_worker_out_form(osw_worker_t *worker,
                        const struct osw_bundle *functional,
                        const struct osw_bundle *out, const char *impl,
                        uint32_t n_outs, struct osw_subtest *found,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Does the reference run that case?  Returns as osw_worker_contract. */
int osw_worker_supports(osw_worker_t *worker, const struct osw_bundle *bundle,
                        bool *supported, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_WORKER_H */
