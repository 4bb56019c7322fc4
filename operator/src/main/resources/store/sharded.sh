#!/bin/sh
# The life of one pod of a sharded store: `start` is its container, `ready` its probe, `leave` what it does before it is stopped. Pods find
# each other here; which slots and which primary each one has is the operator's to say.
set -eu
# shellcheck source=operator/src/main/resources/store/common.sh
. /config/common.sh

# Pods come back under other addresses, and all at once after an outage: each goes on looking for those that it does not know.
meet_peers() {
  while sleep 2; do
    known=$(here cluster nodes || true)
    for peer in $(peers); do
      case $known in
        *" $peer:6379@"* | "") ;;
        # One that knows our password: the address of a pod that has gone may be that of another store's by now, and clusters that have met are one.
        *) [ "$(ask "$peer" 6379 ping)" != PONG ] || here cluster meet "$peer" 6379 >/dev/null || true ;;
      esac
    done
  done
}

# This server's name in the cluster, if it was a primary with slots when it last wrote down what it knows of it.
was_primary() { awk '$3 ~ /myself,master/ && NF > 8 { print $1 }' "$DATA/nodes.conf" 2>/dev/null || true; }

# Whether a replica of that primary has just lost it, and may be elected.
has_successor() {
  for peer in $(peers); do
    follows=$(ask "$peer" 6379 cluster nodes | awk '$3 ~ /myself,slave/ && $3 !~ /nofailover/ { print $4 }' || true)
    [ "$follows" = "$1" ] || continue
    state=$(ask "$peer" 6379 info replication || true)
    if has_just_lost_its_primary "$state"; then return 0; fi
  done
  return 1
}

# A primary that crashed and is back before it was missed would have its replicas copy from it; but a write is confirmed when they have it, and while
# the disk is busy it may not be in this pod's log for another two seconds. So they are left to take over: once they have, nobody follows it any more.
give_way() {
  id=$(was_primary)
  tries=10
  while [ -n "$id" ] && [ "$tries" -gt 0 ] && has_successor "$id"; do
    say "this pod was a primary and crashed: waiting until a replica takes over, which has what was confirmed last"
    tries=$((tries - 1))
    sleep 1
  done
}

start() {
  rm -f "$STARTED"
  give_way
  umask 077
  {
    cat /config/valkey.conf
    echo "cluster-announce-hostname $SELF"
    echo "cluster-announce-ip $ADDRESS"
    echo "replica-announce-ip $SELF"
    echo "masteruser system"
    echo "masterauth $PASSWORD"
  } >"$CONF"
  meet_peers &
  serve
}

# This server's line: id, address, flags, primary, ping, pong, epoch, link, slots.
myself() { here cluster nodes | grep myself; }
has_slots() { [ "$(myself | wc -w)" -gt 8 ]; }
serves() { [ "$(here cluster info | field cluster_state)" = ok ]; }

# Who is led to a primary may not be elected before it has copied from it, see ShardHand. It may as soon as it has, not only at the next probe: if that
# one were lost meanwhile nobody would take its place.
stand() {
  case $(myself) in
    *nofailover*) ! within 10 follows || here config set cluster-replica-no-failover no >/dev/null ;;
  esac
}

# A primary without slots waits to be given some, or to be made a replica: until then nobody may count on it.
ready() {
  end_if_outdated
  case $(role) in
    master) has_slots && serves ;;
    slave)
      stand
      follows
      ;;
    *) false ;;
  esac
}

is_replica() { [ "$(role)" = slave ]; }

# Those that could take over. One that was led here and has just copied may be "nofailover" as far as this server has heard: it may all the same.
my_replicas() {
  id=$(here cluster myid)
  here cluster nodes | awk -v id="$id" '$3 ~ /slave/ && $3 !~ /(^|,)fail/ && $4 == id && $8 == "connected" { split($2, a, ":6379@"); print a[1] }'
}

# The replica has this primary's clients wait until it has caught up: nothing is lost.
leave() {
  [ "$(role)" = master ] || return 0
  for replica in $(my_replicas); do
    [ "$(ask "$replica" 6379 info replication | field master_link_status)" = up ] || continue
    ask "$replica" 6379 cluster failover >/dev/null || continue
    if within 30 is_replica; then
      say "handed over"
      return
    fi
  done
  ! has_slots || say "no replica could take over: the others will find out"
}

"$1"
