/** Program -> pipeline: every step that a file says, checked against the others, in the order of their references. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../../dsl/eval/program.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import { referencesIn } from "../../../dsl/eval/expressions/references-in.ts";
import { modelMismatch, sequenceConflict, tokenizerMismatch } from "../../diagnostics/pipeline.ts";
import { nothingToRun } from "../../diagnostics/run.ts";
import type {
  DataStep,
  EvalStep,
  Pipeline,
  PipelineStep,
  SampleStep,
  StageStep,
  TokenizerStep,
} from "../../pipeline.ts";
import { byName } from "../by-name.ts";
import { sameTokens } from "../operations/same-tokens.ts";
import { contradictions } from "./contradictions.ts";
import { dataStep, sourcesOf } from "./data.ts";
import { launchSpec, type Where } from "./launch.ts";
import { argument, blockAt, numberAt, numberOf, textOf, valued } from "./read.ts";
import { unreadRaw } from "./raw.ts";
import { modelRequest } from "./model.ts";
import { handleAt } from "./handle.ts";
import { checkPlace } from "./stage-place.ts";
import { stageStep } from "./stage.ts";
import { checkEval, checkStage, checkSweep } from "./stage-checks.ts";
import { linked } from "./linked.ts";
import { tokenizerStep } from "./tokenizer.ts";

export interface Resolved {
  readonly pipeline: Pipeline;
  readonly diagnostics: readonly Diagnostic[];
}

export function resolve(program: Program, where: Where): Resolved {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic);
  };
  const launch = launchSpec(program, where, report);
  const concrete = program.blocks.filter((block) => !block.abstract && isPresent(block));
  const of = (kind: string) => concrete.filter((block) => block.kind.name === kind);

  const stages = of("stage").map((block) => ({ block, step: stageStep(block, launch.cluster, report) }));
  const complete = stages.flatMap(({ block, step }) => (step === null ? [] : [{ block, step }]));
  const readers = [
    ...complete.map(({ block, step }) => ({
      data: blockAt(block, "data"),
      sequence: fitting(block, step.sequence.value),
      name: step.name,
      span: block.values.has("context") ? step.sequence.span : block.span,
    })),
    ...of("eval").map((block) => ({
      data: dataOf(block),
      sequence: null,
      name: block.name ?? "eval",
      span: block.span,
    })),
  ];
  const data = dataSteps(
    [...of("data"), ...readers.flatMap((r) => (r.data === null ? [] : [r.data]))],
    readers,
    report,
  );
  const tokenizers = tokenizerSteps(
    [...of("tokenizer"), ...data.flatMap(({ block }) => blockAt(block, "tokenizer") ?? [])],
    report,
  );
  for (const { block } of stages) for (const diagnostic of unreadRaw(block)) report(diagnostic);
  for (const { block, step } of complete) checkAncestry(block, step, report);
  for (const block of concrete) for (const diagnostic of contradictions(block)) report(diagnostic);
  for (const { block } of stages) checkStage(block, report);
  for (const { block } of stages) checkPlace(block, launch, report);
  // What is named somewhere may be listed by a stage, in a variant too; what is imported, by a stage of another file.
  let named: ReadonlySet<string> | undefined;
  const isNamed = ({ name }: Instance): boolean =>
    (named ??= new Set(referencesIn(program.root.file.statements))).has(name ?? "");
  const isAlone = (block: Instance) => stages.length > 0 && block.symbol?.module === program.root && !isNamed(block);
  for (const block of of("eval")) checkEval(block, isAlone(block), report);
  for (const block of of("sweep")) checkSweep(block, report);

  const steps: PipelineStep[] = [
    ...tokenizers,
    ...data.map(({ step }) => step),
    ...complete.map(({ step }) => step),
    ...of("eval").flatMap((block) => evalStep(block, report) ?? []),
    ...of("sample").flatMap((block) => sampleStep(block, report) ?? []),
  ];
  // A file that only brings names to others has nothing to run, and is none the worse for it; of values at its top more is said.
  const givesNone = program.root.file.statements.every(({ kind }) => kind !== "assign");
  // What could not be imported may be a step.
  const bringsNone = !program.diagnostics.some(({ code }) => code.startsWith("cdr/import-"));
  if (program.blocks.length === 0 && program.root.names.size === 0 && givesNone && bringsNone) {
    report(nothingToRun({ source: program.root.file.source, start: 0, end: 0 }, {}));
  }
  return { pipeline: { steps: linked(ordered(steps, program)), launch }, diagnostics };
}

/** What the model's context holds; that longer samples do not fit in it is told with the plan. */
function fitting(stage: Instance, sequence: number): number | null {
  const model = blockAt(stage, "model");
  const most = model === null ? null : numberAt(model, "context");
  return most !== null && sequence > most ? null : sequence;
}

/** A length of samples, and who says it. */
interface Length {
  readonly sequence: number | null;
  readonly name: string;
  readonly span: DataStep["span"];
}

interface Reader extends Length {
  readonly data: Instance | null;
}

/** Each data block once, packed for the stages that read it. */
function dataSteps(
  blocks: readonly Instance[],
  readers: readonly Reader[],
  report: (d: Diagnostic) => void,
): { block: Instance; step: DataStep }[] {
  return [...new Set(blocks)].map((block) => {
    const { span, value } = valued(block, "sequence");
    const own = numberOf(value);
    const wanted: readonly Length[] = [
      ...(own === null ? [] : [{ name: `${block.name}.sequence`, sequence: own, span }]),
      ...readers.filter((reader) => reader.data === block && reader.sequence !== null),
    ];
    const first = wanted.at(0);
    for (const other of wanted) {
      if (first === undefined || other.sequence === first.sequence) continue;
      const say = (said: Length) => `\`${said.name}\` (${said.sequence} tokens)`;
      const related = [{ message: "the first length", span: first.span }];
      report(
        sequenceConflict(other.span, { data: block.name ?? "", first: say(first), second: say(other) }, { related }),
      );
    }
    return { block, step: dataStep(block, first?.sequence ?? 1024, report) };
  });
}

function tokenizerSteps(blocks: readonly Instance[], report: (d: Diagnostic) => void): TokenizerStep[] {
  return [...new Set(blocks)].flatMap(
    (block) => tokenizerStep(block, (data) => sourcesOf(data, report), report) ?? [],
  );
}

/** Weights go on only where the model is the same and tokens mean the same. */
function checkAncestry(block: Instance, stage: StageStep, report: (d: Diagnostic) => void): void {
  const { value } = valued(block, "from");
  if (value.kind !== "handle") return;
  const parent = value.block;
  const [model, before] = [blockAt(block, "model"), blockAt(parent, "model")];
  const at = valued(block, "from").span;
  if (model !== null && before !== null && model !== before && !sameWeights(model, before)) {
    report(
      modelMismatch(
        at,
        { stage: stage.name, from: parent.name ?? "" },
        { related: [{ message: "its model", span: valued(parent, "model").span }] },
      ),
    );
  }
  const [own, old] = [blockAt(block, "data"), blockAt(parent, "data")];
  if (own !== null && old !== null && own !== old && !sameTokens(own, old)) {
    report(
      tokenizerMismatch(
        at,
        { stage: stage.name, from: parent.name ?? "" },
        { related: [{ message: "its data", span: old.span }] },
      ),
    );
  }
}

/** A model that extends another and changes none of its figures holds the same weights, and perhaps more beside them. */
function sameWeights(model: Instance, before: Instance): boolean {
  const figures = (block: Instance): string => {
    const request = modelRequest(block, null);
    const size = request?.size == null ? null : [request.size.which, request.size.target, request.size.within];
    const given = [...(request?.given ?? [])].map(([name, { value }]) => [name, value] as const);
    const bounds = [...(request?.bounds ?? [])].map(
      ([name, { min, max, oneOf }]) => [name, min, max, oneOf] as const,
    );
    return JSON.stringify([request?.family.value, size, given.sort(alphabetic), bounds.sort(alphabetic)]);
  };
  return figures(model) === figures(before);
}

const alphabetic = ([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number =>
  a < b ? -1 : a > b ? 1 : 0;

const dataOf = (block: Instance): Instance | null => {
  const { value } = valued(block, "data");
  return value.kind === "block" || value.kind === "handle" ? value.block : null;
};

function evalStep(block: Instance, report: (d: Diagnostic) => void): EvalStep | null {
  const model = handleAt(block, "model", report);
  const data = dataOf(block);
  const { value } = valued(block, "data");
  if (model === null || data === null) return null;
  return {
    kind: "eval",
    name: block.name ?? "eval",
    span: block.span,
    needs: [model.step, data.name ?? "data"],
    model,
    data: data.name ?? "data",
    split: value.kind === "handle" && value.which === "train" ? "train" : "val",
    batches: numberAt(block, "length"),
    seed: numberAt(block, "seed") ?? 42,
  };
}

function sampleStep(block: Instance, report: (d: Diagnostic) => void): SampleStep | null {
  const model = handleAt(block, "model", report);
  const prompts = valued(block, "prompts").value;
  if (model === null || (prompts.kind !== "list" && prompts.kind !== "choice")) return null;
  return {
    kind: "sample",
    name: block.name ?? "sample",
    span: block.span,
    needs: [model.step],
    model,
    prompts:
      prompts.kind === "list"
        ? prompts.items.flatMap((item) => textOf(item.value) ?? [])
        : { file: textOf(argument(prompts, "path")) ?? "" },
    maxTokens: numberAt(block, "length") ?? 200,
    temperature: numberAt(block, "temperature") ?? 0.8,
    topK: numberAt(block, "top_k"),
    topP: numberAt(block, "top_p"),
    seed: numberAt(block, "seed") ?? 42,
  };
}

/** Each step after what it needs; otherwise as declared. */
function ordered(steps: readonly PipelineStep[], program: Program): PipelineStep[] {
  const called = new Map(steps.map((step) => [step.name, step]));
  const blocks = byName(program.blocks);
  const done = new Set<PipelineStep>();
  const visit = (step: PipelineStep, above: readonly PipelineStep[]): void => {
    // What waits for itself is told with what else waits.
    if (done.has(step) || above.includes(step)) return;
    for (const name of [...step.needs, ...afterOf(blocks.get(step.name))]) {
      const needed = called.get(name);
      if (needed !== undefined) visit(needed, [...above, step]);
    }
    done.add(step);
  };
  for (const step of steps) visit(step, []);
  return [...done];
}

function afterOf(block: Instance | undefined): string[] {
  if (block === undefined) return [];
  const { resolve, instanceOf } = block.context;
  return block.clauses.after.flatMap(({ path, module }) => {
    const symbol = resolve(path, module);
    return (symbol === null ? null : instanceOf(symbol)?.name) ?? [];
  });
}
