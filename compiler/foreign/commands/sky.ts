/** What a SkyPilot task runs: its `setup` and `run` as one script, with what SkyPilot sets on each node. */
import type { Source, Span } from "../../../dsl/source/source.ts";
import { alignedPieces } from "../kubernetes/aligned.ts";
import type { ContainerScript } from "../kubernetes/containers.ts";
import type { Document, Pods } from "../launch.ts";
import { at, itemsOf, numberAt, scalarOf, type Located } from "../documents/located.ts";
import type { Choices } from "../shell/choices.ts";
import { readText } from "../shell/read.ts";
import type { Exported } from "../shell/reading.ts";
import { joined } from "../shell/text.ts";

/** Source: SkyPilot's reference of its YAML (`num_nodes`, `resources.accelerators`), and of the variables of a task. */
export function skyScripts(
  documents: readonly Document[],
  read: (path: string, from: Source) => Source | undefined,
  choices: Choices,
): readonly ContainerScript[] {
  return documents
    .filter(({ kind }) => kind === "skypilot")
    .flatMap(({ root, source, path }) => {
      const pods = skyPods(root);
      const env = environmentOf(root, pods);
      const text = ["setup", "run"].flatMap((part) => {
        const node = at(root, part);
        const script = scalarOf(node);
        return node === undefined || typeof script !== "string"
          ? []
          : [
              ...alignedPieces(script, node.span, new Map()),
              { text: "\n", span: { ...node.span, start: node.span.end }, quoted: false },
            ];
      });
      if (text.length === 0) return [];
      return [{ ...readText({ text: joined(text), path }, new Map(), env, read, choices), source, pods }];
    });
}

/** Nodes of a task, and GPUs of each; one of several offers may have other counts. */
export function skyPods(root: Located): Pods {
  const nodes = at(root, "num_nodes");
  return { nodes: nodes === undefined ? 1 : numberAt(nodes), perNode: accelerator(root)?.count ?? null };
}

/** `H100:8`, `{H100: 8}`; `null` where several are offered with different counts. */
export function accelerator(
  root: Located,
): { readonly name: string | null; readonly count: number; readonly span: Span } | null {
  const asked = at(root, "resources", "accelerators");
  if (asked === undefined) return null;
  const offers =
    asked.kind === "map"
      ? asked.entries.map(({ key, value }) => ({ name: key, count: numberAt(value) ?? 1 }))
      : (asked.kind === "list" ? itemsOf(asked) : [asked]).flatMap((item) => {
          const [name = "", count = "1"] = String(scalarOf(item) ?? "").split(":");
          return name === "" ? [] : [{ name, count: Number(count) }];
        });
  const [first] = offers;
  if (first === undefined || offers.some(({ count }) => count !== first.count) || !Number.isInteger(first.count))
    return null;
  return { name: offers.length === 1 ? first.name : null, count: first.count, span: asked.span };
}

function environmentOf(root: Located, { nodes, perNode }: Pods): Exported {
  const env = new Map<string, { value: string | null; span: Span }>();
  const count = (value: number | null): string | null => (value === null ? null : String(value));
  const counts = at(root, "num_nodes")?.span ?? root.span;
  env.set("SKYPILOT_NUM_NODES", { value: count(nodes), span: counts });
  env.set("SKYPILOT_NUM_GPUS_PER_NODE", { value: count(perNode), span: accelerator(root)?.span ?? root.span });
  for (const name of ["SKYPILOT_NODE_RANK", "SKYPILOT_NODE_IPS", "SKYPILOT_TASK_ID"])
    env.set(name, { value: null, span: root.span });
  for (const section of ["envs", "secrets"]) {
    const given = at(root, section);
    if (given?.kind !== "map") continue;
    for (const { key, value } of given.entries) {
      const text = scalarOf(value);
      // Without a value it is given when the task is launched: `--env NAME=…`.
      env.set(key, { value: text === null || text === undefined ? null : String(text), span: value.span });
    }
  }
  return env;
}
