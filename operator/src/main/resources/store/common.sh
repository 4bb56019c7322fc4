# shellcheck shell=sh disable=SC2034
# What the scripts of a pod's life have in common: asking servers.
# From the pod: SELF, its name in the DNS; SERVICE, the name that stands for all pods; ADDRESS, its IP address.

DATA=/data
PASSWORD=$(cat /acl/system-password)
SERVER=$(command -v valkey-server || command -v redis-server)
CLIENT=$(command -v valkey-cli || command -v redis-cli)

# The server's settings, which it writes anew itself when a Sentinel changes its primary; and, while it is not only about to start, its process and the
# password that it was started with.
CONF=$DATA/server.conf
STARTED=$DATA/server.started

say() { echo "sojourn: $*" >&2; }

# A peer that hangs is asked no longer than that: whoever starts or probes must get on.
ask() { # host port command...
  host=$1 port=$2
  shift 2
  REDISCLI_AUTH=$PASSWORD timeout 2 "$CLIENT" --user system --no-auth-warning -h "$host" -p "$port" "$@" 2>/dev/null
}

here() { ask 127.0.0.1 6379 "$@"; }
field() { tr -d '\r' | sed -n "s/^$1://p"; }
role() { here info replication | field role; }

# After its Secret was deleted there is another password, and a server goes by that which there was when it started: no peer would be let in, no probe
# be answered, and the roll that brings the new one would wait for the first pod for ever. So each ends as soon as its pod has the new one.
end_if_outdated() {
  [ -f "$STARTED" ] || return 0
  read -r process password <"$STARTED"
  [ "$password" = "$PASSWORD" ] || {
    say "there is another password: starting anew with it"
    kill "$process"
  }
}

# Becomes the server.
serve() {
  echo "$$ $PASSWORD" >"$STARTED"
  exec "$SERVER" "$CONF"
}

# The other pods' addresses: names of pods that are gone do not resolve, and would be waited for.
peers() { getent ahosts "$SERVICE" | awk '{ print $1 }' | sort -u | grep -vxF "$ADDRESS" || true; }

within() { # tries command...: true as soon as the command is
  tries=$1
  shift
  while [ "$tries" -gt 0 ]; do
    if "$@"; then return 0; fi
    tries=$((tries - 1))
    sleep 0.2
  done
  return 1
}

# Of what a replica says of itself: whether it has just lost its primary. One that has had none since it started says -1, or a time of its own since
# 1970: after all pods were down nobody is known to have more than a primary.
has_just_lost_its_primary() {
  [ "$(echo "$1" | field role)" = slave ] || return 1
  [ "$(echo "$1" | field master_link_status)" != up ] || return 0
  gone=$(echo "$1" | field master_link_down_since_seconds)
  [ "${gone:--1}" -ge 0 ] && [ "$gone" -lt 30 ]
}

# A replica is of use when it has what its primary has.
follows() { [ "$(here info replication | field master_link_status)" = up ]; }
