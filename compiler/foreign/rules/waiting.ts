/** What ranks wait for together, and for how long. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, itemsOf } from "../documents/located.ts";
import { given, saidIn } from "../said.ts";
import { numberIn, switchIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

/** Seconds that a collective waits unless something else is said. Source: torch/distributed/constants.py: default_pg_timeout. */
const patience = 1800;

const several = (launch: Launch): boolean => launch.world.size === null || launch.world.size > 1;

/** The text that is made into tokens when the job runs; none where it was prepared before or is read as a stream. */
function untokenized(launch: Launch): Told["span"] | null {
  const said = saidIn(launch);
  if (given(said, "tokenized_path", "dataset_prepared_path", "streaming") !== undefined) return null;
  for (const { root } of documentsOf(launch, "nanotron"))
    for (const stage of itemsOf(at(root, "data_stages"))) {
      const name = at(stage, "data", "dataset", "hf_dataset_or_datasets");
      if (name !== undefined) return name.span;
    }
  if (launch.trainer === null) return null;
  const told = given(
    said,
    "dataset_name",
    "train_file",
    "dataset",
    "dataset_mixer",
    "dataset_mixture",
    "dataset_path",
    "data_files",
    "datasets",
    "data_path",
  );
  return told?.span ?? null;
}

const llama = "model_name_or_path: m\nstage: sft\nfinetuning_type: full\ntemplate: default\noutput_dir: out\n";
const two = "srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500 train.py\n";

export const waitingRules: readonly ForeignRule[] = [
  rule({
    name: "preprocessing-timeout",
    severity: "info",
    source:
      "transformers/training_args.py: main_process_first, ddp_timeout; nanotron/run_train: main_rank_first; torch/distributed/constants.py: default_pg_timeout",
    why: "One rank tokenizes the text while the others wait in a barrier, which times out after half an hour: `Watchdog caught collective operation timeout`, or `store->get` without an answer. How long tokenizing takes depends on the text, which the files do not show.",
    fix: "Tokenize before the job and read the result (tokenized_path, dataset_prepared_path), or raise ddp_timeout above the time that tokenizing takes.",
    check: (launch) => {
      const span = untokenized(launch);
      if (span === null || !several(launch)) return [];
      const said = saidIn(launch);
      const timeout = numberIn(said, "ddp_timeout") ?? patience;
      if (timeout > 2 * patience) return [];
      return [
        {
          span,
          message: `text is tokenized inside the job, and the waiting ranks time out after ${Math.round(timeout / 60)} minutes: how long it takes is unknown`,
          ...nearby("the limit", toldIn(said, "ddp_timeout")?.span),
        },
      ];
    },
    fires: { "sft.yaml": `${llama}dataset: alpaca\n` },
    silent: { "sft.yaml": `${llama}dataset: alpaca\nddp_timeout: 180000000\n` },
  }),
  rule({
    name: "deepspeed-timeout",
    severity: "info",
    source: "deepspeed/constants.py: default_pg_timeout; comm/comm.py: init_distributed",
    why:
      "`ddp_timeout` applies to the process group that the Trainer creates. A group that DeepSpeed creates itself, as in a script that calls `deepspeed.init_distributed` first and in older versions, waits `DEEPSPEED_TIMEOUT` minutes, " +
      "10 by default (30 in older versions).",
    fix: "Also set DEEPSPEED_TIMEOUT to the minutes of ddp_timeout.",
    check: (launch) => {
      const told = given(saidIn(launch), "ddp_timeout");
      const seconds = Number(told?.value);
      const deepspeed =
        launch.documents.some(({ kind }) => kind === "deepspeed") || given(saidIn(launch), "deepspeed") !== undefined;
      if (told === undefined || !(seconds > patience) || !deepspeed) return [];
      if (launch.runs.some(({ command }) => command.env.has("DEEPSPEED_TIMEOUT"))) return [];
      return [
        {
          span: told.span,
          message: `groups created by DeepSpeed do not wait ${Math.round(seconds / 60)} minutes: DEEPSPEED_TIMEOUT, which is not set, limits them`,
        },
      ];
    },
    fires: {
      "run.sh":
        "deepspeed --num_gpus 8 train.py --deepspeed ds.json --per_device_train_batch_size 1 --ddp_timeout 180000\n",
    },
    silent: {
      "run.sh":
        "export DEEPSPEED_TIMEOUT=3000\ndeepspeed --num_gpus 8 train.py --deepspeed ds.json --per_device_train_batch_size 1 --ddp_timeout 180000\n",
    },
  }),
  rule({
    name: "interface-unsaid",
    severity: "info",
    source: "NCCL, environment variables: NCCL_SOCKET_IFNAME",
    why:
      "NCCL uses the first interface that it finds, which may be one that other nodes cannot reach, or that of a container. The launch then hangs at its first collective, which is often mistaken for a problem with the data. " +
      "Which interface is right depends on the cluster: set `NCCL_SOCKET_IFNAME=eth0` (and `GLOO_SOCKET_IFNAME`), and test with an all-reduce between two nodes.",
    fix: "Set NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME to the interface that connects the nodes, such as ib0 or eth0.",
    check: (launch) =>
      launch.runs.flatMap(({ launcher, command, step, script }): readonly Found[] => {
        const nodes = toldIn(launcher.settings, "nnodes", "num_machines", "num_nodes", "hostfile");
        const count = Number(nodes?.value);
        const more = nodes !== undefined && (nodes.name.endsWith("hostfile") || count > 1);
        if (
          !more ||
          ["NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "NCCL_IB_HCA"].some((name) => command.env.has(name))
        )
          return [];
        // A pod has one interface of its own.
        if (step?.settings.has("export") === true || script.pods !== null) return [];
        return [
          {
            span: nodes.span,
            message: "the interface between these nodes is not set: NCCL uses the first that it finds",
          },
        ];
      }),
    fires: { "run.sh": two },
    silent: { "run.sh": `export NCCL_SOCKET_IFNAME=ib0\n${two}` },
  }),
  rule({
    name: "shards-ranks",
    severity: "warning",
    source:
      "datasets/distributed.py: split_dataset_by_node; webdataset: split_by_node; torch/nn/parallel/distributed.py: join",
    why: "Streamed files are assigned to ranks whole. If their number is not a multiple of the ranks, some ranks end an epoch earlier, and the others wait for them in the next all-reduce.",
    fix: "Write as many shards as ranks, or a multiple, or set dataloader_drop_last.",
    check: (launch) => {
      const { size } = launch.world;
      if (size === null || size < 2) return [];
      const said = saidIn(launch);
      if (switchIn(said, "dataloader_drop_last") === true || switchIn(said, "dataset_resampled") === true) return [];
      return launch.runs.flatMap(({ args }): readonly Found[] =>
        args.flatMap(({ text, span }) => {
          const count = shardsIn(text ?? "");
          if (count === null || count % size === 0) return [];
          return [
            {
              span,
              message: `${count} shards cannot be divided evenly among ${size} ranks: some end earlier and the others wait`,
              valid: [String(Math.max(1, Math.floor(count / size)) * size), String(Math.ceil(count / size) * size)],
              ...nearby("ranks", launch.world.said[0]?.span),
            },
          ];
        }),
      );
    },
    fires: { "run.sh": "torchrun --nproc-per-node=8 train.py --train-data 'shards/{000..009}.tar'\n" },
    silent: { "run.sh": "torchrun --nproc-per-node=8 train.py --train-data 'shards/{000..015}.tar'\n" },
  }),
];

/** `part-{000..127}.tar`, in the words of webdataset; `train-*-of-00010`, in those of datasets. */
function shardsIn(text: string): number | null {
  if (!text.includes("..") && !text.includes("-of-")) return null;
  const range = /\{(\d+)\.\.(\d+)\}[^/]*\.(?:tar|jsonl|parquet|json|tfrecord|bin)/.exec(text);
  if (range !== null) return Math.abs(Number(range[2]) - Number(range[1])) + 1;
  const whole = /\*-of-(\d{2,})\b/.exec(text);
  return whole === null ? null : Number(whole[1]);
}
