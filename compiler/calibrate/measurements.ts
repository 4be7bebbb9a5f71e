/** What the measuring program is asked, and what its answers say of a cluster by themselves. */
import type { Calibration } from "../calibration.ts";
import type { MeasureConfig } from "../bundle/programs.ts";
import type { ClusterSpec } from "../pipeline.ts";
import { quantile } from "./observation.ts";

const Mi = 2 ** 20;

export function measureConfig({ device }: ClusterSpec, step: string): MeasureConfig {
  const cpu = device.kind === "cpu";
  const scale = cpu ? 1 : 4;
  return {
    format: 1,
    step,
    seed: 1,
    rounds: cpu ? 5 : 10,
    dtypes: ["float32", "bfloat16"],
    products: [
      [128, 256, 1024],
      [512, 256, 768],
      [512, 1024, 256],
      [1024, 512, 512],
      [2048, 384, 1536],
      [512, 512, 8192],
    ].map(([rows = 1, inputs = 1, outputs = 1]) => [scale * rows, scale * inputs, scale * outputs] as const),
    bytes: [1 * Mi, 16 * Mi, 128 * Mi].map((size) => size * scale),
    attention: [
      [8, 4, 128, 64],
      [4, 4, 512, 32],
      [2, 4, 1024, 64],
    ].map(
      ([samples = 1, heads = 1, sequence = 1, width = 1]) =>
        [samples, scale * heads, scale * sequence, width] as const,
    ),
    messages: [4096, Mi, 8 * Mi, 32 * Mi].map((size) => size * scale),
  };
}

export interface Measurements {
  readonly device: string;
  readonly torch: string;
  readonly threads: number;
  readonly world: number;
  readonly cases: readonly Case[];
}

export type Case = { readonly seconds: number } & (
  | {
      readonly kind: "product";
      readonly dtype: string;
      readonly rows: number;
      readonly inputs: number;
      readonly outputs: number;
    }
  | { readonly kind: "memory"; readonly bytes: number }
  | {
      readonly kind: "attention";
      readonly batch: number;
      readonly heads: number;
      readonly sequence: number;
      readonly width: number;
    }
  | {
      readonly kind: "collective";
      readonly which: "reduce" | "gather";
      readonly bytes: number;
      readonly ranks: number;
    }
);

type Said = Pick<Calibration, "fp32" | "bf16" | "attention" | "link" | "latency">;

/** Medians of what the cases reach, by core where the device is a processor; of collectives the long ones give the link, the shortest the latency. */
export function saidBy({ device, threads, cases }: Measurements): Partial<Said> {
  const cores = device === "cpu" ? threads : 1;
  const rates = (of: (one: Case) => number | null): number | null =>
    quantile(
      cases.flatMap((one) => {
        const work = of(one);
        return work === null ? [] : [work / one.seconds / cores];
      }),
      0.5,
    );
  const product = (dtype: string) =>
    rates((one) => (one.kind === "product" && one.dtype === dtype ? 2 * one.rows * one.inputs * one.outputs : null));
  const attention = rates((one) =>
    one.kind === "attention" ? 6 * one.batch * one.heads * one.sequence ** 2 * one.width : null,
  );
  const collectives = cases.flatMap((one) => (one.kind === "collective" ? [one] : []));
  const longest = Math.max(0, ...collectives.map(({ bytes }) => bytes));
  const moved = ({ which, bytes, ranks }: (typeof collectives)[number]): number =>
    ((which === "reduce" ? 2 : 1) * bytes * (ranks - 1)) / ranks;
  const long = collectives.filter(({ bytes }) => bytes >= longest / 8 && bytes > 2 * Mi);
  const link = quantile(
    long.map((one) => moved(one) / one.seconds),
    0.5,
  );
  const latency = quantile(
    collectives
      .filter(({ bytes }) => bytes < 64 * 1024)
      .map(({ seconds, which, ranks }) => seconds / ((which === "reduce" ? 2 : 1) * (ranks - 1))),
    0.5,
  );
  const said = { fp32: product("float32"), bf16: product("bfloat16"), attention, link, latency };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
}
