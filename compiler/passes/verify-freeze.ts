/** A share of the layers that comes to none of them, to all, or to no more than another one. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { freezeLayers } from "../diagnostics/stage.ts";
import type { TuningSpec } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import { frozenLayers } from "../planner/adapter/frozen-layers.ts";
import { textIn } from "./resolve/expectations.ts";
import { argument, numberOf } from "./resolve/read.ts";
import { freezesOf } from "./resolve/tuning.ts";

export function frozen(block: Instance, tuning: TuningSpec, { model }: StagePlan): Diagnostic[] {
  const shares = freezesOf(block).flatMap(({ choice, said }) => {
    const share = numberOf(argument(choice, "share"));
    return share === null ? [] : [{ share, span: said.span, written: textIn(said) }];
  });
  const widest = shares.find(({ share }) => share === tuning.freeze?.lower);
  return shares.flatMap(({ share, span, written }): Diagnostic[] => {
    const slots = (why: string) => ({ written, layers: model.layers, why });
    if (widest !== undefined && share < widest.share) {
      const related = [{ message: "the larger share", span: widest.span }];
      return [
        freezeLayers(span, slots(`adds nothing to \`${widest.written}\`, which starts at the input too`), {
          related,
        }),
      ];
    }
    const still = frozenLayers({ lower: share, tables: false }, model.layers);
    if (still === 0) return [freezeLayers(span, slots("is less than one layer: none is frozen"))];
    return still < model.layers
      ? []
      : [allFrozen(tuning, model.tied, (why, more) => freezeLayers(span, slots(why), more))];
  });
}

type Told = (why: string, more: Parameters<typeof freezeLayers>[2]) => Diagnostic;

function allFrozen({ adapters, freeze }: TuningSpec, isTied: boolean, tell: Told): Diagnostic {
  if (adapters !== null) {
    const related = [{ message: "the adapters", span: adapters.span }];
    const why = "freezes all of them, which leaves no layer for an adapter: nothing is trained";
    return tell(why, { severity: "error", related });
  }
  const tables = freeze?.tables === true ? "" : "tables, ";
  const left = freeze?.tables === true && isTied ? "the last norm is" : `${tables}the last norm and the head are`;
  return tell(`freezes all of them: only ${left} trained`, { severity: "info" });
}
