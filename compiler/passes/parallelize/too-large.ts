/** A stage whose leanest layout does not fit, and what would. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { memoryExceeded, memoryHost, memoryTight } from "../../diagnostics/layout.ts";
import { trainsWith } from "../../engines/engine.ts";
import { engines } from "../../engines/index.ts";
import { bytes, largestPart, layoutText } from "../../planner/describe.ts";
import { hostRoom, largestHost } from "../../planner/host.ts";
import { fitOf, hostFits, type Evaluated } from "../../planner/search/evaluate.ts";
import { leastThatHolds } from "./least.ts";
import { leversOf, type Lever } from "./levers.ts";
import { namedWith, type Tried } from "./named.ts";
import { settingOf } from "./setting-of.ts";
import { settingsFor, type Asked } from "./settings-for.ts";

/** `all`: the engines that the stage may have. Beyond the limit by more than the estimate can be wrong it is an error, otherwise a warning. */
export function tooLarge(asked: Asked, best: Evaluated, all: readonly Tried[]): Diagnostic {
  const { stage } = asked;
  const { memory, choice, setting } = best;
  const settings = settingsFor(asked)(stage.layout);
  const span = stage.layout.given.get("micro_batch")?.span ?? stage.span;
  const slots = {
    peak: bytes(memory.peak),
    usable: bytes(memory.usable),
    layout: layoutText(choice, setting.details),
  };
  const { ram } = setting.cluster;
  const oneOf = (ways: readonly string[]): string => {
    const text = ways.join(", or ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  };
  const ways = (fitting: readonly Lever[]): string => oneOf(fitting.map((lever) => lever.fix));
  const fits = (fitting: readonly Lever[]): string =>
    `; on these devices it fits ${fitting.map(({ text }) => text).join(", or ")}`;
  const fit = fitOf(memory);
  if (!hostFits(setting, memory) && fit !== "no") {
    const room = bytes(hostRoom(setting.cluster));
    const have =
      ram === null
        ? `at most ${room} usable: the cluster has no \`ram\`, and no known node has more than ${bytes(largestHost)}`
        : `${room} usable, 90 % of ${bytes(ram)}`;
    const offloads = choice.offload !== "none";
    const what = offloads ? "offloading needs" : `${setting.cluster.gpusPerNode} processes of a node need`;
    const fix = offloads
      ? "Use more nodes, or name a cluster whose nodes have more `ram`: every layout that the file allows was tried."
      : "Name a cluster whose nodes have more `ram`: each process takes a few GiB of it, and builds the whole model there first, except under Megatron and stage 3 of DeepSpeed.";
    const fitting = leversIn(asked, all);
    return memoryHost(
      span,
      {
        ...{ what, need: bytes(memory.host_peak), have },
        ...{
          advice: fitting.length > 0 ? fits(fitting) : "",
          least: leastThatHolds(settings, stage.layout, fitting.length > 0),
        },
      },
      { fix: fitting.length > 0 ? ways(fitting) : fix },
    );
  }
  const fitting = leversIn(asked, all);
  if (fit !== "no") {
    // Of GPUs a calibration measures no memory.
    const surer =
      setting.cluster.device.kind === "cpu"
        ? "calibrate the cluster, which narrows the estimate"
        : "try a few steps before a long run";
    const room =
      fitting.length > 0 ? fitting.map((lever) => lever.fix) : ["use more devices, or ones with more memory"];
    const fix = oneOf([...room, surer]);
    return memoryTight(span, { ...slots, isOver: memory.peak > memory.usable }, { fix });
  }
  const advice = fitting.length > 0 ? fits(fitting) : "; on these devices no other layout of any engine fits";
  const text = {
    ...slots,
    largest: largestPart(memory),
    advice,
    least: leastThatHolds(settings, stage.layout, fitting.length > 0),
  };
  const fix =
    fitting.length > 0
      ? ways(fitting)
      : "Use more devices, devices with more memory, or a smaller model: every layout that the file allows was tried.";
  const { device, origins } = setting.cluster;
  // Where a program without a model would not fit, the figure is wrong and not the stage.
  const isFigure = memory.parts.runtime > Math.max(memory.usable, memory.peak / 2);
  const said = origins?.ram?.kind === "written" ? origins.ram.span : null;
  const isOwn = said !== null && !said.source.path.startsWith("std/");
  return device.kind === "cpu" && isOwn && isFigure
    ? memoryExceeded(said, text, { fix, related: [{ message: "the stage", span }] })
    : memoryExceeded(span, text, { fix });
}

/** Pins that may go, and engines that the stage would have to name. */
function leversIn(asked: Asked, all: readonly Tried[]): readonly Lever[] {
  const { stage, cluster, model, globalBatch } = asked;
  const foreign = Object.values(engines)
    .filter((engine) => !all.some(({ engine: { name } }) => name === engine.name))
    .filter((engine) => trainsWith(engine, stage.optimizer.name))
    .flatMap((engine) => namedWith(stage, engine, cluster, model) ?? [])
    .map((one) => settingOf(one.stage, cluster, model, globalBatch, one.engine));
  return leversOf(stage, settingsFor({ ...asked, without: [] }), foreign);
}
