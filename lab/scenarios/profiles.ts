/** A shape of cluster. */
export interface Profile {
  readonly controlPlanes: number;
  readonly workers: number;
}

export const profiles: Readonly<Record<string, Profile>> = {
  single: { controlPlanes: 1, workers: 0 },
  workers: { controlPlanes: 1, workers: 2 },
  ha: { controlPlanes: 3, workers: 1 },
};

/** kind's configuration for a profile. */
export function renderKindConfig(profile: Profile): string {
  const roles = [
    ...Array.from({ length: profile.controlPlanes }, () => 'control-plane'),
    ...Array.from({ length: profile.workers }, () => 'worker'),
  ];
  return [
    'kind: Cluster',
    'apiVersion: kind.x-k8s.io/v1alpha4',
    'nodes:',
    ...roles.map((role) => `- role: ${role}`),
    '',
  ].join('\n');
}

/** The profile that a cluster with so many nodes has, or nothing where it was not made from one. */
export function recognizeProfile(shape: Profile): string | undefined {
  return Object.entries(profiles).find(
    ([, profile]) => profile.controlPlanes === shape.controlPlanes && profile.workers === shape.workers,
  )?.[0];
}
