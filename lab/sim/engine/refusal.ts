/** What Docker answers instead of doing it: an HTTP status and a sentence. */
export class DockerRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'DockerRefusal';
    this.status = status;
  }
}
