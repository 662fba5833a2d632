/* ops/export/wheel.c - a built package as a wheel that pip installs */
#include "ops/export/wheel.h"

#include <ctype.h>
#include <sha256.h>
#include <string.h>
#include <unistd.h>

#include "ops/export/export_file.h"
#include "ops/export/zip.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* --- names --- */

static const char *digits(const char *s)
{
    while (isdigit((unsigned char)*s))
        s++;
    return s;
}

/* Past `word` and a number; NULL when it is none of it. */
static const char *numbered(const char *s, const char *word)
{
    size_t n = strlen(word);
    const char *end;

    if (strncmp(s, word, n) != 0)
        return NULL;
    end = digits(s + n);
    return end > s + n ? end : NULL;
}

/* Past what follows the numbers: 1.2[rc1][.post1][.dev1][+local]. */
static const char *suffixes(const char *s)
{
    static const char *const before[] = {"a", "b", "rc"};
    static const char local[] = "abcdefghijklmnopqrstuvwxyz0123456789.";
    const char *next = NULL;

    for (size_t i = 0; !next && i < N_ELEM(before); i++)
        next = numbered(s, before[i]);
    s = next ? next : s;
    next = numbered(s, ".post");
    s = next ? next : s;
    next = numbered(s, ".dev");
    s = next ? next : s;
    if (*s == '+' && isalnum((unsigned char)s[1]))
        s += 1 + strspn(s + 1, local);
    return s;
}

int osw_wheel_check_version(const char *version, struct osw_error *err)
{
    const char *s = digits(version), *next = s;

    if (s > version && strlen(version) <= 64) {
        while ((next = numbered(s, ".")))
            s = next;
        s = suffixes(s);
        if (!*s && s[-1] != '.')
            return 0;
    }
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--release': expected a version such as 1.2, "
                    "1.2rc1 or 1.2+gpu, found '%s'",
                    version);
}

static bool is_everywhere(const char *library)
{
    static const char *const names[] = {"libc.so.6", "libm.so.6", "libdl.so.2",
                                        "libpthread.so.0", "librt.so.1"};

    for (size_t i = 0; i < N_ELEM(names); i++)
        if (strcmp(names[i], library) == 0)
            return true;
    return strncmp(library, "ld-linux", 8) == 0;
}

void osw_wheel_platform(const struct osw_elf_needs *needs, size_t n,
                        struct osw_text *out)
{
    const char *machine = NULL;
    bool many = true;
    int minor = 17; /* pip knows none below 2_17 on every processor */

    for (size_t i = 0; i < n; i++) {
        if (!needs[i].machine)
            continue;
        machine = needs[i].machine;
        many = many && needs[i].glibc_minor > 0;
        if (needs[i].glibc_minor > minor)
            minor = needs[i].glibc_minor;
        for (size_t k = 0; k < needs[i].n_libraries; k++)
            many = many && is_everywhere(needs[i].libraries[k]);
    }
    if (machine && many)
        osw_text_printf(out, "manylinux_2_%d_%s", minor, machine);
    else
        osw_text_printf(out, "%s%s", machine ? "linux_" : "",
                        machine ? machine : "");
}

/* --- the archive --- */

/* In RECORD: base64 as of URLs, without padding. */
static void put_hash(struct osw_text *out, const void *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789-_";
    uint8_t sha[SHA256_DIGEST_LENGTH + 1] = {0};
    SHA2_CTX ctx;

    SHA256Init(&ctx);
    SHA256Update(&ctx, bytes, n);
    SHA256Final(sha, &ctx);
    for (size_t bit = 0; bit < (size_t)8 * SHA256_DIGEST_LENGTH; bit += 6) {
        unsigned two = (unsigned)sha[bit / 8] << 8 | sha[bit / 8 + 1];

        osw_text_add_n(out, &letters[two >> (10 - bit % 8) & 63], 1);
    }
}

struct packing {
    osw_arena_t *arena;
    const char *dir, *ns, *version;
    struct osw_elf_needs *needs;
    struct osw_zip zip;
    struct osw_text record;
    struct osw_error *err;
};

static int add(struct packing *p, const char *name, const void *bytes, size_t n,
               bool program)
{
    osw_text_printf(&p->record, "%s,sha256=", name);
    put_hash(&p->record, bytes, n);
    osw_text_printf(&p->record, ",%zu\n", n);
    return osw_zip_add(&p->zip, name, bytes, n, program, p->err);
}

/* A text of dist-info, which is freed. */
static int add_info(struct packing *p, const char *file, struct osw_text *text)
{
    const char *name = osw_arena_printf(p->arena, "%s-%s.dist-info/%s", p->ns,
                                        p->version, file);
    const char *s = osw_text_str(text);
    int rc = name && s
                 ? add(p, name, s, strlen(s), false)
                 : osw_fail(p->err, OSW_NO_MEMORY, "no memory for a wheel");

    osw_text_free(text);
    return rc;
}

/* What a wheel has of a package's folder; "%s" stands for the namespace. */
static const struct {
    const char *from, *to;
    int library; /* of a device, which may be missing; -1: none */
} files[] = {
    {"%s/__init__.py", "%s/__init__.py", -1},
    {"%s/_expressions.py", "%s/_expressions.py", -1},
    {"%s/_runtime.py", "%s/_runtime.py", -1},
    {"%s/_table.py", "%s/_table.py", -1},
    {"ops.json", "%s/ops.json", -1},
    {"%s/lib%s.so", "%s/lib%s.so", OSW_EXPORT_CPU},
    {"%s/lib%s_cuda.so", "%s/lib%s_cuda.so", OSW_EXPORT_CUDA},
};

static const char *with_ns(struct packing *p, const char *before,
                           const char *pattern)
{
    struct osw_text out = OSW_TEXT_INIT;
    const char *copy = NULL;

    osw_text_add(&out, before);
    for (; *pattern; pattern += pattern[0] == '%' ? 2 : 1)
        if (*pattern == '%')
            osw_text_add(&out, p->ns);
        else
            osw_text_add_n(&out, pattern, 1);
    if (osw_text_str(&out))
        copy = osw_arena_strdup(p->arena, osw_text_str(&out));
    osw_text_free(&out);
    return copy;
}

static int add_files(struct packing *p)
{
    const char *folder = osw_arena_printf(p->arena, "%s/", p->dir);

    for (size_t i = 0; folder && i < N_ELEM(files); i++) {
        const char *from = with_ns(p, folder, files[i].from);
        const char *to = with_ns(p, "", files[i].to);
        const void *bytes;
        int library;
        size_t n;

        if (!from || !to)
            return osw_fail(p->err, OSW_NO_MEMORY, "no memory for a wheel");
        library = files[i].library;
        if (library >= 0 && access(from, F_OK) != 0)
            continue;
        if (osw_export_read_bytes(p->arena, from, &bytes, &n, p->err) < 0 ||
            (library >= 0 && osw_elf_needs_add(&p->needs[library], from, bytes,
                                               n, p->err) < 0) ||
            add(p, to, bytes, n, library >= 0) < 0)
            return -1;
    }
    return folder ? 0
                  : osw_fail(p->err, OSW_NO_MEMORY, "no memory for a wheel");
}

static int add_infos(struct packing *p, const char *platform)
{
    struct osw_text text = OSW_TEXT_INIT;
    const char *record =
        osw_arena_printf(p->arena, "%s-%s.dist-info/RECORD", p->ns, p->version);

    osw_text_printf(&text,
                    "Metadata-Version: 2.1\n"
                    "Name: %s\n"
                    "Version: %s\n"
                    "Summary: torch.ops.%s: operators for torch 1.13 or newer, "
                    "made by opsweep package\n"
                    "Requires-Python: >=3.8\n",
                    p->ns, p->version, p->ns);
    if (add_info(p, "METADATA", &text) < 0)
        return -1;
    osw_text_printf(&text,
                    "Wheel-Version: 1.0\n"
                    "Generator: opsweep\n"
                    "Root-Is-Purelib: false\n"
                    "Tag: py3-none-%s\n",
                    platform);
    if (add_info(p, "WHEEL", &text) < 0)
        return -1;
    osw_text_printf(&p->record, "%s,,\n", record ? record : "");
    if (!record || !osw_text_str(&p->record))
        return osw_fail(p->err, OSW_NO_MEMORY, "no memory for a wheel");
    return osw_zip_add(&p->zip, record, p->record.data, p->record.used, false,
                       p->err);
}

static int write_wheel(struct packing *p, const char **path)
{
    struct osw_text platform = OSW_TEXT_INIT;
    int rc = add_files(p);

    osw_wheel_platform(p->needs, OSW_EXPORT_N_DEVICES, &platform);
    if (rc == 0 && !osw_text_str(&platform))
        rc = osw_fail(p->err, OSW_NO_MEMORY, "no memory for a wheel");
    if (rc == 0 && !*platform.data)
        rc = osw_fail(p->err, OSW_BAD_INPUT,
                      "'%s/%s' has no library: run make first", p->dir, p->ns);
    if (rc == 0) {
        *path = osw_arena_printf(p->arena, "%s/dist/%s-%s-py3-none-%s.whl",
                                 p->dir, p->ns, p->version, platform.data);
        rc = *path ? add_infos(p, platform.data)
                   : osw_fail(p->err, OSW_NO_MEMORY, "no memory for a wheel");
    }
    if (rc == 0)
        rc = osw_zip_end(&p->zip, p->err);
    if (rc == 0)
        rc =
            osw_export_put(*path, p->zip.bytes.data, p->zip.bytes.used, p->err);
    osw_text_free(&platform);
    return rc;
}

int osw_wheel_write(osw_arena_t *arena, const char *dir, const char *ns,
                    const char *version, const char **path,
                    struct osw_elf_needs needs[OSW_EXPORT_N_DEVICES],
                    struct osw_error *err)
{
    struct packing p = {.arena = arena,
                        .dir = dir,
                        .ns = ns,
                        .version = version,
                        .needs = needs,
                        .record = OSW_TEXT_INIT,
                        .err = err};
    int rc;

    memset(needs, 0, OSW_EXPORT_N_DEVICES * sizeof(*needs));
    rc = write_wheel(&p, path);
    osw_zip_free(&p.zip);
    osw_text_free(&p.record);
    return rc;
}
