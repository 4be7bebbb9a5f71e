import { scanUnfused } from "../../diagnostics/kernels.ts";
import { families } from "../../models/index.ts";
import { layersOf } from "../../models/measure.ts";
import type { Rule } from "../engine.ts";

const otherInstead =
  "Use Mamba-2 (`family = mamba2`), which computes whole chunks at once, or allow for the memory and the time.";

/** A recurrence in PyTorch's own operations takes many times the memory that whoever chose it expects. */
export const unfusedScan: Rule = {
  name: "unfused-scan",
  source:
    "transformers models/mamba/modeling_mamba.py: mamba_selective_scan; models/mamba2/modeling_mamba2.py: mamba2_chunk_scan; " +
    "trainer/requirements.lock",
  check: ({ model }, { engine, model: sized }, { device }) => {
    // On a processor there are no kernels to miss.
    if (device.kind !== "gpu") return [];
    const scanned = layersOf(families[sized.family], sized).find(({ layer }) => layer.plainly !== undefined);
    if (scanned === undefined) return [];
    const { span } = model.given.get("family") ?? model;
    const walks = scanned.layer.plainly?.launches !== undefined;
    return [
      scanUnfused(span, { engine, kind: walks ? "Mamba" : "Mamba-2", walks }, walks ? { fix: otherInstead } : {}),
    ];
  },
};
