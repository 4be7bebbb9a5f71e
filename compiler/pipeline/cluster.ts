/** What a step runs on. */
import type { Origin } from "../../dsl/eval/origin.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Calibration } from "../calibration.ts";

/** One kind of device; figures are the vendor's dense peaks, in FLOP/s and bytes/s. */
export interface Device {
  readonly name: string;
  readonly kind: "gpu" | "cpu";
  readonly memory: number;
  readonly flops: {
    readonly fp32: number;
    readonly bf16: number;
    readonly fp16: number;
    readonly fp8?: number;
    readonly fp4?: number;
  };
  readonly bandwidth: number;
  /** Watts, by its data sheet. */
  readonly power?: number;
}

export interface ClusterSpec {
  readonly name: string;
  readonly span: Span;
  readonly device: Device;
  readonly nodes: number;
  /** Devices per node; for a CPU machine, processes per node. */
  readonly gpusPerNode: number;
  /** Host memory per node in bytes and cores per node; `null` where nobody said. */
  readonly ram: number | null;
  readonly cores: number | null;
  /** Bytes of a node's own disk, where somebody said. */
  readonly disk?: number;
  /** Bytes/s, one direction, per device inside a node and per node between nodes. */
  readonly link: number;
  readonly network: number;
  /** Dollars per device and hour. */
  readonly price: number | null;
  /** Where a launch takes machines that may be reclaimed: their price, and how many nodes are none of them. */
  readonly spot?: { readonly price: number | null; readonly kept: number };
  /** What was measured of it, as far as the file says. */
  readonly calibration?: Partial<Calibration>;
  /** Where its figures come from; absent of a machine that nobody described. */
  readonly origins?: Readonly<Record<"memory" | "nodes" | "gpus", Origin>> & { readonly ram: Origin | null };
  /** Where the file leaves the number of nodes to the planner. */
  readonly open?: OpenNodes;
}

/** What decides between numbers of nodes. */
export type Preference = "cheapest" | "fastest" | "fewest";

export interface OpenNodes {
  /** Ascending. */
  readonly nodes: readonly number[];
  readonly prefer: Preference;
  /** How the number in `nodes` of the cluster was chosen; absent until it is. */
  readonly reason?: string;
}
