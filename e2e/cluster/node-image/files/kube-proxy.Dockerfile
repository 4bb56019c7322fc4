FROM debian:bookworm-slim
RUN apt-get update -qq \
 && apt-get install -qq -y --no-install-recommends iptables conntrack kmod \
 && rm -rf /var/lib/apt/lists/*
COPY kube-proxy /usr/local/bin/
