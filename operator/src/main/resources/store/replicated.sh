#!/bin/sh
# The life of one pod of a replicated store: `start` and `sentinel` are its two containers, `ready` the first one's probe, `leave` what
# it does before it is stopped. The engine's own machinery decides who is primary; this only sees to it that
#  - a pod that starts asks before it answers: it is a replica unless the others say that it is the primary;
#  - a pod whose data is gone never becomes the primary of pods that have theirs: they would drop it for its emptiness;
#  - a primary that crashed and is back before it was missed does not go on as one: its replicas have what its log has not;
#  - a primary that is stopped on purpose has handed over before;
#  - after all pods were down, the one that was the primary last is it again, whoever is back first: what the others have is older;
#  - what the Sentinels' rules leave without a primary for ever has one again.
# From the pod, besides: POD, its own name; FIRST, the first pod's; PODS, how many there are.
set -eu
# shellcheck source=operator/src/main/resources/store/common.sh
. /config/common.sh

SENTINEL_CONF=$DATA/sentinel.conf
# There while this pod has nothing but what a server makes at its first start.
UNFILLED=$DATA/unfilled
NAME=sojourn
# Of so many Sentinels one is elected, who promotes.
QUORUM=$((PODS / 2 + 1))

# Every pod's address.
members() {
  number=0
  while [ "$number" -lt "$PODS" ]; do
    echo "${POD%-*}-$number${SELF#"$POD"}"
    number=$((number + 1))
  done
}

resolves() { getent ahosts "$1" >/dev/null; }

# Whom a Sentinel takes for the primary. An error is a sentence, and no name.
named_by() { ask "$1" 26379 sentinel get-master-addr-by-name "$NAME" | sed -n '1{/ /!p;}'; }

# Of what a Sentinel says of the primary, in which a field's name and its value are two lines.
about() { tr -d '\r' | sed -n "/^$1\$/{n;p;}"; }

# The configuration that a Sentinel knows, by its number: each fail-over makes a higher one.
known_to() { ask "$1" 26379 sentinel master "$NAME" | about config-epoch; }

# Whom the other pods' Sentinels take for it: a line each, `<number of the configuration> <name>`. One that has just started tells what it remembers.
told_by_sentinels() {
  for peer in $(peers); do
    told=$(named_by "$peer")
    [ -n "$told" ] || continue
    number=$(known_to "$peer" || true)
    echo "${number:-0} $told"
  done
}

# The same of this pod's Sentinel when it last ran: what is left after all pods were down.
remembered() {
  who=$(sed -n "s/^sentinel monitor $NAME \([^ ]*\) .*/\1/p" "$SENTINEL_CONF" 2>/dev/null || true)
  number=$(sed -n "s/^sentinel config-epoch $NAME \([0-9]*\)/\1/p" "$SENTINEL_CONF" 2>/dev/null || true)
  [ -z "$who" ] || echo "${number:-0} $who"
}

# Of such lines the newest, and of those the last.
newest() { awk 'NF > 1 && $1 + 0 >= n { n = $1 + 0; who = $2 } END { if (who) print n, who }'; }

# The number of lines that are there.
count() { grep -c . || true; }

answering_peers() {
  count=0
  for peer in $(peers); do
    [ -z "$(ask "$peer" 6379 ping)" ] || count=$((count + 1))
  done
  echo "$count"
}

# A server that was stopped before it had its primary's data has the files of its first start, and nothing in them.
has_data() { [ ! -f "$UNFILLED" ] && { [ -d "$DATA/appendonlydir" ] || [ -f "$DATA/appendonly.aof" ]; }; }

# Whether this pod is empty and others may not be. Who does not answer, on a node that has too much to do, is not known to be empty: a pod that
# took silence for that would become the primary, and have the others drop what they have.
lost_its_data() {
  ! has_data || return 1
  empty=1
  for peer in $(peers); do
    case $(ask "$peer" 6379 info keyspace) in
      *db[0-9]*:keys=*) return 0 ;;
      *Keyspace*) empty=$((empty + 1)) ;;
    esac
  done
  [ "$empty" -le $((PODS / 2)) ]
}

# Whether a replica can take this pod's place, if that was the primary until just now.
has_successor() {
  for peer in $(peers); do
    state=$(ask "$peer" 6379 info replication || true)
    if has_just_lost_its_primary "$state"; then return 0; fi
  done
  return 1
}

# Prints the primary's name once it is known.
primary() {
  # How often a successor is waited for: Sentinels need 3 s to give a primary up, and some more to agree.
  tries=10
  while :; do
    told=$(told_by_sentinels)
    last=$({ remembered && echo "$told"; } | newest | cut -d ' ' -f 2)
    if [ -n "$last" ] && [ "$last" != "$SELF" ]; then
      echo "$last"
      return
    elif [ -n "$last" ]; then
      if lost_its_data; then
        say "this pod was the primary and is empty: waiting until another one is, or a majority says that it is empty, too"
      elif [ "$(echo "$told" | count)" -lt $((PODS - QUORUM)) ]; then
        # Another one may have been promoted after this pod went. Those who did it are most of them: of so many one knows.
        say "this pod was the primary when it last knew: waiting until enough others say whether another one was since"
      elif [ "$tries" -gt 0 ] && has_successor; then
        # A write is confirmed when replicas have it. While the disk is busy it may not be in this pod's log for another two seconds.
        tries=$((tries - 1))
        say "this pod was the primary and crashed: waiting until a replica takes over, which has what was confirmed last"
      else
        echo "$SELF" && return
      fi
    elif [ "$SELF" != "$FIRST" ]; then
      # Nobody knows of a primary: a new store. All pods but the first one begin as its replicas.
      echo "$FIRST"
      return
    elif [ $(($(answering_peers) + 1)) -gt $((PODS / 2)) ]; then
      # Not before a majority is seen: alone, it could be a pod that lost its data and sees nobody.
      if ! lost_its_data; then echo "$SELF" && return; fi
      say "this pod is empty: waiting until the others say who is the primary, or a majority that it is empty, too"
    else
      say "waiting for the other pods"
    fi
    sleep 1
  done
}

start() {
  rm -f "$STARTED"
  who=$(primary)
  umask 077
  if [ "$who" = "$SELF" ]; then rm -f "$UNFILLED"; elif ! has_data; then : >"$UNFILLED"; fi
  {
    cat /config/valkey.conf
    echo "replica-announce-ip $SELF"
    echo "masteruser system"
    echo "masterauth $PASSWORD"
    [ "$who" = "$SELF" ] || echo "replicaof $who 6379"
    # To a Sentinel an empty replica that never had a primary is as good as any, and better than one whose primary has been gone for long.
    [ "$who" = "$SELF" ] || has_data || echo "replica-priority 0"
  } >"$CONF"
  say "starting; the primary is $who"
  serve
}

# The Sentinel's name for itself has to outlive its pod: each new one would count as one more, and the majority would grow out of reach.
sentinel_id() { printf %s "$SELF" | sha1sum | cut -c 1-40; }

# How long a Sentinel stays with a fail-over that does not get on. Sentinel's own default is three minutes; it costs users
#  - twice that where the two Sentinels that are left stand for election in the same instant and each votes for itself: they do not try again
#    before. It has to fit into what requests wait for the store (15 s), together with the 3 s after which a primary is given up;
#  - all of it where the new primary is lost while replicas still turn to it. Who led that waits for the lost one for ever once it has been
#    gone for 3 s (sentinelFailoverDetectEnd), and without its vote nobody else is elected: it has to be over with the fail-over by then.
FAILOVER_MILLIS=2500
# A primary that has not answered for so long is given up.
DOWN_MILLIS=3000
# The primary's name is waited for, so many seconds where somebody has what it had.
NAME_SECONDS=5

# With its number: without it a Sentinel that starts would know less than one that slept through the last fail-over.
remember() { # number who
  echo "sentinel monitor $NAME $2 6379 $QUORUM"
  echo "sentinel config-epoch $NAME $1"
}

settings() {
  echo "auth-user $NAME system"
  echo "auth-pass $NAME $PASSWORD"
  echo "down-after-milliseconds $NAME $DOWN_MILLIS"
  echo "failover-timeout $NAME $FAILOVER_MILLIS"
}

# Whether a server has had a primary since it started, whose place it can take. After all pods were down nobody is known to have what the last one had,
# which may be about to start: another one in its place would have it drop that.
has_survivor() {
  for server in 127.0.0.1 $(peers); do
    gone=$(ask "$server" 6379 info replication | field master_link_down_since_seconds || true)
    # -1 or since 1970, of one that has had none.
    if [ "${gone:--1}" -ge 0 ] && [ "$gone" -lt 1000000000 ]; then return 0; fi
  done
  return 1
}

sentinel() {
  last='' tries=$NAME_SECONDS
  until [ -n "$last" ] && { resolves "${last#* }" || [ "$tries" -le 0 ]; }; do
    if [ -n "$last" ] && has_survivor; then tries=$((tries - 1)); fi
    sleep 1
    last=$({ remembered && told_by_sentinels; } | newest)
    [ -n "$last" ] || case $(role) in
      master) last="0 $SELF" ;;
      slave) last=$(echo "0 $(here info replication | field master_host)" | newest) ;;
    esac
  done
  number=${last%% *} who=${last#* }
  umask 077
  {
    cat /config/sentinel.conf
    echo "sentinel myid $(sentinel_id)"
    echo "sentinel announce-ip $SELF"
    remember "$number" "$who"
    settings | sed 's/^/sentinel /'
    # It would learn them from the primary; if that is gone by now, it could promote nobody.
    for pod in $(members); do [ "$pod" = "$who" ] || echo "sentinel known-replica $NAME $pod 6379"; done
    echo "sentinel sentinel-user system"
    echo "sentinel sentinel-pass $PASSWORD"
  } >"$SENTINEL_CONF"
  guard &
  exec "$SERVER" "$SENTINEL_CONF" --sentinel
}

own() { ask 127.0.0.1 26379 "$@"; }

# What Sentinel has no setting for.
#  - info-period: it promotes the replica that had the most when it last asked, and it asks every 10 s: a primary is given up after 3, so that may
#    have been before the last confirmed writes, and the replica that has them is passed over. Asked every second it answers for what was left.
#  - tilt-period: one that was held up for 2 s, by a busy node or a slow DNS, for it asks that on its one thread, decides nothing for 30 s. It needs
#    no longer than a lost primary does: by then who is there has answered anew.
tune() { [ "$(own sentinel debug info-period 1000 tilt-period "$DOWN_MILLIS")" = OK ]; }

# Beside the Sentinel for as long as it runs: where its rules lead nowhere.
guard() {
  until tune; do sleep 1; done
  while sleep 2; do
    # The Sentinel's process, which this shell was.
    [ "$(cat /acl/system-password || echo "$PASSWORD")" = "$PASSWORD" ] || kill $$
    state=$(own sentinel master "$NAME" || true)
    down=$(echo "$state" | about s-down-time)
    if [ -z "$(echo "$state" | about flags)" ] || [ "${down:-0}" -gt "$DOWN_MILLIS" ]; then follow_peers || true; fi
    give_up_after "$(patience "${down:-0}")" "$(echo "$state" | about down-after-milliseconds)"
  done
}

# No replica is promoted that lost its primary more than ten times down-after-milliseconds before the Sentinel took the primary for lost; it never
# will be, however long there is none. And a Sentinel that was held up, or has just started, finds out that late. So the longer the primary has been
# down, the more the replicas are allowed.
patience() { if [ "$1" -gt $((2 * DOWN_MILLIS)) ]; then echo $(($1 / 2)); else echo "$DOWN_MILLIS"; fi; }

give_up_after() { # wanted is
  [ -z "$2" ] || [ "$1" = "$2" ] || own sentinel set "$NAME" down-after-milliseconds "$1" >/dev/null || true
}

# A Sentinel that cannot resolve the new primary's name when another one tells it notes the number of that configuration and keeps the old primary
# (sentinelProcessHelloMessage), and is not told again before the next number.
follow_peers() {
  ours=$(named_by 127.0.0.1)
  number=$(known_to 127.0.0.1)
  for peer in $(peers); do
    theirs=$(named_by "$peer")
    [ -n "$theirs" ] && [ "$theirs" != "$ours" ] || continue
    known=$(known_to "$peer")
    [ "${known:-0}" -ge "${number:-0}" ] || continue
    [ "$(ask "$theirs" 6379 info replication | field role)" = master ] || continue
    say "this Sentinel kept to ${ours:-nobody}, who is not the primary: following $theirs"
    {
      echo "sentinel remove $NAME"
      echo "sentinel monitor $NAME $theirs 6379 $QUORUM"
      settings | sed 's/^\([^ ]*\) \([^ ]*\)/sentinel set \2 \1/'
    } | own >/dev/null
    return
  done
}

ready() {
  end_if_outdated
  case $(role) in
    master) ;;
    slave) follows && may_be_promoted ;;
    *) false ;;
  esac && rm -f "$UNFILLED"
}

# Since it has what its primary has.
may_be_promoted() { [ "$(here info replication | field slave_priority)" != 0 ] || [ "$(here config set replica-priority 100)" = OK ]; }

# Whether every replica that is connected has all that was written.
in_step() {
  written=$(here info replication | field master_repl_offset)
  replicas=$(here info replication | tr -d '\r' | sed -n 's/^slave[0-9]*:.*state=online,offset=\([0-9]*\).*/\1/p')
  [ -n "$replicas" ] || return 1
  for theirs in $replicas; do [ "$theirs" -ge "$written" ] || return 1; done
}

# The latest configuration that anybody knows. Our Sentinel was told to stop together with this server, and may only have left what it remembered.
latest() {
  {
    remembered | cut -d ' ' -f 1
    for sentinel in 127.0.0.1 $(peers); do known_to "$sentinel" || true; done
  } | sort -n | tail -n 1
}

# By a Sentinel that knows as much as anybody. One that has just started says OK too, and promotes a replica under a number that is long over: the
# others keep to the primary that leaves.
order_failover() {
  latest=$(latest)
  for peer in $(peers); do
    theirs=$(known_to "$peer" || true)
    [ "${theirs:-0}" -ge "${latest:-0}" ] || continue
    [ "$(ask "$peer" 26379 sentinel failover "$NAME")" != OK ] || return 0
  done
  return 1
}

another_is_primary() {
  told=$(told_by_sentinels | newest)
  [ -n "$told" ] && [ "${told#* }" != "$SELF" ]
}

# This pod's Sentinel is stopped with it, and may not have heard of it.
remember_successor() {
  umask 077
  told=$(told_by_sentinels | newest)
  remember "${told%% *}" "${told#* }" >"$SENTINEL_CONF.new" && mv "$SENTINEL_CONF.new" "$SENTINEL_CONF"
}

# Writes wait while the replicas catch up: what is confirmed before is on the next primary, what comes after goes there. The pause is not
# ended: until the Sentinels turn this server into a replica, it would take writes that nobody keeps.
leave() {
  [ "$(role)" = master ] || return 0
  here client pause 20000 write >/dev/null || return 0
  if within 15 in_step && within 20 order_failover && within 50 another_is_primary; then
    remember_successor || true
    say "handed over"
  else
    say "no replica could take over: the others will find out"
    here client unpause >/dev/null || true
  fi
}

"$1"
