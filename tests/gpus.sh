# tests/gpus.sh - sourced by runners, tests and benches: the GPUs that are theirs
# shellcheck shell=sh

nvidiactl=${NVIDIACTL:-/dev/nvidiactl} # there where the driver is

# Their names, one a line; nothing where there is no GPU.
visible_gpus() {
    if [ -n "${CUDA_VISIBLE_DEVICES+set}" ]; then
        printf '%s\n' "$CUDA_VISIBLE_DEVICES" | tr , '\n' | grep .
    elif [ -e "$nvidiactl" ]; then
        # Its errors go to stdout, too.
        nvidia-smi --query-gpu=index --format=csv,noheader | grep -xE '[0-9]+'
    fi || true
}

n_visible_gpus() { visible_gpus | wc -l; }

# nvidia-smi of these GPUs only: smi OPTION...
smi() { nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} "$@"; }
