import type { ClusterSpec, StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import { comment, renderShell, shellWords, type ShellText } from "../../../targets/shell.ts";
import type { OwnProgramConfig } from "../../../bundle/own-programs.ts";
import { templateOf } from "../../../templates.ts";
import type { LoweredFile } from "../../engine.ts";
import { containerOf } from "../bridge/container.ts";
import { bridgeOf } from "../bridge/fields.ts";
import { yamlOf } from "../bridge/yaml.ts";
import { checkpointConfig, json } from "../../trainer.ts";
import { deviceOf } from "../stage/device.ts";
import { needsOf } from "../stage/needs.ts";
import { surroundingsOf } from "../stage/surroundings.ts";
import { launchOf, type Launch } from "./launch.ts";

/** A script that starts the stage, with its whole command line or beside its configuration, and what the node agent knows of it. */
export function lower(stage: StageStep, plan: StagePlan, cluster: ClusterSpec): readonly LoweredFile[] {
  const launch = launchOf({ stage, plan, cluster });
  const folder = `stages/${stage.name}`;
  const agent = { path: `${folder}/megatron.json`, text: json(agentConfig(stage, plan, cluster, launch)) };
  const common = {
    python: stage.megatron.python ?? "python3",
    interpreter: comment(stage.megatron.python ?? "python3"),
    data: preparedFiles(launch).map((file) => shellWords([file])),
    from: stage.from !== null,
    several: cluster.nodes > 1,
    nodes: cluster.nodes,
    processes: cluster.gpusPerNode,
    environment: Object.entries(launch.environment).map(([name, value]) => ({
      name: shellWords([name]),
      value,
    })),
  };
  const fields = bridgeOf(stage);
  if (fields !== null) {
    const script = renderShell("megatron/bridge.sh.hbs", { ...common, ...versionOf(fields.version) });
    return [
      { path: `${folder}/launch.sh`, text: script, executable: true },
      { path: `${folder}/bridge.py`, text: templateOf("megatron/bridge.py")({}) },
      { path: `${folder}/bridge.yaml`, text: yamlOf(containerOf(launch, fields)) },
      agent,
    ];
  }
  const text = renderShell("megatron/launch.sh.hbs", {
    ...common,
    ...versionOf(launch.table.version),
    root: stage.megatron.root ?? "",
    entry: launch.program,
    program: comment(launch.program),
    lines: launch.arguments
      .filter(({ words }) => words.length > 0)
      .map(({ words, from }) => ({ words: argumentWords(words), from: comment(from) })),
  });
  return [{ path: `${folder}/launch.sh`, text, executable: true }, agent];
}

/** Patches change no argument. */
function versionOf(version: string): { version: string; release: ShellText } {
  const release = version.split(".").slice(0, 2).join(".");
  return { version: release, release: comment(release) };
}

function agentConfig(stage: StageStep, plan: StagePlan, cluster: ClusterSpec, launch: Launch): OwnProgramConfig {
  const { line, surroundings } = surroundingsOf(launch, plan, cluster);
  const { layout, batch, total, model } = plan;
  return {
    format: 1,
    step: stage.name,
    script: "launch.sh",
    world: layout.world,
    model: { parameters: model.parameters.total },
    batch: { global_batch: batch.global_batch, sequence: batch.sequence },
    length: { steps: total.steps },
    checkpoint: checkpointConfig(stage, plan),
    expectations: stage.expectations,
    python: stage.megatron.python ?? "python3",
    needs: needsOf(line, launch.table, surroundings),
    device: deviceOf(line, launch.table, surroundings),
    files: namedFiles(launch),
  };
}

const fileArguments = new Set([
  ...["heterogeneous_layers_config_path", "te_precision_config_file", "kitchen_config_file", "tp_comm_overlap_cfg"],
  ...["nccl_communicator_config_path", "data_args_path", "per_split_data_args_path", "tokenizer_model"],
  ...["vocab_file", "merge_file", "tiktoken_pattern_file"],
]);

/** A name that is no whole path may be one of the Hub, or count from where the program happens to stand. */
function namedFiles({ arguments: lowered }: Launch): OwnProgramConfig["files"] {
  const missing = lowered.some(({ dest, words }) => dest === "exit_on_missing_checkpoint" && words.length > 0);
  return lowered.flatMap(({ dest, words }): OwnProgramConfig["files"] => {
    const path = words.at(-1);
    if (path === undefined || !path.startsWith("/")) return [];
    const because = words.slice(0, -1).join(" ");
    if (fileArguments.has(dest)) return [{ path, because }];
    // Whoever continues needs none to begin with.
    if (dest === "pretrained_checkpoint")
      return [{ path: `${path}/${tracker}`, because, unless: `checkpoints/${tracker}` }];
    return dest === "load" && missing
      ? [{ path: `${path}/${tracker}`, because: `${because} --exit-on-missing-checkpoint` }]
      : [];
  });
}

/** The file by which a checkpoint is found (megatron/training/checkpointing.py: checkpoint_exists). */
const tracker = "latest_checkpointed_iteration.txt";

/** Files below the folder of the prepared data that the arguments read: token ids by their index. */
function preparedFiles({ arguments: lowered }: Launch): readonly string[] {
  const named = lowered.flatMap(({ words }) => words.flatMap((word) => /^\{data\}\/([\w.]+)$/.exec(word)?.[1] ?? []));
  return named.map((name) => (name.includes(".") ? name : `${name}.idx`));
}

/** Words, with the folders of the job put in by the shell. */
function argumentWords(words: readonly string[]): ShellText {
  return shellWords(
    words.map((word) => {
      const [, variable, rest = ""] = /^\{(data|run|from)\}(.*)$/s.exec(word) ?? [];
      return variable === undefined ? word : { variable, rest };
    }),
  );
}
