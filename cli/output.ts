import { writeSync } from "node:fs";

/** Writes a text to stdout or stderr. Node's own streams take longer to load than a whole `cdrc check` may last. */
export function output(stream: "stdout" | "stderr", text: string): void {
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(stream === "stdout" ? 1 : 2, bytes, at);
  } catch (error) {
    // A reader that closed its end, such as `head`, is no mistake, and no verdict; one that is slow is waited for by the stream.
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return;
    process[stream].write(bytes.subarray(at));
  }
}
