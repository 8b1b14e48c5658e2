/** What kinds of secrets are told apart; a placeholder and the manifest name them so. */
export const secretKinds = [
  'private key',
  'certificate data',
  'bearer token',
  'JSON web token',
  'bootstrap token',
  'authorization header',
  'basic auth',
  'password',
  'password hash',
  'token',
  'secret',
  'Kubernetes secret',
  'AWS access key id',
  'AWS secret access key',
  'Azure credential',
  'Google credential',
  'GitHub token',
  'GitLab token',
  'Slack token',
  'npm token',
  'service token',
] as const;
export type SecretKind = (typeof secretKinds)[number];

/** Takes a secret out: is told the kind and the secret itself, and answers what stands in its place. */
export type Take = (kind: SecretKind, secret: string) => string;
