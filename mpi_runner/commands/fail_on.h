/* mpi_runner/commands/fail_on.h - which findings make a command fail, and
 * options' ranges
 *
 * Pure.  Upstream: commands with --fail-on.
 */
#ifndef OSW_MPI_RUNNER_FAIL_ON_H
#define OSW_MPI_RUNNER_FAIL_ON_H

#include <stdint.h>

#include "common/error.h"

/* "a,b" of names(0), names(1), ... (NULL after the last; 32 at most) as bits
 * of their numbers; just "none" and "" are none.  Returns 0, or -1 with err
 * set: OSW_BAD_INPUT "option '--fail-on': expected none, or some of A, B; found
 * 'c'".
 */
int osw_fail_on_parse(const char *list, const char *(*names)(int k),
                      unsigned *fail_on, struct osw_error *err) OSW_MUST_CHECK;

/* The same for the states of cells: groups (pass, fail, error, not-judged,
 * infra) and single states, as bits of the states' numbers.
 */
int osw_fail_on_states(const char *list, uint32_t *states,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Returns 0, or -1 with err set: OSW_BAD_INPUT "option '--NAME': expected LEAST
 * to MOST, found V".  NaN is out of any range.
 */
int osw_fail_on_range(const char *name, double v, double least, double most,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_FAIL_ON_H */
