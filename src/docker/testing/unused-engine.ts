import type { Engine } from '../port.ts';

const unused = () => Promise.reject(new Error('not part of this test'));

/** An engine of which a test replaces what it needs. */
export const unusedEngine: Engine = {
  endpoint: 'unix:///fake',
  attempts: [],
  info: unused,
  listContainers: unused,
  inspectContainer: unused,
  startContainer: unused,
  stopContainer: unused,
  setRestartPolicy: unused,
  exec: unused,
  getArchive: unused,
  putArchive: unused,
  inspectNetwork: unused,
  events: () => {
    throw new Error('not part of this test');
  },
};
