# tests/shell/test_build.sh - what is compiled ahead is what a campaign uses
#
# takes 15 s

export XDG_CACHE_HOME=$TMP/cache
cache=$TMP/cache/opsweep
root=$TMP/ops
make_op "$root"

expect_exit 0 "$OPSWEEP" build "$root"
expect_out '^2 files: 2 compiled, 0 were there, 0 failed$'
expect_exit 0 "$OPSWEEP" build "$root" -j 1
expect_out '^2 files: 0 compiled, 2 were there, 0 failed$'
expect_equal 2 "$(find "$cache" -name '*.so' | wc -l)" objects
# Each object is named beside its source.
expect_exit 0 "$OPSWEEP" build "$root" --list
for kind in plain:kernel_impl reference:reference; do
    object=$(sed -nE "s|^$root/scale/scale_${kind%:*}\.c\t($cache/[0-9a-f]{64}\.so)\$|\1|p" "$TMP/out")
    nm -D --defined-only "$object" | grep -q " T scale_${kind#*:}$" ||
        fail "object '$object' is not that of scale_${kind%:*}.c: $(cat "$TMP/out")"
done
expect_equal 3 "$(wc -l <"$TMP/out")" 'lines of a list'
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$root" --profile correct -n 1 -o "$TMP/a.h5"
expect_equal 2 "$(find "$cache" -name '*.so' | wc -l)" 'objects after a campaign'

# Into another folder, with warnings, which are shown and change no object.
sed 's/osw_tensor \*y;/osw_tensor *y; int idle;/' "$root/scale/scale_plain.c" \
    >"$root/scale/scale_warns.c"
expect_exit 0 "$OPSWEEP" build "$root" -o "$TMP/else" --warnings '-Wall -Wextra'
expect_out '^3 files: 3 compiled'
expect_err "warning: unused variable .idle."
expect_exit 0 "$OPSWEEP" build "$root" -o "$TMP/else"
expect_out '^3 files: 0 compiled, 3 were there'
expect_exit 1 "$OPSWEEP" build "$root" -o "$TMP/strict" --warnings '-Wall -Werror'
expect_out '^3 files: 2 compiled, 0 were there, 1 failed$'
expect_err "^opsweep: cannot compile '.*/scale_warns.c'$"

# The shipped library needs no compiler; flags of one's own do.
rm -r "$cache"
expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root ops/library \
    --ops relu --profile correct -n 1 -o "$TMP/b.h5"
expect_no_file "$cache"/*.so
expect_exit 0 env OPSWEEP_CFLAGS=-O1 "$OPSWEEP" run --suite custom_ops --ops relu \
    --custom-ops-root ops/library --profile correct -n 1 -o "$TMP/c.h5"
find "$cache" -name '*.so' | grep -q . || fail 'other flags, and nothing was compiled'

# What the files of a root have in common is compiled once and linked to each; a
# campaign, which would compile each by itself, takes what was made.
mkdir -p "$TMP/common/shared"
cp -r "$root/scale" "$TMP/common"
rm "$TMP/common/scale/scale_warns.c"
cat >"$TMP/common/shared/once.h" <<'C'
#if !defined(OSW_APART) && !defined(OSW_APART_MAKE)
#error "compiled by itself"
#endif
__attribute__((visibility("hidden"))) int once(void);
C
printf '#define OSW_APART_MAKE\n#include "once.h"\nint once(void) { return 0; }\n' \
    >"$TMP/common/shared/apart_once.c"
sed -i -e '1a #include "../shared/once.h"' -e 's/return 0;/return once();/' \
    "$TMP/common/scale/scale_plain.c"
grep -q 'return once()' "$TMP/common/scale/scale_plain.c" || fail 'scale_plain.c does not call once()'
expect_exit 0 "$OPSWEEP" build "$TMP/common"
expect_out '^2 files: [12] compiled'
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/common" --profile correct -n 1 -o "$TMP/d.h5"
echo 'int other(' >"$TMP/common/shared/apart_wrong.c"
expect_exit 1 "$OPSWEEP" build "$TMP/common" -o "$TMP/alone"
expect_err "cannot compile '.*/shared/apart_wrong.c': each file is compiled by itself"
expect_err '#error "compiled by itself"'
for i in 1 2 3 4 5 6 7; do : >"$TMP/common/shared/apart_$i.c"; done
expect_exit 2 "$OPSWEEP" build "$TMP/common" -o "$TMP/alone"
expect_err "common/shared': more than 8 files apart_\*.c$"

# Words that would run a program are not handed to a compiler.
mkdir "$TMP/evil"
cp -r "$root/scale" "$TMP/evil"
printf '#!/bin/sh\ntouch %s\nexec "$@"\n' "$TMP/was-run" >"$TMP/wrapper"
chmod +x "$TMP/wrapper"
echo "{\"build\": {\"plain\": \"-lm -wrapper $TMP/wrapper\"}}" >"$TMP/evil/scale/op.json"
said="scale/op.json: key 'build.plain': word '-wrapper' is not among those that"
expect_exit 1 "$OPSWEEP" build "$TMP/evil"
expect_err "$said"
expect_exit 2 "$OPSWEEP" check "$TMP/evil/scale"
expect_err "$said"
expect_exit 2 "$OPSWEEP" run --custom-ops-root "$TMP/evil" --profile correct -n 1 -o "$TMP/evil.h5"
expect_err "$said"
expect_no_file "$TMP/was-run"

expect_exit 2 "$OPSWEEP" build "$root" --warnings '-Wall -Wl,-s'
expect_err "^opsweep: --warnings '-Wl,-s': expected words such as -Wall$"
expect_exit 2 "$OPSWEEP" build "$TMP/none"
mkdir "$TMP/empty"
expect_exit 3 "$OPSWEEP" build "$TMP/empty"
expect_err "'.*/empty': expected op folders, found none"

# For a GPU that is elsewhere, as a login node does.
expect_exit 2 "$OPSWEEP" build "$root" --target sm_90a
expect_err '^opsweep: --target sm_90a: a processor has none; --device cuda compiles for a GPU$'
expect_exit 2 "$OPSWEEP" build "$root" --device cuda --target 90
expect_err "^opsweep: --target '90': expected one such as sm_90a$"
if [ ! -e /dev/nvidiactl ]; then
    expect_exit 2 "$OPSWEEP" build "$root" --device cuda
    expect_err '^opsweep: --device cuda: .*; --target sm_90a compiles for a GPU that is elsewhere$'
fi
if command -v nvcc >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
    cat >"$root/scale/scale_fast.cu" <<'CU'
#include <opsweep/op.h>
extern "C" int scale_kernel_impl(const osw_call *call)
{
    return call->n_args ? OSW_UNSUPPORTED : 0;
}
CU
    expect_exit 0 "$OPSWEEP" build "$root" --device cuda --target sm_90a -o "$TMP/gpu"
    expect_out '^2 files: 2 compiled' # with the reference
    expect_exit 0 "$OPSWEEP" build "$root" --device cuda --target sm_80 -o "$TMP/gpu"
    expect_out '^2 files: 1 compiled, 1 were there'
fi

# A source cannot have its compiler take the whole machine, and its neighbours are
# judged.
mkdir "$TMP/greedy"
cp -r "$root/scale" "$TMP/greedy"
rm "$TMP/greedy/scale/scale_warns.c"
echo '#include "/dev/zero"' >"$TMP/greedy/scale/scale_zeros.c"
echo '__asm__(".fill 3000000000,1,0x90");' >"$TMP/greedy/scale/scale_large.c"
export OPSWEEP_COMPILER_MEMORY=1G
expect_exit 1 run_to_csv greedy --custom-ops-root "$TMP/greedy" --profile correct
python3 - "$TMP/greedy.csv" <<'PY'
import csv, sys

said = {r["impl"]: (r["status"], r["reason"])
        for r in csv.DictReader(open(sys.argv[1], newline=""))}
assert said["plain"][0] == "pass", said
for impl in "zeros", "large":
    assert said[impl][0] == "build", said
words = "the compiler was out of memory: limit 1 GiB (OPSWEEP_COMPILER_MEMORY)"
assert said["zeros"][1] == words, said
assert "too large a file: limit 1 GiB" in said["large"][1] or \
    said["large"][1] == words, said
PY
expect_exit 1 env OPSWEEP_COMPILER_MEMORY=many "$OPSWEEP" build "$TMP/greedy"
expect_err "OPSWEEP_COMPILER_MEMORY 'many': expected a size such as 16G"
unset OPSWEEP_COMPILER_MEMORY

# Of time, too: 2^24 additions that are left to its first part.
mkdir "$TMP/long"
cp -r "$root/scale" "$TMP/long"
rm "$TMP"/long/scale/scale_*.c
{
    echo '#define A0 + 1'
    for ((i = 0; i < 24; i++)); do echo "#define A$((i + 1)) A$i A$i"; done
    echo 'int n = 0 A24;'
} >"$TMP/long/scale/scale_plain.c"
(
    ulimit -S -t 2
    expect_exit 1 "$OPSWEEP" build "$TMP/long"
    expect_err 'out of time: limit 2 s of a processor'
)

# Code and compilers that may read one folder only still reach opsweep's headers,
# the build cache and the compiled library.
mkdir "$TMP/limited"
make_op "$TMP/limited/ops"
echo "a secret" >"$TMP/limited/secret"
cp -r "$TMP/limited/ops" "$TMP/limited/nosy"
sed -i "1i #include \"$TMP/limited/secret\"" "$TMP/limited/nosy/scale/scale_plain.c"
export OPSWEEP_CACHE=$TMP/limited/cache
alone() { # CODE FOLDER COMMAND...
    expect_exit "$1" env OPSWEEP_READABLE="$TMP/limited/$2" "$OPSWEEP" "${@:3}"
}
alone 0 ops run --custom-ops-root "$TMP/limited/ops" --device cpu -n 1 --profile correct -o "$TMP/limited.h5"
alone 0 ops check "$TMP/limited/ops/scale"
alone 0 ops build "$TMP/limited/ops" -o "$TMP/limited/built"
alone 0 ops run --suite smoke --ops relu --device cpu -n 1 --profile correct -f -o "$TMP/limited.h5"
alone 1 nosy run --custom-ops-root "$TMP/limited/nosy" --device cpu -n 1 --profile correct -f -o "$TMP/limited.h5"
expect_exit 0 "$OPSWEEP" show "$TMP/limited.h5" 0
expect_out 'Permission denied'
