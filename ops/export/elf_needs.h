/* ops/export/elf_needs.h - what a shared object asks of the machine that loads
 * it: which processor, which libraries, how new a C library
 *
 * Upstream: ops/export/wheel.c.  Decodes bytes from outside: every read is
 * bounded.
 */
#ifndef OSW_OPS_ELF_NEEDS_H
#define OSW_OPS_ELF_NEEDS_H

#include <stddef.h>

#include "common/error.h"

enum { OSW_ELF_MAX_LIBRARIES = 32, OSW_ELF_MAX_NAME = 64 };

/* Of one object, or of several together: begin with {0}. */
struct osw_elf_needs {
    const char *machine; /* as wheels call it: "x86_64"; static */
    int glibc_minor;     /* N of the newest GLIBC_2.N asked for; 0: none */
    size_t n_libraries;
    char libraries[OSW_ELF_MAX_LIBRARIES][OSW_ELF_MAX_NAME];
};

/* Add what the object of n bytes needs.  0, or -1 with err set
 * (OSW_BAD_INPUT): `name` is no shared object of Linux of 64 bits, or one for
 * another processor than those before.
 */
int osw_elf_needs_add(struct osw_elf_needs *needs, const char *name,
                      const void *bytes, size_t n,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_ELF_NEEDS_H */
