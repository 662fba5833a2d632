/* results/report/report_devices.h - on what a campaign was judged, in short
 *
 * Upstream: report_table.c, report_json.c, `opsweep show`.
 */
#ifndef OSW_RESULTS_REPORT_DEVICES_H
#define OSW_RESULTS_REPORT_DEVICES_H

#include "common/json_out.h"
#include "common/text.h"
#include "results/file/file.h"

/* Lines: one per model with the number of its workers, one per device that
 * was left out, with the reason; no more than a few.
 *
 *     8 workers on NVIDIA H200, driver 580.65.06, CUDA 12.8
 *     left out: rank 3 on node1, cuda 2, GPU-...: ...; cure: ...
 */
void osw_report_devices_lines(const osw_file_t *file, struct osw_text *out);

/* "cuda 2, NVIDIA H200, GPU-..., ok": that of a rank on a host (/dict/host); ""
 * when there is none.
 */
void osw_report_devices_of(const osw_file_t *file, int32_t rank,
                           uint32_t host_id, struct osw_text *out);

/* A list "devices" with an object for each row of /devices. */
void osw_report_devices_json(const osw_file_t *file, struct osw_json_out *out);

#endif /* OSW_RESULTS_REPORT_DEVICES_H */
