#!/usr/bin/env bash
# What the agent adds to a stock Tomcat's start: interleaved runs, medians of the time that passed and of the processor
# time (which a busy machine distorts less). Usage: startup-cost.sh [runs] [java]
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-9}
java=${2:-java}
home=$PWD/target/tomcat-10.1.54/apache-tomcat-10.1.54
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
mkdir -p "$base"/{conf,logs,temp,work,webapps/ROOT}
cat >"$base/conf/server.xml" <<'XML'
<Server port="-1"><Service name="Catalina">
  <Connector port="0" address="127.0.0.1"/>
  <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/></Engine>
</Service></Server>
XML

# Milliseconds from the launch of the JVM to Tomcat's own line that it has started.
start() {
  local name=$1 began ended pid
  shift
  began=$(date +%s%3N)
  "$java" "$@" -Dcatalina.home="$home" -Dcatalina.base="$base" -Djava.io.tmpdir="$base/temp" \
    -cp "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" org.apache.catalina.startup.Bootstrap start \
    >"$base/out" 2>&1 &
  pid=$!
  until grep -q 'Server startup in' "$base/out"; do
    kill -0 "$pid" || {
      cat "$base/out" >&2
      exit 1
    }
    read -rt 0.01 <> <(:) || true
  done
  ended=$(date +%s%3N)
  awk '{ print ($14 + $15) * 10 }' "/proc/$pid/stat" >>"$base/$name.cpu"
  kill -9 "$pid"
  wait "$pid" 2>/dev/null || true
  echo $((ended - began)) >>"$base/$name.time"
}

median() { sort -n | sed -n "$(((runs + 1) / 2))p"; }

for _ in $(seq "$runs"); do
  start without
  start with "-javaagent:$PWD/target/sojourn-agent.jar=socket=$base/nobody.sock"
done
for name in without with; do
  echo "$name: $(median <"$base/$name.time") ms, $(median <"$base/$name.cpu") ms of processor time (medians of $runs)"
done
