/** Where the tokens come from. */
import type { Arguments } from "../launch.ts";
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

const perSplit = (a: Arguments): boolean =>
  a.train_data_path !== null || a.valid_data_path !== null || a.test_data_path !== null;
const some = (paths: readonly string[] | null): boolean => paths !== null && paths.length > 0;

export const dataSources: readonly Step[] = [
  settle(["split"], (a) => {
    if (a.data_path !== null) a.split ??= "969, 30, 1";
  }),
  ban("data-path-and-file", {
    about: ["data_args_path", "data_path"],
    when: (a) => a.data_path !== null && a.data_args_path !== null,
    says: "--data-path and --data-args-path both give the blend",
    why: "--data-args-path names a file that holds what --data-path would: the two could disagree. The engine's own message is empty.",
    fix: "Leave --data-path out, or --data-args-path.",
    fires: "--data-path a --data-args-path b",
    silent: "--data-args-path b",
  }),
  ban("data-splits-and-file", {
    about: ["per_split_data_args_path", "train_data_path"],
    when: (a) => perSplit(a) && a.per_split_data_args_path !== null,
    says: "--per-split-data-args-path and --train/valid/test-data-path both give the blends",
    why: "The file holds one blend per split, as the options do, and the two could disagree. The engine's own message is empty.",
    fix: "Leave --train-data-path, --valid-data-path and --test-data-path out, or the file.",
    fires: "--train-data-path a --per-split-data-args-path b",
    silent: "--per-split-data-args-path b",
  }),
];

export const data: readonly Step[] = [
  demand("data-one-source", {
    about: ["mock_data", "data_path", "train_data_path"],
    check: (a) => {
      const given = [
        a.mock_data ? "--mock-data" : null,
        some(a.data_path) ? "--data-path" : null,
        some(a.train_data_path) || some(a.valid_data_path) || some(a.test_data_path)
          ? "--train/valid/test-data-path"
          : null,
      ].filter((each) => each !== null);
      return given.length > 1 ? `${given.join(" and ")} are several sources of data` : null;
    },
    why: "Training reads one source: mock data, one blend that --split divides, or a blend per split.",
    fix: "Keep one of --mock-data, --data-path, and the paths per split (--train-data-path and similar options).",
    fires: "--mock-data --data-path a",
    silent: "--mock-data",
  }),
  ban("data-fim", {
    about: ["fim_data", "mock_data", "fim_rate", "fim_spm_rate"],
    when: (a) => a.fim_data && (a.mock_data || !a.fim_rate || !a.fim_spm_rate),
    says: "--fim-data needs real data, and --fim-rate and --fim-spm-rate above 0",
    why: "Fill-in-the-middle rearranges documents around marker tokens; mock data has no documents, and at rate 0 nothing is rearranged.",
    fix: "Give --data-path instead of --mock-data and set --fim-rate and --fim-spm-rate above 0, or leave --fim-data out.",
    fires: "--fim-data",
    silent: "",
  }),
  ban("data-builder-threads", {
    about: ["num_dataset_builder_threads"],
    when: (a) => a.num_dataset_builder_threads <= 0,
    says: "--num-dataset-builder-threads must be at least 1",
    why: "Indexes are built by at least one thread. The engine's own message is empty.",
    fix: "Set --num-dataset-builder-threads to 1 or more.",
    fires: "--num-dataset-builder-threads 0",
    silent: "--num-dataset-builder-threads 2",
  }),
];
