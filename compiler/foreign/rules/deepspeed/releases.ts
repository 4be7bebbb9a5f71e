/** What older releases of DeepSpeed refuse and the newest no longer have: asked where a file or the command line names the release. */
import { below } from "../../../engines/release.ts";
import { enginesOf } from "../../engines.ts";
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { at, scalarOf } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { numberIn, textIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const config = (stage: number): string =>
  `{ "train_micro_batch_size_per_gpu": 4, "fp16": { "enabled": true }, "optimizer": { "type": "OneBitAdam", "params": { "lr": 1e-4 } }, "zero_optimization": { "stage": ${stage} } }`;

/** The last release that has them; 0.19.8 does not. */
const last = "0.19.7";
const compressing = new Set(["onebitadam", "onebitlamb", "zerooneadam"]);

const startedIn = ({ runs }: Launch): readonly Run[] => runs.filter(({ launcher }) => launcher.kind === "deepspeed");
const start = (options: string): string =>
  `deepspeed --num_nodes 2 --num_gpus 8 --hostfile hosts --master_addr node1 ${options} train.py\n`;

export const deepspeedReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-compressed-zero",
    source: "deepspeed/runtime/engine.py: DeepSpeedEngine._configure_basic_optimizer (until 0.19.6)",
    why: "Optimizers that send momenta in one bit (OneBitAdam, OneBitLamb, ZeroOneAdam) need their whole states on each GPU, but ZeRO shards them: the engine stops when it is created.",
    fix: "Set zero_optimization.stage to 0, or use AdamW.",
    check: (launch) => {
      const engine = enginesOf(launch).find((each) => each.engine === "deepspeed");
      if (engine?.written == null || !below(engine.version, last)) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const [type, stage] = [at(root, "optimizer", "type"), at(root, "zero_optimization", "stage")];
        const name = String(scalarOf(type) ?? "");
        if (stage === undefined || !compressing.has(name.toLowerCase()) || !(Number(scalarOf(stage)) > 0)) return [];
        return [
          {
            span: stage.span,
            message: `${name} cannot be combined with ZeRO stage ${String(scalarOf(stage))}`,
            valid: ["0"],
            ...nearby("the optimizer", type?.span),
          },
        ];
      });
    },
    fires: { "ds.json": config(2) },
    silent: { "ds.json": config(0) },
    supplied: { engines: new Map([["deepspeed", "0.16.0"]]) },
  }),
  rule({
    name: "deepspeed-rank-log",
    source: "deepspeed/launcher/multinode_runner.py: PDSHRunner.get_cmd (before 0.16.2)",
    severity: "warning",
    why: "With several nodes the launcher starts itself on each through pdsh, and before 0.16.2 it does not pass on where the ranks' logs go: no log is written, and all ranks write to one stream.",
    fix: "Install DeepSpeed 0.16.2 or later, or remove --enable_each_rank_log.",
    check: (launch) => {
      const own = packagesOf(launch).get("deepspeed");
      if (own?.version == null || !below(own.version, "0.16.2")) return [];
      return startedIn(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const told = toldIn(settings, "enable_each_rank_log");
        const isReached =
          (textIn(settings, "launcher") ?? "pdsh").toLowerCase() === "pdsh" && !settings.has("no_ssh");
        const several = (numberIn(settings, "num_nodes") ?? 1) > 1 || settings.has("force_multi");
        if (told === undefined || !isReached || !several) return [];
        return [
          {
            span: told.nameSpan,
            message: `DeepSpeed ${own.version} does not pass --enable_each_rank_log on to other nodes`,
            ...nearby("the release", own.span),
          },
        ];
      });
    },
    fires: { "run.sh": start("--enable_each_rank_log logs"), "requirements.txt": "deepspeed==0.16.1\n" },
    silent: { "run.sh": start("--enable_each_rank_log logs"), "requirements.txt": "deepspeed==0.16.2\n" },
  }),
  rule({
    name: "deepspeed-elastic-agent",
    source: "deepspeed/launcher/launch.py: main (WorkerSpec); deepspeed/elasticity/elastic_agent.py: DSElasticAgent",
    why: "DeepSpeed's elastic agent was written for torch before 2.3: it passes arguments that newer releases no longer have, and every node stops with a TypeError before it starts a rank.",
    fix: "Remove --elastic_training and start the ranks with torchrun --nnodes=MIN:MAX --max-restarts=N, or stay with torch below 2.3.",
    check: (launch) => {
      const torch = packagesOf(launch).get("torch");
      if (torch?.version == null || below(torch.version, "2.3")) return [];
      return startedIn(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const told = toldIn(settings, "elastic_training");
        return told === undefined || told.value === false
          ? []
          : [
              {
                span: told.nameSpan,
                message: `the elastic agent of DeepSpeed does not start with torch ${torch.version}`,
                ...nearby("the release", torch.span),
              },
            ];
      });
    },
    fires: { "run.sh": start("--elastic_training"), "requirements.txt": "torch==2.4.0\n" },
    silent: { "run.sh": start("--elastic_training"), "requirements.txt": "torch==2.2.2\n" },
  }),
];
