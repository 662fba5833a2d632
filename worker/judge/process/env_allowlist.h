/* worker/judge/process/env_allowlist.h - which environment variables a sandbox
 * sees */
#ifndef OSW_WORKER_JUDGE_ENV_ALLOWLIST_H
#define OSW_WORKER_JUDGE_ENV_ALLOWLIST_H

#include <stdbool.h>

/* May op code see "NAME=VALUE"?  What programs, compilers, Python, devices and
 * threads need may pass, unless its name sounds like a secret's; and whatever
 * `named` lists ("NAME,PREFIX_*"; NULL: nothing).  Pure.
 */
bool osw_env_allows(const char *assignment, const char *named);

#endif /* OSW_WORKER_JUDGE_ENV_ALLOWLIST_H */
