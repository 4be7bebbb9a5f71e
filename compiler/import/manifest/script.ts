/** The commands of a Kubernetes training job, as the script that its containers run. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source, Span } from "../../../dsl/source/source.ts";
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import { quote } from "../../targets/quote.ts";
import type { Target } from "../place.ts";
import { environmentIn, expandedIn, type Environment } from "./environment.ts";
import { impliedIn } from "./implied.ts";
import { leftOf } from "./left.ts";
import { mountsOf } from "./mounts.ts";
import { boundedMemory, optionsOf } from "./options.ts";
import { podIn, type Pod } from "./pods.ts";
import { rolesOf } from "./roles.ts";
import { unshared } from "./unshared.ts";
import { kindSpan, startOf } from "./start.ts";

export interface ManifestScript {
  readonly source: Source;
  readonly target: Target;
  /** Where the manifest says what it is. */
  readonly at: Span;
  /** What of the manifest the target does not have. */
  readonly left: readonly Diagnostic[];
}

/** One script for each manifest that starts a training. */
export function manifestScripts(launch: Launch): readonly ManifestScript[] {
  return documentsOf(launch, "kubernetes").flatMap(({ root: written, path }) => {
    const root = unshared(written);
    const pod = podIn(root);
    if (pod === null) return [];
    const { container } = pod;
    const env = environmentIn(container);
    const words = [...itemsOf(at(container, "command")), ...itemsOf(at(container, "args"))].flatMap((word) =>
      wordOf(word, env),
    );
    if (words.length === 0) return [];
    const text = ["#!/bin/bash", ...exportsOf(pod, env), commandOf(words, pod), ""].join("\n");
    return [{ source: { path: `${path}#command`, text }, ...placeOf(root, pod, env) }];
  });
}

function exportsOf({ nodes, gpus }: Pod, env: Environment): readonly string[] {
  const own = [...env].flatMap(([name, { value }]) =>
    // A value from a secret of the cluster is known by its name alone.
    value.kind === "controller" ? [] : [`export ${name}=${value.kind === "value" ? quote(value.value) : ""}`],
  );
  const count = (names: readonly string[], number: number | null): readonly string[] =>
    number === null ? [] : names.map((name) => `export ${name}=${number}`);
  return [
    ...count(["PET_NPROC_PER_NODE"], gpus),
    ...count(["PET_NNODES"], nodes),
    ...count(["WORLD_SIZE"], nodes === null ? null : nodes * (gpus ?? 1)),
    ...own,
  ];
}

function wordOf(word: Located, env: Environment): readonly string[] {
  const value = scalarOf(word);
  if (value === undefined || value === null) return [];
  const text = String(value);
  const known = expandedIn(text, env);
  if (known !== null) return [quote(known)];
  const escaped = text.replaceAll(/["\\`]|\$(?!\()/g, "\\$&");
  return [`"${escaped.replaceAll(/\$\(([A-Za-z_]\w*)\)/g, "${$1}")}"`];
}

/** A controller tells torchrun how many there are: what the command leaves out is said. */
function commandOf(words: readonly string[], { nodes, gpus }: Pod): string {
  const [first = "", ...rest] = words;
  const text = words.join(" ");
  if (!/(?:^|\/)torchrun$/.test(first)) return text;
  const added = [
    ...(text.includes("--nnodes") ? [] : [nodes === null ? '--nnodes="$PET_NNODES"' : `--nnodes=${nodes}`]),
    ...(/--nproc[-_]per[-_]node/.test(text) || gpus === null ? [] : [`--nproc_per_node=${gpus}`]),
  ];
  return [first, ...added, ...rest].join(" ");
}

function placeOf(root: Located, pod: Pod, env: Environment): Omit<ManifestScript, "source"> {
  const image = at(pod.container, "image");
  const name = scalarOf(image);
  const namespace = at(root, "metadata", "namespace");
  const [start, options, mounts, roles] = [startOf(root, pod), optionsOf(root, pod), mountsOf(pod), rolesOf(pod)];
  const taken = new Set<Located>([
    ...[at(pod.container, "command"), at(pod.container, "args"), image, namespace, ...impliedIn(root, pod)].filter(
      (node) => node !== undefined,
    ),
    ...[start, ...options, ...mounts, ...env.values(), roles].flatMap(({ from }) => from),
  ]);
  const secrets = [...env].flatMap(([variable, { value }]) =>
    value.kind === "secret" ? [[variable, value.reference] as const] : [],
  );
  return {
    target: {
      kind: "kubernetes",
      namespace: String(scalarOf(namespace) ?? "default"),
      ...start.value,
      image: typeof name === "string" ? name : null,
      options: options.map(({ value }) => value),
      mounts: mounts.map(({ value }) => value),
      secrets: new Map(secrets),
    },
    at: kindSpan(root),
    left: [...start.left, ...leftOf(root, taken), ...boundedMemory(pod), ...roles.value],
  };
}
