import type { Diagnosis, Finding } from '../engine/diagnosis.ts';
import type { Facts } from '../facts/facts.ts';
import type { Plan } from '../repairs/step.ts';
import type { ClusterReport, StatusDocument } from './documents.ts';
import { countNodes } from './render/doctor.ts';
import { count } from './text/words.ts';

export function makeClusterReport(facts: Facts, diagnosis: Diagnosis, plan: Plan): ClusterReport {
  return { ...diagnosis, nodes: countNodeFacts(facts), plan };
}

export function makeClusterStatus(facts: Facts, diagnosis: Diagnosis): StatusDocument['clusters'][number] {
  const { findings } = diagnosis;
  const nodes = countNodeFacts(facts);
  return {
    cluster: diagnosis.cluster,
    verdict: diagnosis.verdict,
    nodes,
    errors: findings.filter(({ severity }) => severity === 'error').length,
    warnings: findings.filter(({ severity }) => severity === 'warning').length,
    causes: findCauses(findings).map(({ id, subject }) => ({ id, subject })),
    summary: summarize(diagnosis, nodes),
  };
}

/** Null where the containers are not known: a number would be made up. */
function countNodeFacts(facts: Facts): ClusterReport['nodes'] {
  if (!facts.containers.ok) return null;
  const nodes = facts.containers.value.filter(({ role }) => role !== 'external-load-balancer');
  const isReady = (name: string) =>
    facts.api.ok && facts.api.value.nodes.some((node) => node.name === name && node.ready === 'True');
  return { total: nodes.length, ready: facts.api.ok ? nodes.filter(({ name }) => isReady(name)).length : null };
}

function findCauses(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding): number => (severity === 'error' ? 0 : 1);
  return findings.filter(({ cause }) => cause === null).toSorted((one, other) => rank(one) - rank(other));
}

function summarize(diagnosis: Diagnosis, nodes: ClusterReport['nodes']): string {
  const [first] = findCauses(diagnosis.findings);
  if (first !== undefined) {
    const others = diagnosis.findings.length - 1;
    return others === 0 ? first.summary : `${first.summary} (and ${count(others, 'more finding')})`;
  }
  const [unknown] = diagnosis.unknown;
  return unknown === undefined ? countNodes(nodes) : unknown.reason;
}
