# tests/shell/cuda_twin.sh - sourced by tests that compile plain CUDA kernels for the
# processor, with the headers of tests/twin/cuda

# Without optimisation clang takes half of the time that g++ takes.
twin_cxx=$(command -v clang++) || twin_cxx=$(command -v g++) || skip "needs clang++ or g++"
export twin_cxx

# twin WORD...: the compiler with the twin's CUDA; it stops at the first clash of names
twin() {
    "$twin_cxx" -std=c++17 "${OPTIMIZE:--O0}" -w -Wfatal-errors \
        -fno-asynchronous-unwind-tables -fPIC -Itests/twin/cuda -Iinclude "$@"
}

# shared LIBRARY OP: what OP's kernel, and the headers beside it that it names,
# include from the folder of all ops
shared() {
    local kernel=$1/$2/${2}_plain.cu beside
    beside=$(sed -n "s|^#include \"\([a-z_.]*\)\"|$1/$2/\1|p" "$kernel")
    # shellcheck disable=SC2086
    sed -n "s|^#include \"\(\.\./shared/.*\)\"|#include \"$1/$2/\1\"|p" \
        "$kernel" $beside
}

# build_twins LIBRARY ROOT OP...: an object for the processor from LIBRARY's kernels,
# each in a namespace of its own.  What kernels share takes most of a compilation, and
# is compiled once here.  Where names clash, each half has an object.
build_twins() {
    local library=$1 root=$2 all=$2/$3.all half=$((($# - 2) / 2)) op
    shift 2
    {
        for op in "$@"; do shared "$library" "$op"; done
        for op in "$@"; do
            printf 'namespace op_%s {\n#include "%s"\n}\n' "$op" \
                "$library/$op/${op}_plain.cu"
        done
    } >"$all.cpp"
    if twin -I. -shared -include cuda_runtime.h -o "$all.so" "$all.cpp" 2>"$all.log"; then
        for op in "$@"; do ln -f "$all.so" "$root/$op/${op}_plain.so"; done
    elif [ $# -gt 1 ]; then
        build_twins "$library" "$root" "${@:1:half}" &&
            build_twins "$library" "$root" "${@:half+1}"
    else
        cat "$all.log"
        return 1
    fi
}
export -f twin shared build_twins
