/* ops/cases/limits.h - limits of a case where the campaign sets none
 *
 * Upstream: nothing.  Downstream: campaign_make.c; results/report/command.c,
 * which leaves out of a command line what would hold anyway.
 */
#ifndef OSW_OPS_LIMITS_H
#define OSW_OPS_LIMITS_H

#include <stdint.h>

/* Predicted seconds of a case with all implementations, by the name of the
 * profile; 0: there is no such profile.
 */
double osw_limits_work_s(const char *profile);

/* Memory of a case; 0: as much as the node has free, which differs from node
 * to node and from hour to hour.
 */
uint64_t osw_limits_bytes(const char *device);

#endif /* OSW_OPS_LIMITS_H */
