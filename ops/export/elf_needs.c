/* ops/export/elf_needs.c - what a shared object asks of the machine that loads
 * it
 */
#include "ops/export/elf_needs.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint16_t number;
    const char *name;
} machines[] = {
    {EM_X86_64, "x86_64"},
    {EM_AARCH64, "aarch64"},
    {EM_PPC64, "ppc64le"},
    {EM_RISCV, "riscv64"},
};

struct object {
    const unsigned char *bytes;
    size_t n;
};

/* Copy `size` bytes at `at`; false: they are not all there. */
static bool get(const struct object *o, uint64_t at, void *to, size_t size)
{
    if (at > o->n || size > o->n - at)
        return false;
    memcpy(to, o->bytes + at, size);
    return true;
}

static bool section(const struct object *o, const Elf64_Ehdr *head, size_t i,
                    Elf64_Shdr *out)
{
    return i < head->e_shnum && head->e_shentsize == sizeof(*out) &&
           head->e_shoff <= o->n &&
           get(o, head->e_shoff + i * sizeof(*out), out, sizeof(*out));
}

/* A string of a table of strings; NULL: it does not lie in it. */
static const char *string(const struct object *o, const Elf64_Shdr *table,
                          uint64_t at)
{
    const char *s;

    if (table->sh_offset > o->n || table->sh_size > o->n - table->sh_offset ||
        at >= table->sh_size)
        return NULL;
    s = (const char *)o->bytes + table->sh_offset + at;
    return memchr(s, '\0', table->sh_size - at) ? s : NULL;
}

static bool add_library(struct osw_elf_needs *needs, const char *name)
{
    if (!name || strlen(name) >= OSW_ELF_MAX_NAME)
        return false;
    for (size_t i = 0; i < needs->n_libraries; i++)
        if (strcmp(needs->libraries[i], name) == 0)
            return true;
    if (needs->n_libraries == OSW_ELF_MAX_LIBRARIES)
        return false;
    memcpy(needs->libraries[needs->n_libraries++], name, strlen(name) + 1);
    return true;
}

static bool read_dynamic(struct osw_elf_needs *needs, const struct object *o,
                         const Elf64_Shdr *s, const Elf64_Shdr *strings)
{
    Elf64_Dyn d;

    for (uint64_t k = 0; k < s->sh_size / sizeof(d); k++) {
        if (!get(o, s->sh_offset + k * sizeof(d), &d, sizeof(d)))
            return false;
        if (d.d_tag == DT_NULL)
            break;
        if (d.d_tag == DT_NEEDED &&
            !add_library(needs, string(o, strings, d.d_un.d_val)))
            return false;
    }
    return true;
}

/* "GLIBC_2.34": a chain of libraries, each with a chain of versions. */
static bool read_versions(struct osw_elf_needs *needs, const struct object *o,
                          const Elf64_Shdr *s, const Elf64_Shdr *strings)
{
    static const char glibc[] = "GLIBC_2.";
    uint64_t at = s->sh_offset;
    Elf64_Verneed need;

    for (unsigned n = 0; n < OSW_ELF_MAX_LIBRARIES; n++) {
        Elf64_Vernaux aux;
        uint64_t aux_at;

        if (!get(o, at, &need, sizeof(need)))
            return false;
        aux_at = at + need.vn_aux;
        for (unsigned k = 0; k < need.vn_cnt; k++) {
            const char *version;

            if (!get(o, aux_at, &aux, sizeof(aux)))
                return false;
            version = string(o, strings, aux.vna_name);
            if (!version)
                return false;
            if (strncmp(version, glibc, sizeof(glibc) - 1) == 0) {
                long minor = strtol(version + sizeof(glibc) - 1, NULL, 10);

                if (minor > needs->glibc_minor && minor < 1000)
                    needs->glibc_minor = (int)minor;
            }
            aux_at += aux.vna_next;
        }
        if (!need.vn_next)
            return true;
        at += need.vn_next;
    }
    return false;
}

static const char *machine_of(const Elf64_Ehdr *head)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        if (machines[i].number == head->e_machine)
            return machines[i].name;
    return NULL;
}

static bool read_sections(struct osw_elf_needs *needs, const struct object *o,
                          const Elf64_Ehdr *head)
{
    for (size_t i = 0; i < head->e_shnum; i++) {
        Elf64_Shdr s, strings;
        bool dynamic, versions;

        if (!section(o, head, i, &s))
            return false;
        dynamic = s.sh_type == SHT_DYNAMIC;
        versions = s.sh_type == SHT_GNU_verneed && s.sh_info > 0;
        if (!dynamic && !versions)
            continue;
        if (!section(o, head, s.sh_link, &strings) ||
            !(dynamic ? read_dynamic(needs, o, &s, &strings)
                      : read_versions(needs, o, &s, &strings)))
            return false;
    }
    return true;
}

int osw_elf_needs_add(struct osw_elf_needs *needs, const char *name,
                      const void *bytes, size_t n, struct osw_error *err)
{
    const struct object o = {bytes, n};
    const char *machine = NULL;
    Elf64_Ehdr head;

    if (get(&o, 0, &head, sizeof(head)) &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64 &&
        head.e_ident[EI_DATA] == ELFDATA2LSB && head.e_type == ET_DYN)
        machine = machine_of(&head);
    if (!machine || !read_sections(needs, &o, &head))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected a shared object of 64 bits for "
                        "x86_64, aarch64, ppc64le or riscv64",
                        name);
    if (needs->machine && strcmp(needs->machine, machine) != 0)
        return osw_fail(err, OSW_BAD_INPUT, "'%s' is for %s, expected %s", name,
                        machine, needs->machine);
    needs->machine = machine;
    return 0;
}
