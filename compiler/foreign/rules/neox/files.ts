/** Configurations that GPT-NeoX is given together: it lays one beside the other and lets none say what another one said. */
import { documentsOf, type Document, type Launch, type Run } from "../../launch.ts";
import { scalarOf, type Entry } from "../../documents/located.ts";
import { isStarter } from "../../world.ts";
import { neox, neoxBase } from "./neox.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const alone = "python deepy.py train.py neox.yaml\n";
const both = "python deepy.py train.py neox.yaml data.yaml\n";

export const neoxFilesRules: readonly ForeignRule[] = [
  rule({
    name: "neox-files",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.from_ymls",
    why: "The files of one start are merged, and copied into each checkpoint by name: no key and no file name may occur twice.",
    fix: "Set each key in only one file, and give files in different folders different names.",
    check: (launch) =>
      launch.runs.filter(isStarter).flatMap((run) => [...names(run), ...keys(run, documentsOf(launch, "gpt-neox"))]),
    fires: { "run.sh": both, "neox.yaml": neoxBase, "data.yaml": "vocab-file: v.json\ncheckpoint_factor: 50\n" },
    silent: { "run.sh": both, "neox.yaml": neoxBase, "data.yaml": "vocab-file: v.json\neval-interval: 50\n" },
  }),
  rule({
    name: "neox-batch",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.calculate_batch_parameters",
    why: "Training needs the batch of a step or of a GPU; the other one and the accumulation follow from it.",
    fix: "Write train_micro_batch_size_per_gpu, or train_batch_size, in one of the files.",
    check: (launch) => trainings(launch).flatMap((run) => unsaid(run, documentsOf(launch, "gpt-neox"), batches)),
    fires: { "run.sh": alone, "neox.yaml": neoxBase.replace(/^.*train_micro_batch_size_per_gpu.*\n/m, "") },
    silent: { "run.sh": alone, "neox.yaml": `${neoxBase}optimizer: { type: Adam, params: { lr: 0.0006 } }\n` },
  }),
  rule({
    name: "neox-optimizer",
    source: "megatron/training.py: get_optimizer",
    why: "The optimizer comes only from the files: without one, the program prints that the optimizer is None and ends, after the model is built.",
    fix: 'Write `"optimizer": { "type": "Adam", "params": { "lr": 0.0006, "betas": [0.9, 0.95] } }` in one of the files.',
    check: (launch) => trainings(launch).flatMap((run) => unsaid(run, documentsOf(launch, "gpt-neox"), optimizers)),
    fires: { "run.sh": alone, "neox.yaml": neoxBase },
    silent: { "run.sh": alone, "neox.yaml": `${neoxBase}optimizer: { type: Adam, params: { lr: 0.0006 } }\n` },
  }),
  rule({
    name: "neox-devices",
    severity: "warning",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.get_deepspeed_main_args",
    why: "Devices are selected by name (include, exclude) or by number (num_gpus). With names, the launcher does not get the number, but the batch of a step is still computed with it.",
    fix: "Remove num_gpus, or include and exclude.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const [count, named] = [neox(root, "num_gpus"), neox(root, "include") ?? neox(root, "exclude")];
        if (count === undefined || named === undefined || scalarOf(named.value) === null) return [];
        return [
          {
            span: count.keySpan,
            message: `num_gpus is ignored when ${named.key} is given`,
            ...nearby("devices by name", named.keySpan),
          },
        ];
      }),
    fires: { "neox.yaml": `${neoxBase}num_gpus: 2\ninclude: "localhost:0,1"\n` },
    silent: { "neox.yaml": `${neoxBase}include: "localhost:0,1"\n` },
  }),
];

const batches = ["train_batch_size", "train_micro_batch_size_per_gpu"];
/** A run that loads no optimizer makes one of its own. */
const optimizers = ["optimizer", "no_load_optim"];

const trainings = ({ runs }: Launch): readonly Run[] =>
  runs.filter((run) => isStarter(run) && run.args.some(({ text }) => /(?:^|\/)train\.py$/.test(text ?? "")));

/** All files of a start are here, and none has any of `names`. */
function unsaid(run: Run, documents: readonly Document[], names: readonly string[]): readonly Found[] {
  const files = run.args.filter(({ text }) => isFile(text));
  const read = files.map(({ text }) => documents.find(({ path }) => baseName(path) === baseName(text ?? "")));
  const [first] = files;
  if (first === undefined || run.open || read.includes(undefined)) return [];
  const isSaid = read.some((document) =>
    names.some((name) => document !== undefined && neox(document.root, name) !== undefined),
  );
  return isSaid ? [] : [{ span: first.span, message: `no file of this start has ${names.join(" or ")}` }];
}

const isFile = (text: string | null): text is string => /\.ya?ml$/.test(text ?? "");
const baseName = (path: string): string => path.split("/").at(-1) ?? path;

function names({ args }: Run): readonly Found[] {
  const files = args.flatMap(({ text, span }) => (isFile(text) ? [{ text, span }] : []));
  return files.flatMap(({ text, span }, at): readonly Found[] => {
    const before = files.slice(0, at).find((each) => baseName(each.text) === baseName(text));
    return before === undefined
      ? []
      : [{ span, message: `two files are called ${baseName(text)}`, ...nearby("the other", before.span) }];
  });
}

function keys({ args }: Run, documents: readonly Document[]): readonly Found[] {
  const said = new Map<string, Entry>();
  const found: Found[] = [];
  for (const { text } of args) {
    const document = isFile(text) ? documents.find(({ path }) => baseName(path) === baseName(text)) : undefined;
    if (document?.root.kind !== "map") continue;
    for (const entry of document.root.entries) {
      const first = said.get(entry.key);
      if (first !== undefined)
        found.push({
          span: entry.keySpan,
          message: `${entry.key} is in two files of one start`,
          ...nearby("first here", first.keySpan),
        });
    }
    // It looks for a key as it is spelled among names with underscores: a second one with dashes passes, and takes the first one's place.
    for (const entry of document.root.entries) said.set(entry.key.replaceAll("-", "_"), entry);
  }
  return found;
}
