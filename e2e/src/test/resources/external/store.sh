#!/usr/bin/env bash
# A store as a team of its own would run it, small: TLS everywhere, a password for servers among themselves, and a user who may do
# what the documentation says that a sidecar needs, and no more. $1: single, sentinel or cluster. $HOST: the Service's name.
set -eu
tls="--tls-cert-file /tls/tls.crt --tls-key-file /tls/tls.key --tls-ca-cert-file /tls/tls.crt --tls-auth-clients no"
rights="~sj:{*}:$SESSIONS:* resetchannels &sj:$SESSIONS:* -@all
  +ping +info +evalsha +eval +time +hmget +hget +hset +hdel +hstrlen +pexpire +unlink
  +set +get +del +zadd +zrem +zrangebyscore +publish +subscribe +unsubscribe
  +role +wait +cluster|slots +cluster|info +asking +select"

server() {
  port=$1
  shift
  mkdir -p "/tmp/$port"
  # shellcheck disable=SC2086 # options, not one word
  valkey-server --port 0 --tls-port "$port" $tls --tls-replication yes --dir "/tmp/$port" --save '' \
    --requirepass servers --masterauth servers --user sidecar on '>sidecars' $rights "$@" &
}

case $1 in
  single)
    server 6379
    ;;
  sentinel)
    server 6379 --replica-announce-ip "$HOST" --replica-announce-port 6379
    server 6380 --replica-announce-ip "$HOST" --replica-announce-port 6380 --replicaof "$HOST" 6379
    mkdir -p /tmp/sentinel
    cat >/tmp/sentinel/sentinel.conf <<END
port 0
tls-port 26379
tls-cert-file /tls/tls.crt
tls-key-file /tls/tls.key
tls-ca-cert-file /tls/tls.crt
tls-auth-clients no
tls-replication yes
dir /tmp/sentinel
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $HOST
sentinel monitor shop $HOST 6379 1
sentinel auth-pass shop servers
sentinel down-after-milliseconds shop 3000
user watch on >watchers resetchannels &+switch-master -@all +hello +sentinel|get-master-addr-by-name +subscribe
END
    valkey-server /tmp/sentinel/sentinel.conf --sentinel &
    ;;
  cluster)
    for port in 7001 7002 7003; do
      server "$port" --tls-cluster yes --cluster-enabled yes --cluster-port "1$port" \
        --cluster-announce-hostname "$HOST" --cluster-preferred-endpoint-type hostname
    done
    client="valkey-cli --no-auth-warning --tls --cacert /tls/tls.crt -h $HOST -a servers"
    for port in 7001 7002 7003; do
      until $client -p "$port" ping | grep -q PONG; do sleep 0.2; done
    done
    $client --cluster create "$HOST:7001" "$HOST:7002" "$HOST:7003" --cluster-yes
    ;;
esac
wait
