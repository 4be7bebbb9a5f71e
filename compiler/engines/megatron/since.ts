/**
 * Demands of the newest Megatron that an older one does not make. `demands.json` lists them by release: the examples of every rule were
 * given to each release's own parser, `validate_args` and configuration, and these were accepted there (scripts/megatron-demands.py).
 */
import { below } from "../release.ts";
import demands from "./versions/demands.json" with { type: "json" };

const free: Readonly<Record<string, readonly string[]>> = demands;

/** What no release's checks refuse, and is only true from one on: before, the argument did what it says. */
const noticed: Readonly<Record<string, string>> = {
  "cdr/megatron-dispatcher-ncclep": "0.20",
  // Before, layers that no pattern names are Mamba's.
  "cdr/megatron-hybrid-layerless": "0.17",
  "cdr/megatron-rampup-ignored": "0.18",
  // Its argument came then.
  "cdr/megatron-router-precision": "0.12",
  // What older ones do is not known: their wheels have no training loop.
  "cdr/megatron-sft-micro-batch": "0.17",
  "cdr/megatron-sharp-default-group": "0.19",
};

export function isDemanded(code: string, version: string): boolean {
  const from = noticed[code];
  return free[version]?.includes(code) !== true && (from === undefined || !below(version, from));
}
