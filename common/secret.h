/* common/secret.h - which environment variables may be secrets
 *
 * Beside lists of what is allowed: a prefix such as SLURM_ lets in SLURM_JWT.
 */
#ifndef OSW_COMMON_SECRET_H
#define OSW_COMMON_SECRET_H

#include <stdbool.h>

/* Does the name in "NAME=VALUE", or "NAME", have a word that secrets have?
 * Pure.
 */
bool osw_secret_name(const char *assignment);

#endif /* OSW_COMMON_SECRET_H */
