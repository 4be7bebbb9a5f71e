import type { Document, Launch } from "../launch.ts";
import { packagesOf } from "../known/packages.ts";
import { below } from "../../engines/release.ts";

/**
 * How a file of the Trainer's options becomes values. `values` takes what YAML or JSON hold as it is (HfArgumentParser.parse_yaml_file,
 * parse_json_file, parse_dict); `argparse` makes each text what the option asks for (TRL's `--config`).
 */
export interface TrainerReader {
  readonly converts: "values" | "argparse";
  /** Takes `1e-5` for a number, as OmegaConf does; PyYAML takes it for text. */
  readonly exponents: boolean;
}

/** LLaMA-Factory loads a file with OmegaConf since this release. Source: its src/llamafactory/hparams/parser.py: read_args. */
const omegaConf = "0.9.4";

/** `null` where no command of the launch names the file: any program may read it. */
export function trainerReader(document: Document, launch: Launch): TrainerReader | null {
  if (document.kind === "llama-factory") {
    const version = packagesOf(launch).get("llamafactory")?.version ?? null;
    return { converts: "values", exponents: version === null || !below(version, omegaConf) };
  }
  const name = baseName(document.path);
  for (const { args } of launch.runs) {
    const at = args.findIndex(({ text }) => text !== null && baseName(text.slice(text.indexOf("=") + 1)) === name);
    if (at < 0) continue;
    if (at === 0 && args[0]?.text?.startsWith("-") !== true) return { converts: "values", exponents: false };
    const option = args[at]?.text?.startsWith("--") === true ? args[at]?.text : args[at - 1]?.text;
    if (/^--config(?:_file)?(?:=|$)/.test(option ?? "")) return { converts: "argparse", exponents: false };
    return null;
  }
  return document.source.text.trimStart().startsWith("{") ? { converts: "values", exponents: true } : null;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
