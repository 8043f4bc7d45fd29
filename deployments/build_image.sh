#!/usr/bin/env bash
# Build the image without a Docker engine: a Debian of its own packages as BASE (mmdebstrap), built by buildah in a chroot,
# as root. Then run the program in it as the image's user. FILE, if given, gets the image as an OCI archive.
#   deployments/build_image.sh [FILE]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${TMPDIR:-/var/tmp}/stratawatch-image-XXXXXX")
build() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }
trap 'build umount --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
start=$SECONDS
took() { echo "$1: $((SECONDS - start)) s"; start=$SECONDS; }

mmdebstrap --quiet --aptopt='Acquire::Retries "5"' --variant=minbase --include=python3,python3-venv,ca-certificates "${SUITE:-bookworm}" "$work/root.tar"
took "root of Debian's packages"

base=$(build from scratch)
build add --quiet "$base" "$work/root.tar" / >/dev/null
build commit --quiet --rm "$base" stratawatch-base >/dev/null
rm "$work/root.tar"
# The build trusts the certificates that this machine trusts, for registries behind a proxy of one's own.
image() {
    build bud --quiet --isolation chroot --pull-never --volume /etc/ssl/certs:/etc/ssl/certs:ro \
        --build-arg BASE=localhost/stratawatch-base --tag stratawatch --file deployments/Dockerfile . >/dev/null
}
image || { echo "the image could not be built; a registry may have been away: once more" >&2; image; }
took "image"

container=$(build from --pull-never localhost/stratawatch)
inside() { build run --isolation chroot "$container" -- "$@"; }
[ "$(inside id -u)" = 10001 ] || { echo "the image does not run as its own user" >&2; exit 1; }
inside stratawatch init --config /data/stratawatch.toml >/dev/null
inside python -c "import flows.serve, deployments.apply, great_expectations, matplotlib, psycopg, sklearn"
! inside sh -c 'touch /srv/stratawatch/written' 2>/dev/null || { echo "the program's folder can be written" >&2; exit 1; }
took "program in the image"
build inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Cmd}}' stratawatch
[ $# -eq 0 ] || build push --quiet stratawatch "oci-archive:$1"
