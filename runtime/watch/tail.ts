/** Reading a file that grows: what is new since the last look, in whole lines. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

export interface Tail {
  readonly path: string;
  /** Complete lines that were written since the last call; nothing while the file doesn't exist. */
  readonly read: () => string[];
  /** What stands after the last line break. */
  readonly rest: () => string;
}

const chunk = 1 << 20;

/** `from`: the offset to start at; a negative one counts from the end and skips the line it falls into. */
export function tailOf(path: string, from = 0): Tail {
  let offset = from;
  let partial = "";
  let skipping = from < 0;
  let decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(chunk);

  const read = (): string[] => {
    const file = open(path);
    if (file === null) return [];
    try {
      const { size } = fstatSync(file);
      if (offset < 0) {
        skipping = size + offset > 0;
        offset = Math.max(0, size + offset);
      }
      if (size < offset) {
        // Cut or written anew: from the start again.
        offset = 0;
        partial = "";
        decoder = new StringDecoder("utf8");
      }
      const lines: string[] = [];
      for (;;) {
        const length = readSync(file, buffer, 0, chunk, offset);
        if (length === 0) break;
        offset += length;
        const [first = "", ...others] = decoder.write(buffer.subarray(0, length)).split("\n");
        const parts = [partial + first, ...others];
        partial = parts.pop() ?? "";
        for (const line of parts) lines.push(line);
      }
      return skipping && lines.length > 0 ? lines.slice(unskip()) : lines;
    } finally {
      closeSync(file);
    }
  };
  const unskip = (): number => {
    skipping = false;
    return 1;
  };
  return { path, read, rest: () => partial };
}

function open(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    return null;
  }
}
