# tests/shell/test_install.sh - the installed program needs no source tree

unset MAKEFLAGS MAKELEVEL MFLAGS OPSWEEP_HOME
prefix="$TMP/a prefix"
export XDG_CACHE_HOME=$TMP/cache

expect_exit 0 make install B="${B:-build}" PREFIX=/opt/opsweep DESTDIR="$prefix"
prefix=$prefix/opt/opsweep
for part in bin/opsweep libexec/opsweep/opsweep-sandbox \
    include/opsweep/op.h include/opsweep/elements.h \
    share/opsweep/slurm/opsweep.sbatch share/doc/opsweep/LICENSE; do
    [ -s "$prefix/$part" ] || fail "$part was not installed"
done
expect_equal "$(cd ops/library && find . -type f | sort)" \
    "$(cd "$prefix/share/opsweep/ops/library" && find . -type f | sort)" library

generators=$PWD/tests/fixtures/generators

# From elsewhere, by a link, with nothing of the build tree in reach.
make_op "$TMP/ops"
ln -s "$prefix/bin/opsweep" "$TMP/opsweep"
cd "$TMP"
expect_exit 0 ./opsweep run --suite custom_ops --custom-ops-root ops \
    --device cpu --profile smoke -n 1 -o run.h5
expect_exit 0 ./opsweep report run.h5
expect_out 'scale'

# The library was compiled by make.
rm -rf "$XDG_CACHE_HOME"
expect_exit 0 ./opsweep run --ops relu,mm --device cpu --profile correct -n 1 -o shipped.h5
expect_no_file "$XDG_CACHE_HOME"/opsweep/*.so

# Python too, cases and implementations.
OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
expect_exit 0 ./opsweep run --custom-ops-root "$generators" --ops mixed \
    --device cpu --profile correct -n 1 -o python.h5
expect_out '4 cells, 4 pass'
