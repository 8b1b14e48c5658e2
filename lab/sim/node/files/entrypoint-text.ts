import type { NodeImage } from '../image.ts';

export const entrypointPath = '/usr/local/bin/entrypoint';
export const kubeletConf = '/etc/kubernetes/kubelet.conf';

const listName = 'files_to_update';

/**
 * The first process of a node, in as few words as it can be said. The simulated node does not run it, but takes from it
 * the list of the files that the boot rewrites: whoever edits the list changes the boot.
 */
export function renderEntrypoint(image: NodeImage): string {
  const files = [
    '/etc/kubernetes/manifests/etcd.yaml',
    '/etc/kubernetes/manifests/kube-apiserver.yaml',
    '/etc/kubernetes/manifests/kube-controller-manager.yaml',
    '/etc/kubernetes/manifests/kube-scheduler.yaml',
    '/etc/kubernetes/controller-manager.conf',
    '/etc/kubernetes/scheduler.conf',
    ...(image.entrypoint === 'current' ? [kubeletConf] : []),
    '/kind/kubeadm.conf',
    '/var/lib/kubelet/kubeadm-flags.env',
  ];
  return `#!/bin/bash
# First process of a simulated kind node.
set -o errexit -o nounset -o pipefail

${listName}=(
${files.map((path) => `  ${path}\n`).join('')})
address_changed=false

adopt_address() { # FAMILY
  local new old
  new="$(getent "ahostsv$1" "$(hostname)" | head -n1 | cut -d' ' -f1)" || true
  if [[ -f "/kind/old-ipv$1" ]]; then
    old="$(<"/kind/old-ipv$1")"
    if [[ -z $new ]]; then
      echo "no IPv$1 address now, and there was one: $old" >&2
      [[ $1 == 4 ]] && exit 1
      return 0
    fi
    if [[ $old != "$new" ]]; then
      address_changed=true
      for file in "\${${listName}[@]}"; do
        [[ -f $file ]] && sed -i "s#\\\\b\${old//./\\\\.}\\\\b#$new#g" "$file"
      done
    fi
  fi
  [[ -z $new ]] || printf %s "$new" >"/kind/old-ipv$1"
}

cp /etc/resolv.conf /etc/resolv.conf.original
gateway="$(ip -4 route show default | cut -d' ' -f3)"
sed "s/127\\.0\\.0\\.11/$gateway/g" /etc/resolv.conf.original >/etc/resolv.conf
adopt_address 4
adopt_address 6
certificate=/etc/kubernetes/pki/apiserver
if $address_changed && [[ -f $certificate.crt && -f $certificate.key ]]; then
  rm -f $certificate.crt $certificate.key
  kubeadm init phase certs apiserver --config /kind/kubeadm.conf
fi
exec "$@"
`;
}

/** The files that an entrypoint's text says it rewrites; undefined where the text has no such list. */
export function readRewrittenFiles(text: string): string[] | undefined {
  const list = new RegExp(String.raw`${listName}=\(([^)]*)\)`).exec(text)?.[1];
  return list?.split(/\s+/).filter((word) => word.startsWith('/'));
}
