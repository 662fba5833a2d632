# opsweep generate: endpoints that answer, stream, break off, refuse, ask to wait,
# redirect, and echo the key.
#
# takes 15 s

make_op "$TMP/ops"
key=canary-8c41f7aa02
export ANTHROPIC_API_KEY=$key OPENAI_API_KEY=$key OPSWEEP_CACHE=$TMP/cache
n=0

# endpoint LINE...: one that plays the script, at $url
endpoint() {
    n=$((n + 1))
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
    printf '%s\n' "$@" >"$TMP/script$n"
    python3 tests/shell/endpoint.py "$TMP/script$n" "$TMP/log$n" "$TMP/port$n" &
    server=$!
    while [ ! -f "$TMP/port$n" ]; do sleep 0.02; done
    url=http://127.0.0.1:$(cat "$TMP/port$n")
    : >>"$TMP/log$n"
}
trap 'kill "$server" 2>/dev/null || true' EXIT

# generate CODE OPTION...: into $run, one attempt
generate() {
    local code=$1
    shift
    run=$TMP/g/run_$n
    expect_exit "$code" "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu \
        -n 1 --profile correct --generated-dir "$TMP/g" --run-id $n --attempts 1 \
        --model fake --url "$url" --price 3,15,0.3,3.75 "$@"
    attempt=$run/scale__default/attempts/001
}
requests() { wc -l <"$TMP/log$n"; }

# Both APIs: a stream in single bytes, thinking first, two blocks, plain JSON.
endpoint single_bytes
generate 0
expect_out 'tokens +100 in, 20 read from the cache, 3 written to it, 50 out'
expect_out 'cost +0\.00106'
expect_grep 'Grüße: 速い' "$attempt/answer.txt"
expect_no_grep ' - \(\(const' "$attempt/answer.txt" # of the thinking
python3 - "$TMP/log1" "$key" <<'P'
import json, sys

r = json.loads(open(sys.argv[1]).readline())
assert r["path"] == "/v1/messages", r["path"]
assert r["headers"]["x-api-key"] == sys.argv[2]
assert r["headers"]["anthropic-version"] == "2023-06-01"
b = r["body"]
assert b["model"] == "fake" and b["stream"] and b["max_tokens"] == 16384
assert "temperature" not in b
assert "scale_kernel_impl" in b["messages"][0]["content"]
P
endpoint right
generate 0 --api openai --url "$url/v1/"
expect_out 'tokens +103 in, 20 read from the cache, 0 written to it, 50 out'
python3 - "$TMP/log$n" "$key" <<'P'
import json, sys

r = json.loads(open(sys.argv[1]).readline())
assert r["path"] == "/v1/chat/completions", r["path"]
assert r["headers"]["Authorization"] == "Bearer " + sys.argv[2]
assert r["body"]["stream_options"] == {"include_usage": True}
P
endpoint plain
generate 0
endpoint plain
generate 0 --api openai

# What is tried again, and what ends all asking.  An unknown end keeps its money.
endpoint 'status 429 rate_limit_error 0.2' 'status 529 overloaded_error' \
    'html 502' 'right'
generate 0
expect_equal 4 "$(requests)" 'requests'
expect_grep '"tries": 4' "$attempt/answer.json"
expect_out 'cost +0\.00106'
first=$run k=1
for line in 'status 401 authentication_error' 'status 403 permission_error' \
    'status 404 not_found_error' 'status 429 insufficient_quota' \
    'status 429 rate_limit_error 1e9' 'redirect' echo_key_in_error; do
    endpoint "$line" right
    k=$((k + 1))
    expect_exit 4 "$OPSWEEP" generate --resume "$first" --url "$url" \
        --search best-of --attempts $k
    expect_out 'asking ended status (401|403|404|429|307)'
    expect_equal 1 "$(requests)" "requests after '$line'"
done

# What an endpoint says does not command a terminal.
endpoint controls
generate 4
expect_out 'asking ended status 401: no \?\[2J\?\?2J\?!'
! grep -rlP '\x1b' "$TMP/out" "$TMP/err" "$attempt" || fail 'controls'

# What fails alone, and is not sent again: it costs the most that it could.
endpoint 'status 400 invalid_request_error' 'cut 0.5' cut_short error_after_200 \
    garbage deep 'html 200' refusal max_tokens huge wrong
generate 1 --search best-of --attempts 11 --concurrency 1
expect_equal 11 "$(requests)" 'requests'
expect_out 'requests +11, 1 judged, 1 refused, 1 truncated, 1 too_large, 7 failed'
expect_out 'cost +1\.8[5-9]' # seven of 16384 tokens at 15 of a million and more
k=0
while IFS='|' read -r state words; do
    k=$((k + 1))
    attempt=$run/scale__default/attempts/$(printf %03d $k)
    expect_grep "\"outcome\": \"$state\"" "$attempt/answer.json"
    expect_grep "$words" "$attempt/feedback.txt"
done <<'T'
failed|status 400: no
failed|cut off before its end
failed|the request failed: 
failed|Overloaded
failed|neither a stream of events nor JSON
failed|neither a stream of events nor JSON
failed|neither a stream
refused|the model refused
truncated|the answer was cut off
too_large|too large
T
endpoint 'slow 5' right
generate 1 --request-timeout 0.5
expect_grep 'the request failed: ' "$attempt/feedback.txt"
expect_equal 1 "$(requests)" 'requests after a timeout'

# Several at once; then no endpoint.
endpoint 'slow 0.3'
generate 0 --attempts 4 --search best-of --concurrency 4
expect_equal 4 "$(requests)" 'requests'
expect_out 'requests +4, 1 judged, 3 duplicate'
kill "$server"; wait "$server" || true
n=$((n + 1))
generate 2 --url http://example.org
expect_err 'http:// is for this machine alone'
generate 2 --url "http://127.0.0.1@example.org"
expect_err "expected no user name"
generate 2 --url https://u:p@example.org
generate 2 --url ftp://127.0.0.1
ANTHROPIC_API_KEY='' generate 2 --url https://example.org
expect_err "needs a key: expected the variable 'ANTHROPIC_API_KEY'"
expect_exit 2 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu
expect_err "'--model' is missing: '--api anthropic' needs it"
expect_no_file "$TMP/g/run_$n"

# The key: in no file, not printed, not in what processes show of themselves.
endpoint echo_key
generate 0
expect_grep '^Key: \*+' "$attempt/answer.txt"
endpoint 'slow 1'
run=$TMP/g/run_$n
"$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 --profile correct \
    --generated-dir "$TMP/g" --run-id $n --attempts 1 --model fake --url "$url" \
    >"$TMP/out" 2>&1 &
driver=$!
while [ ! -s "$TMP/log$n" ]; do sleep 0.02; done
for pid in $driver $(pgrep -P $driver); do
    # A child may have ended.
    tr '\0' '\n' <"/proc/$pid/environ" >"$TMP/environ" || [ $pid != $driver ]
    [ -s "$TMP/environ" ] || [ $pid != $driver ] || fail 'the environment of the driver is empty'
    expect_no_grep "$key" "$TMP/environ"
done
wait $driver
! grep -rlaF "$key" "$TMP/g" || fail 'the key is in a file'
! grep -aF "$key" "$TMP/out" "$TMP/err" || fail 'the key was printed'

# A prompt with the key in it is not sent.
mkdir "$TMP/templates"
echo "{{symbol}} $key" >"$TMP/templates/prompt.txt"
endpoint right
generate 4 --templates "$TMP/templates"
expect_out 'asking ended the prompt has the key in it'
expect_equal 0 "$(requests)" 'requests'
