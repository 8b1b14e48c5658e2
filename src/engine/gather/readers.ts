/** What is needed once the first answers are there: a module of its own, loaded while the nodes are asked. */

export { parseKubeconfig } from '../../kubeconfig/parse.ts';
export { connectKube, publishedPort } from './access.ts';
export { gatherApi } from './api.ts';
export { findKubeconfig, gatherHostKubeconfig } from './kubeconfig.ts';
export { makeCertificateReader, readNode } from './node-facts.ts';
