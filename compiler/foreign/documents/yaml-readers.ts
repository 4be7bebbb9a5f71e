/** Who reads a YAML: PyYAML takes the last of a key that stands there twice, OmegaConf refuses the file (omegaconf/_utils.py: get_yaml_loader). */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { foreignDuplicate } from "../../diagnostics/foreign.ts";
import { below } from "../../engines/release.ts";
import { packagesOf } from "../known/packages.ts";
import type { Launch } from "../launch.ts";
import type { DocumentKind } from "./kinds.ts";

/** Hydra reads by OmegaConf too. */
const omegaConfs: ReadonlySet<DocumentKind> = new Set([
  "llama-factory",
  "torchtune",
  "composer",
  "nemo",
  "submitit",
  "fairchem",
]);

/** The first LLaMA-Factory that reads its file so. */
const llamaFactory = "0.9.4";

/** Keys of a YAML that are told as a remark, as a refusal where whoever reads it refuses them. */
export function refusedTwice(found: readonly Diagnostic[], launch: Launch): readonly Diagnostic[] {
  return found.map((each) =>
    each.code === foreignDuplicate.code && launch.documents.some((document) => isRefused(document, each, launch))
      ? { ...each, severity: "error", message: `${each.message}, which OmegaConf refuses` }
      : each,
  );
}

function isRefused({ source, kind }: Launch["documents"][number], { span }: Diagnostic, launch: Launch): boolean {
  if (source !== span.source || !omegaConfs.has(kind)) return false;
  const version = kind === "llama-factory" ? (packagesOf(launch).get("llamafactory")?.version ?? null) : null;
  return version === null || !below(version, llamaFactory);
}
