/* ops/export/kit.h - files that every package has as they are
 *
 * They lie in ops/export/kit; make puts their bytes into kit.c.
 */
#ifndef OSW_OPS_EXPORT_KIT_H
#define OSW_OPS_EXPORT_KIT_H

#include <stddef.h>

struct osw_export_kit_file {
    const char *name; /* in the package; "%s" stands for the namespace */
    const unsigned char *bytes;
    size_t n;
};

/* The table; ends with a row without a name. */
extern const struct osw_export_kit_file osw_export_kit[];

#endif /* OSW_OPS_EXPORT_KIT_H */
