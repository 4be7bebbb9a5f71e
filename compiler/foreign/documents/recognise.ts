/** Which tool a configuration belongs to, by its keys. */
import { documentKinds, type DocumentKind } from "./kinds.ts";
import { at, entryOf, scalarOf, type Located } from "./located.ts";
import { heirs, shared, signs, type Signs } from "./signs.ts";

/** Options of Lightning's Trainer that a file of its command line holds under `trainer`. */
const lightning = ["accelerator", "strategy", "devices", "max_epochs", "num_nodes", "accumulate_grad_batches"];

/** A class of Megatron Bridge. */
const isOfBridge = (node: Located | undefined): boolean =>
  node?.kind === "scalar" && String(node.value).startsWith("megatron.bridge.");

/** What a JSON or YAML holds; `null` where nothing says. */
export function recognised(root: Located): DocumentKind | null {
  if (root.kind !== "map") return null;
  // What Weights & Biases writes down of a run: each key with its description and its value.
  if (at(root, "wandb_version") !== undefined) return null;
  if (at(root, "apiVersion") !== undefined && at(root, "kind") !== undefined) return "kubernetes";
  if (isSky(root)) return "skypilot";
  if (torchtune.some((key) => at(root, key, "_component_") !== undefined)) return "torchtune";
  if ([at(root, "_target_"), at(root, "model", "_target_")].some(isOfBridge)) return "nemo";
  if (at(root, "train", "global_batch_size") !== undefined && entryOf(root, "precision") !== undefined)
    return "litgpt";
  // A conversion of NeMo's launcher holds what a model begins with, and trains nothing.
  if (["huggingface_ckpt_path", "nemo_file_name"].some((key) => at(root, "run", key) !== undefined)) return null;
  if (["train_iters", "train_samples"].some((key) => at(root, "train", key) !== undefined)) return "nemo";
  if (at(root, "model", "tensor_model_parallel_size") ?? at(root, "model", "context_parallel_size")) return "nemo";
  if (at(root, "runner", "_target_") !== undefined && at(root, "job") !== undefined) return "fairchem";
  if (lightning.some((key) => at(root, "trainer", key) !== undefined)) return "lightning";
  if (at(root, "model", "vocab") !== undefined && entryOf(root, "added_tokens") !== undefined) return "tokenizer";
  let best: DocumentKind | null = null;
  let most = 0;
  for (const kind of documentKinds) {
    const { sure, likely } = signs[kind];
    const count = (keys: readonly string[]): number => keys.filter((key) => isOf(kind, key, root)).length;
    const inherited = count(sure) > 1 ? heirs[kind] : undefined;
    const weight = (own: Signs): number => 3 * count(own.sure) + count(own.likely);
    const score = weight({ sure, likely }) + (inherited === undefined ? 0 : weight(inherited));
    const enough = count(sure) > 0 || (count(likely) >= 2 && !isWhole(root));
    if (enough && score > most) [best, most] = [kind, score];
  }
  return best ?? (onlyOf(root) && !isWhole(root) ? "deepspeed" : null);
}

/** Is the key there, and of this tool? What is a section of one may be a switch of another. */
function isOf(kind: DocumentKind, key: string, root: Located): boolean {
  const value = entryOf(root, key)?.value;
  return (
    value !== undefined && (key !== "activation_checkpointing" || (kind === "fsdp") === (value.kind === "scalar"))
  );
}

/** Has it a key that nothing but its kind has? What lies in a folder by chance may share some. */
export function surely(root: Located, kind: DocumentKind): boolean {
  const { sure, likely } = signs[kind];
  const found = sure.filter((key) => entryOf(root, key) !== undefined);
  if (sure.length + likely.length === 0 || found.length > 1 || found.some((key) => !shared.has(key))) return true;
  // Three words of it, and no other.
  const keys = root.kind === "map" ? root.entries.map(({ key }) => key) : [];
  return keys.length > 2 && keys.every((key) => sure.includes(key) || likely.includes(key));
}

/** What torchtune makes of its own parts, by their paths in Python. */
const torchtune = ["model", "tokenizer", "checkpointer", "optimizer"];

/** A file of TOML: torchtitan's by its sections and an option of them that it always had. */
export function recognisedToml(root: Located): DocumentKind | null {
  const told = [
    at(root, "model", "flavor"),
    at(root, "job", "dump_folder"),
    at(root, "training", "seq_len"),
    at(root, "training", "local_batch_size"),
    at(root, "lr_scheduler", "warmup_steps"),
    at(root, "parallelism", "data_parallel_shard_degree"),
    at(root, "parallelism", "tensor_parallel_degree"),
  ];
  return told.some((each) => each !== undefined) ? "torchtitan" : null;
}

/** A task says what it runs, and on what. */
function isSky(root: Located): boolean {
  const runs = ["run", "setup"].some((key) => typeof scalarOf(at(root, key)) === "string");
  return (
    runs &&
    ["resources", "num_nodes", "envs", "file_mounts", "workdir"].some((key) => entryOf(root, key) !== undefined)
  );
}

/** What has sections for the model or the data belongs to a trainer with a form of its own, which shares a word or two with the tools that are read. */
const isWhole = (root: Located): boolean => ["model", "data"].some((key) => at(root, key)?.kind === "map");

/** A small DeepSpeed JSON may hold one section alone. */
function onlyOf(root: Located): boolean {
  const { sure, likely } = signs.deepspeed;
  return [...sure, ...likely].some((key) => isOf("deepspeed", key, root));
}
