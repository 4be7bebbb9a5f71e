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
        what: "what Megatron makes of these arguments",
        because: "ms-swift hands them on with others of its own",
        advice: "What ms-swift refuses itself is judged, and how ranks are divided",
      }),
    ),
  ];
}

function ofRun(run: Run, launch: Launch): Said | null {
  const program = run.program?.text ?? "";
  if (program.startsWith("torchtitan.")) return titan(run, launch);
  if (program.startsWith("openrlhf."))
    return {
      what: "what OpenRLHF makes of its options",
      because: "",
      advice: "Its launcher is judged, and batches that its ranks share",
    };
  if (
    nemo.test(program) &&
    documentsOf(launch, "nemo").length === 0 &&
    run.args.some(({ text }) => override.test(text ?? ""))
  )
    return {
      what: "what these settings are laid over",
      because: "no configuration of NeMo is among these files",
      advice: "Give it with them: parallelism, batch and precision are judged then",
    };
  return null;
}

function titan(run: Run, launch: Launch): Said | null {
  if (fileOfTitan(run, launch) !== undefined) return null;
  const named = textIn(run.options, "job.config_file");
  const made = textIn(run.options, "config");
  const own = made === null ? "no file is named, so its own defaults apply" : `${made} is made by its own Python`;
  return {
    what: "what torchtitan is told",
    because: named === null ? own : `${named} is not among these files`,
    advice:
      named === null
        ? "Only options of the command line are judged"
        : "Give it with them: degrees, batches and schedules are judged then",
  };
}
