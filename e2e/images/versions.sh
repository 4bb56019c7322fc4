# shellcheck shell=bash disable=SC2034
# The images' names. Sourced, never run.
# Between releases: a tag of your own.
VERSION=${VERSION:-0.1.0}
OPERATOR_IMAGE=sojourn/operator:$VERSION
SIDECAR_IMAGE=sojourn/sidecar:$VERSION
EXAMPLE_IMAGE=sojourn-example/tomcat-login:$VERSION
VALKEY_IMAGE=valkey/valkey:8.1
REDIS_IMAGE=redis:7.0
ENVOY=1.40.0
ENVOY_IMAGE=envoyproxy/envoy:v$ENVOY
# Of `make e2e-thirdparty`. Those of Go modules are in the go.mod of their folders too.
CERT_MANAGER=v1.21.2
PROMETHEUS_IMAGE=prom/prometheus:v2.53.3
