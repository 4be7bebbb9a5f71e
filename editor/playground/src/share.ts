/** The files of the page in the fragment of its address, which no server ever sees. */
export interface Shared {
  readonly main: string;
  readonly files: Readonly<Record<string, string>>;
}

const prefix = "#cdr=";

export async function fragmentOf(shared: Shared): Promise<string> {
  const packed = await through(
    new CompressionStream("deflate-raw"),
    new TextEncoder().encode(JSON.stringify(shared)),
  );
  const binary = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return `${prefix}${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** `null` for a fragment that is none of ours, or was cut on its way. */
export async function sharedIn(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(prefix)) return null;
  try {
    const binary = atob(fragment.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const text = new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), packed));
    const read: unknown = JSON.parse(text);
    return isShared(read) ? read : null;
  } catch {
    return null;
  }
}

function isShared(read: unknown): read is Shared {
  if (typeof read !== "object" || read === null || !("main" in read) || !("files" in read)) return false;
  const { main, files } = read;
  if (typeof main !== "string" || typeof files !== "object" || files === null || !Object.hasOwn(files, main))
    return false;
  return Object.entries(files).every(([name, text]) => /^[\w./-]+$/.test(name) && typeof text === "string");
}

async function through(stream: GenericTransformStream, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream as TransformStream);
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
