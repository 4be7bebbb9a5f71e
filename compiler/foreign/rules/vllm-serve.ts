/** The server that generates for TRL's trainers, against its devices and the trainer's. */
import type { Run } from "../launch.ts";
import { numberIn, switchIn, textIn, toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const serve = "trl vllm-serve --model m --tensor_parallel_size 2";
const train = "accelerate launch --num_processes 1 grpo.py --output_dir out --use_vllm true --vllm_mode server";

/** `trl vllm-serve …`, and the module behind it. */
const isServer = ({ launcher, program, args }: Run): boolean =>
  (/(?:^|\/)trl$/.test(launcher.word.text ?? "") && args[0]?.text === "vllm-serve") ||
  /(?:^|[./])vllm_serve(?:\.py)?$/.test(program?.text ?? "");

const isClient = ({ options }: Run): boolean =>
  switchIn(options, "use_vllm") === true && textIn(options, "vllm_mode") === "server";

/** Devices by number, where the command's environment names them so. */
function visibleTo({ command }: Run) {
  const told = command.env.get("CUDA_VISIBLE_DEVICES");
  return told?.value == null || !/^\d+(?:,\d+)*$/.test(told.value)
    ? null
    : { devices: told.value.split(","), span: told.span };
}

export const vllmServeRules: readonly ForeignRule[] = [
  rule({
    name: "vllm-serve-devices",
    source:
      "trl/scripts/vllm_serve.py: main, llm_worker; trl/generation/vllm_client.py: init_communicator (NCCL: `Duplicate GPU detected`)",
    why: "The server takes tensor_parallel_size x data_parallel_size GPUs, and the trainer joins its communicator from other GPUs: NCCL does not allow two ranks on one GPU.",
    fix: "Give the server as many GPUs as its sizes need, and the trainer others through CUDA_VISIBLE_DEVICES; or generate inside the trainer with vllm_mode: colocate.",
    // The server and the trainer are launches of their own.
    ofAll: true,
    check: ({ runs }) =>
      runs.filter(isServer).flatMap((server): readonly Found[] => {
        const visible = visibleTo(server);
        if (visible === null) return [];
        const names = ["tensor_parallel_size", "data_parallel_size"];
        const needed = names.reduce((so, name) => so * (numberIn(server.options, name) ?? 1), 1);
        const told = toldIn(server.options, ...names.toReversed());
        if (told !== undefined && needed > visible.devices.length)
          return [
            {
              span: told.span,
              message: `${needed} GPUs are requested, but only ${visible.devices.length} are visible`,
              ...nearby("the GPUs", visible.span),
            },
          ];
        return runs.filter(isClient).flatMap((client): readonly Found[] => {
          const own = visibleTo(client);
          const shared = own?.devices.filter((each) => visible.devices.includes(each)) ?? [];
          return own === null || shared.length === 0
            ? []
            : [
                {
                  span: own.span,
                  message: `the server already uses GPU ${shared.join(", ")}`,
                  ...nearby("the server", visible.span),
                },
              ];
        });
      }),
    fires: { "run.sh": `CUDA_VISIBLE_DEVICES=0,1 ${serve} &\nCUDA_VISIBLE_DEVICES=1 ${train}\n` },
    silent: { "run.sh": `CUDA_VISIBLE_DEVICES=0,1 ${serve} &\nCUDA_VISIBLE_DEVICES=2 ${train}\n` },
  }),
];
