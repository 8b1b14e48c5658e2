#!/usr/bin/env bash
# The runbook's fix, steps 1 to 3, typed without a pause: runbook-fix.sh CLUSTER
# Ends when every node is Ready and its INTERNAL-IP is the one that Docker gave it; gives up after 180 s.
# Uses the docker and kubectl of the PATH, and the current kubeconfig.
set -euo pipefail
cluster=$1
node=$cluster-control-plane
kubectl() { command kubectl --context "kind-$cluster" "$@"; }
address() { docker inspect "$1" --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'; }

# 1. Update kubelet.conf with the new IP
NEW_IP=$(address "$node")
docker exec "$node" sed -i "s|https://[0-9.]*:6443|https://${NEW_IP}:6443|g" /etc/kubernetes/kubelet.conf

# 2. Restart the kubelet
docker exec "$node" systemctl restart kubelet

# 3. Wait for the nodes to recover: looked at every 250 ms, as a watching person would see it
wanted=$(for c in $(docker ps --filter "label=io.x-k8s.kind.cluster=$cluster" --format '{{.Names}}' | sort); do
  echo "$c True $(address "$c")"
done)
jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}'
deadline=$((SECONDS + 180))
until [ "$(kubectl get nodes -o "jsonpath=$jsonpath" | sort)" = "$wanted" ]; do
  [ "$SECONDS" -lt "$deadline" ] || exit 1
  sleep 0.25
done
