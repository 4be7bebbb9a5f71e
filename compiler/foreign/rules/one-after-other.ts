/** Nodes of one launch that a script starts one after the other, each of which waits for the rest. */
import type { Run } from "../launch.ts";
import type { ShellCommand } from "../shell/state.ts";
import { toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const start = (rank: string): string =>
  `torchrun --nnodes=2 --nproc-per-node=8 --node-rank=${rank} --master-addr=w0 --master-port=29500 train.py`;

/** A process, or the processes of a node, among those that meet. */
interface Part {
  readonly run: Run;
  readonly count: number;
  readonly rank: string;
  readonly meeting: string;
}

const leastOf = (told: Told | undefined): number => Number(String(told?.value ?? 1).split(":")[0]);

function partOf(run: Run): Part | null {
  const { launcher, command } = run;
  const written = (told: Told | undefined): string =>
    told === undefined ? "" : told.known ? String(told.value) : `at ${told.span.start}`;
  if (launcher.kind === "torchrun" || launcher.kind === "accelerate") {
    const { settings } = launcher;
    const rank = toldIn(settings, "node_rank", "machine_rank");
    if (rank?.known !== true) return null;
    const at = ["rdzv_endpoint", "master_addr", "main_process_ip", "master_port", "main_process_port", "rdzv_id"];
    return {
      run,
      count: leastOf(toldIn(settings, "nnodes", "num_machines")),
      rank: String(rank.value),
      meeting: at.map((name) => written(settings.get(name))).join(" "),
    };
  }
  const [count, rank] = ["WORLD_SIZE", "RANK"].map((name) => command.env.get(name)?.value ?? null);
  if (launcher.kind !== "python" || count == null || rank == null) return null;
  const at = ["MASTER_ADDR", "MASTER_PORT"].map((name) => command.env.get(name)?.value ?? "");
  return { run, count: Number(count), rank, meeting: at.join(" ") };
}

const around = (command: ShellCommand): readonly ShellCommand[] => [
  command,
  ...(command.outer === null ? [] : around(command.outer)),
];

/** What ends only when the command within has ended. */
const waits = /^(?:ssh|srun|bash|sh|env|sudo|nohup|timeout|exec)$/;
const leaves = /(?<![&>|])&(?![&>\d])/;

function isWaitedFor({ command }: Run): boolean {
  return around(command).every(({ words, span }, at) => {
    const name = words[0]?.text?.split("/").at(-1) ?? "";
    const goesOn = name === "ssh" && words.some(({ text }) => /^-[a-zA-Z]*f/.test(text ?? ""));
    const rest = /(?:\\\n|[^\n])*/y;
    rest.lastIndex = span.end;
    const behind = rest.exec(span.source.text)?.[0].replaceAll("\\\n", " ") ?? "";
    return (at === 0 || waits.test(name)) && !goesOn && !leaves.test(behind);
  });
}

export const oneAfterOtherRules: readonly ForeignRule[] = [
  rule({
    name: "launcher-one-after-other",
    ofAll: true,
    source:
      "bash(1): a command that no & ends is waited for; torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py, c10d: a launch begins when all of its nodes are there",
    why: "The shell starts the next command when the one before has ended, in a loop as well. The first node waits for the others, which are never started, until its rendezvous times out.",
    fix: "End the command with & and write `wait` behind the last; or start all nodes with one srun, or with pdsh.",
    check: ({ runs }) => {
      const parts = runs.flatMap((run) => partOf(run) ?? []);
      const told = new Set<Part["meeting"]>();
      return parts.flatMap((part, at): readonly Found[] => {
        const { run, count, rank, meeting } = part;
        const first = parts
          .slice(0, at)
          .find((each) => each.run.script === run.script && each.meeting === meeting && each.rank !== rank);
        if (first === undefined || !(count > 1) || !(first.count > 1) || told.has(meeting)) return [];
        if (![first.run, run].every((each) => each.command.certain && isWaitedFor(each))) return [];
        told.add(meeting);
        const span = run.launcher.word.span;
        return [
          {
            span,
            message: `rank ${rank} of ${count} is started when rank ${first.rank} has ended, which waits for it`,
            ...nearby("the one before", run.command.looped ? undefined : first.run.launcher.word.span),
          },
        ];
      });
    },
    fires: { "run.sh": `for i in 0 1; do\n  ssh w$i ${start("$i")}\ndone\n` },
    silent: { "run.sh": `for i in 0 1; do\n  ssh w$i ${start("$i")} &\ndone\nwait\n` },
  }),
];
