# Shared settings of the lab's scripts; source it. It also gives an interactive shell the lab's own engine:
#   . lab/kind/lib.sh && docker ps && kind get clusters && kubectl get nodes
# Everything lives under $REKINDLE_LAB_HOME (default ~/.cache/rekindle-lab).
LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LAB_HOME=${REKINDLE_LAB_HOME:-$HOME/.cache/rekindle-lab}
K8S_VERSION=v1.34.4
NODE_IMAGE=kindest/node:$K8S_VERSION
ENGINE_SUITE=trixie          # Debian release whose docker.io runs here (bookworm's cannot run --privileged)
LB_IMAGE=envoyproxy/envoy:v1.36.2   # the name that kind v0.33.0 asks for
export DOCKER_HOST=unix://$LAB_HOME/docker.sock   # never the engine of whoever runs this
export DOCKER_BUILDKIT=0
export KUBECONFIG=$LAB_HOME/kubeconfig             # nor their kubeconfig
export PATH=$LAB_HOME/bin:$LAB_HOME/engine/usr/bin:$LAB_HOME/engine/usr/sbin:$PATH
mkdir -p "$LAB_HOME/bin" "$LAB_HOME/stamps"

say() { printf '[lab %s] %s\n' "$(date +%T)" "$*" >&2; }

# need PROGRAM...: ends the script with a list of what is missing, before any work is done.
need() {
  local missing=() program
  for program in "$@"; do command -v "$program" >/dev/null || missing+=("$program"); done
  [ ${#missing[@]} -eq 0 ] || { say "missing on this machine: ${missing[*]}"; return 1; }
}

# stage NAME COMMAND...: run once; a stamp remembers it. Remove the stamp to run it again.
stage() {
  local name=$1; shift
  [ -e "$LAB_HOME/stamps/$name" ] && return 0
  local start; start=$(date +%s)
  "$@" || { say "$name FAILED"; return 1; }
  touch "$LAB_HOME/stamps/$name"
  say "$name: $(( $(date +%s) - start )) s"
}
