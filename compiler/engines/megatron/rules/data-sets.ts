/** Blends and splits that every check accepts and the data sets refuse when they are built. */
import { rulesOf, type Step } from "../step.ts";

const data = rulesOf(
  "megatron/core/datasets/blended_megatron_dataset_config.py: parse_and_normalize_split; blended_dataset.py: BlendedDataset.__init__",
);
const cached = rulesOf(
  "megatron/core/datasets/blended_megatron_dataset_config.py: BlendedMegatronDatasetConfig.__post_init__",
);

export const dataSets: readonly Step[] = [
  data.demand("data-split", {
    about: ["split"],
    check: ({ split, data_path: path }) => {
      if (split === null || path === null) return null;
      const parts = split.split(/[,/]/).map((part) => Number(part.trim()));
      if (parts.some((part) => Number.isNaN(part))) return `--split ${split} is not a list of numbers`;
      if (parts.length > 3) return `--split ${split} has ${parts.length} parts: training, validation and test are 3`;
      if (parts.some((part) => part < 0)) return `--split ${split} has a part below 0`;
      return parts.reduce((sum, part) => sum + part, 0) > 0 ? null : `--split ${split} leaves every set empty`;
    },
    why: "The split gives the training, validation and test sets their shares of the documents. Its assertions have no message.",
    fix: "Write three parts of at least 0, the first above 0: --split 99,1,0.",
    fires: "--split 90,5,-5 --data-path text",
    silent: "--split 90,5,5 --data-path text",
    base: "unmocked",
  }),
  cached.ban("data-cache", {
    about: ["data_cache_path", "dataloader_fast_cache_load", "dataloader_defer_npy_index_mmap"],
    when: (a) => (a.dataloader_fast_cache_load || a.dataloader_defer_npy_index_mmap) && a.data_cache_path === null,
    says: "reading indexes from a cache needs --data-cache-path",
    why: "The faster ways to open a dataset take its indexes from a cache that was built before, and building the dataset stops without one.",
    fix: "Add --data-cache-path DIR to a cache that an earlier job has built, or leave --dataloader-fast-cache-load and --dataloader-defer-npy-index-mmap out.",
    severity: "warning",
    fires: "--dataloader-defer-npy-index-mmap",
    silent: "--dataloader-defer-npy-index-mmap --data-cache-path cache",
  }),
  cached.ban("data-cache-blend", {
    about: ["data_path", "dataloader_fast_cache_load"],
    when: (a) => a.dataloader_fast_cache_load && a.data_path !== null,
    says: "--dataloader-fast-cache-load works with data paths for each split, not with --data-path",
    why: "A path that is split is divided anew at every start, which the cache cannot anticipate.",
    fix: "Give --train-data-path (and --valid-data-path) instead of --data-path, or leave --dataloader-fast-cache-load out.",
    severity: "warning",
    base: "unmocked",
    fires: "--dataloader-fast-cache-load --data-cache-path cache --data-path text",
    silent: "--dataloader-fast-cache-load --data-cache-path cache --train-data-path text",
  }),
  data.demand("data-weights", {
    about: ["data_path"],
    check: ({ data_path: path }) => {
      const words = path ?? [];
      const weights = words.filter((_, index) => index % 2 === 0).map(Number);
      if (words.length < 2 || words.length % 2 !== 0 || weights.some((weight) => Number.isNaN(weight))) return null;
      const wrong = weights.find((weight) => weight <= 0);
      return wrong === undefined ? null : `--data-path gives a set the weight ${wrong}: leave it out`;
    },
    why: "Every dataset of a blend is sampled by its weight. One with weight 0 would never be read, and the engine stops when it builds the blend.",
    fix: "Leave the dataset with weight 0 out, or give it a weight above 0.",
    fires: "--data-path 1 a 0 b",
    silent: "--data-path 1 a 1 b",
    base: "unmocked",
  }),
  data.demand("data-weights-odd", {
    about: ["data_path"],
    check: ({ data_path: path }) => {
      const words = path ?? [];
      const number = words.find((word) => /^\d*\.?\d+$/.test(word));
      if (words.length % 2 === 0)
        return number === undefined || words.every((word, at) => at % 2 !== 0 || !Number.isNaN(Number(word)))
          ? null
          : `--data-path has weights for some sets only: ${number} stands where a set is expected, or a set without one`;
      return words.length < 3 || number === undefined
        ? null
        : `--data-path has ${words.length} words, so that its weights do not pair with sets: ${number} would be read as a set`;
    },
    why: "A blend is a list of datasets, or of pairs of a weight and a dataset. An odd number of words is read as datasets only, and a weight is then looked for as a file; pairs of which some have no weight are refused.",
    fix: "Give every dataset its weight before it (`--data-path 0.7 a 0.3 b`), or none.",
    fires: "--data-path 0.5 a 0.5",
    silent: "--data-path 0.5 a 0.5 b",
    base: "unmocked",
  }),
];
