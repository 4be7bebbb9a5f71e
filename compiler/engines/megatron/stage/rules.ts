/** What Megatron demands of a stage: of its model, of its raw block, and of the whole launch that it becomes. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import {
  engineDevice,
  engineLate,
  engineModel,
  engineProperty,
  engineTuning,
  engineVersion,
} from "../../../diagnostics/engine.ts";
import {
  engineRawBeside,
  engineRawConflict,
  engineRawDeprecated,
  engineRawSwitch,
  engineRawTwice,
  engineRawType,
  engineRawUncounted,
  engineRawUnknown,
} from "../../../diagnostics/engine-raw.ts";
import type { ClusterSpec, StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import type { Rule } from "../../engine.ts";
import { lackedBy } from "../../rules/precision.ts";
import { rawUnread } from "../../rules/raw-unread.ts";
import { slowPrecision } from "../../rules/slow-precision.ts";
import { unfusedHeads } from "../../rules/unfused-heads.ts";
import { containerOf } from "../bridge/container.ts";
import { bridgeFields, bridgeOf, bridgeVersions } from "../bridge/fields.ts";
import { complaintsOf } from "../complaints.ts";
import { diagnosticsOfMegatron } from "../diagnostics.ts";
import { judge } from "../judge.ts";
import { schedules } from "../lower/course.ts";
import { inexpressible } from "../lower/expressible.ts";
import { spanOf } from "../lower/intent.ts";
import type { Contradiction } from "../lower/contradictions.ts";
import { launchOf } from "../lower/launch.ts";
import type { RawFault } from "../lower/raw.ts";
import { cameWith, historyOf } from "../history.ts";
import { beyond } from "../rules/beyond.ts";
import { build } from "../rules/build.ts";
import { buildLayers } from "../rules/build-layers.ts";
import { isDemanded } from "../since.ts";
import { knownVersionOf, knownVersions, type ArgumentTable } from "../table.ts";
import { conversations } from "./conversations.ts";
import { narrowFaults } from "./narrow-faults.ts";
import { nearestArgument } from "../meant.ts";
import { kept } from "./kept.ts";
import { uncounted } from "./uncounted.ts";
import { wordFor } from "./word-for.ts";
import { surroundingsOf } from "./surroundings.ts";

const rule = (name: string, source: string, check: Rule["check"]): Rule => ({ name, source, check });

const refusals: ReadonlySet<string> = new Set(
  [...build, ...buildLayers, ...beyond].flatMap((step) => (step.kind === "rule" ? [step.diagnostic.code] : [])),
);

const version = rule("version", "megatron/core/package_info.py", ({ megatron }) => {
  const { version: named, entry } = megatron;
  if (named === null) return [];
  if (entry !== undefined) {
    if (bridgeFields(named.value) !== null) return [];
    const slots = { engine: "Megatron Bridge", version: named.value, valid: bridgeVersions.join(" and ") };
    return [engineVersion(named.span, slots, { valid: bridgeVersions })];
  }
  if (knownVersionOf(named.value) !== null) return [];
  const slots = {
    engine: "megatron",
    version: named.value,
    valid: `${releaseOf(knownVersions.at(-1))} to ${releaseOf(knownVersions[0])}`,
  };
  return [engineVersion(named.span, slots, { valid: knownVersions.map(releaseOf) })];
});

const releaseOf = (version = ""): string => version.split(".").slice(0, 2).join(".");

/** What the stage asks for and the release that it names has no argument for. */
const late = rule("late", "megatron/training/arguments.py: parse_args", (stage, plan, cluster) => {
  if (stage.megatron.version === null || inexpressible(plan.model).length > 0) return [];
  const { late: missing, table } = launchOf({ stage, plan, cluster });
  return missing.map(({ words, from, span }) => {
    const [argument = ""] = words;
    const came = cameWith(argument.replace(/=.*/s, ""), table.version) ?? releaseOf(knownVersions[0]);
    const slots = { argument: words.join(" "), from, came, version: releaseOf(table.version) };
    return engineLate(span, slots, { related: versionPlace(stage) });
  });
});

function versionPlace({ megatron: { version: named } }: StageStep): Diagnostic["related"] {
  return named === null ? [] : [{ message: "the release is named here", span: named.span }];
}

const model = rule("model", "pretrain_gpt.py, pretrain_hybrid.py: model_provider", (stage, plan) =>
  inexpressible(plan.model).map((why) =>
    engineModel(stage.model.family.span, { engine: "megatron", family: plan.model.family, why }),
  ),
);

const device = rule("device", "megatron/training/initialize.py: initialize_megatron", (stage, _, cluster) =>
  cluster.device.kind === "gpu"
    ? []
    : [engineDevice(stage.engine?.span ?? stage.span, { engine: "megatron", device: cluster.device.name })],
);

const choices = rule("choices", "megatron/training/arguments.py: --optimizer, --lr-decay-style", (stage) => {
  const of = (property: "optimizer" | "schedule", valid: readonly string[]): Diagnostic[] => {
    const { name, span } = stage[property];
    const slots = { engine: "megatron", property, value: name, valid: valid.join(", ") };
    return valid.includes(name) ? [] : [engineProperty(span, slots, { valid })];
  };
  return [...of("optimizer", ["adamw", "sgd", "muon"]), ...of("schedule", schedules), ...muonFaults(stage)];
});

/** The engine's Muon has one rate for everything, and its momentum stays. */
function muonFaults({ optimizer: { muon, lr, momentum, span } }: StageStep): Diagnostic[] {
  if (muon === undefined) return [];
  const refuse = (value: string, valid: string): Diagnostic =>
    engineProperty(span, { engine: "megatron", property: "optimizer", value, valid });
  return [
    ...(muon.rates.every((rate) => rate === lr)
      ? []
      : [
          refuse("muon whose other parameters have rates of their own", `one rate for all: lr = ${lr} in others too`),
        ]),
    ...(momentum === undefined ? [refuse("muon with a momentum that moves", "a fixed momentum")] : []),
  ];
}

const precision = rule(
  "precision",
  "transformer_engine/pytorch/quantization.py: check_fp8_support, check_mxfp8_support, check_nvfp4_support; cuBLAS, cublasLtMatmul: CUDA_R_16BF from Ampere on",
  (stage, { engine }, { device }) => [
    ...narrowFaults(stage, device),
    ...(device.kind === "gpu" ? lackedBy(device, stage.precision, engine) : []),
  ],
);

const tuning = rule("tuning", "pretrain_gpt.py: model_provider", ({ tuning: said, span }, plan) => {
  if (said === undefined) return [];
  const slots = { engine: plan.engine, property: said.adapters === null ? "freeze" : "adapters" };
  return [engineTuning(said.adapters?.span ?? span, { ...slots, others: "torch and deepspeed" })];
});

const raw = rule("raw", "megatron/training/arguments.py: parse_args", (stage, plan, cluster) => {
  const { faults, contradictions, beside, raw: said, table, arguments: all } = launchOf({ stage, plan, cluster });
  const file = all.find(({ dest }) => dest === "yaml_cfg");
  const old = said.filter(({ argument }) => argument.deprecated === true);
  // A rule that speaks of one says what has become of it.
  const told = new Set(old.length === 0 ? [] : launch.check(stage, plan, cluster).map((each) => each.span.start));
  return [
    ...(file === undefined
      ? []
      : [
          engineRawConflict(file.span, {
            ...{ key: "yaml_cfg", raw: String(file.value) },
            ...{ derived: "every argument, whose place the file would take", from: "the stage" },
          }),
        ]),
    ...faults.map((fault) => diagnosticOfFault(fault, table)),
    ...[...contradictions, ...beside].map((one) => diagnosticOfContradiction(one, stage, plan, cluster)),
    ...old
      .filter(({ span }) => !told.has(span.start))
      .map(({ key, span, argument: { deprecation } }) =>
        engineRawDeprecated(span, {
          key,
          status: deprecation?.status ?? "old",
          replacement: deprecation?.replacement ?? null,
        }),
      ),
  ];
});

const counted = rule("counted", "compiler/engines/megatron/stage/uncounted.ts", (stage, plan, cluster) => {
  if (inexpressible(plan.model).length > 0) return [];
  return launchOf({ stage, plan, cluster }).raw.flatMap(({ key, span, argument, value }) => {
    const what = uncounted[argument.dest];
    const isUsual = value === null || value === false || value === argument.default;
    return what === undefined || isUsual ? [] : [engineRawUncounted(span, { key, what })];
  });
});

/** What Bridge's configuration has no field for. */
const bridge = rule("bridge", "megatron/bridge/training/config.py: ConfigContainer", (stage, plan, cluster) => {
  const fields = bridgeOf(stage);
  if (fields === null || inexpressible(plan.model).length > 0) return [];
  const { model, batch } = plan;
  const engine = `Megatron Bridge ${fields.version}`;
  const { megatron } = stage;
  return [
    ...containerOf(launchOf({ stage, plan, cluster }), fields).unplaced.map(({ from, dest, span }) =>
      engineRawUnknown(span, { key: from.startsWith("raw.") ? from.slice(4) : dest, engine, nearest: null }),
    ),
    ...(model.positions === "learned" && model.context !== batch.sequence
      ? [
          engineModel(stage.model.family.span, {
            engine,
            family: `${model.family} with ${model.context} positions and sequences of ${batch.sequence}`,
            why: "it learns as many positions as a sequence has tokens",
          }),
        ]
      : []),
    ...(megatron.program === null
      ? []
      : [
          engineProperty(stage.engine?.span ?? stage.span, {
            engine,
            property: "program",
            value: megatron.program,
            valid: "a program of its own",
          }),
        ]),
  ];
});

/** Of samples that are longer than the model's context, which is told whatever the engine. */
const positionsCover = "cdr/megatron-positions-cover";

/** Everything the engine itself would say before its first step, at the properties that the arguments came from. */
const launch = rule(
  "launch",
  "megatron/training/arguments.py: validate_args; megatron/core/transformer/transformer_config.py: __post_init__",
  (stage, plan, cluster) => {
    if (cluster.device.kind !== "gpu" || inexpressible(plan.model).length > 0) return [];
    if (narrowFaults(stage, cluster.device).length > 0) return [];
    const lowered = launchOf({ stage, plan, cluster });
    if (lowered.faults.length + lowered.contradictions.length + lowered.late.length > 0) return [];
    const { line, surroundings } = surroundingsOf(lowered, plan, cluster);
    const judgement = judge(line, lowered.table, surroundings);
    const isLong = plan.batch.sequence > plan.model.context;
    return [
      ...complaintsOf(line, lowered.table),
      ...diagnosticsOfMegatron(line, judgement, {
        program: stage.engine?.span ?? stage.span,
        env: new Map(),
        own: [...stage.rawMegatronSpans.values()],
      })
        .filter(({ code }) => isDemanded(code, lowered.table.version) && !(isLong && code === positionsCover))
        // The engine's own checks pass these, and its parts refuse them when they are built: here nobody else starts it.
        .map((each): Diagnostic => (refusals.has(each.code) ? { ...each, severity: "error" } : each)),
    ];
  },
);

export const rules: readonly Rule[] = [
  ...[
    version,
    late,
    device,
    model,
    choices,
    precision,
    slowPrecision,
    unfusedHeads,
    tuning,
    rawUnread,
    raw,
    kept,
    conversations,
    counted,
    bridge,
    launch,
  ],
];

function diagnosticOfFault(fault: RawFault, table: ArgumentTable): Diagnostic {
  const { key, span } = fault;
  switch (fault.kind) {
    case "unknown": {
      const history = historyOf(`--${key.replace(/^-+/, "").replaceAll("_", "-")}`, table.version);
      const names = [...table.byName.keys()].map((name) => name.replace(/^-+/, "").replaceAll("-", "_"));
      const best = history === null ? nearestArgument(key.replace(/^-+/, "").replaceAll("-", "_"), names) : null;
      return engineRawUnknown(
        span,
        { key, engine: `megatron ${table.version}`, nearest: best, history },
        { fixes: best === null ? [] : [replacement(span, best)] },
      );
    }
    case "switch":
      return engineRawSwitch(span, { key }, { valid: ["true", "false"] });
    case "twice": {
      const { other } = fault;
      const related = [{ message: `${other.key} is given here`, span: other.span }];
      return engineRawTwice(span, { key, other: other.key, option: fault.argument.names[0] ?? "" }, { related });
    }
    case "count": {
      const { nargs = "one" } = fault.argument;
      const worded = new Map<unknown, string>([
        ["one", "one value"],
        ["+", "one value or more"],
        ["*", "a list of values"],
      ]);
      const wanted = worded.get(nargs) ?? `${nargs} values`;
      return engineRawType(span, { key, value: "what is given", wanted });
    }
    case "type":
      return engineRawType(span, { key, value: fault.word.text ?? "", wanted: fault.expected });
    case "choice":
      return engineRawType(
        span,
        { key, value: fault.word.text ?? "", wanted: `one of ${fault.choices.join(", ")}` },
        { valid: fault.choices },
      );
  }
}

function diagnosticOfContradiction(
  { raw: written, derived, isWordless }: Contradiction,
  stage: StageStep,
  plan: StagePlan,
  cluster: ClusterSpec,
): Diagnostic {
  const shown = (value: unknown): string =>
    typeof value === "string"
      ? value.replace(/^\{(\w+)\}/, (_, name: string) => `$CDR_${name.toUpperCase()}`)
      : value === null
        ? "none"
        : JSON.stringify(value);
  const { from } = derived;
  const slots = { key: written.key, raw: shown(written.value), derived: shown(derived.value), from };
  const message = `${from} says ${shown(derived.value)}`;
  const related = [{ message, span: spanOf({ stage, plan, cluster }, derived) }];
  if (isWordless) return engineRawBeside(written.span, slots, { related });
  const instead = wordFor(derived, written.value);
  return engineRawConflict(written.span, { ...slots, instead }, { valid: [shown(derived.value)], related });
}
