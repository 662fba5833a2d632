# tests/shell/test_install.sh - the installed program needs no source tree
#
# takes 20 s

unset MAKEFLAGS MAKELEVEL MFLAGS OPSWEEP_HOME
prefix="$TMP/a prefix"
export XDG_CACHE_HOME=$TMP/cache

install_it() {
    expect_exit 0 make install B="${B:-build}" PREFIX=/opt/opsweep DESTDIR="$TMP/a prefix"
}
mkdir -p "$prefix/opt/opsweep/share/man" # was there before
install_it
prefix=$prefix/opt/opsweep
for part in bin/opsweep libexec/opsweep/opsweep-sandbox \
    include/opsweep/op.h include/opsweep/elements.h \
    share/opsweep/slurm/opsweep.sbatch share/doc/opsweep/LICENSE \
    share/man/man1/opsweep.1 share/man/man1/opsweep-run.1 \
    share/bash-completion/completions/opsweep share/zsh/site-functions/_opsweep; do
    [ -s "$prefix/$part" ] || fail "$part was not installed"
done
expect_equal "$(cd ops/library && find . -type f | sort)" \
    "$(cd "$prefix/share/opsweep/ops/library" && find . -type f | sort)" library

expect_equal "$(cd ops/examples && find . -type f ! -path '*/__pycache__/*' | sort)" \
    "$(cd "$prefix/share/opsweep/ops/examples" && find . -type f | sort)" examples

# Links between pages lead somewhere, and models' templates are where a page says.
(cd "$prefix/share/doc/opsweep" && find . -name '*.md' -printf '%P\n') >"$TMP/pages"
expect_equal "$(ls README.md CHANGELOG.md docs/*.md docs/lab/*.md tests/data/traces/MANIFEST.md | sort)" \
    "$(sort "$TMP/pages")" pages
(cd "$prefix/share/doc/opsweep" && xargs python3 "$OLDPWD/tests/shell/doc_links.py" <"$TMP/pages")
expect_equal "$(ls mpi_runner/generate/templates)" \
    "$(ls "$prefix/share/doc/opsweep/mpi_runner/generate/templates")" templates

tree=$PWD
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

# Twice over itself and removed again, and nothing else: a file of another program and
# its folder stay, and so does a folder that was there before.
cd "$tree"
touch "$prefix/bin/other"
install_it
expect_exit 0 make uninstall PREFIX=/opt/opsweep DESTDIR="$TMP/a prefix"
expect_equal "$prefix/bin/other" "$(find "$TMP/a prefix" -not -type d)" 'files left'
rm "$prefix/bin/other"
expect_equal "$prefix $prefix/bin $prefix/share $prefix/share/man" \
    "$(find "$prefix" | sort | head -n 9 | xargs -d '\n')" 'folders left'
expect_exit 2 make uninstall PREFIX=/opt/opsweep DESTDIR="$TMP/a prefix"
expect_err "no '.*/share/opsweep/installed': expected what make install left there"
