import { valueCycle } from "../../../dsl/diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../../dsl/eval/program.ts";
import type { Pipeline } from "../../pipeline.ts";
import type { Plan } from "../../plan.ts";
import type { Courses } from "../courses.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { launchesOf } from "../resolve/launches-of.ts";
import { blockAt, numberAt, textsOf, valued } from "../resolve/read.ts";
import { architecture } from "./architecture.ts";
import { bounds } from "./bounds.ts";
import { budget } from "./budget.ts";
import { circles } from "./circles.ts";
import { curricula } from "./curricula.ts";
import { handles } from "./handles.ts";
import { lineage } from "./lineage.ts";
import { packages } from "./packages.ts";
import { places } from "./places.ts";
import { pushes } from "./pushes.ts";
import { repeated } from "./repeated.ts";
import { restarts } from "./restarts.ts";
import { products } from "./seldom.ts";
import { security } from "./security.ts";
import { workflows } from "./workflows.ts";

/** What blocks say against one another around the training itself: tokens, places, time, restarts, packages, open doors. */
export function operations(program: Program, pipeline: Pipeline, plan: Plan, courses: Courses): Diagnostic[] {
  const blocks = program.blocks.filter((block) => !block.abstract && isPresent(block));
  const made = blocks.filter(isProduct);
  return [
    ...architecture(blocks, program.root.file.source),
    ...handles(blocks),
    ...lineage(blocks),
    ...bounds(blocks),
    ...budget(blocks, courses),
    ...curricula(blocks, plan, courses),
    ...circles(
      blocks,
      program.diagnostics.filter(({ code }) => code === valueCycle.code).map(({ span }) => span),
    ),
    ...workflows(blocks),
    ...(made.length === 0 ? [] : products(made, pipeline.launch.target)),
    ...pushes(blocks),
    ...repeated(blocks),
    ...places(blocks),
    ...restarts(blocks, launchesOf(program), pipeline.launch.span),
    ...packages(blocks),
    ...security(blocks),
  ];
}

/** Most samples have room, however many bytes their prompts are, and open no door. */
function isProduct(block: Instance): boolean {
  const { name } = block.kind;
  if (name !== "sample") return name === "service" || name === "export";
  const { value: from } = valued(block, "model");
  const model = from.kind === "handle" ? blockAt(from.block, "model") : null;
  const room =
    model === null ? Infinity : (numberAt(model, "context") ?? Infinity) - (numberAt(block, "length") ?? 0);
  return room <= 4 * textsOf(valued(block, "prompts").value).join("").length;
}
