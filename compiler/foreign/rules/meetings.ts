/** Where the nodes of a launch meet, where two launches of one machine do, and how a process learns its rank. */
import type { Run } from "../launch.ts";
import type { ShellCommand } from "../shell/state.ts";
import type { Piece } from "../shell/text.ts";
import { isMegatron } from "../megatron.ts";
import { packagesOf } from "../known/packages.ts";
import { below } from "../../engines/release.ts";
import { textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --exclusive\n";
const elastic = "--nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d";

const around = (command: ShellCommand | null): readonly ShellCommand[] =>
  command === null ? [] : [command, ...around(command.outer)];

/** What a shell on each node finds for itself in a value: that of a step, or whoever starts the script where no scheduler is in sight. */
function foundOnEach({ command, script, step }: Run, { span }: Told): readonly Piece[] {
  const isByHand = command.outer === null && script.directives.size === 0 && step === null && script.pods === null;
  const word = around(command)
    .flatMap(({ words }) => words)
    .find((each) => each.span === span);
  return (word?.pieces ?? []).filter(({ text, by = null }) =>
    text !== null
      ? false
      : by === null
        ? isByHand
        : around(by).some(({ words }) => words.some((each) => each.text === "srun")),
  );
}

const isWritten = ({ span: { source, start, end } }: Piece, what: RegExp): boolean =>
  what.test(source.text.slice(start, end));

const isMany = ({ launcher: { settings } }: Run): boolean => {
  const nodes = String(toldIn(settings, "nnodes")?.value ?? "1")
    .split(":")
    .at(-1);
  return Number(nodes) > 1;
};

/** `&` behind a command: the shell goes on to the next. */
function isBackground({ command: { span, outer } }: Run): boolean {
  if (outer !== null) return false;
  const rest = /(?:\\\n|[^\n])*/y;
  rest.lastIndex = span.end;
  const line = rest.exec(span.source.text)?.[0].replaceAll("\\\n", " ") ?? "";
  return /^.*?(?<![&>|])&(?![&>\d])[ \t]*(?:#|;|$)/.test(line);
}

/** The port that a launch of one node binds; `null` where it takes a free one or nobody knows. */
function portOf({
  launcher: { kind, settings },
}: Run): { readonly port: string; readonly told: Told | undefined } | null {
  if (settings.has("standalone") || (kind !== "torchrun" && kind !== "accelerate" && kind !== "deepspeed"))
    return null;
  const told = toldIn(settings, "master_port", "main_process_port", "rdzv_endpoint");
  if (told === undefined) return kind === "torchrun" && settings.has("rdzv_backend") ? null : { port: "29500", told };
  const port = told.known ? /(?:^|:)(\d+)$/.exec(String(told.value))?.[1] : undefined;
  return port === undefined || port === "0" ? null : { port, told };
}

export const meetingRules: readonly ForeignRule[] = [
  rule({
    name: "torchrun-own-meeting",
    source: "torch/distributed/elastic/rendezvous/dynamic_rendezvous.py: nodes meet by endpoint and run id",
    why: "A shell on each node expands this line: `$RANDOM` gives each node a different id, and `$(hostname)` its own name. Nodes with different rendezvous settings wait for each other until they time out.",
    fix: "Give all nodes the same values: --rdzv-id=$SLURM_JOB_ID, and the first node's name in --rdzv-endpoint.",
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        if (run.launcher.kind !== "torchrun" || !isMany(run)) return [];
        const { settings } = run.launcher;
        const [id, place] = [toldIn(settings, "rdzv_id"), toldIn(settings, "rdzv_endpoint", "master_addr")];
        const found: Found[] = [];
        const draws = (piece: Piece): boolean => piece.from === "RANDOM" || isWritten(piece, /\bRANDOM\b|\$\$/);
        if (id !== undefined && foundOnEach(run, id).some(draws))
          found.push({ span: id.span, message: `each node draws its own ${id.name}, and they never meet` });
        const names = (piece: Piece): boolean => isWritten(piece, /\$\(\s*hostname\b|`\s*hostname\b|\$\{?HOSTNAME\b/);
        if (place !== undefined && foundOnEach(run, place).some(names))
          found.push({
            span: place.span,
            message: `each node names itself in ${place.name}, and they never meet`,
          });
        return found;
      }),
    fires: {
      "job.sbatch": `${head}srun bash -c 'torchrun ${elastic} --rdzv-id=$RANDOM --rdzv-endpoint=n1 train.py'\n`,
    },
    silent: {
      "job.sbatch": `${head}srun bash -c 'torchrun ${elastic} --rdzv-id=$SLURM_JOB_ID --rdzv-endpoint=n1 train.py'\n`,
      // The batch script alone reads it, once.
      "one.sbatch": `${head}srun torchrun ${elastic} --rdzv-id=$RANDOM --rdzv-endpoint=$(hostname) train.py\n`,
      "handed.sbatch": `${head}export HEAD=$(hostname)\nsrun bash -c 'torchrun ${elastic} --rdzv-id=1 --rdzv-endpoint=$HEAD train.py'\n`,
    },
  }),
  rule({
    name: "launcher-shared-port",
    ofAll: true,
    source:
      "torch/distributed/run.py: master_port is 29500; accelerate/commands/launch.py: main_process_port; deepspeed/launcher/constants.py: TORCH_DISTRIBUTED_DEFAULT_PORT",
    why: "Two launches that run at the same time on one machine bind the same rendezvous port: the second stops with `address already in use`.",
    fix: "Give one of them another --master-port (--main_process_port for accelerate), or start torchrun with --standalone.",
    check: ({ runs }) => {
      const before: { readonly run: Run; readonly port: string }[] = [];
      return runs.flatMap((run): readonly Found[] => {
        const own = portOf(run);
        if (own === null) return [];
        const other = before.find((each) => each.run.script === run.script && each.port === own.port)?.run;
        if (isBackground(run)) before.push({ run, port: own.port });
        if (other === undefined || isMany(run) || isMany(other)) return [];
        if ([run, other].some(({ step, command }) => step !== null || command.outer !== null || command.looped))
          return [];
        if (textIn(run.launcher.settings, "rdzv_backend") === "c10d" && own.told?.name === undefined) return [];
        return [
          {
            span: own.told?.span ?? run.launcher.word.span,
            message: `port ${own.port} is in use by the launch before, which is still running`,
            ...nearby("the other launch", other.launcher.word.span),
          },
        ];
      });
    },
    fires: {
      "run.sh":
        "CUDA_VISIBLE_DEVICES=0 torchrun --nproc-per-node=1 a.py &\nCUDA_VISIBLE_DEVICES=1 torchrun --nproc-per-node=1 b.py &\nwait\n",
    },
    silent: {
      "run.sh":
        "CUDA_VISIBLE_DEVICES=0 torchrun --nproc-per-node=1 a.py &\nCUDA_VISIBLE_DEVICES=1 torchrun --nproc-per-node=1 --master-port=29501 b.py &\nwait\n",
      "after.sh": "torchrun --nproc-per-node=1 a.py\ntorchrun --nproc-per-node=1 b.py\n",
    },
  }),
  rule({
    name: "launcher-port",
    source:
      "torch/distributed/run.py: config_from_args; accelerate/utils/launch.py: prepare_multi_gpu_env; RFC 9293: a port is 16 bits",
    why: "A TCP port is a whole number up to 65535: a store on any other stops with `Port out of range` or `OverflowError`.",
    fix: "Choose a port from 1024 to 65535; with a single node, 0 selects a free one.",
    check: (launch) =>
      [launch.accelerate ?? new Map<string, Told>(), ...launch.runs.map(({ launcher }) => launcher.settings)]
        .flatMap((settings) =>
          ["master_port", "main_process_port", "rdzv_endpoint"].map((name) => settings.get(name)),
        )
        .flatMap((told): readonly Found[] => {
          const port = told?.known === true ? /^(?:.*:)?(-?\d+)$/.exec(String(told.value))?.[1] : undefined;
          if (told === undefined || port === undefined || (Number(port) >= 0 && Number(port) <= 65_535)) return [];
          return [{ span: told.span, message: `${port} is not a TCP port`, valid: ["0 to 65535"] }];
        })
        .filter(
          ({ span }, at, all) =>
            all.findIndex((each) => each.span.source === span.source && each.span.start === span.start) === at,
        ),
    fires: {
      "run.sh": "torchrun --nnodes=1 --nproc-per-node=2 --master-port=69420 train.py\n",
    },
    silent: {
      "run.sh": "torchrun --nnodes=1 --nproc-per-node=2 --master-port=29420 train.py\n",
    },
  }),
  rule({
    name: "torchrun-endpoint-port",
    source: "torch/distributed/elastic/rendezvous/utils.py: parse_rendezvous_endpoint",
    why: "The port is what follows the last colon of the endpoint. torchrun stops if it is not a whole number: `The port number of the rendezvous endpoint must be an integer`.",
    fix: "Write the first node's name and a port: --rdzv-endpoint=node1:29500.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { kind, settings } }): readonly Found[] => {
        const told = kind === "torchrun" ? toldIn(settings, "rdzv_endpoint") : undefined;
        const port = told?.known === true ? /^[^:[\]]+:([^:]*)$/.exec(String(told.value))?.[1] : undefined;
        if (told === undefined || port === undefined || /^\s*\d+\s*$/.test(port)) return [];
        return [{ span: told.span, message: `${port === "" ? "an empty text" : port} is not a port` }];
      }),
    fires: { "run.sh": `torchrun ${elastic} --rdzv-endpoint=ip:port train.py\n` },
    silent: { "run.sh": `torchrun ${elastic} --rdzv-endpoint=ip:29500 train.py\n` },
  }),
  rule({
    name: "torchrun-dashes",
    source: "torch/distributed/run.py: get_args_parser (names with dashes from torch 2.0 on)",
    why: "Before torch 2.0, torchrun accepts its options only with underscores, and stops at one with dashes: `unrecognized arguments`.",
    fix: "Write --nproc_per_node and similar options with underscores, which every release accepts, or install torch 2.",
    check: (launch) => {
      const torch = packagesOf(launch).get("torch");
      if (torch?.version == null || !below(torch.version, "2.0")) return [];
      return launch.runs.flatMap(({ launcher: { kind, settings } }) =>
        kind !== "torchrun"
          ? []
          : [...settings.values()].flatMap(({ name, nameSpan }): readonly Found[] => {
              const right = name.replace(/(?<=\w)-/g, "_");
              const isWritten = nameSpan.source.text.slice(nameSpan.start, nameSpan.end).startsWith(name);
              if (!name.startsWith("--") || right === name || !isWritten) return [];
              return [
                {
                  span: nameSpan,
                  message: `torch ${torch.version} has no ${name}`,
                  valid: [right],
                  ...nearby("the release", torch.span),
                },
              ];
            }),
      );
    },
    fires: { "run.sh": "torchrun --nproc-per-node=2 train.py\n", "requirements.txt": "torch==1.13.1\n" },
    silent: { "run.sh": "torchrun --nproc_per_node=2 train.py\n", "requirements.txt": "torch==1.13.1\n" },
  }),
  rule({
    name: "torch-launch-argument",
    severity: "warning",
    source: "torch/distributed/launch.py: main (deprecated; --local-rank with a dash from torch 2.0 on)",
    why: "`python -m torch.distributed.launch` passes `--local-rank=N` to each process (with a dash since torch 2), which a program that does not have the option refuses. torchrun only sets LOCAL_RANK.",
    fix: "Start with torchrun, or add --use-env; a program that needs the argument must accept --local-rank.",
    check: (launch) =>
      launch.runs.flatMap((run): readonly Found[] => {
        const torch = packagesOf(launch).get("torch")?.version ?? null;
        const word = run.command.words.find(({ text }) =>
          /(?:^|\/)torch[./]distributed[./]launch(?:\.py)?$/.test(text ?? ""),
        );
        // Megatron reads the rank from its environment, and knows both names.
        if (word === undefined || run.launcher.settings.has("use_env") || isMegatron(run)) return [];
        return [
          {
            span: word.span,
            message: "this launcher adds --local-rank=N to the program's arguments",
            // Whether the program takes it is its own affair; that torch 2 writes it with a dash is not.
            ...(torch === null || below(torch, "2.0") ? { severity: "info" as const } : {}),
          },
        ];
      }),
    fires: { "run.sh": "python -m torch.distributed.launch --nproc_per_node=2 train.py --lr 1\n" },
    silent: { "run.sh": "python -m torch.distributed.launch --nproc_per_node=2 --use-env train.py --lr 1\n" },
  }),
];
