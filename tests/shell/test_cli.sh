# tests/shell/test_cli.sh - help, version, typos
#
# takes 13 s

expect_exit 0 "$OPSWEEP" --version
expect_out '^opsweep [0-9]+\.[0-9]+\.[0-9]+$'

expect_exit 0 "$OPSWEEP" --help
commands=$(sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$TMP/out")
expect_equal 'run submit cancel plan list status report show export merge compare history repeat new check build generate export-ops package parse doctor journal' \
    "$(echo $commands)" commands
expect_out '^judge:$'
expect_out '^diagnose:$'

# Every command explains itself.  Typos in its options are named, with what was
# probably meant: here one; in all of them, tests/unit/commands/test_commands.c.
for command in $commands; do
    expect_exit 0 "$OPSWEEP" "$command" --help
    expect_out "^usage: opsweep $command \[options\]"
    expect_out '^  -h, --help '
    expect_equal '' "$(awk 'length > 80' "$TMP/out")" "lines of $command --help beyond 80 columns"
    expect_exit 0 "$OPSWEEP" "$command" --help-all
    options=$(grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' "$TMP/out" | sed 's/.*--//')
    [ "$(echo $options)" != 'help help-all' ] || fail "no options of $command"
    option=${options%%$'\n'*}
    typo=${option:0:1}x${option:1}
    expect_exit 2 "$OPSWEEP" "$command" "--$typo"
    grep -qF -- "unknown option '--$typo' (did you mean '--$option'?)" "$TMP/err" ||
        fail "$command --$typo: $(cat "$TMP/err")"
    expect_exit 0 "$OPSWEEP" "$command" --help-all
    # A wrong value of an option that takes one of some.
    grep -oE -- '--[a-z-]+(\[=| )[a-z0-9]+\|[a-z0-9|]+' "$TMP/out" | tr '[=' '  ' >"$TMP/choices" || :
    while read -r option choices; do
        word=${choices%%|*}
        expect_exit 2 "$OPSWEEP" "$command" "$option=${word}x"
        expect_err "option '$option': expected one of .*; found '${word}x' \(did you mean '$word'\?\)"
    done <"$TMP/choices"
done
for line in 'run --suite|smoke' 'run --backend|library' 'run --profile|sweep' 'run --device|cuda' \
    'report --format|markdown' 'compare --format|json' 'history --format|csv' 'repeat --profile|precise'; do
    expect_exit 2 "$OPSWEEP" ${line%|*} "${line#*|}x"
    expect_err "\(did you mean '${line#*|}'\?\)"
done

# Options for experts are in --help-all.
expect_exit 0 "$OPSWEEP" run --help
expect_no_grep '--heartbeat|--prove|--silence' "$TMP/out"
expect_exit 0 "$OPSWEEP" run --help-all
expect_out '^      --heartbeat S '

# An option of another command is named as that.
expect_exit 2 "$OPSWEEP" run --nodes 4
expect_err "unknown option '--nodes' \(one of 'opsweep submit'; see 'opsweep run --help'\)"
expect_exit 2 "$OPSWEEP" status --dry-run
expect_err "\(one of 'opsweep submit', 'opsweep generate', 'opsweep export-ops', 'opsweep package'; see 'opsweep status --help'\)"

# What was an option or a command of its own is named as what it is now.
for line in "recover x|command 'recover' (did you mean 'journal recover'?)" \
    "export x --csv|option '--csv' (did you mean '--format csv'?)" \
    "compare a b --markdown|option '--markdown' (did you mean '--format markdown'?)" \
    "run --ops-root x|option '--ops-root' (did you mean '--custom-ops-root'?)"; do
    expect_exit 2 "$OPSWEEP" ${line%%|*}
    grep -qF "opsweep: unknown ${line#*|}" "$TMP/err" || fail "$line: $(cat "$TMP/err")"
done
expect_exit 2 "$OPSWEEP" journal recovr x
expect_err "command 'journal': expected one of dump, verify, tail, recover; found 'recovr' \(did you mean 'recover'\?\)"
expect_exit 2 "$OPSWEEP" --resume x.h5
expect_err "expected a command before the option '--resume'"

expect_exit 2 "$OPSWEEP"
expect_err '^usage: opsweep COMMAND'
expect_exit 2 "$OPSWEEP" reprot
expect_err "^opsweep: unknown command 'reprot' \(did you mean 'report'\?\)$"
expect_exit 2 "$OPSWEEP" run --max-bytes 4Q
expect_err "option '--max-bytes': expected a size such as .*\(K, M, G, T\), found"

expect_exit 2 "$OPSWEEP" run --max-bytes 99999999999999999999
expect_err "option '--max-bytes': expected a size below 2\^64 bytes"
expect_exit 2 "$OPSWEEP" run --timeout 30s
expect_err "option '--timeout': expected a number of seconds, such as 90 or 0.5, found '30s'"
expect_exit 2 "$OPSWEEP" check --device gpu folder
expect_err "option '--device': expected one of cpu, cuda; found 'gpu' \(did you mean 'cuda'\?\)"
expect_exit 2 "$OPSWEEP" build -j 0
expect_err "option '--jobs': expected a whole number from 1 to 2\^64 - 1, found '0'"

# A shell's variable that is not set is no operand.
expect_exit 2 "$OPSWEEP" status ''
expect_err 'operand 1 is empty \(usage: opsweep status \[options\] \[FILE\|JOB\]\)'
expect_exit 2 "$OPSWEEP" show x.h5 ''
expect_err 'operand 2 is empty'

# A cell of one of torch's operators is found by its short name, too.
expect_exit 0 "$OPSWEEP" run --ops relu --suite smoke -n 1 --profile correct -o "$TMP/relu.h5"
for cell in aten.relu.default/plain aten.relu/plain relu.default/plain relu/plain; do
    expect_exit 0 "$OPSWEEP" show "$TMP/relu.h5" "$cell"
    expect_out '^pass +aten.relu.default/plain$'
done
expect_exit 2 "$OPSWEEP" show "$TMP/relu.h5" rellu/plian
expect_err "has no cell 'rellu/plian' \(did you mean 'relu.default/plain'\?\)"
expect_exit 2 "$OPSWEEP" show "$TMP/relu.h5" relu/unlike
expect_err "expected an implementation of 'aten.relu.default' such as 'plain'"

# A value that was left out.
expect_exit 2 "$OPSWEEP" run -o --ops relu -n 1
expect_err "option '--output': needs a value, found the option '--ops'"
expect_no_file ./--ops
expect_exit 2 "$OPSWEEP" RUN
expect_err "unknown command 'RUN' \(did you mean 'run'\?\)"

# Options that would do nothing.
expect_exit 2 "$OPSWEEP" status "$TMP/relu.h5" --every 5
expect_err "option '--every' needs '--watch'"
expect_exit 2 "$OPSWEEP" show "$TMP/relu.h5" 0 --shrink-trials 5
expect_err "option '--shrink-trials' needs '--shrink'"
expect_exit 2 "$OPSWEEP" plan --traces tests/data/traces/hf_train --top 0
expect_err "option '--top': expected a whole number from 1 to 4294967295, found '0'"

# What is there is not what is meant.
expect_exit 2 "$OPSWEEP" list --traces "$TMP/nowhere"
expect_err "option '--traces': cannot open '.*/nowhere': No such file or directory"
expect_exit 2 "$OPSWEEP" run --ops-yaml "$TMP" -n 1
expect_err "option '--ops-yaml': .*'$TMP' is a folder, expected a file"
expect_exit 2 "$OPSWEEP" journal recover "$TMP/relu.h5"
expect_err 'no journal: neither .*; a complete run leaves none'

# As other programs do.
expect_exit 0 "$OPSWEEP" export "$TMP/relu.h5" -o -
expect_out '^row,cell_key,'
expect_exit 2 "$OPSWEEP" run --ops relu --suite smoke -n 1 -o -
expect_err "option '--output': expected the name of a file, found '-'"
expect_no_file ./-

# A typo does not bring a node down.
expect_exit 2 "$OPSWEEP" run -n 1000000 --ops relu
expect_err "option '--ranks': expected at most [0-9]+ on the [0-9]+ cores of this node, found 1000000"

# What other programs call cuda.
expect_exit 2 "$OPSWEEP" run --device gpu --ops relu
expect_err "found 'gpu' \(did you mean 'cuda'\?\)"

# What is said of confirming, without that, would do nothing.
for words in --unsure '--base-root .' '--new-root .'; do
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" compare "$TMP/a.h5" "$TMP/b.h5" $words
    expect_err "option '${words%% *}' needs '--confirm N' or '--emit-campaign FILE'"
done

# Torch's operators without torch: told before anything runs.
printf '#!/bin/sh\nexec /usr/bin/env python3 -S "$@"\n' >"$TMP/no_torch"
chmod +x "$TMP/no_torch"
expect_exit 2 "$OPSWEEP" run -n 1 --backend aten --ops relu --device cpu --python "$TMP/no_torch" -o "$TMP/none.h5"
expect_err "backend 'aten': '.*/no_torch' has no package 'torch': install it there, or name another"
expect_no_file "$TMP/none.h5" "$TMP/none.h5.journal"
expect_exit 0 "$OPSWEEP" plan --backend aten --ops relu --device cpu --python "$TMP/no_torch"

# A build cache that is no good is told once, not for every file.
touch "$TMP/no_folder"
expect_exit 5 env OPSWEEP_CACHE="$TMP/no_folder" "$OPSWEEP" build ops/examples
expect_equal 1 "$(grep -c 'no_folder' "$TMP/err")" 'lines on the build cache'
expect_err "build cache '.*/no_folder' is no folder; cure: name another folder by OPSWEEP_CACHE"

# Another folder of shipped ops.
make_op "$TMP/shipped"
expect_exit 0 "$OPSWEEP" list --library "$TMP/shipped"
expect_out '^scale\.default +2 \+ 0 '
expect_out '^1 op '
expect_exit 2 "$OPSWEEP" list --library "$TMP/no_library"
expect_err "option '--library': cannot read '.*/no_library' as a folder of ops"
# Also where no op comes from it.
expect_exit 2 "$OPSWEEP" plan --custom-ops-root "$TMP/shipped" --library "$TMP/no_library"
expect_err "option '--library': cannot read '.*/no_library' as a folder of ops"
expect_exit 2 "$OPSWEEP" plan --custom-ops-root "$TMP/no_root"
expect_err "option '--custom-ops-root': cannot read '.*/no_root' as a folder of ops"
expect_exit 2 "$OPSWEEP" plan --kernels-dir "$TMP/no_kernels"
expect_err "option '--kernels-dir': cannot read '.*/no_kernels' as a folder of kernels"

# A list refuses the filters that a plan refuses, and follows them.
for filter in '--impls nope' '--baseline nope' '--case abc!' '--ops scale --case abc!' \
    '--cells 0x1234123412341234' '--traces tests/shell/test_cli.sh'; do
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" plan --custom-ops-root "$TMP/shipped" $filter
    cp "$TMP/err" "$TMP/why"
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" list --custom-ops-root "$TMP/shipped" $filter
    expect_same_file "$TMP/why" "$TMP/err"
    expect_equal '' "$(cat "$TMP/out")" "a list with $filter"
done
cp "$TMP/shipped/scale/scale_plain.c" "$TMP/shipped/scale/scale_other.c"
expect_exit 0 "$OPSWEEP" list --custom-ops-root "$TMP/shipped" --impls other
expect_equal '    scale__other  scale_other.c' "$(grep '__' "$TMP/out")" 'one implementation'
expect_exit 0 "$OPSWEEP" list --custom-ops-root "$TMP/shipped" --impls '!other' --json
expect_no_grep 'scale_other' "$TMP/out"
# Names of files are printed as a terminal may get them, a line each.
cp "$TMP/shipped/scale/scale_reference.c" "$TMP/shipped/scale/scale_a"$'\n'"b"$'\u202e\t\xff'".c"
for command in list plan; do
    expect_exit 0 "$OPSWEEP" $command --custom-ops-root "$TMP/shipped"
    expect_equal '' "$(LC_ALL=C grep -n $'\t\|\xff\|\xe2\x80\xae\|^b' "$TMP/out")" "raw names of $command"
done

# An op's own folder is no root, and the message says what one holds.
for command in 'run -n 1' plan list; do
    # shellcheck disable=SC2086
    expect_exit 3 "$OPSWEEP" $command --custom-ops-root ops/library/relu
    expect_err "'ops/library/relu' is an op's own folder, expected the folder that holds it"
done
expect_exit 3 "$OPSWEEP" build ops/library/relu
expect_err "'ops/library/relu' is an op's own folder, expected the folder that holds it"
mkdir "$TMP/bare"
expect_exit 3 "$OPSWEEP" run -n 1 --custom-ops-root "$TMP/bare"
expect_err "bare' has no op, expected folders <op>/ with gen_input.json or gen_input.py"

# A broken folder fails: a cell of it says why, with file and key, and the end of
# the run says it again; alone it is an error, before there is anything else.
root=$TMP/root
mkdir -p "$root"/{twice,misspelt,cut,no-name,caseless}
cp tests/fixtures/ops/twice/{gen_input.json,op.json,twice.h,twice_reference.c,twice_pass__plain.c} "$root/twice/"
for op in misspelt cut no-name; do
    cp "$root/twice/gen_input.json" "$root/$op/"
done
echo '{"tolerence": {}}' >"$root/misspelt/op.json"
echo '{"exact": true,' >"$root/cut/op.json"
echo '{}' >"$root/caseless/gen_input.json"
expect_exit 1 "$OPSWEEP" run -n 1 --custom-ops-root "$root" --profile smoke -o "$TMP/broken.h5"
expect_out '6 cells, 2 pass, 4 error \(4 load\)'
expect_equal 4 "$(grep -cE "^opsweep: op '.*' was not judged: " "$TMP/err")" 'lines at the end'
for line in "'misspelt.default' is skipped: .*/misspelt/op.json: key 'tolerence': unknown key \(did you mean 'tolerance'\?\)" \
    "'cut.default' is skipped: .*/cut/op.json:2:0: string or '}' expected" \
    "'no_name.default' is skipped: '.*/no-name': expected a folder named by letters" \
    "'caseless.default' is skipped: .*/caseless/gen_input.json: expected at least one case"; do
    expect_equal 1 "$(grep -cE "^opsweep: warning: op $line" "$TMP/err")" "lines on $line"
done
expect_exit 1 "$OPSWEEP" report "$TMP/broken.h5" --format csv -o "$TMP/broken.csv"
expect_grep "misspelt.default,,\"\(\('op.json',\), \{\}\)\",.*,load,plan,.*op.json: key 'tolerence'" "$TMP/broken.csv"
expect_exit 0 "$OPSWEEP" show "$TMP/broken.h5" misspelt/-
expect_out "^load +misspelt.default"
expect_no_grep '--case' "$TMP/out"
expect_exit 3 "$OPSWEEP" show "$TMP/broken.h5" misspelt/- --rerun
expect_err 'the cell stands for an op folder'
expect_exit 2 "$OPSWEEP" repeat "$TMP/broken.h5" misspelt/- -n 1
expect_err 'nothing to repeat: the cell stands for an op folder'
expect_exit 0 "$OPSWEEP" plan --custom-ops-root "$root" --ops twice,misspelt
expect_err "^opsweep: warning: op 'misspelt.default' is skipped: "
expect_out '3 cells, 2 to judge, 1 skipped'
expect_exit 0 "$OPSWEEP" plan --custom-ops-root "$root" --ops twice
expect_equal '' "$(cat "$TMP/err")" 'words on what was not asked for'
for ops in misspelt misspelt.default misspelt,cut '!twice'; do
    expect_exit 2 "$OPSWEEP" run -n 2 --custom-ops-root "$root" --ops "$ops" -o "$TMP/none.h5"
    expect_no_grep 'worker' "$TMP/err"
done
expect_no_file "$TMP/none.h5" "$TMP/none.h5.journal"
expect_exit 2 "$OPSWEEP" check "$root/misspelt"
expect_err "misspelt/op.json: key 'tolerence': unknown key"

expect_exit 2 "$OPSWEEP" check "$root/nowhere"
expect_err "cannot read '.*/nowhere': No such file or directory"
expect_exit 3 "$OPSWEEP" check "$root"
expect_err "no gen_input.json or gen_input.py: expected the folder of one op, such as $root/caseless, $root/twice$"
expect_exit 3 "$OPSWEEP" check ops/library
expect_err "expected the folder of one op, such as [^ ]*ops/library/[^ ]+, [^ ]+, [^ ,]+$"
expect_exit 3 "$OPSWEEP" check "$TMP/bare"
expect_err "expected the folder of one op$"

# What a campaign would skip or not look at, check says, too.
checked() { # FILE TEXT...: a copy of twice with another file
    rm -rf "$TMP/checked"
    mkdir -p "$TMP/checked"
    cp -r "$root/twice" "$TMP/checked/twice"
    printf '%s\n' "$2" >"$TMP/checked/twice/$1"
    opsweep_check=("$OPSWEEP" check "$TMP/checked/twice")
}
checked op.json '{"reads": "numel(y)"}'
expect_exit 1 "${opsweep_check[@]}"
expect_out "^wrong +twice +op.json: key 'reads': column 7: expected an argument of the op, found 'y'; case "
checked op.json '{"fill": {"x": "special"}}'
expect_exit 1 "${opsweep_check[@]}"
expect_out "^wrong +twice +op.json: key 'fill.x': no case has this argument"
checked op.json '{"fill": {"arg0": "special"}}'
expect_exit 0 "${opsweep_check[@]}"
checked twice_none.c '#include <opsweep/op.h>
int twice_kernel_impl(const osw_call *call) { (void)call; return OSW_UNSUPPORTED; }'
expect_exit 0 "${opsweep_check[@]}"
expect_out '^note +twice +none supports none of the cases'
checked twice_torn.c '#include <opsweep/op.h>
int twice_kernel_impl(const osw_call *call) { return call->n_args }'
expect_exit 1 "${opsweep_check[@]}"
expect_out "^wrong +twice_torn.c +[^ ]*twice_torn.c:[0-9:]+ error: expected"
expect_out "^wrong +twice__torn +build on given case .*: [^ ]*twice_torn.c:[0-9:]+ error: expected"
rm -f "$TMP/checked/twice"/twice_[!r]*
expect_exit 0 "${opsweep_check[@]}"
expect_out '^note +twice +no implementation runs on cpu'
mkdir "$TMP/hollow"
expect_exit 3 "$OPSWEEP" list --custom-ops-root "$TMP/hollow"
expect_err "nothing to list: '.*/hollow' has no op, expected folders <op>/"
mkdir "$TMP/hollow/notes"
expect_exit 3 "$OPSWEEP" list --custom-ops-root "$TMP/hollow"
expect_out '^1 folder left out:'
expect_err "nothing to list: '.*/hollow' has no op, expected folders <op>/ .*; opsweep new makes one"
expect_exit 0 "$OPSWEEP" list --custom-ops-root "$root"
expect_out "^3 folders left out:"
expect_out "misspelt/op.json: key 'tolerence': unknown key"

# A name without its overload means the only one there is.
expect_exit 0 "$OPSWEEP" plan --suite traces --traces tests/data/traces/hf_train --ops aten.add --max-bytes 64M
cp "$TMP/out" "$TMP/plan"
expect_exit 0 "$OPSWEEP" plan --suite traces --traces tests/data/traces/hf_train --ops add.Tensor --max-bytes 64M
expect_same_file "$TMP/plan" "$TMP/out"
expect_exit 2 "$OPSWEEP" plan --suite traces --traces tests/data/traces/hf_train --ops 'relu,div'
expect_err "option '--ops': 'div': 2 overloads match: div\.Tensor, div\.Scalar; name one, or use 'div\.\*' for all"
expect_exit 2 "$OPSWEEP" list --ops aten.ad
expect_err "'.*/ops/library': no op 'aten\.ad' \(did you mean 'aten\.add\.Tensor'\?\)"

# Two folders with one op name: both are named, and neither is judged.
mkdir "$TMP/two"
cp -r "$root/twice" "$TMP/two/twice"
cp -r "$root/twice" "$TMP/two/again"
echo '{"name": "twice", "schema": "twice(Tensor x) -> Tensor"}' >"$TMP/two/again/op.json"
expect_exit 2 "$OPSWEEP" run -n 1 --custom-ops-root "$TMP/two" --ops twice -o "$TMP/none.h5"
expect_err "op 'twice\.default' is in two folders, '.*/two/again' and '.*/two/twice'"
expect_exit 2 "$OPSWEEP" run -n 1 --custom-ops-root "$TMP/two" --ops again -o "$TMP/none.h5"
expect_no_file "$TMP/none.h5" "$TMP/none.h5.journal"

# An interpreter that was named and does not run is refused before anything
# runs, for one file of two as for all.  Without Python files it is not tried;
# where none is named, the other file is judged.
mkdir "$TMP/mixed" "$TMP/tools"
cp -r "$root/twice" "$TMP/mixed/twice"
echo 'def twice_kernel_impl(x): return 2 * x' >"$TMP/mixed/twice/twice_py.py"
mixed() { # CODE OPTION...
    expect_exit "$1" "$OPSWEEP" run -n 1 --device cpu --custom-ops-root "$TMP/mixed" \
        --profile smoke -f -o "$TMP/mixed.h5" "${@:2}"
}
mixed 2 --python "$TMP/no-python"
expect_err "'.*/no-python': expected a python3, found no program"
mixed 2 --python "$TMP/no-python" --impls py
expect_err "'.*/no-python': expected a python3, found no program"
mixed 2 --python ls
expect_err "'.*/ls': expected a python3, found a program that does not run Python: .*"
OPSWEEP_PYTHON=$(command -v true) mixed 2
expect_err "'.*/true': expected a python3, found a program that does not run Python"
expect_no_file "$TMP/mixed.h5" "$TMP/mixed.h5.journal"
mixed 0 --python ls --impls pass__plain

# Under another launcher -n counts for nothing, and an interpreter is tried, too.
if command -v mpirun >"$TMP/found"; then
    launched() { expect_exit "$1" mpirun -np 2 "$OPSWEEP" run --device cpu --profile correct \
        --custom-ops-root "$TMP/mixed" -f -o "$TMP/mixed.h5" "${@:2}"; }
    launched 0 -n 5 --impls pass__plain
    expect_err "option '--ranks 5' is ignored: the launcher started 2 ranks"
    launched 2 --python ls
    expect_err "'.*/ls': expected a python3, found a program that does not run Python"
fi
for tool in sh cc as ld git hostname; do
    ln -s "$(command -v "$tool")" "$TMP/tools/$tool"
done
if [ -z "$(PATH=$TMP/tools command -v python3)" ]; then
    OPSWEEP_PYTHON='' VIRTUAL_ENV='' PATH=$TMP/tools mixed 1
    expect_err "cells? needs? Python: no python3 in PATH"
fi

# So is a compiler, before a campaign begins: it would be no kernel's fault.  Without
# files that are compiled none is looked for.
for n in 1 2; do
    CC=$TMP/nope expect_exit 2 "$OPSWEEP" run -n $n --device cpu --custom-ops-root "$root" \
        --ops twice --profile smoke -o "$TMP/none.h5"
    expect_err "cannot start '.*/nope', which CC names: no such program; '.*/twice/.*\.c' is to be compiled"
done
expect_no_file "$TMP/none.h5" "$TMP/none.h5.journal"
NVCC=$TMP/nope CXX=$TMP/nope mixed 0 --python ls --impls pass__plain

# One that is missing for some files only costs their cells.
mkdir "$TMP/few"
make_op "$TMP/few"
sed 's/^int scale_kernel_impl/extern "C" &/' "$TMP/few/scale/scale_plain.c" >"$TMP/few/scale/scale_other.cpp"
CXX='' PATH=$TMP/tools expect_exit 1 "$OPSWEEP" run -n 1 --device cpu --custom-ops-root "$TMP/few" \
    --profile correct -f -o "$TMP/few.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/few.h5" --format csv -o "$TMP/few.csv"
expect_grep ',plain,.*,pass,' "$TMP/few.csv"
expect_grep ',other,.*,build,' "$TMP/few.csv"

# No driver, no ranks: refused before there is a file.
if [ ! -e /dev/nvidiactl ] && ! ldconfig -p | grep -q 'libcuda\.so\.1'; then
    for n in 1 2; do
        expect_exit 2 "$OPSWEEP" run -n $n --device cuda --custom-ops-root "$root" --ops twice -o "$TMP/none.h5"
        expect_err "option '--device cuda': expected an NVIDIA driver on this node, found none"
    done
fi
expect_exit 2 "$OPSWEEP" run -n 0 --custom-ops-root "$root" --ops twice -o "$TMP/none.h5"
expect_err "option '--ranks': expected a whole number from 1 to 1048576, found '0'"
for word in --ops --impls --custom-ops-root -o; do
    expect_exit 2 "$OPSWEEP" run -n 1 --custom-ops-root "$root" --ops twice -o "$TMP/none.h5" $word ''
    expect_err "option '--.*': needs a value, found ''"
done
expect_no_file "$TMP/none.h5" "$TMP/none.h5.journal"

# A folder of ops or of kernels that cannot be read: the message says why.
if [ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null; then
    anybody=()
    [ "$(id -u)" -ne 0 ] || anybody=("${as_anybody[@]}")
    mkdir -p "$TMP/shut"/{ops/{fine,closed},kernels/{relu,abs}}
    [ ${#anybody[@]} -eq 0 ] || let_others_in
    cp "$root/twice/gen_input.json" "$TMP/shut/ops/fine/"
    touch "$TMP/shut/kernels/relu/relu_implementation_v1.py"
    chmod 0 "$TMP/shut/ops/closed" "$TMP/shut/kernels/abs"
    expect_exit 0 "${anybody[@]}" "$OPSWEEP" plan --custom-ops-root "$TMP/shut/ops"
    expect_err "warning: op 'closed.default' is skipped: cannot read '.*/closed': Permission denied"
    expect_out '^3 cases, 0 to judge; 3 cells, 0 to judge, 3 skipped'
    expect_exit 0 "${anybody[@]}" "$OPSWEEP" plan --suite smoke --ops relu --backend directory --kernels-dir "$TMP/shut/kernels"
    expect_out "note: .*/kernels/abs: cannot be read: Permission denied"
    chmod 755 "$TMP/shut/ops/closed" "$TMP/shut/kernels/abs"
else
    echo 'folders that cannot be read are not tried: root, and no setpriv'
fi

# A campaign's keys are the options' names; the documented one is planned.
sed -n '/^## A campaign in a file/,/^## /s/^{.*/&/p' docs/OPS_REFERENCE.md >"$TMP/campaign.json"
expect_exit 0 "$OPSWEEP" plan "$TMP/campaign.json"
expect_out '^aten\.mm\.default '
echo '{"profile": "smok"}' >"$TMP/campaign.json"
expect_exit 2 "$OPSWEEP" run "$TMP/campaign.json"
expect_err "campaign\.json: key 'profile': option '--profile': expected one of .*did you mean 'smoke'"
echo '{"fail_on": "none"}' >"$TMP/campaign.json"
expect_exit 2 "$OPSWEEP" run "$TMP/campaign.json"
expect_err "campaign\.json: key 'fail_on': an option of the command line only"

# An output that cannot be written is an error: its name and the exit code.
if [ -w /dev/full ]; then
    rc=0
    "$OPSWEEP" --help >/dev/full 2>"$TMP/err" || rc=$?
    expect_equal 5 "$rc" 'exit code on a full disk'
    expect_err 'cannot write to standard output'
    # Also where it failed before the end; what a run left is whole.
    lost() { # REGEX COMMAND...
        rc=0
        "$OPSWEEP" "${@:2}" 2>"$TMP/err" || rc=$?
        expect_equal 5 "$rc" "exit code of $2 whose output is lost"
        expect_err "$1"
    }
    twice=(run -n 1 --device cpu --custom-ops-root "$root" --ops twice --impls pass__plain
        --profile correct -f -o "$TMP/lost.h5")
    lost 'cannot write to standard output' submit --dry-run --custom-ops-root "$root" --ops twice >/dev/full
    lost 'cannot write to standard output' submit --dry-run --custom-ops-root "$root" --ops twice >&-
    lost "'.*/lost\.h5' is written; only what is printed was lost" "${twice[@]}" >/dev/full
    expect_exit 0 "$OPSWEEP" report "$TMP/lost.h5"
    # Nor does a reader that leaves end the campaign.
    mkfifo "$TMP/left"
    exec 8<>"$TMP/left" 9>"$TMP/left" 8>&-
    rc=0
    "$OPSWEEP" "${twice[@]}" >"$TMP/out" 2>&9 || rc=$?
    expect_equal 0 "$rc" 'exit code of a run whose progress is lost'
    expect_exit 0 "$OPSWEEP" report "$TMP/lost.h5"
    lost "'.*/lost\.h5' is written; only what is printed was lost" "${twice[@]}" >&9
    exec 9>&-
    # No file takes the place of a closed stream.
    lost "'.*/lost\.h5' is written; only what is printed was lost" "${twice[@]}" >&-
    expect_exit 0 "$OPSWEEP" report "$TMP/lost.h5"
    # A limit on the size of files is an error that names the file.
    expect_exit 5 sh -c 'ulimit -f 1; exec "$@"' - "$OPSWEEP" merge "$TMP/limit.h5" "$TMP/lost.h5"
    expect_err "'.*/limit\.h5.*': .*File too large"
    expect_no_file "$TMP"/limit.h5*
fi

# Of runs that begin at the same moment one is told of the other, and none breaks it.
for i in 1 2 3 4; do
    pids=()
    for k in 1 2 3; do
        "$OPSWEEP" run -n 1 --device cpu --custom-ops-root "$root" --ops twice --impls pass__plain \
            --profile correct -f -o "$TMP/same.h5" >"$TMP/same.$k" 2>&1 &
        pids+=($!)
    done
    for k in 1 2 3; do
        rc=0
        wait "${pids[k - 1]}" || rc=$?
        [ $rc -eq 0 ] || expect_equal 2 "$rc" "exit code of a run beside others: $(cat "$TMP/same.$k")"
        [ $rc -eq 0 ] || expect_grep 'is held by process|changes hands|journal\.new. exists' "$TMP/same.$k"
    done
done
expect_exit 0 "$OPSWEEP" run -n 1 --device cpu --custom-ops-root "$root" --ops twice --impls pass__plain \
    --profile correct -f -o "$TMP/same.h5"

# What is finished is not written elsewhere, and is no job's work.
expect_exit 2 "$OPSWEEP" run --resume "$TMP/same.h5" -o "$TMP/none.h5"
expect_err "option '--output': the run to resume is '.*/same\.h5', found '.*/none\.h5'"
expect_exit 0 "$OPSWEEP" run --resume "$TMP/same.h5"
expect_exit 3 "$OPSWEEP" submit --dry-run --resume "$TMP/same.h5"
expect_err "'.*/same\.h5' is finished: nothing is left to judge"
# Where no file can be made is bad input, whatever forbids it.
expect_exit 2 env OPSWEEP_OUTPUT=/sys/none.h5 "$OPSWEEP" run -n 1 --device cpu \
    --custom-ops-root "$root" --ops twice --impls pass__plain --profile correct
expect_err "'/sys/none\.h5': cannot make directory"

# Where nothing was judged the last line says what tells why.
expect_exit 3 "$OPSWEEP" run -n 1 --device cpu --suite smoke --ops relu --max-bytes 1 -o "$TMP/a b.h5"
expect_out "^opsweep report '.*/a b\.h5' says why nothing was judged$"
# A file that is named otherwise than the op's is not passed over in silence.
mkdir -p "$TMP/named/twice"
cp "$root/twice"/{gen_input.json,op.json,twice.h,twice_reference.c} "$TMP/named/twice/"
cp "$root/twice/twice_pass__plain.c" "$TMP/named/twice/fast.c"
expect_exit 3 "$OPSWEEP" run -n 1 --device cpu --custom-ops-root "$TMP/named" -o "$TMP/named.h5"
expect_err "warning: .*/named/twice/fast\.c: not understood: expected twice_<name>\."
expect_exit 3 "$OPSWEEP" report "$TMP/named.h5"
expect_out '2 skipped: no implementation for this device'
# Paths in a file are those of the folder in which the campaign was started.
(cd "$TMP" && expect_exit 0 "$OPSWEEP" run -n 1 --device cpu --custom-ops-root root --ops twice --profile correct -o "$TMP/rel.h5")
expect_exit 2 "$OPSWEEP" show "$TMP/rel.h5" 0 --rerun
expect_err "cannot read 'root' as a folder of ops: No such file or directory; start it where the campaign was started"
# An op whose cases cannot be made is named, also alone.
mkdir -p "$TMP/alone/odd"
echo 'import nothing_such' >"$TMP/alone/odd/gen_input.py"
expect_exit 2 "$OPSWEEP" run -n 1 --device cpu --custom-ops-root "$TMP/alone" -o "$TMP/none.h5"
expect_err "^opsweep: op 'odd\.default': gen_input\.py: ModuleNotFoundError: .*nothing_such"

# Words go where -o says, as with other commands; never over a result file.
for words in "plan --suite smoke --ops relu --max-bytes 64M" "plan --suite smoke --ops relu --max-bytes 64M --json" \
    'list --ops relu' 'list --ops relu --json'; do
    # shellcheck disable=SC2086
    expect_exit 0 "$OPSWEEP" $words
    cp "$TMP/out" "$TMP/words"
    # shellcheck disable=SC2086
    expect_exit 0 "$OPSWEEP" $words -o "$TMP/there"
    expect_equal '' "$(cat "$TMP/out")" "words of $words -o"
    expect_same_file "$TMP/words" "$TMP/there"
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" $words -o "$TMP/run.h5"
    expect_err "option '--output': expected the name of a text, found that of a result file, '.*/run.h5'"
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" $words -o "$TMP/nowhere/there"
done
expect_no_file "$TMP/run.h5" "$TMP"/there.tmp*
echo "{\"suite\": \"smoke\", \"ops\": \"relu\", \"output\": \"$TMP/run.h5\"}" >"$TMP/campaign.json"
expect_exit 0 "$OPSWEEP" plan "$TMP/campaign.json"
expect_out '^plan [0-9a-f]{64}$'
expect_exit 2 "$OPSWEEP" plan "$TMP/campaign.json" -o "$TMP/campaign.json"
expect_err 'they are the same file'
expect_no_file "$TMP/run.h5"

# A seed has 64 bits.
expect_exit 0 "$OPSWEEP" run -n 1 --ops relu --suite smoke --profile smoke --seed 18446744073709551615 -o "$TMP/seed.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/seed.h5"
expect_out 'seed 18446744073709551615'
expect_exit 0 "$OPSWEEP" show "$TMP/seed.h5" 0 --rerun
expect_exit 2 "$OPSWEEP" run -n 1 --ops relu --suite smoke --seed 18446744073709551616
expect_err "option '--seed': expected a whole number from 0 to 2\^64 - 1"
