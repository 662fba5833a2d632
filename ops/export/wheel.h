/* ops/export/wheel.h - a built package as a wheel that pip installs
 *
 * The libraries call nothing of Python or torch, so a wheel is tagged
 * py3-none-PLATFORM.  The platform is manylinux_2_N where the libraries need
 * glibc alone, else linux.
 *
 * Upstream: `opsweep package`.
 */
#ifndef OSW_OPS_WHEEL_H
#define OSW_OPS_WHEEL_H

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "ops/export/elf_needs.h"
#include "ops/export/export.h"

/* Is it a version that pip orders, such as 1.2, 1.2rc1, 1.2.post3 or 1.2+gpu?
 * 0, or -1 with err set (OSW_BAD_INPUT).
 */
int osw_wheel_check_version(const char *version,
                            struct osw_error *err) OSW_MUST_CHECK;

/* Of objects for one processor, some of which may be missing:
 * "manylinux_2_34_x86_64", "linux_x86_64"; "" when all are.
 */
void osw_wheel_platform(const struct osw_elf_needs *needs, size_t n,
                        struct osw_text *out);

/* Write dir/dist/NS-VERSION-py3-none-PLATFORM.whl of what make left in dir/NS,
 * and of dir/ops.json.  On success *path is set, and by device what its library
 * needs; needs[].machine is NULL where there is none.
 */
int osw_wheel_write(osw_arena_t *arena, const char *dir, const char *ns,
                    const char *version, const char **path,
                    struct osw_elf_needs needs[OSW_EXPORT_N_DEVICES],
                    struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_WHEEL_H */
