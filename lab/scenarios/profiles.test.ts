import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { profiles, recognizeProfile, renderKindConfig } from './profiles.ts';

describe.each(Object.entries(profiles))('profile %s', (name, profile) => {
  it('becomes a kind configuration with its nodes, and is recognized by them', () => {
    const { nodes } = parse(renderKindConfig(profile)) as { nodes: { role: string }[] };
    const controlPlanes = nodes.filter((node) => node.role === 'control-plane').length;

    expect({ controlPlanes, workers: nodes.length - controlPlanes }).toEqual(profile);
    expect(recognizeProfile(profile)).toBe(name);
  });
});
