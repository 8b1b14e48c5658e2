import type { Docker } from './docker.ts';

export const API_VERSION = '1.45';
const MINIMUM_API_VERSION = '1.24';

export function versionOf(docker: Docker): string {
  return docker.options.version ?? '26.1.5';
}

export function describeInfo(docker: Docker): object {
  const records = docker.containers();
  const running = records.filter((record) => record.status === 'running').length;
  return {
    ID: docker.id,
    Containers: records.length,
    ContainersRunning: running,
    ContainersPaused: 0,
    ContainersStopped: records.length - running,
    Images: new Set(records.map((record) => record.imageId)).size,
    Driver: 'overlay2',
    DriverStatus: [['Backing Filesystem', 'extfs']],
    Plugins: { Volume: ['local'], Network: ['bridge', 'host', 'null'], Authorization: null, Log: ['json-file'] },
    MemoryLimit: true,
    SwapLimit: true,
    CpuCfsPeriod: true,
    CpuCfsQuota: true,
    CPUShares: true,
    CPUSet: true,
    PidsLimit: true,
    IPv4Forwarding: true,
    BridgeNfIptables: true,
    BridgeNfIp6tables: true,
    Debug: false,
    OomKillDisable: true,
    SystemTime: new Date(docker.clock.now()).toISOString(),
    LoggingDriver: 'json-file',
    CgroupDriver: 'systemd',
    CgroupVersion: '2',
    NEventsListener: 0,
    KernelVersion: '6.8.0',
    OperatingSystem: docker.options.operatingSystem ?? 'Debian GNU/Linux 12 (bookworm)',
    OSVersion: '12',
    OSType: 'linux',
    Architecture: 'x86_64',
    IndexServerAddress: 'https://index.docker.io/v1/',
    RegistryConfig: null,
    NCPU: 2,
    MemTotal: 8_589_934_592,
    GenericResources: null,
    DockerRootDir: '/var/lib/docker',
    HttpProxy: '',
    HttpsProxy: '',
    NoProxy: '',
    Name: 'sim',
    Labels: [],
    ExperimentalBuild: false,
    ServerVersion: versionOf(docker),
    Runtimes: { runc: { path: 'runc' } },
    DefaultRuntime: 'runc',
    Swarm: { NodeID: '', NodeAddr: '', LocalNodeState: 'inactive', ControlAvailable: false, Error: '' },
    LiveRestoreEnabled: false,
    Isolation: '',
    InitBinary: 'docker-init',
    ContainerdCommit: { ID: '1.7.24', Expected: '1.7.24' },
    RuncCommit: { ID: '1.1.5', Expected: '1.1.5' },
    InitCommit: { ID: 'N/A', Expected: '' },
    SecurityOptions: ['name=seccomp,profile=builtin'],
    Warnings: null,
  };
}

export function describeVersion(docker: Docker): object {
  const version = versionOf(docker);
  const built = '2024-06-05T11:29:54.000000000+00:00';
  const common = { Arch: 'amd64', GitCommit: 'simulated', GoVersion: 'go1.21.11', KernelVersion: '6.8.0', Os: 'linux' };
  const details = {
    ApiVersion: API_VERSION,
    MinAPIVersion: MINIMUM_API_VERSION,
    Experimental: 'false',
    BuildTime: built,
  };
  return {
    Platform: { Name: '' },
    Components: [{ Name: 'Engine', Version: version, Details: { ...common, ...details } }],
    Version: version,
    ApiVersion: API_VERSION,
    MinAPIVersion: MINIMUM_API_VERSION,
    ...common,
    BuildTime: built,
  };
}

/** One for each image that a container was made of. */
export function describeImages(docker: Docker): object[] {
  const images = new Map(docker.containers().map((record) => [record.imageId, record]));
  return [...images.values()].map((record) => ({
    Id: record.imageId,
    ParentId: '',
    RepoTags: [record.spec.image],
    RepoDigests: [],
    Created: Math.floor(record.createdAt / 1000),
    Size: 0,
    SharedSize: -1,
    Labels: null,
    Containers: -1,
  }));
}
