/** What is open to anybody, runs as root, or runs the programs of strangers. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { imageFloating, imageRoot, modelRemoteCode, serviceOpen } from "../../diagnostics/security.ts";
import { boolAt, numberAt, textAt, valued } from "../resolve/read.ts";

export function security(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) => {
    switch (block.kind.name) {
      case "service":
        return [...open(block), ...floating(block)];
      case "image":
        return [...root(block), ...floating(block, "from")];
      case "model":
        return strangers(block);
      case "launch":
      case "job":
        return floating(block);
      default:
        return [];
    }
  });
}

/** Whoever reaches the port of a command can do what the command can. */
function open(service: Instance): Diagnostic[] {
  const port = numberAt(service, "port");
  const command = textAt(service, "command");
  if (port === null || command === null) return [];
  const slots = { service: service.name ?? "", port };
  if (valued(service, "key").value.kind === "none")
    return [serviceOpen(service.span, { ...slots, why: "it requires no key" })];
  const [taken] = unlocked.exec(command) ?? [];
  if (taken === undefined) return [];
  const why = `its command has \`${taken.trim()}\`, which turns the key off`;
  return [
    serviceOpen(
      valued(service, "command").span,
      { ...slots, why },
      { fix: `Remove \`${taken.trim()}\` from the command.` },
    ),
  ];
}

/** Options of Jupyter and its kin with an empty token or password. */
const unlocked = /--[\w.]*(?:token|password)[=\s](?:''|""|(?=\s|$))|--(?:no-auth|without-password|auth[= ]none)\b/i;

function root(image: Instance): Diagnostic[] {
  const user = textAt(image, "user");
  if (user !== "root" && user !== "0") return [];
  const { span } = valued(image, "user");
  return [imageRoot(span, { image: image.name ?? "" }, { fixes: [replacement(span, '"app"')] })];
}

/** Code that comes with weights is whatever its repository holds on the day, unless a commit is named. */
function strangers(model: Instance): Diagnostic[] {
  if (boolAt(model, "remote_code") !== true) return [];
  const from = textAt(model, "from");
  if (from !== null && /@[0-9a-f]{40}$/.test(from)) return [];
  return [
    modelRemoteCode(valued(model, "remote_code").span, { model: model.name ?? "", from: from ?? "its source" }),
  ];
}

/** `name`, `name:latest`: what it stands for changes from day to day. */
function floating(block: Instance, property: "image" | "from" = "image"): Diagnostic[] {
  const { value, span } = valued(block, property);
  if (value.kind !== "string" || /@sha256:|:(?!latest$)[^/:]+$/.test(value.value)) return [];
  return [imageFloating(span, { image: value.value })];
}
