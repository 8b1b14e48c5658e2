import { describe, expect, it } from 'vitest';
import { stateDirectory } from './location.ts';

describe('stateDirectory', () => {
  it.each([
    ['linux', {}, '/home/ada', '/home/ada/.local/share/rekindle'],
    ['linux', { XDG_DATA_HOME: '/data/ada' }, '/home/ada', '/data/ada/rekindle'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ada', '/home/ada/.local/share/rekindle'],
    ['linux', { XDG_DATA_HOME: 'data' }, '/home/ada', '/home/ada/.local/share/rekindle'],
    ['darwin', {}, '/Users/ada', '/Users/ada/Library/Application Support/rekindle'],
    ['darwin', { XDG_DATA_HOME: '/data/ada' }, '/Users/ada', '/data/ada/rekindle'],
    ['win32', {}, 'C:\\Users\\ada', 'C:\\Users\\ada\\AppData\\Local\\rekindle\\Data'],
    ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\ada', 'D:\\Local\\rekindle\\Data'],
  ] as const)('on %s with %o', (platform, environment, home, expected) => {
    expect(stateDirectory({ platform, environment, home })).toBe(expected);
  });
});
