import { compile, type Compilation } from "../compile.ts";

/** What a written file means by itself: no params, no environment, nothing of this machine. */
export function compiledText(text: string): Compilation {
  return compile(
    { path: "import.cdr", text },
    {
      on: null,
      target: null,
      preset: null,
      overlays: [],
      overlayFiles: [],
      sets: [],
      read: () => undefined,
      environment: () => undefined,
      host: () => undefined,
    },
  );
}
