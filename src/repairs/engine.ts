import type { Facts } from '../facts/facts.ts';
import type { Repair } from './repair.ts';

/** Starting or joining an engine is the user's; what to do depends on the platform. */
const startByPlatform: Readonly<Record<string, readonly string[]>> = {
  linux: [
    'sudo systemctl start docker                     # the system engine',
    'systemctl --user start docker                   # a rootless engine',
    'rdctl start                                     # Rancher Desktop',
    'systemctl --user start docker-desktop           # Docker Desktop',
    'colima start                                    # colima',
  ],
  darwin: [
    'open -a Docker                                  # Docker Desktop',
    'rdctl start                                     # Rancher Desktop',
    'colima start                                    # colima',
    'open -a OrbStack                                # OrbStack',
  ],
  win32: [
    'start "" "C:\\Program Files\\Docker\\Docker\\Docker Desktop.exe"',
    'rdctl start                                     # Rancher Desktop',
    'wsl -d <distribution> -u root service docker start',
  ],
};

const joinByPlatform: Readonly<Record<string, readonly string[]>> = {
  linux: [
    'sudo usermod -aG docker "$USER" && newgrp docker   # join the group that may use the socket',
    'export DOCKER_HOST=unix://$XDG_RUNTIME_DIR/docker.sock   # or use a rootless engine of your own',
  ],
  darwin: ['docker context use desktop-linux   # the context of the engine that runs as you'],
  win32: ['net localgroup docker-users "%USERNAME%" /add   # then sign out and in again'],
};

function forPlatform(table: Readonly<Record<string, readonly string[]>>, facts: Facts): readonly string[] {
  return table[facts.engine.hostPlatform] ?? table['linux'] ?? [];
}

/** An engine that the user named and that is not there is first of all named wrongly. */
function correctChoice({ engine }: Facts): readonly string[] {
  const choice = engine.attempts.find(({ endpoint }) => endpoint === engine.endpoint && endpoint !== '')?.source ?? '';
  if (choice === 'DOCKER_HOST') return ['unset DOCKER_HOST                               # where it is named wrongly'];
  if (choice.startsWith('docker context'))
    return ['docker context ls                               # where the context is wrong'];
  return [];
}

/** Tells how to start the engine on this platform, and which places were tried. */
export const startEngine: Repair = {
  mends: ['engine/unreachable'],
  byHand: (_finding, facts) => forPlatform(startByPlatform, facts),
  propose: (_finding, facts) => ({
    kind: 'told',
    reason: 'rekindle does not start a Docker engine by itself',
    byHand: [
      ...correctChoice(facts),
      ...forPlatform(startByPlatform, facts),
      'rekindle doctor --docker-host <endpoint>        # where it is elsewhere',
    ],
  }),
};

/** Tells how to get access to the engine on this platform. */
export const joinEngine: Repair = {
  mends: ['engine/permission-denied'],
  byHand: (_finding, facts) => forPlatform(joinByPlatform, facts),
  propose: (_finding, facts) => ({
    kind: 'told',
    reason: 'rekindle does not change what this user may do',
    byHand: forPlatform(joinByPlatform, facts),
  }),
};
