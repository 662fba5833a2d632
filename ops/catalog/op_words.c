/* ops/catalog/op_words.c - which words op.json may hand to a compiler */
#include "ops/catalog/op_words.h"

#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Part of a word. */
struct piece {
    const char *text;
    size_t n;
};

/* Words that begin so.  What follows is at least one character and none of
 * `without`; NULL: nothing follows.
 */
struct rule {
    const char *begin, *without;
};

/* clang-format off */
static const struct rule of_both[] = {
    {"-O", NULL}, {"-O", "/=,"}, {"-std=", "/"}, {"-g", NULL}, {"-w", NULL},
    {"-D", ""}, {"-U", ""}, {"-I", ""}, {"-L", ""}, {"-l", "/=,"},
};

/* Of -f words with a value only these: others name files and programs. */
static const struct rule of_host[] = {
    {"-f", "/=,"}, {"-m", "/"}, {"-W", "/,"}, {"--param=", "/"},
    {"-falign-functions=", "/"}, {"-falign-jumps=", "/"},
    {"-falign-labels=", "/"}, {"-falign-loops=", "/"},
    {"-fcf-protection=", "/"}, {"-fconstexpr-depth=", "/"},
    {"-fconstexpr-loop-limit=", "/"}, {"-fconstexpr-ops-limit=", "/"},
    {"-fdenormal-fp-math=", "/"}, {"-fexcess-precision=", "/"},
    {"-ffp-contract=", "/"}, {"-ffp-model=", "/"}, {"-finline-limit=", "/"},
    {"-flto=", "/"}, {"-fmax-errors=", "/"}, {"-fno-sanitize=", "/"},
    {"-fopenmp=", "/"}, {"-fpack-struct=", "/"}, {"-fsanitize=", "/"},
    {"-fsimd-cost-model=", "/"}, {"-ftemplate-depth=", "/"},
    {"-ftls-model=", "/"}, {"-ftree-parallelize-loops=", "/"},
    {"-fveclib=", "/"}, {"-fvect-cost-model=", "/"}, {"-fvisibility=", "/"},
    {"-idirafter", ""}, {"-iquote", ""}, {"-isystem", ""},
    {"-g1", NULL}, {"-g2", NULL}, {"-g3", NULL}, {"-ggdb", NULL},
    {"-ansi", NULL}, {"-pedantic", NULL}, {"-pipe", NULL}, {"-pthread", NULL},
    {"-s", NULL}, {"-static-libgcc", NULL}, {"-static-libstdc++", NULL},
};

/* Of these -f and -m words some load code or write files beside the object;
 * others take the next word.
 */
static const char *const not_of_host[] = {
    "-fauto-profile", "-fcallgraph", "-fcoverage", "-fcrash", "-fcs-profile",
    "-fdeps", "-fdump", "-femit", "-fmodule", "-fpass-plugin", "-fplugin",
    "-fprofile", "-framework", "-frecord", "-fsave", "-fstack-usage",
    "-ftest-coverage", "-ftime-trace", "-mllvm", "-mlinker", "-module",
};

/* With one dash or two. */
static const struct rule of_nvcc[] = {
    {"-lineinfo", NULL}, {"-generate-line-info", NULL}, {"-G", NULL},
    {"-use_fast_math", NULL}, {"-restrict", NULL}, {"-dlto", NULL},
    {"-extended-lambda", NULL}, {"-expt-extended-lambda", NULL},
    {"-expt-relaxed-constexpr", NULL}, {"-extra-device-vectorization", NULL},
    {"-ftz=", "/"}, {"-prec-div=", "/"}, {"-prec-sqrt=", "/"}, {"-fmad=", "/"},
    {"-maxrregcount=", "/"}, {"-rdc=", "/"}, {"-default-stream=", "/"},
    {"-arch=", "/"}, {"-gencode=", "/"}, {"-threads=", "/"},
    {"-split-compile=", "/"}, {"-diag-suppress=", "/"}, {"-diag-warn=", "/"},
    {"-diag-error=", "/"}, {"-Werror=", "/"}, {"-Wno-", "/"},
    {"-isystem=", ""},
};

static const struct rule of_ptxas[] = {
    {"-v", NULL}, {"-O", "/=,"}, {"-dlcm=", "/"}, {"-dscm=", "/"},
    {"-verbose", NULL}, {"-warn-spills", NULL}, {"-warn-on-spills", NULL},
    {"-warn-on-local-memory-usage", NULL}, {"-maxrregcount=", "/"},
    {"-fmad=", "/"}, {"-opt-level=", "/"}, {"-def-load-cache=", "/"},
    {"-def-store-cache=", "/"}, {"-allow-expensive-optimizations=", "/"},
    {"-register-usage-level=", "/"},
};

static const struct rule of_linker[] = {
    {"-as-needed", NULL}, {"-no-as-needed", NULL}, {"-Bsymbolic", NULL},
    {"-Bsymbolic-functions", NULL}, {"-rpath=", ""},
};
/* clang-format on */

/* --- one word --- */

static bool begins(struct piece word, const char *begin)
{
    size_t n = strlen(begin);

    return word.n >= n && memcmp(word.text, begin, n) == 0;
}

static bool has_any(struct piece word, size_t from, const char *these)
{
    for (size_t i = from; i < word.n; i++)
        if (strchr(these, word.text[i]))
            return true;
    return false;
}

static bool follows(const struct rule *rules, size_t n, struct piece word)
{
    for (size_t i = 0; i < n; i++) {
        size_t begin = strlen(rules[i].begin);

        if (!begins(word, rules[i].begin))
            continue;
        if (rules[i].without
                ? word.n > begin && !has_any(word, begin, rules[i].without)
                : word.n == begin)
            return true;
    }
    return false;
}

static bool is_of_host(struct piece word)
{
    for (size_t i = 0; i < N_ELEM(not_of_host); i++)
        if (begins(word, not_of_host[i]))
            return false;
    return follows(of_both, N_ELEM(of_both), word) ||
           follows(of_host, N_ELEM(of_host), word);
}

/* "--name" as "-name". */
static struct piece one_dash(struct piece word)
{
    return begins(word, "--") ? (struct piece){word.text + 1, word.n - 1}
                              : word;
}

static bool is_of_nvcc(struct piece word)
{
    return follows(of_both, N_ELEM(of_both), word) ||
           follows(of_nvcc, N_ELEM(of_nvcc), one_dash(word));
}

static bool is_of_ptxas(struct piece word)
{
    return follows(of_ptxas, N_ELEM(of_ptxas), one_dash(word));
}

static bool is_of_linker(struct piece word)
{
    return follows(of_linker, N_ELEM(of_linker), one_dash(word));
}

/* --- words for the programs that a compiler starts --- */

/* "-Wl,A,B", and of nvcc "-Xptxas=A,B" or "-Xptxas A,B". */
static const struct passing {
    const char *begin;
    bool of_nvcc;
    bool (*allows)(struct piece word);
} passings[] = {
    /* clang-format off */
    {"-Wl,", false, is_of_linker},
    {"-Xcompiler", true, is_of_host},
    {"--compiler-options", true, is_of_host},
    {"-Xptxas", true, is_of_ptxas},
    {"--ptxas-options", true, is_of_ptxas},
    {"-Xlinker", true, is_of_linker},
    /* clang-format on */
};

static const struct passing *passing_of(struct piece word, bool nvcc)
{
    for (size_t i = 0; i < N_ELEM(passings); i++)
        if (passings[i].of_nvcc == nvcc && begins(word, passings[i].begin))
            return &passings[i];
    return NULL;
}

/* Pieces between commas; of the linker's "-rpath,DIR" the second is a folder.
 */
static bool allows_list(const struct passing *p, struct piece list)
{
    bool folder = false;

    for (size_t i = 0; i <= list.n;) {
        struct piece one = {list.text + i, 0};

        while (i + one.n < list.n && one.text[one.n] != ',')
            one.n++;
        i += one.n + 1;
        if (folder) {
            if (one.n == 0 || *one.text != '/')
                return false;
            folder = false;
        } else if (p->allows == is_of_linker && one.n == 6 &&
                   begins(one, "-rpath")) {
            folder = true;
        } else if (!p->allows(one)) {
            return false;
        }
    }
    return !folder;
}

/* --- all words --- */

static bool is_plain(struct piece word)
{
    for (size_t i = 0; i < word.n; i++)
        if (!osw_op_is_word(word.text[i]) && !strchr("-+./:=,", word.text[i]))
            return false;
    return true;
}

/* *passing: whose words come next, after "-Xptxas"; NULL: none. */
static bool allows(struct piece word, bool nvcc, const struct passing **passing)
{
    const struct passing *p = *passing ? *passing : passing_of(word, nvcc);
    size_t begin = p && !*passing ? strlen(p->begin) : 0;

    if (!is_plain(word))
        return false;
    if (!p)
        return nvcc ? is_of_nvcc(word) : is_of_host(word);
    if (nvcc && begin == word.n) {
        *passing = p;
        return true;
    }
    if (nvcc && begin > 0 && word.text[begin++] != '=')
        return false;
    *passing = NULL;
    return allows_list(p, (struct piece){word.text + begin, word.n - begin});
}

static int refuse(struct piece word, bool nvcc, struct osw_error *err)
{
    return osw_fail(
        err, OSW_BAD_INPUT,
        "word '%.*s' is not among those that a folder may hand to %s: expected "
        "words of letters, digits and _-+./:=, such as %s "
        "(docs/OPS_REFERENCE.md, 'Words for the compiler')",
        (int)(word.n < 100 ? word.n : 100), word.text,
        nvcc ? "nvcc" : "a compiler",
        nvcc ? "-O3 -use_fast_math -maxrregcount=64 -Xptxas=-v "
               "-Xcompiler=-fopenmp -DX=1 -IDIR -LDIR -lNAME"
             : "-O3 -ffast-math -mavx2 -std=c17 -Wall -DX=1 -IDIR -LDIR "
               "-lNAME -Wl,-rpath,DIR");
}

int osw_op_words_check(const struct osw_language *language, const char *words,
                       struct osw_error *err)
{
    static const char blanks[] = " \t\n";
    bool nvcc = strcmp(language->suffix, ".cu") == 0;
    const struct passing *passing = NULL;
    struct piece word = {words, 0};

    for (const char *s = words + strspn(words, blanks); *s;
         s += strspn(s, blanks)) {
        word = (struct piece){s, strcspn(s, blanks)};
        s += word.n;
        if (!allows(word, nvcc, &passing))
            return refuse(word, nvcc, err);
    }
    return passing ? refuse(word, nvcc, err) : 0;
}
