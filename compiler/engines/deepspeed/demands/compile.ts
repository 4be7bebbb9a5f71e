/** What DeepCompile and the compiling of AutoEP's surroundings go together with; said when the program has the engine compiled. */
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { asNumber, isList, truthy } from "../value.ts";
import { stageOf } from "./precision.ts";

const weights = demandsOf("compile/init_z3.py: init_z3", "step");
const backend = demandsOf(
  "runtime/engine.py: get_deepspeed_compile_backend; compile/passes/tp_compile.py: defer_collectives_to_compiler",
  "step",
);
const regions = demandsOf("runtime/engine.py: compile", "step");

const deviceOf = ({ zero }: Settings, section: string): string => zero.section(section)?.text("device") ?? "none";
const sizeOf = ({ plain }: Settings, path: string): number => asNumber(plain(path) ?? 1) ?? 1;

/** Passes that are asked for by name; without any, those of the ZeRO stage run. */
function passesOf({ plain }: Settings): readonly string[] {
  const written = plain("compile.passes");
  return isList(written) ? written.map(String) : [];
}

export const compile: readonly Demand[] = [
  weights("compile-offload", {
    about: [
      "compile.offload_activation",
      "compile.offload_opt_states",
      "compile.offload_parameters",
      "zero_optimization.offload_optimizer.device",
    ],
    check: (settings) => {
      const { compile } = settings;
      const passes = passesOf(settings);
      if (!compile.on("deepcompile") || stageOf(settings) !== 3) return null;
      if (passes.includes("autosp") || passes.includes("autotp")) return null;
      const states = compile.on("offload_opt_states");
      const device = deviceOf(settings, "offload_optimizer");
      if (states && device !== "none")
        return `compile.offload_opt_states cannot be combined with an optimizer that ZeRO keeps on ${device}`;
      const both = device === "cpu" && deviceOf(settings, "offload_param") === "cpu";
      const parameters = both || compile.on("offload_parameters");
      if (compile.on("offload_activation") && (parameters || states))
        return `compile.offload_activation beside ${parameters ? "offload_parameters" : "offload_opt_states"}`;
      return states && parameters ? "compile.offload_opt_states beside offload_parameters" : null;
    },
    why: "Each of the three moves data out of the GPU and back by a plan for all of its memory. Two such plans would conflict, and DeepCompile refuses the second. offload_parameters is on by default if ZeRO keeps weights and optimizer on the CPU.",
    fix: "Keep one of offload_activation, offload_opt_states and offload_parameters; with offload_opt_states leave zero_optimization.offload_optimizer out.",
    fires: {
      compile: { deepcompile: true, offload_opt_states: true },
      zero_optimization: { stage: 3, offload_optimizer: { device: "cpu" } },
    },
    silent: { compile: { deepcompile: true, offload_opt_states: true }, zero_optimization: { stage: 3 } },
  }),
  backend("compile-tensor-parallel", {
    about: ["compile.passes", "tensor_parallel.tp_overlap_comm"],
    check: (settings) => {
      const passes = passesOf(settings);
      if (!settings.compile.on("deepcompile") || !passes.includes("autotp")) return null;
      const other = passes.find((each) => ["autosp", "z1", "z3"].includes(each));
      if (other !== undefined) return `compile.passes has autotp and ${other}`;
      return sizeOf(settings, "tensor_parallel.autotp_size") > 1 &&
        truthy(settings.plain("tensor_parallel.tp_overlap_comm"))
        ? "the compiled pass autotp cannot be combined with tensor_parallel.tp_overlap_comm"
        : null;
    },
    why: "The pass puts the exchange between tensor-parallel ranks into the compiled graph. It cannot be combined with the passes for ZeRO and for sequences, and an overlap outside the graph would have nothing to overlap.",
    fix: "Run autotp as the only pass, with tensor_parallel.tp_overlap_comm false.",
    fires: { compile: { deepcompile: true, passes: ["autotp", "z1"] }, tensor_parallel: { autotp_size: 2 } },
    silent: { compile: { deepcompile: true, passes: ["autotp"] }, tensor_parallel: { autotp_size: 2 } },
  }),
  regions("compile-experts", {
    about: ["compile.autoep_non_moe", "compile.deepcompile", "zero_optimization.stage"],
    check: (settings, { model }) => {
      const { compile, plain } = settings;
      if (!compile.on("autoep_non_moe")) return null;
      const beside = "compile.autoep_non_moe cannot be combined with";
      if (compile.on("deepcompile")) return `${beside} compile.deepcompile`;
      const comm = plain("expert_parallel.comm_backend") ?? "comm";
      if (comm !== "comm") return `${beside} expert_parallel.comm_backend ${String(comm)}`;
      if (sizeOf(settings, "tensor_parallel.autotp_size") > 1) return `${beside} tensor_parallel.autotp_size`;
      if (sizeOf(settings, "sequence_parallel_size") > 1) return `${beside} sequence_parallel_size`;
      if (model.kind === "pipeline") return `${beside} pipeline stages`;
      if (stageOf(settings) === 3) return `${beside} ZeRO stage 3`;
      const moved = ["offload_optimizer", "offload_param"].find((name) => deviceOf(settings, name) !== "none");
      return moved === undefined ? null : `${beside} zero_optimization.${moved}`;
    },
    why: "The parts around the experts are compiled by torch.compile; routing and experts are not. The hooks of the other options would be inside the compiled parts, where nothing calls them.",
    fix: "Set compile.autoep_non_moe to false, or remove what the message names.",
    fires: { compile: { autoep_non_moe: true }, zero_optimization: { stage: 3 } },
    silent: { compile: { autoep_non_moe: true } },
  }),
];
