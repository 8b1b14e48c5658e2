#!/usr/bin/env bash
# A private Docker engine for the lab, apart from any other on this machine: engine.sh start | stop | status
# Needs root on a Debian machine. `stop` kills the lab's containers, so that it is as abrupt as a crash.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

fetch_engine() { # unpacked below LAB_HOME, not installed: the machine's own packages stay as they are
  need apt-get dpkg setsid
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends mmdebstrap iptables runc zstd >/dev/null
  local apt=$LAB_HOME/apt; rm -rf "$apt"; mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
  local mirror; mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $ENGINE_SUITE main" > "$apt/sources.list"
  local get=(apt-get -qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
             -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  "${get[@]}" update
  (cd "$apt/debs" && "${get[@]}" download docker.io docker-cli containerd)
  mkdir -p "$LAB_HOME/engine"
  for deb in "$apt"/debs/*.deb; do dpkg -x "$deb" "$LAB_HOME/engine"; done
}

start() {
  docker info >/dev/null 2>&1 && { say "engine is up: $DOCKER_HOST"; return; }
  stage engine fetch_engine
  echo '{}' > "$LAB_HOME/daemon.json"
  setsid nohup dockerd --config-file "$LAB_HOME/daemon.json" --data-root "$LAB_HOME/docker" \
    --exec-root "$LAB_HOME/docker-exec" --pidfile "$LAB_HOME/docker.pid" -H "$DOCKER_HOST" \
    > "$LAB_HOME/dockerd.log" 2>&1 < /dev/null &
  for _ in $(seq 1 60); do docker info >/dev/null 2>&1 && { say "engine is up: $DOCKER_HOST"; return; }; sleep 0.5; done
  tail -5 "$LAB_HOME/dockerd.log" >&2; return 1
}

stop() {
  [ -e "$LAB_HOME/docker.pid" ] || return 0
  docker ps -q | xargs -r docker kill >/dev/null 2>&1 || true
  local pid; pid=$(cat "$LAB_HOME/docker.pid")
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 1 60); do kill -0 "$pid" 2>/dev/null || { say "engine is down"; return; }; sleep 0.5; done
  say "engine (process $pid) did not end within 30 s"; return 1
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  status) docker version --format '{{.Server.Version}}' ;;
  *) echo "engine.sh start|stop|status" >&2; exit 2 ;;
esac
