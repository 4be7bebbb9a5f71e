/** The drawings of a plan's page, as vega-lite says them. */
import type { TopLevelSpec } from "vega-lite";
import type { ScalePoint } from "../../compiler/passes/parallelize/scaling.ts";
import type { MemoryPlan, StagePlan } from "../../compiler/plan.ts";

const GiB = 2 ** 30;

/** Pixels of what is drawn beside the labels: on a screen, and on a telephone. */
export const widths = { broad: 720, narrow: 170 } as const;
const parts = ["weights", "gradients", "optimizer", "activations", "logits", "buffers", "runtime"] as const;
const partInks = ["#0a0b05", "#0a0b06", "#0a0b07", "#0a0b08", "#0a0b09", "#0a0b0a", "#0a0b0b"];

/** What each rank of a pipeline holds at its worst instant, against what it may. */
export function memoryDrawing({ ranks, usable, parts: fullest, peak }: MemoryPlan, width: number): TopLevelSpec {
  const values = ranks.flatMap((rank) =>
    parts.map((part, order) => ({
      rank: ranks.length === 1 ? "every rank" : `stage ${rank.pipeline_stage}`,
      part,
      order,
      gib: (rank.parts?.[part] ?? (fullest[part] * rank.peak) / peak) / GiB,
    })),
  );
  return {
    width,
    height: { step: 24 },
    layer: [
      {
        data: { values },
        mark: { type: "bar", height: { band: 0.8 } },
        encoding: {
          y: { field: "rank", type: "nominal", title: null, sort: null },
          x: { field: "gib", type: "quantitative", title: "GiB", stack: "zero" },
          order: { field: "order" },
          color: {
            field: "part",
            type: "nominal",
            sort: [...parts],
            scale: { domain: [...parts], range: partInks },
            legend: {
              title: null,
              orient: "bottom",
              direction: "horizontal",
              columns: width === widths.narrow ? 2 : 0,
            },
          },
        },
      },
      {
        data: { values: [{ gib: usable / GiB }] },
        mark: { type: "rule", color: "#0a0b01", strokeDash: [4, 3] },
        encoding: { x: { field: "gib", type: "quantitative" } },
      },
    ],
  };
}

/** Where time goes, one part after the other. */
export function waterfallDrawing(
  spent: StagePlan["time"]["parts"],
  whole: number,
  unit: "seconds" | "hours",
  width: number,
): TopLevelSpec {
  let at = 0;
  const values = Object.entries(spent)
    .filter(([, amount]) => amount > 0.001 * whole)
    .sort((a, b) => b[1] - a[1])
    .map(([part, amount]) => {
      const from = at;
      at += amount;
      const share = (100 * amount) / whole;
      return { part: partName(part), from, to: at, label: `${share.toFixed(share < 10 ? 1 : 0)} %` };
    });
  const y = {
    field: "part",
    type: "nominal",
    title: null,
    sort: null,
    axis: { labelLimit: 240 },
  } as const;
  return {
    width,
    height: { step: 24 },
    data: { values },
    layer: [
      {
        mark: { type: "bar", color: "#0a0b05", height: { band: 0.8 } },
        encoding: {
          y,
          x: { field: "from", type: "quantitative", title: unit },
          x2: { field: "to" },
        },
      },
      {
        mark: { type: "text", align: "left", dx: 5, color: "#0a0b01" },
        encoding: { y, x: { field: "to", type: "quantitative" }, text: { field: "label" } },
      },
    ],
  };
}

const partName = (part: string): string => part.replace("_comm", " communication").replaceAll("_", " ");

type Planned = ScalePoint & { readonly plan: NonNullable<ScalePoint["plan"]> };

const planned = (points: readonly ScalePoint[]): Planned[] =>
  points.filter((point): point is Planned => point.plan !== null);

/** Speed over devices, beside what as many would reach at the best speed of a device. `here`: the devices of the file's cluster. */
export function speedDrawing(points: readonly ScalePoint[], here: number, width: number): TopLevelSpec {
  const all = planned(points);
  const each = Math.max(0, ...all.map(({ devices, plan }) => plan.tokens_per_second / devices));
  const values = all.flatMap(({ devices, plan }) => [
    { devices, speed: plan.tokens_per_second, of: "best plan" },
    { devices, speed: devices * each, of: "nothing lost" },
  ]);
  const speed = { field: "speed", title: "tokens per second", marks: marksOver(values.map((value) => value.speed)) };
  return {
    ...sized(values, width),
    layer: [
      curve(speed),
      {
        transform: [{ filter: `datum.devices === ${here} && datum.of === 'best plan'` }],
        mark: { type: "point", size: 130, color: "#0a0b03", filled: false },
        encoding: encodingOf(speed),
      },
    ],
  };
}

/** What of each device's speed is left as devices are added. */
export function scalingDrawing(points: readonly ScalePoint[], width: number): TopLevelSpec {
  const all = planned(points);
  const best = Math.max(...all.map(({ devices, plan }) => plan.tokens_per_second / devices));
  const values = all.map(({ devices, plan }) => ({
    devices,
    share: (100 * plan.tokens_per_second) / devices / best,
    of: "best plan",
  }));
  return {
    ...sized(values, width),
    layer: [curve({ field: "share", title: "% of the best speed of a device" }, false)],
  };
}

const sized = (values: readonly object[], width: number) => ({ width, height: 220, data: { values: [...values] } });

interface Axis {
  readonly field: string;
  readonly title: string;
  /** Of a logarithmic scale: where it is marked. */
  readonly marks?: readonly number[];
}

/** Round numbers around all values: 1, 2 and 5 of each power of ten, or its powers alone where those are many. */
function marksOver(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const steps = most / least > 100 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: 40 }, (_, power) => 10 ** (power - 10));
  const round = powers.flatMap((power) => steps.map((step) => step * power));
  const from = round.findLastIndex((value) => value <= least);
  const to = round.findIndex((value) => value >= most);
  return round.slice(Math.max(0, from), to < 0 ? undefined : to + 1);
}

const encodingOf = ({ field, title, marks }: Axis) =>
  ({
    x: {
      field: "devices",
      type: "quantitative",
      title: "devices",
      scale: { type: "log", base: 2 },
      axis: { grid: false, format: "d" },
    },
    y: {
      field,
      type: "quantitative",
      title,
      scale:
        marks === undefined
          ? { zero: true }
          : { type: "log" as const, domain: [marks[0] ?? 1, marks.at(-1) ?? 10], nice: false },
      axis: { format: "~s", ...(marks === undefined ? { tickCount: 5 } : { values: [...marks] }) },
    },
  }) as const;

const curve = (axis: Axis, isNamed = true) =>
  ({
    mark: { type: "line", strokeWidth: 1.8, point: true },
    encoding: {
      ...encodingOf(axis),
      color: {
        field: "of",
        type: "nominal",
        sort: null,
        scale: { range: ["#0a0b03", "#0a0b0b"] },
        legend: isNamed ? { title: null, orient: "top-left" } : null,
      },
    },
  }) as const;
