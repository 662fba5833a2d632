# tests/shell/test_deps.sh - what is missing is named in one line to copy
#
# takes 5 s

[ "$(id -u)" -eq 0 ] || skip 'needs root, to become someone else'

# A tree of its own, and a PATH that lacks two of the packages' commands.
mkdir -p "$TMP/tree/.ci" "$TMP/bin"
cp .ci/deps "$TMP/tree/.ci/deps"
for folder in /usr/bin/ /usr/sbin/; do
    find "$folder" -mindepth 1 -maxdepth 1 \
        ! -name ncdump ! -name h5dump ! -name sudo -exec ln -sf -t "$TMP/bin" {} +
done
chmod -R a+rwX "$TMP"
chmod a+x "$(dirname "$TMP")"

as_nobody() {
    "${as_anybody[@]}" \
        env -i PATH="$TMP/bin" "$TMP/tree/.ci/deps" "$@"
}

expect_exit 2 as_nobody test
expect_equal 1 "$(cat "$TMP/out" "$TMP/err" | wc -l)" lines
expect_err ' sudo apt-get install --no-install-recommends hdf5-tools netcdf-bin$'
expect_no_file "$TMP/tree/build/.deps-test"

# All is there: silent, and quick the next time.
expect_exit 0 as_nobody build
expect_equal 0 "$(cat "$TMP/out" "$TMP/err" | wc -l)" lines
[ -e "$TMP/tree/build/.deps-build" ] || fail 'no stamp'

# What a test does without is no error.
ln -sf /bin/true "$TMP/bin/h5dump"
ln -sf /bin/true "$TMP/bin/ncdump"
rm -f "$TMP/bin/chromium"
expect_exit 0 as_nobody test
[ -e "$TMP/tree/build/.deps-test" ] || fail 'no stamp without a wish'

expect_exit 2 as_nobody everything
expect_err "expected 'build' or 'test', found 'everything'"
