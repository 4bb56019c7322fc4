#!/usr/bin/env bash
# docker.sh up   : a Docker engine that answers, installed and started where there is none and we are root on Debian
# docker.sh down : stops the engine if `up` started it and nothing else runs in it
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh
PID_FILE=$CACHE/dockerd.pid

# Bit 24 of the bounding set. Where it is missing, what asks for it (--privileged does) needs the stand-in for runc.
has_sys_resource() {
  local set
  set=$(awk '/CapBnd/ {print $2}' /proc/self/status)
  ((0x$set >> 24 & 1))
}

start() {
  local options=(--pidfile "$PID_FILE")
  if ! has_sys_resource; then
    sed 's#/usr/sbin/runc.real#/usr/sbin/runc#' node-image/files/runc-without-sys-resource.sh >"$CACHE/runc"
    chmod 755 "$CACHE/runc"
    options+=(--add-runtime "unprivileged=$CACHE/runc" --default-runtime unprivileged)
  fi
  say "starting a Docker engine"
  setsid nohup dockerd "${options[@]}" >"$CACHE/dockerd.log" 2>&1 </dev/null &
  local deadline=$((SECONDS + 60))
  until docker info >/dev/null 2>&1; do
    ((SECONDS < deadline)) || die "dockerd did not start within 60 s; see $CACHE/dockerd.log"
    sleep 0.2
  done
}

up() {
  docker info >/dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] || die "no Docker engine answers. Start it, or add yourself to the group docker."
  have dockerd jq || apt_install docker.io containerd runc iptables jq
  start
}

down() {
  [ -e "$PID_FILE" ] || return 0
  if docker info >/dev/null 2>&1 && [ -n "$(docker ps -q)" ]; then
    say "the Docker engine goes on: other containers run in it"
    return
  fi
  say "stopping the Docker engine"
  local pid deadline=$((SECONDS + 60))
  pid=$(cat "$PID_FILE")
  kill "$pid" 2>/dev/null || rm -f "$PID_FILE"
  # The next one would find its file, and give up.
  while kill -0 "$pid" 2>/dev/null; do
    ((SECONDS < deadline)) || die "dockerd ($pid) did not end within 60 s; see $CACHE/dockerd.log"
    sleep 0.2
  done
}

case ${1:-} in
  up) up ;;
  down) down ;;
  *)
    sed -n '2,3p' "$0"
    exit 2
    ;;
esac
