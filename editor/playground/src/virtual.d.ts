/** What `scripts/playground.mjs` writes into the bundle. */
declare module "virtual:package-files" {
  /** Texts by their path in the package. */
  const files: Readonly<Record<string, string>>;
  export default files;
}

declare module "virtual:worker/*" {
  /** The program of a worker. A page opened from a folder may start workers only from what it holds itself. */
  const program: string;
  export default program;
}

declare module "virtual:examples" {
  import type { Example } from "./example.ts";
  const examples: readonly Example[];
  export default examples;
}

declare module "virtual:vocabulary" {
  import type { Vocabulary } from "./monarch.ts";
  const vocabulary: Vocabulary;
  export default vocabulary;
}

declare module "virtual:version" {
  const version: string;
  export default version;
}

declare module "*.css";
