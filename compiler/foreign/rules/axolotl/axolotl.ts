/** What Axolotl refuses of a file before it trains: sizes that the ranks do not have, and attention that cannot do what is asked. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, numberAt, scalarOf, type Entry, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const file = "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\n";
const run = "torchrun --nproc_per_node 8 -m axolotl.cli.train axo.yaml\n";

const sizes = ["tensor_parallel_size", "context_parallel_size", "dp_replicate_size", "dp_shard_size"];

interface Size extends Entry {
  readonly size: number;
}

/** Sizes above 1, as the file says them; the ring's old name stands for its new one. */
function sizesOf(root: Located): readonly Size[] {
  return sizes.flatMap((name): readonly Size[] => {
    const old = name === "context_parallel_size" ? entryOf(root, "sequence_parallel_degree") : undefined;
    const entry = entryOf(root, name) ?? old;
    const size = entry === undefined ? null : numberAt(entry.value);
    return entry === undefined || size === null || size <= 1 ? [] : [{ ...entry, size }];
  });
}

const isTrue = (root: Located, name: string): boolean => scalarOf(at(root, name)) === true;

function usesFlash(root: Located): boolean {
  return isTrue(root, "flash_attention") || /flash/.test(String(scalarOf(at(root, "attn_implementation")) ?? ""));
}

const isSharded = (root: Located): boolean =>
  ["fsdp", "fsdp_config"].some((name) => {
    const value = at(root, name);
    if (value === undefined || value.kind === "unknown") return false;
    return value.kind !== "scalar" || ![null, false, ""].includes(value.value as string);
  });

const roots = (launch: Launch): readonly Located[] => documentsOf(launch, "axolotl").map(({ root }) => root);

export const axolotlRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-world",
    source: "axolotl/utils/distributed.py: build_parallelism_config, get_parallel_config_kwargs",
    why: "Axolotl divides the ranks by the sizes of tensor and context parallelism, replicas and shards in turn, and stops if ranks are left over or there are too few.",
    fix: "Choose sizes whose product divides the ranks; with both dp_replicate_size and dp_shard_size, the product must equal them.",
    check: (launch) => {
      const world = launch.world.size;
      return roots(launch).flatMap((root): readonly Found[] => {
        const all = sizesOf(root);
        const product = all.reduce((so, { size }) => so * size, 1);
        const [first] = all;
        if (world === null || first === undefined) return [];
        const isWhole = ["dp_replicate_size", "dp_shard_size"].every((name) => all.some(({ key }) => key === name));
        if (isWhole ? product === world : world % product === 0) return [];
        const written = all.map(({ key, size }) => `${key} ${size}`).join(" x ");
        return [
          {
            span: first.value.span,
            message: `${written}${all.length > 1 ? ` = ${product}` : ""} does not ${isWhole ? "make" : "divide"} ${world} ranks`,
            ...nearby("and here", all[1]?.value.span),
          },
        ];
      });
    },
    fires: {
      "axo.yaml": `${file}tensor_parallel_size: 4\ndp_shard_size: 4\nfsdp_version: 2\nfsdp_config:\n  offload_params: false\n`,
      "run.sh": run,
    },
    silent: {
      "axo.yaml": `${file}tensor_parallel_size: 4\ndp_shard_size: 2\nfsdp_version: 2\nfsdp_config:\n  offload_params: false\n`,
      "run.sh": run,
    },
  }),
  rule({
    name: "axolotl-shards",
    source: "axolotl/utils/distributed.py: get_parallel_config_kwargs",
    why: "`dp_shard_size` is the number of ranks that FSDP shards over, and Axolotl stops if no FSDP is configured.",
    fix: "Add fsdp_version: 2 and fsdp_config, or remove dp_shard_size.",
    check: (launch) =>
      roots(launch).flatMap((root): readonly Found[] => {
        const all = sizesOf(root);
        const shards = all.find(({ key }) => key === "dp_shard_size");
        const others = all.filter((each) => each !== shards).reduce((so, { size }) => so * size, 1);
        const left = launch.world.size === null ? null : Math.floor(launch.world.size / others);
        if (shards === undefined || left === null || left <= 1 || isSharded(root)) return [];
        return [{ span: shards.keySpan, message: "dp_shard_size needs FSDP, but fsdp_config is missing" }];
      }),
    fires: { "axo.yaml": `${file}dp_shard_size: 8\n`, "run.sh": run },
    silent: {
      "axo.yaml": `${file}dp_shard_size: 8\nfsdp_version: 2\nfsdp_config:\n  offload_params: false\n`,
      "run.sh": run,
    },
  }),
  rule({
    name: "axolotl-context",
    source: "axolotl/utils/schemas/validation.py: check_context_parallel_size",
    why: "Ranks that share a sequence pass keys and values around a ring, which only flash attention supports here; packed samples go through it one at a time.",
    fix: "Set flash_attention: true, and micro_batch_size: 1 with sample_packing.",
    check: (launch) =>
      roots(launch).flatMap((root): readonly Found[] => {
        const shared = sizesOf(root).find(({ key }) =>
          /^context_parallel_size$|^sequence_parallel_degree$/.test(key),
        );
        if (shared === undefined) return [];
        const micro = entryOf(root, "micro_batch_size");
        const samples = micro === undefined ? 1 : (numberAt(micro.value) ?? 1);
        const flash = entryOf(root, "flash_attention");
        const span = shared.value.span;
        if (!usesFlash(root))
          return [
            {
              span,
              message: `${shared.key} ${shared.size} needs flash_attention: true`,
              ...nearby("attention", flash?.value.span),
            },
          ];
        return micro !== undefined && samples > 1 && isTrue(root, "sample_packing")
          ? [
              {
                span: micro.value.span,
                message: `micro_batch_size ${samples} with sample_packing and ${shared.key} ${shared.size}: it must be 1`,
                valid: ["1"],
              },
            ]
          : [];
      }),
    fires: { "axo.yaml": `${file}context_parallel_size: 2\n` },
    silent: { "axo.yaml": `${file}context_parallel_size: 2\nflash_attention: true\nsample_packing: true\n` },
  }),
  rule({
    name: "axolotl-packing",
    severity: "warning",
    source: "axolotl/utils/schemas/validation.py: check_sample_packing_without_attention",
    why: "Packed samples follow one another in one sequence. Unless the attention separates them, a sample attends to the ones before it.",
    fix: "Set flash_attention, sdp_attention, flex_attention or xformers_attention to true, or sample_packing to false.",
    check: (launch) =>
      roots(launch).flatMap((root): readonly Found[] => {
        const packing = entryOf(root, "sample_packing");
        if (packing === undefined || scalarOf(packing.value) !== true || usesFlash(root)) return [];
        const others = ["sdp_attention", "flex_attention", "xformers_attention", "attn_implementation"];
        return others.some((name) => isTrue(root, name) || typeof scalarOf(at(root, name)) === "string")
          ? []
          : [
              {
                span: packing.value.span,
                message: "packed samples attend to one another: no attention that separates them is set",
              },
            ];
      }),
    fires: { "axo.yaml": `${file}sample_packing: true\n` },
    silent: { "axo.yaml": `${file}sample_packing: true\nsdp_attention: true\n` },
  }),
];
