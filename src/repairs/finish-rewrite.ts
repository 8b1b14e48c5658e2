import { staleSlots } from '../checks/node/manifest-address-stale.ts';
import { currentAddress, nodesOf } from '../facts/select.ts';
import { withAddress } from '../manifests/slots.ts';
import type { Repair, WantedStep } from './repair.ts';
import { withoutEtcd } from './kubelet.ts';

/** Puts the node's present address into each of its files that still names an old one, as kind's entrypoint does at boot, and has them read again. */
export const finishRewrite: Repair = {
  mends: ['node/manifest-address-stale'],
  byHand: ({ subject }, facts) => {
    const node = nodesOf(facts).find(({ container }) => container.name === subject);
    const stale = node === undefined ? [] : staleSlots(node);
    return [
      `docker exec ${subject} systemctl stop kubelet   # it takes every file in the manifests folder for a pod`,
      ...new Set(
        stale.map(
          ({ file, text, address }) => `docker exec ${subject} grep -nF '${text}' ${file}   # ${address} is old`,
        ),
      ),
      `docker exec ${subject} systemctl start kubelet`,
    ];
  },
  propose: ({ subject }, facts) => {
    const node = nodesOf(facts).find(({ container }) => container.name === subject);
    if (node === undefined) return { kind: 'told', reason: `${subject} could not be looked into`, byHand: [] };
    const stale = staleSlots(node).filter(({ address }) => currentAddress(node.container, address) !== '');
    if (stale.length === 0)
      return {
        kind: 'told',
        reason: `Docker gives ${subject} no address of that family now`,
        byHand: [`docker inspect ${subject}`],
      };
    const steps: WantedStep[] = [];
    for (const path of new Set(stale.map(({ file }) => file))) {
      const slots = stale.filter(({ file }) => file === path);
      steps.push({
        step: {
          kind: 'edit-file',
          node: subject,
          path,
          edits: distinct(
            slots.map((slot) => ({
              from: slot.text,
              to: withAddress(slot, currentAddress(node.container, slot.address)),
            })),
          ),
        },
        risk: 'safe',
        reason: `it names ${[...new Set(slots.map(({ address }) => address))].join(', ')} (${[...new Set(slots.map(({ slot }) => slot))].join(', ')})`,
      });
    }
    if (stale.some(({ file }) => file === '/etc/kubernetes/manifests/etcd.yaml')) {
      steps.push({
        step: { kind: 'restart-component', node: subject, component: 'kube-apiserver' },
        risk: 'safe',
        reason: withoutEtcd,
      });
    }
    // The recorded address alone is read by nothing but the next boot.
    if (stale.some(({ file }) => !file.startsWith('/kind/'))) {
      steps.push({
        step: { kind: 'restart-unit', node: subject, unit: 'kubelet' },
        risk: 'safe',
        reason: 'the kubelet reads its flags when it starts, and makes changed static pods again',
      });
    }
    return { kind: 'steps', steps };
  },
};

function distinct(edits: readonly { from: string; to: string }[]): { from: string; to: string }[] {
  return [...new Map(edits.map((edit) => [edit.from, edit])).values()];
}
