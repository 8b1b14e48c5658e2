import type { Facts } from '../facts/facts.ts';
import { clusterAddressesOf, compareText, nodesOf, secondsSince } from '../facts/select.ts';
import { repairFor } from '../repairs/index.ts';
import type { WantedStep } from '../repairs/repair.ts';
import type { FindingRef, Plan, PlannedStep, Risk, Step } from '../repairs/step.ts';
import type { Diagnosis, Finding } from './diagnosis.ts';
import { describeStep } from './describe-step.ts';

export interface PlanOptions {
  /** Serve these findings only; all where empty. */
  readonly only: readonly string[];
  readonly maxRisk: 'safe' | 'disruptive';
  /** Findings that were served as often as makes sense. */
  readonly exhausted: (finding: FindingRef) => boolean;
}

export const defaultPlanOptions: PlanOptions = { only: [], maxRisk: 'disruptive', exhausted: () => false };

/** How a kind's steps stand to each other on one node. Waits come last, and once for the cluster. */
const phases: Readonly<Record<Step['kind'], number>> = {
  'set-restart-policy': 0,
  'remove-file': 0,
  'start-container': 1,
  'wait-boot': 2,
  'restore-file': 3,
  'edit-file': 3,
  'merge-kubeconfig': 3,
  'remake-certificate': 4,
  'restart-component': 5,
  'restart-unit': 6,
  'wait-api': 7,
  'wait-nodes': 8,
  'wait-controllers': 9,
};

interface Wanted extends WantedStep {
  readonly finding: FindingRef;
}

/** Orders the repairs of every finding that follows from no other into one graph of steps. Pure. */
export function makePlan(facts: Facts, diagnosis: Diagnosis, options: PlanOptions = defaultPlanOptions): Plan {
  const wanted: Wanted[] = [];
  const served: Finding[] = [];
  const unserved: Plan['unserved'] = [];
  for (const finding of diagnosis.findings) {
    const ref = { id: finding.id, subject: finding.subject };
    const repair = repairFor(finding.id);
    if (repair === undefined) continue;
    const leave = (reason: string, byHand: readonly string[] = []) =>
      unserved.push({ ...ref, reason, byHand: [...byHand] });
    const cause = servedCause(finding, diagnosis);
    if (cause !== undefined) leave(`follows from ${cause.id}${cause.subject === '' ? '' : ` on ${cause.subject}`}`);
    else if (options.only.length > 0 && !options.only.includes(finding.id))
      leave('not among those asked for with --only');
    else if (options.exhausted(ref)) leave('tried already, without success', repair.byHand(ref, facts));
    else {
      const proposal = repair.propose(ref, facts);
      if (proposal.kind === 'told') leave(proposal.reason, proposal.byHand);
      else if (options.maxRisk === 'safe' && proposal.steps.some(({ risk }) => risk !== 'safe'))
        leave('its repair is disruptive, above --max-risk safe', repair.byHand(ref, facts));
      else {
        served.push(finding);
        wanted.push(...proposal.steps.map((step) => ({ ...step, finding: ref })));
      }
    }
  }
  wanted.push(...waits(facts, served, wanted));
  const steps = arrange(wanted, facts);
  for (const { id, subject } of served) {
    if (steps.some(({ mends }) => mends.some((finding) => finding.id === id && finding.subject === subject))) continue;
    unserved.push({ id, subject, reason: 'it may come up by itself: left to the next look', byHand: [] });
  }
  return { steps, unserved };
}

/** A cause is waited for only where something mends it; one that merely explains leaves its consequences to their own repairs. */
function servedCause(finding: Finding, diagnosis: Diagnosis): FindingRef | undefined {
  let cause = finding.cause;
  for (const seen = new Set<string>(); cause !== null && !seen.has(`${cause.id} ${cause.subject}`); ) {
    if (repairFor(cause.id) !== undefined) return cause;
    seen.add(`${cause.id} ${cause.subject}`);
    const { id, subject }: FindingRef = cause;
    cause = diagnosis.findings.find((other) => other.id === id && other.subject === subject)?.cause ?? null;
  }
  return undefined;
}

const layersThatSettle: readonly string[] = ['network', 'node', 'certificates', 'control-plane', 'kubelet', 'nodes'];

/** What ends a plan that touches the cluster's inside; containers that start first get a look of their own. */
function waits(facts: Facts, served: readonly Finding[], wanted: readonly Wanted[]): Wanted[] {
  if (wanted.some(({ step }) => step.kind === 'start-container')) return [];
  const settling = served.filter(({ id, layer }) => layersThatSettle.includes(layer) && id !== 'node/leftover-files');
  const nodes = nodesOf(facts)
    .filter(({ container }) => container.running)
    .map((node) => ({ name: node.container.name, addresses: clusterAddressesOf(node) }));
  const steps: WantedStep[] = [
    { step: { kind: 'wait-api' }, risk: 'safe', reason: 'everything above the API needs it' },
    { step: { kind: 'wait-nodes', nodes }, risk: 'safe', reason: 'healed means Ready, at the right address' },
  ];
  const mayHaveEnded =
    served.some(({ id }) => endsLeaders.includes(id)) || wanted.some(({ step }) => disturbsLeaders(step));
  if (mayHaveEnded || hasLapsedLease(facts))
    steps.push({
      step: { kind: 'wait-controllers', components: [...leaders] },
      risk: 'safe',
      reason: 'a component works once its lease moves',
    });
  return settling.flatMap(({ id, subject }) => steps.map((step) => ({ ...step, finding: { id, subject } })));
}

/** The components that lead by lease. */
const leaders: readonly string[] = ['kube-controller-manager', 'kube-scheduler'];

/** Where these are mended, a leader was away, or its API server was: after 10 s without it a leader ends itself. */
const endsLeaders: readonly string[] = ['control-plane/controllers-stalled', 'control-plane/api-unreachable'];

/** Leaders renew every 2 s; after 15 s another may take over, so at that age nobody leads. */
const leaseSeconds = 15;

/** It is no finding yet, for a new leader may be on its way; but a cluster is not healed before it has come. */
function hasLapsedLease(facts: Facts): boolean {
  if (!facts.api.ok) return false;
  const { controllerManagerLease, schedulerLease } = facts.api.value;
  return [controllerManagerLease, schedulerLease].some(
    (lease) => lease.ok && secondsSince(facts, lease.value.renewedAt) > leaseSeconds,
  );
}

function disturbsLeaders(step: Step): boolean {
  return (
    step.kind === 'restart-component' ||
    step.kind === 'remake-certificate' ||
    (step.kind === 'edit-file' && step.path.startsWith('/etc/kubernetes/manifests/'))
  );
}

/** Equal steps become one; order and needs follow from the phases. */
function arrange(wanted: readonly Wanted[], facts: Facts): PlannedStep[] {
  const merged = new Map<string, { step: Step; risk: Risk; reasons: string[]; mends: FindingRef[] }>();
  for (const { step, risk, reason, finding } of wanted) {
    const key = JSON.stringify(step);
    const entry = merged.get(key) ?? { step, risk, reasons: [], mends: [] };
    if (!entry.reasons.includes(reason)) entry.reasons.push(reason);
    if (!entry.mends.some(({ id, subject }) => id === finding.id && subject === finding.subject))
      entry.mends.push(finding);
    merged.set(key, entry);
  }
  const order = startOrder(facts);
  // The containers of one role start and boot before those of the next; what follows goes phase by phase.
  const stageOf = (step: Step) =>
    step.kind === 'start-container' || step.kind === 'wait-boot'
      ? phases['start-container'] + Math.floor(order(placeOf(step))) / 10
      : phases[step.kind];
  const sorted = [...merged.values()].sort(
    (left, right) =>
      stageOf(left.step) - stageOf(right.step) ||
      phases[left.step.kind] - phases[right.step.kind] ||
      order(placeOf(left.step)) - order(placeOf(right.step)) ||
      unitOrder(left.step) - unitOrder(right.step),
  );
  const numbered = sorted.map((entry, index) => ({ ...entry, id: String(index + 1) }));
  return numbered.map(({ id, step, risk, reasons, mends }) => ({
    id,
    step,
    title: describeStep(step),
    reasons,
    mends,
    risk,
    needs: numbered
      .filter((other) => mustPrecede(other.step, step, order) && Number(other.id) < Number(id))
      .map((other) => other.id),
  }));
}

/** The container or node that a step acts on; empty for the cluster and the host. */
function placeOf(step: Step): string {
  if ('container' in step) return step.container;
  return 'node' in step && step.kind !== 'merge-kubeconfig' ? (step.node ?? '') : '';
}

function mustPrecede(earlier: Step, later: Step, order: (container: string) => number): boolean {
  if (phases[earlier.kind] === 0 || later.kind === 'merge-kubeconfig' || earlier.kind === 'merge-kubeconfig')
    return false;
  if (phases[later.kind] >= phases['wait-api']) return true;
  const [before, after] = [placeOf(earlier), placeOf(later)];
  // Whole groups start one after the other: control planes, workers, the load balancer.
  if (later.kind === 'start-container' && (earlier.kind === 'start-container' || earlier.kind === 'wait-boot'))
    return Math.floor(order(before)) < Math.floor(order(after));
  return before === after && (phases[earlier.kind] < phases[later.kind] || unitOrder(earlier) < unitOrder(later));
}

/** containerd before the kubelet that needs it. */
function unitOrder(step: Step): number {
  return step.kind === 'restart-unit' && step.unit === 'kubelet' ? 1 : 0;
}

const roleOrder = ['control-plane', 'worker', 'external-load-balancer'];

/** A number per container: its role's place before the point, its name's place after it. */
function startOrder(facts: Facts): (container: string) => number {
  const containers = facts.containers.ok
    ? [...facts.containers.value].sort((left, right) => compareText(left.name, right.name))
    : [];
  const places = new Map(
    containers.map(({ name, role }, index) => [name, roleOrder.indexOf(role) + index / (containers.length + 1)]),
  );
  return (container) => places.get(container) ?? roleOrder.length;
}
