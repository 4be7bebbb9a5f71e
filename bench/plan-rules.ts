/** A plan of one stage with as many options of its engine written as there are, and all rules over it. */
import { alone } from "../test/support/alone.ts";
import { compile, type Compilation } from "../compiler/compile.ts";
import { keysOfConfig } from "../compiler/engines/deepspeed/sections.ts";
import type { Keys } from "../compiler/engines/deepspeed/key.ts";
import { modelOf } from "../compiler/engines/deepspeed/table.ts";
import { engines } from "../compiler/engines/index.ts";
import type { StageStep } from "../compiler/pipeline.ts";
import { argumentTable } from "../compiler/engines/megatron/table.ts";

export interface PlanRules {
  readonly engine: "megatron" | "deepspeed";
  readonly options: number;
  /** Judges the plan once; how many diagnostics that makes. */
  readonly judge: () => number;
}

const head = `import "std/clusters" { dgx_h100 }
data corpus { from = python_stdlib, tokenizer = bytes }
model m { family = llama, layers = 8, d_model = 1024, context = 1024 tokens }
`;

export function planRules(engine: PlanRules["engine"]): PlanRules {
  const written = engine === "megatron" ? ofMegatron() : ofDeepSpeed();
  // What the plan derives otherwise ends the judgement early, and is not written a second time.
  const refused = new Set(compiled(engine, written).diagnostics.flatMap(({ message }) => message.split(" ", 1)));
  const options = written.filter(({ path }) => !refused.has(path) && !refused.has(path.split(".")[0] ?? ""));
  const { pipeline, plan } = compiled(engine, options);
  const stage = pipeline.steps.find((step): step is StageStep => step.kind === "stage");
  const [planned] = plan.stages;
  if (stage === undefined || planned === undefined) throw new Error(`the stage of ${engine} has no plan`);
  // A plan is lowered once: each time is a new plan's.
  const judge = (): number => {
    const fresh = { ...planned };
    return engines[engine].rules.flatMap((rule) => rule.check(stage, fresh, pipeline.launch.cluster)).length;
  };
  return { engine, options: options.length, judge };
}

interface Option {
  /** Sections and name, with dots between. */
  readonly path: string;
  readonly value: string;
}

function compiled(engine: PlanRules["engine"], options: readonly Option[]): Compilation {
  const text = `${head}stage s {
  model = m
  data = corpus
  engine = ${engine}
  length = 10 steps
  batch = 64 samples
  optimizer = adamw(lr = 1e-3)
  raw ${engine} {\n${textOf(options)}\n}
}
cluster c extends dgx_h100 { nodes = 1 }
launch here on c { target = local }
`;
  return compile({ path: "bench.cdr", text }, alone);
}

/** Options of one section stand together. */
function textOf(options: readonly Option[]): string {
  const sections = Map.groupBy(options, ({ path }) => (path.includes(".") ? path.slice(0, path.indexOf(".")) : ""));
  return [...sections]
    .flatMap(([name, own]) =>
      name === ""
        ? own.map(({ path, value }) => `${path} = ${value}`)
        : [`${name} = {\n${textOf(own.map(({ path, value }) => ({ path: path.slice(name.length + 1), value })))}\n}`],
    )
    .join("\n");
}

/** Every option with a plain default, said as it is anyway. */
function ofMegatron(): readonly Option[] {
  return argumentTable("gpt").all.flatMap(({ dest, action, nargs, deprecated, default: usual }) =>
    action === undefined && nargs === undefined && deprecated !== true && /^(?:number|string)$/.test(typeof usual)
      ? [{ path: dest, value: JSON.stringify(usual) }]
      : [],
  );
}

function ofDeepSpeed(keys: Keys = keysOfConfig, before = ""): readonly Option[] {
  return Object.entries(keys).flatMap(([name, key]): readonly Option[] => {
    const path = `${before}${name}`;
    const inner = key.type === "section" ? key.keys : key.type === "model" ? modelOf(key.model ?? "") : null;
    if (inner !== null) return path.includes(".") ? [] : ofDeepSpeed(inner, `${path}.`);
    if (key.type === "section" || key.deprecated !== undefined) return [];
    const usual = key.default;
    return /^(?:number|boolean)$/.test(typeof usual) ? [{ path, value: JSON.stringify(usual) }] : [];
  });
}
