/** The commands that containers of Kubernetes manifests run, read as the lines of a script, at their places in the YAML. */
import type { Source, Span } from "../../../dsl/source/source.ts";
import type { Document, Pods } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import { alignedPieces, expanded } from "./aligned.ts";
import { filesInContainer } from "./config-maps.ts";
import { podWorld, trainingPods } from "./pods.ts";
import type { Choices } from "../shell/choices.ts";
import { readText, type ShellScript } from "../shell/read.ts";
import type { Exported } from "../shell/reading.ts";
import { joined, type Piece } from "../shell/text.ts";

export interface ContainerScript extends ShellScript {
  readonly source: Source;
  readonly pods: Pods;
}

export function containerScripts(
  documents: readonly Document[],
  read: (path: string, from: Source) => Source | undefined,
  choices: Choices,
): readonly ContainerScript[] {
  return documents
    .filter(({ kind }) => kind === "kubernetes")
    .flatMap((document) => {
      const pods = podsOf(document);
      return trainingPods(document.root)
        .flatMap(({ containers, count, template }) => containers.map((container) => ({ container, count, template })))
        .flatMap(({ container, count, template }): readonly ContainerScript[] => {
          const words = ["command", "args"].flatMap((part) => itemsOf(at(container, part)));
          const env = environmentOf(document.root, container, pods);
          const text = commandOf(words, env);
          if (text === null) return [];
          const held = filesInContainer(documents, container, template);
          const script = { text: joined(text), path: document.path };
          const shell = readText(script, new Map(), env, read, choices, null, held);
          return [{ ...shell, source: document.source, pods: { ...pods, alike: count } }];
        });
    });
}

/** What the only manifest with training pods sets for a program that its image starts; nothing where there are several. */
export function podEnvironment(documents: readonly Document[]): Exported {
  const jobs = documents.filter(({ kind, root }) => kind === "kubernetes" && trainingPods(root).length > 0);
  const [only] = jobs;
  const container = only === undefined ? undefined : trainingPods(only.root)[0]?.containers[0];
  return only === undefined || container === undefined || jobs.length > 1
    ? new Map()
    : environmentOf(only.root, container, podsOf(only));
}

function podsOf(document: Document): Pods {
  return podWorld({ documents: [document] }) ?? { nodes: null, perNode: null };
}

/** `["bash", "-c", TEXT]` is a script; anything else is one command, whose words no shell splits. */
function commandOf(words: readonly Located[], env: Exported): readonly Piece[] | null {
  const [first] = words;
  const program = scalarOf(first);
  if (typeof program !== "string" || program.startsWith("-")) return null;
  const flag = words.findIndex((word) => !/^[-+]/.test(String(scalarOf(word))) && word !== first);
  const script = words[flag];
  const isText = /^-\w*c$/.test(String(scalarOf(words[flag - 1])));
  if (/(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && script !== undefined && isText)
    return alignedPieces(String(scalarOf(script) ?? ""), script.span, env);
  return words.flatMap((word): readonly Piece[] => {
    const text = expanded(String(scalarOf(word) ?? ""), env);
    const plain = /^[A-Za-z0-9_./:=@%+,-]+$/.test(text);
    const quoted = text.includes("${")
      ? `"${text.replaceAll(/["\\`]|\$(?!\{)/g, "\\$&")}"`
      : `'${text.replaceAll("'", `'\\''`)}'`;
    return [
      { text: plain ? text : quoted, span: word.span, quoted: false },
      { text: " ", span: word.span, quoted: false },
    ];
  });
}

function environmentOf(root: Located, container: Located, pods: Pods): Exported {
  const env = new Map<string, { value: string | null; span: Span }>();
  const kind = scalarOf(at(root, "kind"));
  // Operators of Kubeflow tell torchrun what the manifest says.
  if (kind === "PyTorchJob" || kind === "TrainJob") {
    const told = at(root, "spec", "nprocPerNode") ?? at(root, "spec", "trainer", "numProcPerNode");
    const said = Number(scalarOf(told));
    const processes = Number.isInteger(said) && said > 0 ? said : pods.perNode;
    const replicas = trainingPods(root).find(({ countSpan }) => countSpan !== null)?.countSpan ?? container.span;
    const set = (name: string, count: number | null, span: Span): unknown =>
      env.set(`PET_${name}`, { value: count === null ? null : String(count), span });
    set("NPROC_PER_NODE", processes, told?.span ?? container.span);
    set("NNODES", pods.nodes, replicas);
    set("NODE_RANK", null, replicas);
    set("MASTER_ADDR", null, replicas);
  }
  // The controller numbers the pods of an Indexed Job; those of a JobSet are indexed unless they say otherwise.
  if (kind === "JobSet" || scalarOf(at(root, "spec", "completionMode")) === "Indexed")
    env.set("JOB_COMPLETION_INDEX", { value: null, span: container.span });
  for (const entry of itemsOf(at(container, "env"))) {
    const [name, value] = [scalarOf(at(entry, "name")), at(entry, "value")];
    if (typeof name !== "string") continue;
    const text = value === undefined ? null : String(scalarOf(value) ?? "");
    env.set(name, {
      value: text?.includes("$(") === true ? null : text,
      span: value?.span ?? at(entry, "name")?.span ?? entry.span,
    });
  }
  return env;
}
