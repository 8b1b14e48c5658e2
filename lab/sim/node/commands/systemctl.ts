import type { Unit, UnitState } from '../../contracts.ts';
import { type Command, type CommandCall, parseArguments, readOption } from './command.ts';
import { formatTime } from './date.ts';

const noBus = 'Failed to connect to bus: No such file or directory\n';

/** `systemctl show|is-active|is-failed|is-system-running|status|start|stop|restart|reset-failed|daemon-reload [UNIT…]` */
export const systemctl: Command = async (call) => {
  const { options, words } = parseArguments(call.args, ['-p', '--property']);
  const [verb = 'status', ...names] = words;
  if (!call.node.booted()) {
    call.complain(noBus);
    return 1;
  }
  switch (verb) {
    case 'show':
      return show(call, names, readOption(options, '-p', '--property')?.split(','), options.has('--value'));
    case 'is-active':
    case 'is-failed':
      return printStates(call, names, verb === 'is-active' ? 'active' : 'failed', options.has('--quiet'));
    case 'is-system-running':
      return printSystemState(call);
    case 'status':
      return printStatus(call, names);
    case 'start':
    case 'stop':
    case 'restart':
    case 'reset-failed':
      return control(call, names, verb);
    case 'daemon-reload':
      return 0;
    default:
      call.complain(`Unknown command verb '${verb}'.\n`);
      return 1;
  }
};

function readUnit(name: string): Unit | undefined {
  const unit = name.replace(/\.service$/, '');
  return unit === 'kubelet' || unit === 'containerd' ? unit : undefined;
}

function listProperties(name: string, state: UnitState | undefined): Readonly<Record<string, string>> {
  return {
    NRestarts: String(state?.restarts ?? 0),
    Id: `${name.replace(/\.service$/, '')}.service`,
    LoadState: state === undefined ? 'not-found' : 'loaded',
    ActiveState: state?.activeState ?? 'inactive',
    SubState: state?.subState ?? 'dead',
    ActiveEnterTimestamp:
      state !== undefined && state.activeSince > 0 ? formatTime('%a %F %T %Z', state.activeSince) : '',
  };
}

function show(call: CommandCall, names: readonly string[], wanted: readonly string[] | undefined, onlyValues: boolean) {
  const blocks = names.map((name) => {
    const unit = readUnit(name);
    const state = unit === undefined ? undefined : call.node.processes.unit(unit);
    return Object.entries(listProperties(name, state))
      .filter(([key]) => wanted === undefined || wanted.includes(key))
      .map(([key, value]) => (onlyValues ? `${value}\n` : `${key}=${value}\n`))
      .join('');
  });
  call.print(blocks.join('\n'));
  return 0;
}

function printStates(call: CommandCall, names: readonly string[], wanted: string, isQuiet: boolean): number {
  const states: string[] = names.map((name) => {
    const unit = readUnit(name);
    return unit === undefined ? 'inactive' : call.node.processes.unit(unit).activeState;
  });
  if (!isQuiet) call.print(states.map((state) => `${state}\n`).join(''));
  if (states.includes(wanted)) return 0;
  return wanted === 'active' ? 3 : 1;
}

function printSystemState(call: CommandCall): number {
  const states = (['kubelet', 'containerd'] as const).map((unit) => call.node.processes.unit(unit).activeState);
  const state = states.includes('failed') ? 'degraded' : states.includes('activating') ? 'starting' : 'running';
  call.print(`${state}\n`);
  return state === 'running' ? 0 : 1;
}

function printStatus(call: CommandCall, names: readonly string[]): number {
  let exitCode = 0;
  for (const name of names) {
    const unit = readUnit(name);
    if (unit === undefined) {
      call.complain(`Unit ${name}.service could not be found.\n`);
      exitCode = 4;
      continue;
    }
    const state = call.node.processes.unit(unit);
    const since = formatTime('%a %F %T %Z', state.activeSince);
    const tail = call.node.processes.journal(unit).slice(-10);
    call.print(
      `● ${unit}.service\n     Active: ${state.activeState} (${state.subState}) since ${since}\n\n${tail.map((line) => `${line}\n`).join('')}`,
    );
    if (state.activeState !== 'active') exitCode = 3;
  }
  return exitCode;
}

async function control(
  call: CommandCall,
  names: readonly string[],
  verb: 'start' | 'stop' | 'restart' | 'reset-failed',
): Promise<number> {
  let exitCode = 0;
  for (const name of names) {
    const unit = readUnit(name);
    if (unit === undefined) {
      const full = `${name.replace(/\.service$/, '')}.service`;
      call.complain(
        verb === 'reset-failed'
          ? `Failed to reset failed state of unit ${full}: Unit ${full} not loaded.\n`
          : `Failed to ${verb} ${full}: Unit ${full} not found.\n`,
      );
      exitCode = verb === 'reset-failed' ? 1 : 5;
    } else await call.node.processes.control(unit, verb);
  }
  return exitCode;
}
