/** Images that are pushed by commands before other commands look for holes in them. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { imageUnscanned } from "../../diagnostics/operations.ts";
import { textOf, valued } from "../resolve/read.ts";
import { needsOf } from "./references.ts";

interface Command {
  readonly does: "push" | "scan";
  readonly image: string;
  readonly text: string;
  readonly span: Span;
}

export function pushes(blocks: readonly Instance[]): Diagnostic[] {
  return blocks
    .filter(({ kind }) => kind.name === "job")
    .flatMap((job) => {
      const own = commandsOf(job);
      const before = [...jobsBefore(job, new Set([job]))].flatMap(commandsOf);
      return own.flatMap((scan, index) => {
        const first = [...before, ...own.slice(0, index)].find(
          ({ does, image }) => scan.does === "scan" && does === "push" && image === scan.image,
        );
        const slots = { push: first?.text ?? "", scan: scan.text };
        const related = [{ message: "what looks for holes in it, afterwards", span: scan.span }];
        return first === undefined ? [] : [imageUnscanned(first.span, slots, { related })];
      });
    });
}

function* jobsBefore(job: Instance, seen: Set<Instance>): Generator<Instance> {
  for (const needed of needsOf(job)) {
    if (seen.has(needed)) continue;
    seen.add(needed);
    yield* jobsBefore(needed, seen);
    if (needed.kind.name === "job") yield needed;
  }
}

const pushing = /^\s*(?:docker|podman|nerdctl|buildah|crane)\s+(?:image\s+)?push\b/;
const scanning =
  /^\s*(?:trivy\s+(?:image|i)|grype|docker\s+scout\s+(?:cves|quickview)|snyk\s+container\s+(?:test|monitor))\b/;

function commandsOf(job: Instance): readonly Command[] {
  const { value } = valued(job, "command");
  if (value.kind !== "list") return [];
  return value.items.flatMap(({ value: item, span }) =>
    (textOf(item) ?? "").split(/&&|\|\||[;\n]/).flatMap((part): Command[] => {
      const text = part.trim();
      const does = pushing.test(text) ? "push" : scanning.test(text) ? "scan" : null;
      const image = text.split(/\s+/).at(-1) ?? "";
      return does === null ? [] : [{ does, image, text, span }];
    }),
  );
}
