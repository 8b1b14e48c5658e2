#!/usr/bin/env bash
# The runbook's diagnosis, steps 1 to 3 and 5, typed without a pause: runbook-diagnosis.sh CLUSTER
# Uses the docker and kubectl of the PATH, and the current kubeconfig.
set -u
cluster=$1
kubectl() { command kubectl --context "kind-$cluster" "$@"; }

# 1. Current Docker container IPs, and the IPs registered in Kubernetes
for c in $(docker ps --filter "name=$cluster" --format "{{.Names}}"); do
  echo "$c: $(docker inspect "$c" --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}')"
done
kubectl get nodes -o wide

# 2. Does the API server's certificate cover the new IP?
docker exec "$cluster-control-plane" openssl x509 -in /etc/kubernetes/pki/apiserver.crt -noout -ext subjectAltName

# 3. The target of kubelet.conf
docker exec "$cluster-control-plane" grep server: /etc/kubernetes/kubelet.conf

# 5. Cluster health: all nodes Ready, no pod that does not run
kubectl get nodes
kubectl get pods -A --no-headers | grep -v Running | grep -v Completed
exit 0
