/**
 * Docker puts both streams of an exec into one: each frame is a header of 8 bytes (stream number, three zeros, length
 * as 32 bits big-endian) and that many bytes.
 *
 * docker-modem's own `demuxStream` copes with split frames, but it never says that a stream ended inside a frame, takes
 * what it does not understand for standard output, and copies and recurses once per frame, so that a chunk of many
 * small frames costs quadratic time and deep stacks. Here a cut stream is an error and each byte is touched once.
 */
export interface Demultiplexer {
  /** Throws an Error on bytes that cannot be Docker's framing, or with the engine's own words on its error stream. */
  push(chunk: Buffer): void;
  /** Throws an Error where the stream ended inside a frame. */
  end(): void;
}

const HEADER_LENGTH = 8;
const STDERR = 2;
/** Carries a failure of the engine itself. */
const SYSTEM_ERROR = 3;

export function createDemultiplexer(sink: {
  readonly stdout: (piece: Buffer) => void;
  readonly stderr: (piece: Buffer) => void;
}): Demultiplexer {
  const header = Buffer.alloc(HEADER_LENGTH);
  const complaints: Buffer[] = [];
  let headerFilled = 0;
  let remaining = 0;

  const deliver = (piece: Buffer) => {
    const stream = header[0];
    if (stream === SYSTEM_ERROR) {
      complaints.push(piece);
    } else if (stream === STDERR) {
      sink.stderr(piece);
    } else {
      sink.stdout(piece);
    }
  };

  const finishHeader = () => {
    if ((header[0] ?? 0) > SYSTEM_ERROR || header[1] !== 0 || header[2] !== 0 || header[3] !== 0) {
      throw new Error('the engine sent a stream that is not in its own framing');
    }
    remaining = header.readUInt32BE(4);
    if (remaining === 0) {
      headerFilled = 0;
    }
  };

  return {
    push(chunk) {
      let position = 0;
      while (position < chunk.length) {
        if (headerFilled < HEADER_LENGTH) {
          const copied = chunk.copy(header, headerFilled, position);
          headerFilled += copied;
          position += copied;
          if (headerFilled === HEADER_LENGTH) {
            finishHeader();
          }
          continue;
        }
        const piece = chunk.subarray(position, position + remaining);
        position += piece.length;
        remaining -= piece.length;
        deliver(piece);
        if (remaining === 0) {
          headerFilled = 0;
        }
      }
    },
    end() {
      if (complaints.length > 0) {
        throw new Error(Buffer.concat(complaints).toString('utf8').trim());
      }
      if (headerFilled > 0) {
        throw new Error('the output was cut off inside a frame');
      }
    },
  };
}
