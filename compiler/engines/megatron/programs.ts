import { inTable } from "../../../dsl/in-table.ts";
import type { Entry } from "./table.ts";

/** Programs of the repository, by the name of their file. */
const entries: Readonly<Record<string, Entry>> = {
  "pretrain_gpt.py": "gpt",
  "pretrain_mamba.py": "hybrid",
  "pretrain_hybrid.py": "hybrid",
  "pretrain_t5.py": "t5",
  "pretrain_bert.py": "bert",
  "train_rl.py": "rl",
  "pretrain_vlm.py": "vlm",
  "pretrain_mimo.py": "mimo_apart",
};

/** Which arguments a program takes, by its path; `null` for one that isn't Megatron's own. */
export function entryOf(path: string): Entry | null {
  if (path.endsWith("multimodal/train.py")) return "multimodal";
  if (path.endsWith("mimo/train.py")) return "mimo";
  return inTable(entries, path.split("/").at(-1) ?? "") ?? null;
}

/** Programs that read Megatron's arguments and never build its schedule: they prepare, convert, answer or measure, or count in epochs. */
const unscheduled =
  /(?:^|[/.])(?:tasks|tools)[/.]|(?:^|[/._])(?:convert|eval|evaluate|evaluation|export|generate|generation|inference|merge|ptq|preprocess|quantize|server?|test)(?:_\w+)?(?:\.py)?$/;

/** May a program be one that trains by Megatron's own schedule? */
export const isScheduled = (path: string): boolean => entryOf(path) !== null || !unscheduled.test(path);

/** The program of an entry, where nobody named another. */
export function programOf(entry: Entry): string | null {
  if (entry === "multimodal" || entry === "mimo") return `examples/${entry}/train.py`;
  return Object.keys(entries).find((name) => entries[name] === entry && name !== "pretrain_mamba.py") ?? null;
}
