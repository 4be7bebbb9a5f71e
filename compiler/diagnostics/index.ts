/** Every diagnostic there is, for `cdrc explain` and for the tests that hold each to its page and its case. */
import type { Definition } from "../../dsl/diagnostics/diagnostic.ts";
import * as names from "../../dsl/diagnostics/catalog/names.ts";
import * as phases from "../../dsl/diagnostics/catalog/phases.ts";
import * as properties from "../../dsl/diagnostics/catalog/properties.ts";
import * as settings from "../../dsl/diagnostics/catalog/settings.ts";
import * as syntax from "../../dsl/diagnostics/catalog/syntax.ts";
import * as calls from "../../dsl/diagnostics/catalog/calls.ts";
import * as formulas from "../../dsl/diagnostics/catalog/formulas.ts";
import * as unused from "../../dsl/diagnostics/catalog/unused.ts";
import * as values from "../../dsl/diagnostics/catalog/values.ts";
import * as architecture from "./architecture.ts";
import * as artefacts from "./artefacts.ts";
import * as batch from "./batch.ts";
import * as data from "./data.ts";
import * as deepspeed from "./deepspeed.ts";
import * as engine from "./engine.ts";
import * as engineRaw from "./engine-raw.ts";
import { foreignRules } from "../foreign/rules/index.ts";
import * as foreign from "./foreign.ts";
import { demands as deepspeedDemands } from "../engines/deepspeed/demands/index.ts";
import { rules as megatronRules } from "../engines/megatron/rules/index.ts";
import * as imports from "./import.ts";
import * as layout from "./layout.ts";
import * as lock from "./lock.ts";
import * as megatron from "./megatron.ts";
import * as operations from "./operations.ts";
import * as budgets from "./budgets.ts";
import * as packages from "./packages.ts";
import * as places from "./places.ts";
import * as security from "./security.ts";
import * as pods from "./pods.ts";
import * as pipeline from "./pipeline.ts";
import * as rows from "./rows.ts";
import * as run from "./run.ts";
import * as plugin from "./plugin.ts";
import * as size from "./size.ts";
import * as course from "./course.ts";
import * as kernels from "./kernels.ts";
import * as losses from "./losses.ts";
import * as objectives from "./objectives.ts";
import * as stage from "./stage.ts";
import * as slurm from "./slurm.ts";

type Page = Pick<Definition<never>, "code" | "severity" | "explanation" | "fix" | "source">;

export const allDefinitions: readonly Page[] = [
  syntax,
  names,
  phases,
  properties,
  values,
  calls,
  settings,
  unused,
  formulas,
  operations,
  artefacts,
  architecture,
  budgets,
  packages,
  places,
  security,
  pipeline,
  pods,
  run,
  lock,
  plugin,
  size,
  batch,
  data,
  rows,
  layout,
  engine,
  engineRaw,
  deepspeed,
  foreign,
  imports,
  megatron,
  slurm,
  stage,
  losses,
  objectives,
  kernels,
  course,
]
  .flatMap((catalog): unknown[] => Object.values(catalog))
  .concat(megatronRules.map(({ diagnostic }) => diagnostic))
  .concat(deepspeedDemands.map(({ diagnostic }) => diagnostic))
  .concat(foreignRules.map(({ diagnostic }) => diagnostic))
  .filter(
    (each): each is Page & (() => void) => typeof each === "function" && "code" in each && "explanation" in each,
  );
