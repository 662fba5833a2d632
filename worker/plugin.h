/* worker/plugin.h - parts that are loaded only where they can run
 *
 * A plugin lies beside the sandbox program.  It exports tables, and brings
 * its own copy of what it uses of ours.
 */
#ifndef OSW_WORKER_PLUGIN_H
#define OSW_WORKER_PLUGIN_H

#include <stddef.h>

/* The object `symbol` of a plugin, which stays loaded; or NULL with words in
 * why[size].
 */
const void *osw_plugin_symbol(const char *file, const char *symbol, char *why,
                              size_t size);

#endif /* OSW_WORKER_PLUGIN_H */
