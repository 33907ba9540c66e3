# What the tests of packages and of the image share; to be sourced. They work in systems of their own below
# build/packaging, in name spaces of their own: what they mount and start ends with them.
. "$(dirname "${BASH_SOURCE[0]}")/../../deploy/common.sh"

place=$root/build/packaging
mirror=${SALLYPORT_DEBIAN_MIRROR:-} # none: the one that debootstrap knows
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

# For tests/run: 77 means skipped, neither passed nor failed.
skip() {
    echo "${0##*/}: skipped: $*"
    exit 77
}

# The help of the script, or its usage where it is given anything else.
take_no_options() {
    case ${1:-} in
    '') ;;
    -h | --help)
        print_help
        exit 0
        ;;
    *) usage_error "\`$1\` is not an option" ;;
    esac
}

# Begins again as the first process of name spaces of its own, or skips where that is not possible.
enter_name_spaces() {
    if [ "${SALLYPORT_NAME_SPACES:-}" = entered ]; then return 0; fi
    [ "$(id -u)" = 0 ] || skip "it makes systems, which root alone may"
    local tool
    for tool in debootstrap unshare setpriv chroot curl openssl; do
        command -v "$tool" >/dev/null || skip "there is no $tool on this machine"
    done
    unshare --mount --pid --fork true 2>/dev/null || skip "this machine gives no name spaces"
    SALLYPORT_NAME_SPACES=entered exec unshare --mount --propagation private --pid --fork --kill-child -- "$0" "$@"
}

# A bare Debian 12, made from packages of the mirror the first time, and kept: $place/bookworm.tar.
make_archive() {
    mkdir -p "$place"
    if [ -e "$place/bookworm.tar" ]; then return 0; fi
    rm -rf "$place/bookworm"
    quietly "$place/debootstrap.log" debootstrap --variant=minbase bookworm "$place/bookworm" ${mirror:+"$mirror"} \
        || skip "debootstrap cannot make a system; is there a network?"
    rm -f "$place"/bookworm/var/cache/apt/archives/*.deb
    tar -C "$place/bookworm" -cf "$place/bookworm.tar.new" .
    mv "$place/bookworm.tar.new" "$place/bookworm.tar"
    rm -rf "$place/bookworm"
}

# make_system NAME: such a system in $place/NAME.
make_system() {
    local system=$place/$1
    make_archive
    rm -rf --one-file-system "$system"
    mkdir -p "$system" "$place/archives/partial"
    tar -C "$system" -xf "$place/bookworm.tar"
    mount -t proc proc "$system/proc"
    mount --bind "$place/archives" "$system/var/cache/apt/archives" # downloads are kept
    cp -L /etc/resolv.conf "$system/etc/resolv.conf"
    in_system "$1" apt-get update -qq || die "the system $1 has no lists of packages"
}

# in_system NAME COMMAND...: as root, with no more of our environment than a login gives.
in_system() {
    local system=$place/$1
    shift
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive chroot "$system" "$@" </dev/null
}

# make_certificate FOLDER: server.pem and server.key of localhost, signed by themselves.
make_certificate() {
    mkdir -p "$1"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout "$1/server.key" -out "$1/server.pem" 2>/dev/null
}

# await_line PID FILE PATTERN: the first match of it (sed's \1), waited for up to 20 s.
await_line() {
    local tries=0 found
    while [ "$tries" -lt 400 ]; do
        found=$(sed -nE "s/.*$3.*/\1/p" "$2" 2>/dev/null | head -n 1)
        if [ -n "$found" ]; then
            echo "$found"
            return 0
        fi
        kill -0 "$1" 2>/dev/null || break
        sleep 0.05
        tries=$((tries + 1))
    done
    tail -n 20 "$2" >&2
    return 1
}

# --- checks: each prints a line; the last line counts them.
passed=0
failed=0
check() {
    local what=$1
    shift
    if "$@" >"$place/check.log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $what"
    else
        failed=$((failed + 1))
        echo "FAILED  $what"
        tail -n 20 "$place/check.log" | cut -c1-300
    fi
}

refuses() { ! "$@"; }

# is_text WANTED GOT
is_text() {
    [ "$1" = "$2" ] || {
        printf 'wanted: %s\ngot:    %s\n' "$1" "$2"
        return 1
    }
}

# until_so COMMAND: for at most 20 s.
until_so() {
    local tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 400 ] || return 1
        sleep 0.05
    done
}

# Prints the result; ends the test with an error where a check failed, with its systems left as they are for inspection.
conclude() {
    echo "${0##*/}: $passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ] || exit 1
}
