/** What a launch asks of Kubernetes. */
import { baseOf } from "../../../dsl/eval/blocks/inherited.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue, Valued } from "../../../dsl/types/value.ts";
import type { KubernetesOptions, LaunchSpec, Mount } from "../../pipeline.ts";
import { argument, blockAt, numberAt, numberOf, textAt, textOf, valued } from "./read.ts";

export function kubernetesOf(target: ChoiceValue, launch: Instance, cluster: Instance | null): LaunchSpec["target"] {
  const made = argument(target, "controller");
  const controller = made?.kind === "choice" ? made : null;
  const text = (name: string): string | null => textOf(argument(target, name));
  const number = (name: string): number | null => numberOf(argument(target, name));
  const ofController = (name: string) => (controller === null ? undefined : argument(controller, name));
  const rdma = number("rdma");
  return {
    kind: "kubernetes",
    namespace: text("namespace") ?? "default",
    version: releaseOf(text("version")),
    controller: (controller?.name ?? "pytorchjob") as KubernetesOptions["controller"],
    retries: numberOf(ofController("retries")) ?? 3,
    backoff: numberOf(ofController("backoff")),
    queue: textOf(ofController("queue")),
    cpu: number("cpu"),
    memory: number("memory"),
    shm: number("shm") ?? 0,
    devices:
      text("devices") ?? (cluster !== null && isAmd(blockAt(cluster, "gpu")) ? "amd.com/gpu" : "nvidia.com/gpu"),
    rdma: rdma === null ? null : { count: rdma, resource: text("rdma_devices") ?? "rdma/hca" },
    spot: text("spot") as KubernetesOptions["spot"],
    selector: text("selector"),
    priority: text("priority"),
    time: number("time"),
    ready: number("ready") ?? 1800,
    grace: number("grace") ?? 120,
    image: textAt(launch, "image"),
    mounts: mountsOf(launch),
  };
}

function releaseOf(written: string | null): KubernetesOptions["version"] {
  const [, major, minor = "0"] = /^v?(\d+)(?:\.(\d+))?/.exec(written ?? "") ?? [];
  return major === undefined ? null : [Number(major), Number(minor)];
}

/** By the device of the standard library that it is or extends. */
function isAmd(gpu: Instance | null): boolean {
  if (gpu === null) return false;
  return /^mi\d/.test(gpu.symbol?.name.text ?? "") || isAmd(baseOf(gpu));
}

function mountsOf(launch: Instance): readonly Mount[] {
  const { value } = valued(launch, "mounts");
  return value.kind === "list" ? value.items.flatMap(mountOf) : [];
}

/** A folder appears under its own path. */
function mountOf({ value, span }: Valued): Mount[] {
  const folder = textOf(value);
  const none = { access: null, size: null, class: null };
  if (folder !== null) return [{ name: folder, span, at: folder, path: folder, ...none }];
  if (value.kind !== "block") return [];
  const { block } = value;
  return [
    {
      name: block.name ?? "store",
      span,
      at: textAt(block, "at") ?? "",
      path: textAt(block, "mount"),
      access: textAt(block, "access") as Mount["access"],
      size: numberAt(block, "size"),
      class: textAt(block, "class"),
    },
  ];
}
