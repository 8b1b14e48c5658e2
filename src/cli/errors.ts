/** Wrong usage or configuration: exit code 2. */
export class UsageError extends Error {
  /** What to do instead. */
  readonly hint: string;
  constructor(message: string, hint = '') {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Something outside that hinders the command although it was asked for rightly; ends with the given exit code. */
export class BlockedError extends Error {
  readonly hint: string;
  readonly exitCode: number;
  constructor(exitCode: number, message: string, hint = '', options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BlockedError';
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
