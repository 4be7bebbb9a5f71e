import { gpus } from "../../hardware/gpus.ts";

/** Compute capability by the names that GPUs have. Source: NVIDIA's table of CUDA GPUs. */
const architectures: readonly (readonly [RegExp, number])[] = [
  [/^(?:gb?|b)[23]00/, 10],
  [/^(?:rtx ?50|5090)/, 12],
  [/^(?:gh|h)(?:20|100|200|800)/, 9],
  [/^(?:l4|l40|l40s|rtx ?40|rtx ?4090|4090|rtx ?6000 ?ada|ada)/, 8.9],
  [/^(?:a10|a40|a6000|rtx ?30|3090|rtx ?a)(?!0)/, 8.6],
  [/^(?:a100|a800|a30)/, 8],
  [/^(?:t4|rtx ?20|2080|rtx ?8000)/, 7.5],
  [/^(?:v100|titan ?v\b)/, 7],
  [/^(?:p40|p4$|gtx ?10|1080)/, 6.1],
  [/^p100/, 6],
  [/^k80/, 3.7],
];

/** GPUs of the machines that clouds lend, by the beginnings of their names. Source: AWS's and Google's lists of instance types. */
const instances: readonly (readonly [string, string])[] = [
  ["p3.", "V100"],
  ["p3dn.", "V100"],
  ["g4dn.", "T4"],
  ["g5.", "A10G"],
  ["p4d.", "A100"],
  ["p4de.", "A100"],
  ["p5.", "H100"],
  ["a2-", "A100"],
  ["a3-", "H100"],
];

/** The GPU that a machine is named for: `p3.16xlarge`, `nvidia-tesla-v100`, `v100`. */
export function gpuNamed(name: string): string | null {
  const lent = instances.find(([begins]) => name.toLowerCase().startsWith(begins))?.[1];
  return lent ?? (architectureOf(name) === null ? null : name);
}

/** Names that say which GPU is meant, as far as its figures or its kernels are known. */
export function isKnownGpu(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const begins = (device: string): boolean => device.startsWith(plain) && !/^\d/.test(device.slice(plain.length));
  return (
    gpuNamed(name) !== null || (/\d/.test(plain) && knownGpus.some((device) => begins(device.replaceAll("_", ""))))
  );
}

export const knownGpus: readonly string[] = gpus.map((device) => device.name);

export function architectureOf(name: string | null): number | null {
  if (name === null) return null;
  const plain = name
    .toLowerCase()
    .replaceAll("_", " ")
    .replace(/^(?:(?:nvidia|tesla)[ -]*)+/, "");
  return architectures.find(([shape]) => shape.test(plain))?.[1] ?? null;
}
