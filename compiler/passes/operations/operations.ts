import { valueCycle } from "../../../dsl/diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../../dsl/eval/program.ts";
import type { Pipeline } from "../../pipeline.ts";
import type { Plan } from "../../plan.ts";
import type { Courses } from "../courses.ts";
import { launchesOf } from "../resolve/launches-of.ts";
import { architecture } from "./architecture.ts";
import { bounds } from "./bounds.ts";
import { budget } from "./budget.ts";
import { circles } from "./circles.ts";
import { curricula } from "./curricula.ts";
import { handles } from "./handles.ts";
import { lineage } from "./lineage.ts";
import { packages } from "./packages.ts";
import { places } from "./places.ts";
import { products } from "./products.ts";
import { pushes } from "./pushes.ts";
import { repeated } from "./repeated.ts";
import { restarts } from "./restarts.ts";
import { security } from "./security.ts";
import { workflows } from "./workflows.ts";

/** What blocks say against one another around the training itself: tokens, places, time, restarts, packages, open doors. */
export function operations(program: Program, pipeline: Pipeline, plan: Plan, courses: Courses): Diagnostic[] {
  const blocks = program.blocks.filter((block) => !block.abstract && isPresent(block));
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
    ...products(blocks),
    ...pushes(blocks),
    ...repeated(blocks),
    ...places(blocks),
    ...restarts(blocks, launchesOf(program), pipeline.launch.span),
    ...packages(blocks),
    ...security(blocks),
  ];
}
