/* tests/unit/ops/test_op_words.c - words that op.json hands to a compiler */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/catalog/op_words.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void what_only_changes_the_code_is_handed_on(void **state)
{
    static const struct {
        const char *file, *words;
    } rows[] = {
        /* clang-format off */
        {"a.c", ""},
        {"a.c", " -lm\t -DFAST=1\n-O3 -Ofast -O"},
        {"a.c", "-fno-math-errno -ffast-math -funroll-loops -fopenmp-simd"},
        {"a.c", "-ffp-contract=off -fsanitize=undefined,bounds -flto=auto"},
        {"a.cpp", "-mavx2 -march=armv8.2-a+sve -mtune=native -std=gnu++20"},
        {"a.cpp", "-Wall -Wno-error=array-bounds -w --param=max-unroll-times=8"},
        {"a.c", "-I/opt/lib/include -Isub -isystem/opt/x -L/opt/lib -l:libx.so.2"},
        {"a.c", "-Wl,-rpath,/opt/lib -Wl,--as-needed,-Bsymbolic -Wl,-rpath=/o"},
        {"a.c", "-pthread -g3 -UX"},
        {"a.cu", "-lcublasLt -lineinfo --use_fast_math -use_fast_math"},
        {"a.cu", "-maxrregcount=64 --expt-relaxed-constexpr -arch=sm_90a"},
        {"a.cu", "-gencode=arch=compute_90a,code=sm_90a -diag-suppress=177,20"},
        {"a.cu", "-Xcompiler -fopenmp,-O2 -Xcompiler=-Wall --compiler-options=-g"},
        {"a.cu", "-Xptxas -v,-dlcm=ca --ptxas-options=--warn-on-spills,-O3"},
        {"a.cu", "-Xlinker -rpath,/opt/lib -I/opt/cutlass/include -DN=3"},
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s: %s\n", rows[i].file, rows[i].words);
        assert_int_equal(osw_op_words_check(osw_language_of(rows[i].file),
                                            rows[i].words, &err),
                         0);
    }
}

/* Each row has one word that is refused, which the message names. */
static void what_runs_programs_or_writes_files_is_refused(void **state)
{
    static const struct {
        const char *file, *words, *word;
    } rows[] = {
        /* clang-format off */
        {"a.c", "-lm -wrapper /tmp/x", "-wrapper"},
        {"a.c", "-fplugin=/tmp/x.so", "-fplugin=/tmp/x.so"},
        {"a.c", "-fplugin-arg-x-y=1", "-fplugin-arg-x-y=1"},
        {"a.c", "-fpass-plugin=x.so", "-fpass-plugin=x.so"},
        {"a.c", "-fmodule-mapper=x", "-fmodule-mapper=x"},
        {"a.c", "-fuse-ld=/tmp/x", "-fuse-ld=/tmp/x"},
        {"a.c", "-fdump-tree-all=x", "-fdump-tree-all=x"},
        {"a.c", "-fstack-usage", "-fstack-usage"},
        {"a.c", "-fprofile-generate", "-fprofile-generate"},
        {"a.c", "-fdiagnostics-format=sarif-file", "-fdiagnostics-format=sarif-file"},
        {"a.c", "-fvisibility=/x", "-fvisibility=/x"},
        {"a.c", "-mllvm -load=x", "-mllvm"},
        {"a.c", "-Bfolder", "-Bfolder"},
        {"a.c", "-specs=x", "-specs=x"},
        {"a.c", "--specs=x", "--specs=x"},
        {"a.c", "@file", "@file"},
        {"a.c", "-D@file", "-D@file"},
        {"a.c", "-o /tmp/x", "-o"},
        {"a.c", "-o/tmp/x", "-o/tmp/x"},
        {"a.c", "-MF/tmp/x", "-MF/tmp/x"},
        {"a.c", "-MMD", "-MMD"},
        {"a.c", "-save-temps", "-save-temps"},
        {"a.c", "-dumpdir x", "-dumpdir"},
        {"a.c", "-include /etc/x", "-include"},
        {"a.c", "-x c++", "-x"},
        {"a.c", "other.c", "other.c"},
        {"a.c", "-I", "-I"},
        {"a.c", "-L /opt", "-L"},
        {"a.c", "-D", "-D"},
        {"a.c", "-l", "-l"},
        {"a.c", "-l../x", "-l../x"},
        {"a.c", "-Wl,-Map=/tmp/x", "-Wl,-Map=/tmp/x"},
        {"a.c", "-Wl,-Map,/tmp/x", "-Wl,-Map,/tmp/x"},
        {"a.c", "-Wl,--as-needed,-plugin,x", "-Wl,--as-needed,-plugin,x"},
        {"a.c", "-Wl,-rpath,-Map=x", "-Wl,-rpath,-Map=x"},
        {"a.c", "-Wl,-rpath", "-Wl,-rpath"},
        {"a.c", "-Wl,", "-Wl,"},
        {"a.c", "-Wa,-MDx", "-Wa,-MDx"},
        {"a.c", "-Wp,-MDx", "-Wp,-MDx"},
        {"a.c", "-Xlinker -Map=x", "-Xlinker"},
        {"a.c", "-Xclang -load", "-Xclang"},
        {"a.c", "-DX=$(touch)", "-DX=$(touch)"},
        {"a.cu", "-DX=`touch`", "-DX=`touch`"},
        {"a.cu", "-I\"x", "-I\"x"},
        {"a.cu", "--compiler-bindir=/tmp", "--compiler-bindir=/tmp"},
        {"a.cu", "-ccbin /tmp/x", "-ccbin"},
        {"a.cu", "--run", "--run"},
        {"a.cu", "--options-file=x", "--options-file=x"},
        {"a.cu", "-optf x", "-optf"},
        {"a.cu", "--dryrun", "--dryrun"},
        {"a.cu", "--keep", "--keep"},
        {"a.cu", "-fdevice-time-trace", "-fdevice-time-trace"},
        {"a.cu", "-Xcompiler -wrapper,x", "-wrapper,x"},
        {"a.cu", "-Xcompiler=-O2,-fplugin=x", "-Xcompiler=-O2,-fplugin=x"},
        {"a.cu", "--compiler-options -Bx", "-Bx"},
        {"a.cu", "-Xcompilerx", "-Xcompilerx"},
        {"a.cu", "-lm -Xcompiler", "-Xcompiler"},
        {"a.cu", "-Xptxas=-o,x", "-Xptxas=-o,x"},
        {"a.cu", "-Xlinker=-Map=x", "-Xlinker=-Map=x"},
        {"a.cu", "-Xnvlink=-o", "-Xnvlink=-o"},
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        char want[128] = "word '";

        print_message("  %s: %s\n", rows[i].file, rows[i].words);
        assert_int_equal(osw_op_words_check(osw_language_of(rows[i].file),
                                            rows[i].words, &err),
                         -1);
        strcat(strcat(want, rows[i].word), "'");
        assert_non_null(strstr(err.text, want));
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_null(strstr(err.text, "..."));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_changes_the_code_is_handed_on),
        cmocka_unit_test(what_runs_programs_or_writes_files_is_refused),
    };

    return cmocka_run_group_tests_name("ops/op_words", tests, NULL, NULL);
}
