/** A static pod's manifest as kubeadm writes it: keys in alphabetical order, lists not indented. */

export interface StaticPod {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly annotation?: string;
  readonly port: number;
  readonly probes: readonly Probe[];
  readonly requests: readonly string[];
  readonly mounts: readonly Mount[];
}

export interface Probe {
  readonly kind: 'liveness' | 'readiness' | 'startup';
  readonly host: string;
  readonly path: string;
  readonly scheme: 'HTTP' | 'HTTPS';
}

export interface Mount {
  readonly name: string;
  readonly path: string;
  readonly readOnly: boolean;
  readonly type?: 'FileOrCreate';
}

export function renderStaticPod(pod: StaticPod): string {
  const annotations = pod.annotation === undefined ? '' : `  annotations:\n    ${pod.annotation}\n`;
  const probe = (kind: Probe['kind']) =>
    pod.probes
      .filter((each) => each.kind === kind)
      .map(renderProbe)
      .join('');
  return `apiVersion: v1
kind: Pod
metadata:
${annotations}  labels:
    component: ${pod.name}
    tier: control-plane
  name: ${pod.name}
  namespace: kube-system
spec:
  containers:
  - command:
${[pod.name, ...pod.command].map((word) => `    - ${word}\n`).join('')}    image: ${pod.image}
    imagePullPolicy: IfNotPresent
${probe('liveness')}    name: ${pod.name}
    ports:
    - containerPort: ${pod.port}
      name: probe-port
      protocol: TCP
${probe('readiness')}    resources:
      requests:
${pod.requests.map((request) => `        ${request}\n`).join('')}${probe('startup')}    volumeMounts:
${pod.mounts.map(renderMount).join('')}  hostNetwork: true
  priority: 2000001000
  priorityClassName: system-node-critical
  securityContext:
    seccompProfile:
      type: RuntimeDefault
  volumes:
${pod.mounts
  .toSorted((one, other) => one.name.localeCompare(other.name))
  .map(renderVolume)
  .join('')}status: {}
`;
}

const failureThresholds = { liveness: 8, readiness: 3, startup: 24 };

function renderProbe({ kind, host, path, scheme }: Probe): string {
  const delay = kind === 'readiness' ? '' : '      initialDelaySeconds: 10\n';
  return `    ${kind}Probe:
      failureThreshold: ${failureThresholds[kind]}
      httpGet:
        host: ${host}
        path: ${path}
        port: probe-port
        scheme: ${scheme}
${delay}      periodSeconds: ${kind === 'readiness' ? 1 : 10}
      timeoutSeconds: 15
`;
}

function renderMount({ name, path, readOnly }: Mount): string {
  return `    - mountPath: ${path}\n      name: ${name}\n${readOnly ? '      readOnly: true\n' : ''}`;
}

function renderVolume({
  name,
  path,
  type = 'DirectoryOrCreate',
}: Omit<Mount, 'type'> & { readonly type?: string }): string {
  return `  - hostPath:\n      path: ${path}\n      type: ${type}\n    name: ${name}\n`;
}
