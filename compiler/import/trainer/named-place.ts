/** Where a name leads that a launch gives to a model, a tokenizer or a data set: to these machines, or to the Hub. */
import type { Source } from "../../../dsl/source/source.ts";
import { foundBeside, type Beside } from "../../foreign/beside.ts";

export interface NamedPlace {
  readonly name: string;
  readonly isHub: boolean;
  /** Why it is a guess. */
  readonly guessed?: string;
}

/** Endings of files of text and of weights; those of the Hub's own names are versions and sizes. */
const file =
  /\.(?:jsonl?|ndjson|txt|text|md|csv|tsv|parquet|arrow|npy|npz|bin|idx|pt|pth|ckpt|safetensors|gguf|model|ya?ml|xml|html|zip|tar|tgz|gz|zst|xz|bz2)$/i;

/** What people call folders of such things; who owns a repository of the Hub is hardly called so. */
const folder =
  /^(?:assets|base_?models?|checkpoints?|ckpts?|data|datasets?|examples?|exp|experiments|hf_?models?|llms?|models?|out|outputs?|pre_?trained(?:_models?)?|results|runs|saves?|tmp|tokenizers?|weights)\//i;

/** transformers and datasets look for a folder or file of the name before they ask the Hub. */
export function namedPlace(name: string, beside: Beside, from: Source): NamedPlace {
  const isRepository = /^\w[\w.-]*(?:\/[\w.-]+)?$/.test(name) && !file.test(name);
  const isHub = isRepository && foundBeside(beside, name, from) === undefined;
  const guessed = `${name} is not here: it may be a folder where the run starts`;
  return { name, isHub, ...(isHub && folder.test(name) ? { guessed } : {}) };
}

/** As `from` of the language says it. */
export const writtenPlace = ({ name, isHub }: NamedPlace, subset: string | null = null): string =>
  isHub ? `hf://${name}${subset === null ? "" : `#${subset}`}` : name;
