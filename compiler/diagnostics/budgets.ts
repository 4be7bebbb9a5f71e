/** Diagnostics about bounds, the number of nodes and what a plan may cost. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const boundBroken = define<{ condition: string; value: string }>({
  code: "cdr/bound-broken",
  severity: "error",
  message: ({ condition, value }) => `\`${condition}\` is required, but the value is ${value}`,
  explanation: `A bound is a requirement on the machines: \`node { ram >= 256 GB }\`, \`network >= 100 Gbps\`, \`nodes in 2..4\`. If a
cluster, or the one it extends, gives the value, it must satisfy the bound. If not, the plan assumes the least that the bound allows;
the number of nodes within a range is chosen (\`prefer\`).`,
  fix: "Use machines that satisfy it, or relax the bound.",
});

export const boundsContradict = define<{ condition: string; others: readonly string[] }>({
  code: "cdr/bounds-contradict",
  severity: "error",
  message: ({ condition, others }) =>
    others.length === 0
      ? `\`${condition}\` is an empty range: it ends before it begins`
      : `\`${condition}\` and ${others.map((other) => `\`${other}\``).join(", ")} exclude each other`,
  explanation: `Bounds accumulate: those of a block, of the block that it extends, of presets and overlays apply together.`,
  fix: "Remove one of them, or widen it until they overlap.",
});

export const preferIdle = define<{ prefer: string; nodes: number }>({
  code: "cdr/prefer-idle",
  severity: "warning",
  message: ({ prefer, nodes }) =>
    `\`prefer = ${prefer}\` has no effect: the cluster always has ${nodes} node${nodes === 1 ? "" : "s"}`,
  explanation: `\`prefer\` chooses the number of nodes if \`nodes\` leaves it open. With a fixed number there is no choice.`,
  fix: "Leave the number open, `nodes in 2..16`, or remove `prefer`.",
});

export const nodesLong = define<{ first: number; to: number; last: number }>({
  code: "cdr/nodes-long",
  severity: "warning",
  message: ({ first, to, last }) => `of ${first}..${last} nodes only ${first}..${to} are tried`,
  explanation: `If \`nodes\` leaves the number open, a plan is made for each number, up to 4,096 of them.`,
  fix: "Shorten the range, or list the available numbers: `nodes in [512, 1024, 8192]`.",
});

export const costUnknown = define<{ condition: string; cluster: string }>({
  code: "cdr/cost-unknown",
  severity: "warning",
  message: ({ condition, cluster }) =>
    `it is unknown whether \`${condition}\` holds: cluster ${cluster} has no \`price\``,
  explanation: `The cost of a run is its device-hours times the price of a device.`,
  fix: "Write the price of a device in the cluster: `price = 2.10 usd/gpu/h`.",
});

export const energyUnknown = define<{ condition: string; cluster: string }>({
  code: "cdr/energy-unknown",
  severity: "warning",
  message: ({ condition, cluster }) =>
    `it is unknown whether \`${condition}\` holds: the device of cluster ${cluster} has no \`power\``,
  explanation: `The upper limit of a run's energy is its device-hours times the rated power of a device, times 1.82 for the rest of the node
(as in a DGX H100).`,
  fix: "Write the figure of the data sheet in the device's block: `gpu mine { power = 700 W }`.",
});

/** How the figure of each is written. */
const asWritten = {
  network: "`network = 3200 Gbps` for a node with eight ports of 400 Gb/s",
  link: "`link = 450 GB/s` for NVLink 4, `link = 32 GB/s` for PCIe 4.0",
};

export const linkAssumed = define<{
  cluster: string;
  assumed: readonly { readonly name: keyof typeof asWritten; readonly figure: string }[];
}>({
  code: "cdr/cluster-link",
  severity: "warning",
  message: ({ cluster, assumed }) =>
    `cluster \`${cluster}\` has no ${assumed.map(({ name }) => `\`${name}\``).join(" and no ")}: the plan assumes ${assumed.map(({ figure }) => figure).join(" and ")}, which may decide its layout and its time`,
  explanation: `What joins the devices is as much a part of a machine as the devices: at 10 Gbps a step can take twenty times as long as at
3,200 Gbps, and another layout is best. \`link\` joins the devices of a node, per device and in one direction: 32 GB/s for PCIe 4.0 x16, 64 for
PCIe 5.0, 300 for NVLink 3 (A100), 450 for NVLink 4 (H100), 900 for NVLink 5 (B200), 448 for MI300X. \`network\` joins the nodes, per node, all its
ports together: 1,600 Gbps for eight ports of 200 Gb/s.`,
  fix: "Write the figures in the cluster, `network = 3200 Gbps` and `link = 450 GB/s`, or extend one of `std/clusters`.",
  fixFor: ({ assumed }) =>
    `Write in the cluster what its machines have: ${assumed.map(({ name }) => asWritten[name]).join("; ")}.`,
});
