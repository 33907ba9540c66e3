# Functions shared by the scripts of the project; to be sourced. Sets `root` to the project's folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

step() { printf '\n== %s\n' "$*"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Wrong usage has another exit code than a failure.
usage_error() {
    printf '%s: %s; see --help\n' "${0##*/}" "$*" >&2
    exit 2
}

# The help of a script is the comment at its head, without its marks.
print_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

is_number() { [[ $1 =~ ^[0-9]{1,9}$ ]]; }

# The limits of a container, or nothing if there are none.
container_limit() {
    local words
    [ -r "/sys/fs/cgroup/$1" ] || return 0
    read -r -a words <"/sys/fs/cgroup/$1" || return 0
    case $1 in
    cpu.max) if is_number "${words[0]}"; then echo $(((words[0] + words[1] - 1) / words[1])); fi ;;
    memory.max) if [[ ${words[0]} =~ ^[0-9]+$ ]]; then echo $((words[0] / 1024)); fi ;;
    esac
}

# How many compilers or tests run at a time: one per core, with 2 GiB of memory for each.
job_count() {
    local cores kilobytes limit
    cores=$(nproc)
    limit=$(container_limit cpu.max)
    if [ -n "$limit" ] && [ "$limit" -lt "$cores" ]; then cores=$limit; fi
    kilobytes=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
    limit=$(container_limit memory.max)
    if [ -n "$limit" ] && [ "$limit" -lt "$kilobytes" ]; then kilobytes=$limit; fi
    limit=$((kilobytes / (2 * 1024 * 1024)))
    if [ "$limit" -lt "$cores" ]; then cores=$limit; fi
    if [ "$cores" -lt 1 ]; then cores=1; fi
    echo "$cores"
}

# quietly LOG COMMAND...: runs it with its output in LOG; shows the end of that if it fails.
quietly() {
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
    printf 'failed: %s\n' "$*"
    # Ninja and the compilers name what is wrong once; the rest is in the log.
    grep -nE '(error|Error|FAILED|fatal)' "$log" | cut -c1-300 | head -n 20
    printf '%s\n' "-- the last lines of $log:"
    tail -n 25 "$log" | cut -c1-300
    return 1
}
