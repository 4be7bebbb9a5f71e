/** Programs that are known and whose settings are not here, or not among those that rules speak of: silence is no verdict on them. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { foreignUnknown } from "../diagnostics/foreign.ts";
import { documentsOf, type Launch, type Run } from "./launch.ts";
import { startsSwiftMegatron } from "./commands/swift-runs.ts";
import { fileOfTitan } from "./torchtitan-settings.ts";
import { textIn } from "./settings.ts";

type Said = Pick<Parameters<typeof foreignUnknown>[1], "what" | "because" | "advice">;

/** Programs of NeMo whose files lie in folders of their own; what stands on the command line is laid over them. */
const nemo = /(?:^|\/)megatron_\w+\.py$/;
const override = /^\+{0,2}(?:model|trainer|exp_manager|optim|train|ddp)\.[\w.]+=/;

export function unjudged(launch: Launch): readonly Diagnostic[] {
  const ofRuns = launch.runs.flatMap((run) => {
    const said = ofRun(run, launch);
    return run.program === null || said === null ? [] : [foreignUnknown(run.program.span, said)];
  });
  const swift = launch.scripts.flatMap(({ commands }) => commands).filter(startsSwiftMegatron);
  return [
    ...ofRuns,
    ...swift.map(({ words, span }) =>
      foreignUnknown(words[0]?.span ?? span, {
        what: "how Megatron uses these arguments",
        because: "ms-swift passes them on together with its own",
        advice: "What ms-swift itself refuses is checked, and how ranks are divided",
      }),
    ),
  ];
}

function ofRun(run: Run, launch: Launch): Said | null {
  const program = run.program?.text ?? "";
  if (program.startsWith("torchtitan.")) return titan(run, launch);
  if (program.startsWith("openrlhf."))
    return {
      what: "how OpenRLHF uses its options",
      because: "",
      advice: "Its launcher is checked, and the batches that its ranks share",
    };
  if (
    nemo.test(program) &&
    documentsOf(launch, "nemo").length === 0 &&
    run.args.some(({ text }) => override.test(text ?? ""))
  )
    return {
      what: "the configuration that these settings override",
      because: "no NeMo configuration is among these files",
      advice: "Give it too, to have parallelism, batch and precision checked",
    };
  return ofFile(run, launch);
}

/** Programs whose settings stand in a file that the command names, by their command or their module. */
const withFiles: readonly (readonly [name: string, program: RegExp])[] = [
  ["LLaMA-Factory", /(?:^|\/)llamafactory-cli$|^llamafactory\./],
  ["Axolotl", /(?:^|\/)axolotl$|^axolotl\.cli\./],
  ["TRL", /(?:^|\/)trl$/],
  ["LitGPT", /(?:^|\/)litgpt$/],
];

function ofFile({ program, args, launcher }: Run, launch: Launch): Said | null {
  const { documents } = launch;
  const isIn = (path: string): boolean => documents.some((each) => baseName(each.path) === baseName(path));
  const name = withFiles.find(([, shape]) => shape.test(program?.text ?? ""))?.[0];
  const file = args.find(({ text }) => /\.ya?ml$/.test(text ?? ""))?.text;
  if (name !== undefined && file != null && !isIn(file))
    return {
      what: `the configuration of ${name}`,
      because: `${file} is not among these files`,
      advice: "Give that file too, to have batch, precision and sharding checked",
    };
  // torchtune's own command, which torchrun's options are read from.
  if (launcher.word.text?.split("/").at(-1) === "tune" && documentsOf(launch, "torchtune").length === 0)
    return {
      what: "the configuration of torchtune",
      because: "it is one of its own, or not among these files",
      advice: "Give the file too (tune cp makes one), to have its settings checked",
    };
  if (program?.text?.startsWith("verl.") === true)
    return {
      what: "how verl uses its settings",
      because: "its own files hold most of them",
      advice: "Only what the command line says of ranks and batches is checked",
    };
  return null;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function titan(run: Run, launch: Launch): Said | null {
  if (fileOfTitan(run, launch) !== undefined) return null;
  const named = textIn(run.options, "job.config_file");
  const made = textIn(run.options, "config");
  const own =
    made === null ? "no file is given, so its own defaults apply" : `${made} is created by its own Python code`;
  return {
    what: "the torchtitan configuration",
    because: named === null ? own : `${named} is not among these files`,
    advice:
      named === null
        ? "Only the options on the command line are checked"
        : "Give that file too, to have degrees, batches and schedules checked",
  };
}
