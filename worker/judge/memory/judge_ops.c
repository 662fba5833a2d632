/* worker/judge/memory/judge_ops.c - the table of what judges do, by device */
#include "worker/judge/memory/judge_ops.h"

#include <stdio.h>
#include <string.h>

#include "worker/plugin.h"

const struct osw_judge_ops *osw_judge_ops_find(const char *kind)
{
    char file[64], symbol[64], why[256];

    if (strcmp(kind, osw_judge_cpu_ops.kind) == 0)
        return &osw_judge_cpu_ops;
    snprintf(file, sizeof(file), "libopsweep-judge-%s.so", kind);
    snprintf(symbol, sizeof(symbol), "osw_judge_%s_ops", kind);
    return osw_plugin_symbol(file, symbol, why, sizeof(why));
}
