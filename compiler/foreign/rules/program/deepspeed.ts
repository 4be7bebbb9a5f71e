/** What DeepSpeed refuses of the calls of a program, by what the launch tells it. */
import { at, numberAt, scalarOf } from "../../documents/located.ts";
import { isNone, textOfLiteral, type Call } from "../../python-calls.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { methodOf, seenIn, type Seen } from "./seen.ts";

type Said = Pick<Found, "message" | "related">;
type Refuses = (call: Call, seen: Seen) => Said | string | null;

/** A plain name or what a call makes: neither `None` nor a choice that may be. */
const isCertain = (written: string | undefined): boolean =>
  !isNone(written) && !/\bif\b|\bNone\b|\bor\b|\bget\b/.test(written ?? "");

const initializes = ({ name }: Call): boolean => name === "deepspeed.initialize";

const twice: Refuses = (call, { run }) => {
  const told = run.options.get("deepspeed_config");
  if (!initializes(call) || told === undefined || isNone(call.named.get("args"))) return null;
  return isCertain(call.named.get("config") ?? call.named.get("config_params"))
    ? { message: "the configuration is given here and as --deepspeed_config", ...nearby("the option", told.nameSpan) }
    : null;
};

const withMpu: Refuses = (call, { calls }) =>
  initializes(call) &&
  isCertain(call.named.get("mpu")) &&
  calls.filter(initializes).length === 1 &&
  calls.some(({ name }) => name.split(".").at(-1) === "PipelineModule")
    ? "a PipelineModule brings its own grid of ranks, and takes no mpu"
    : null;

const scheduleAlone: Refuses = (call, { code }) => {
  const name = call.named.get("lr_scheduler") ?? "";
  if (!initializes(call) || call.isOpen || !/^\w+$/.test(name) || !isNone(call.named.get("optimizer"))) return null;
  const isMade = new RegExp(`\\b${name}\\s*=\\s*(?:[\\w.]*lr_scheduler\\.\\w+|get_\\w*schedule\\w*)\\s*\\(`).test(
    code,
  );
  return isMade ? "a schedule that is made already needs the optimizer that it was made of" : null;
};

const withoutSync: Refuses = (call, { engines, stage }) =>
  methodOf(call, engines) === "no_sync" && stage !== undefined && stage.stage >= 2
    ? { message: `no_sync does not go with ZeRO stage ${stage.stage}`, ...nearby("the stage", stage.span) }
    : null;

const groups: Refuses = ({ name }, { code }) =>
  /(?:^|\.)groups\.initialize$/.test(name) && /\bdeepspeed\b[^\n]*\bgroups\b/.test(code)
    ? "groups.initialize was removed: give ep_size to deepspeed.moe.layer.MoE"
    : null;

const stepByStep: Refuses = (call, { engines, calls }) =>
  ["backward", "step"].includes(methodOf(call, engines) ?? "") &&
  calls.some(({ name }) => name.split(".").at(-1) === "PipelineModule") &&
  !calls.some(({ name }) => name.split(".").at(-1) === "train_batch")
    ? "an engine of a pipeline has train_batch alone"
    : null;

const consolidated: Refuses = ({ name }, { stage, engines }) =>
  name.endsWith("._zero3_consolidated_16bit_state_dict") &&
  engines.size > 0 &&
  stage !== undefined &&
  stage.stage !== 3
    ? { message: `this needs ZeRO stage 3, not ${stage.stage}`, ...nearby("the stage", stage.span) }
    : null;

const moved: Refuses = (call, { engines, config }) => {
  if (methodOf(call, engines) !== "offload_states") return null;
  const device = call.named.get("device") ?? "";
  if (/nvme/i.test(device)) return "states are moved to the host alone, not to NVMe";
  const param = config === undefined ? undefined : at(config, "zero_optimization", "offload_param", "device");
  return param === undefined || ["none", null].includes(String(scalarOf(param)))
    ? null
    : { message: "states are not moved where weights are offloaded", ...nearby("the weights", param.span) };
};

const compiled: Refuses = (call, { engines, config }) => {
  if (methodOf(call, engines) !== "compile" || config === undefined) return null;
  const deep = at(config, "compile", "deepcompile");
  const backend = textOfLiteral(call.named.get("backend") ?? call.inOrder[0]);
  return scalarOf(deep) === true && backend !== null && !["inductor", "eager"].includes(backend)
    ? {
        message: `DeepCompile has no backend ${backend}: it takes inductor or eager`,
        ...nearby("DeepCompile", deep?.span),
      }
    : null;
};

const noisy: Refuses = ({ name, named }) => {
  const policy = name.split(".").at(-1) === "MoE" ? textOfLiteral(named.get("noisy_gate_policy")) : null;
  return policy === null || ["None", "Jitter", "RSample"].includes(policy)
    ? null
    : `noisy_gate_policy ${policy} is none of None, Jitter and RSample`;
};

const ulysses: Refuses = ({ name, named, isOpen }) => {
  if (!name.endsWith("UlyssesSPAttentionHF.register_with_transformers")) return null;
  const attention = textOfLiteral(named.get("core_attn_implementation"));
  if (attention === "eager" || attention === "paged|eager")
    return `Ulysses does not take ${attention} attention, which needs a whole mask`;
  const isFixed = named.get("seq_length_is_variable") === "False" && !isOpen;
  return isFixed && isNone(named.get("seq_length")) && isNone(named.get("max_length"))
    ? "a length that does not vary must be given: seq_length"
    : null;
};

const batch: Refuses = (call, { engines, config, launch }) => {
  const size =
    methodOf(call, engines) === "set_train_batch_size" ? Number(call.inOrder[0] ?? Number.NaN) : Number.NaN;
  const node = config === undefined ? undefined : at(config, "train_micro_batch_size_per_gpu");
  const micro = node === undefined ? null : numberAt(node);
  const { size: world } = launch.world;
  if (!Number.isInteger(size) || micro === null || world === null || size % (micro * world) === 0) return null;
  return {
    message: `${size} samples are not a multiple of ${micro} x ${world} ranks`,
    ...nearby("the micro-batch", node?.span),
  };
};

const rows: readonly Refuses[] = [
  twice,
  withMpu,
  scheduleAlone,
  withoutSync,
  groups,
  stepByStep,
  consolidated,
  moved,
  compiled,
  noisy,
  ulysses,
  batch,
];

const json = (stage: number): string =>
  `{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": ${stage} } }`;
const program =
  "import deepspeed\nengine, _, loader, _ = deepspeed.initialize(args=args, model=model)\nwith engine.no_sync():\n    engine.backward(loss)\n";

export const programDeepspeedRules: readonly ForeignRule[] = [
  rule({
    name: "program-deepspeed-call",
    // Whether the program comes by the call is its own affair.
    severity: "warning",
    source:
      "deepspeed/__init__.py: initialize; runtime/engine.py: _do_optimizer_sanity_check, no_sync, set_train_batch_size, _zero3_consolidated_16bit_state_dict, offload_states, compile; runtime/pipe/engine.py: forward, backward, step; utils/groups.py: initialize; moe/layer.py: MoE.__init__; runtime/sequence_parallel/ulysses_sp.py: register_with_transformers",
    why: "A program that makes DeepSpeed's engine itself lies beside the launch, and the configuration refuses one of its calls, some of them hours after the start.",
    fix: "Change the call, or the setting that the message names.",
    check: (launch) =>
      seenIn(launch).flatMap((seen) =>
        seen.calls.flatMap((call) =>
          rows.flatMap((row): readonly Found[] => {
            const said = row(call, seen);
            if (said === null) return [];
            return [{ span: call.span, ...(typeof said === "string" ? { message: said } : said) }];
          }),
        ),
      ),
    fires: {
      "ds.json": json(2),
      "run.sh": "deepspeed --num_gpus 8 src/train.py --deepspeed_config ds.json\n",
      "src/train.py": program,
    },
    silent: {
      "ds.json": json(1),
      "run.sh": "deepspeed --num_gpus 8 src/train.py --deepspeed_config ds.json\n",
      "src/train.py": program,
    },
  }),
];
