/** Images that are pushed by commands before other commands look for holes in them. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { imageUnscanned } from "../../diagnostics/security.ts";
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
      const isScanning = own.some(({ does }) => does === "scan");
      const before = isScanning ? jobsBefore(job).flatMap(commandsOf) : [];
      return own.flatMap((scan, index) => {
        const first = [...before, ...own.slice(0, index)].find(
          ({ does, image }) => scan.does === "scan" && does === "push" && image === scan.image,
        );
        const slots = { push: first?.text ?? "", scan: scan.text };
        const related = [{ message: "the scan, afterwards", span: scan.span }];
        return first === undefined ? [] : [imageUnscanned(first.span, slots, { related })];
      });
    });
}

/** Each after what it needs, however long the way is. */
function jobsBefore(job: Instance): readonly Instance[] {
  const seen = new Set([job]);
  const found: Instance[] = [];
  const way = [{ of: job, needs: needsOf(job).values() }];
  for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
    const next = last.needs.next();
    if (next.done === true) {
      way.pop();
      if (last.of !== job && last.of.kind.name === "job") found.push(last.of);
    } else if (!seen.has(next.value)) {
      seen.add(next.value);
      way.push({ of: next.value, needs: needsOf(next.value).values() });
    }
  }
  return found;
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
