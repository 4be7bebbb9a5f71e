/** What AutoEP is told of a model's layers by name, and which of its forms go with tensor parallelism. */
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { asNumber, textOf, truthy, type Value } from "../value.ts";

const autoEp = demandsOf("module_inject/auto_ep_config.py: validate_autoep_config", "build");

const activations = ["swiglu", "geglu_tanh", "swiglu_clamped", "swiglu_oai"];
const attributes = [
  "expert_w1",
  "expert_w2",
  "expert_w3",
  "num_experts_attr",
  "top_k_attr",
  "router_pattern",
  "expert_pattern",
  "shared_experts_pattern",
  "shared_experts_gate_pattern",
].map((name) => `expert_parallel.${name}`);
const isOn = ({ plain }: Settings): boolean => truthy(plain("expert_parallel.enabled"));

export const expertNames: readonly Demand[] = [
  autoEp("experts-activation", {
    about: "expert_parallel.expert_activation",
    check: (settings) => {
      const value = settings.plain("expert_parallel.expert_activation") ?? null;
      return !isOn(settings) || value === null || activations.includes(String(value))
        ? null
        : `expert_parallel.expert_activation = ${textOf(value)} is not one of ${activations.join(", ")}`;
    },
    valid: activations,
    why: "AutoEP computes the experts itself and supports only these activations, whatever the model's own.",
    fix: "Write swiglu, geglu_tanh, swiglu_clamped or swiglu_oai, or leave the key out if the preset sets it.",
    fires: { expert_parallel: { enabled: true, expert_activation: "gelu" } },
    silent: { expert_parallel: { enabled: true, expert_activation: "geglu_tanh" } },
  }),
  autoEp("experts-attribute", {
    about: attributes,
    blamed: ({ plain }) => attributes.find((path) => fault(plain(path)) !== null) ?? null,
    check: (settings) => {
      const wrong = attributes.find((path) => fault(settings.plain(path)) !== null);
      return !isOn(settings) || wrong === undefined ? null : `${wrong} ${fault(settings.plain(wrong)) ?? ""}`;
    },
    why: "The key names one attribute of the layer (or of the model's configuration), which is looked up by exactly this name, not by a path or a pattern.",
    fix: "Write the attribute's own name, such as gate or experts, without dots.",
    fires: { expert_parallel: { enabled: true, router_pattern: "mlp.gate" } },
    silent: { expert_parallel: { enabled: true, router_pattern: "gate" } },
  }),
  autoEp("experts-shared", {
    about: "expert_parallel.has_shared_experts",
    check: (settings) => {
      const value = settings.plain("expert_parallel.has_shared_experts") ?? null;
      return !isOn(settings) || value === null || typeof value === "boolean"
        ? null
        : `expert_parallel.has_shared_experts = ${textOf(value)} is not true or false`;
    },
    valid: ["true", "false"],
    why: "The key says whether the layer has experts that every token passes through. A text or a number is refused.",
    fix: "Write true or false, without quotes.",
    fires: { expert_parallel: { enabled: true, has_shared_experts: "true" } },
    silent: { expert_parallel: { enabled: true, has_shared_experts: true } },
  }),
  autoEp("experts-scaling", {
    about: "expert_parallel.routed_scaling_factor",
    check: (settings) => {
      const value = settings.plain("expert_parallel.routed_scaling_factor") ?? "auto";
      return !isOn(settings) || value === "auto" || typeof value === "boolean" || asNumber(value) !== undefined
        ? null
        : `expert_parallel.routed_scaling_factor = ${textOf(value)} is neither a number nor "auto"`;
    },
    why: "The output of the experts is multiplied by this number; auto takes it from the model's configuration.",
    fix: 'Write a number in digits, without quotes, or "auto".',
    fires: { expert_parallel: { enabled: true, routed_scaling_factor: "2.5" } },
    silent: { expert_parallel: { enabled: true, routed_scaling_factor: 2.5 } },
  }),
  autoEp("experts-divided-forms", {
    about: ["expert_parallel.async_split_plan", "expert_parallel.combine_impl", "tensor_parallel.autotp_size"],
    check: (settings) => {
      const { plain } = settings;
      const size = asNumber(plain("tensor_parallel.autotp_size") ?? 0) ?? 0;
      if (!isOn(settings) || size <= 1) return null;
      const beside = `cannot be combined with tensor_parallel.autotp_size ${size}`;
      if (
        plain("expert_parallel.async_split_plan") === true &&
        (asNumber(plain("expert_parallel.autoep_size")) ?? 1) > 1
      )
        return `expert_parallel.async_split_plan ${beside}`;
      return plain("expert_parallel.combine_impl") === "fused_weighted_sum"
        ? `expert_parallel.combine_impl fused_weighted_sum ${beside}`
        : null;
    },
    why: "Both options need whole tokens on one rank. With tensor parallelism the ranks of a group hold the same tokens, and the engine refuses the combination.",
    fix: "Set async_split_plan to false and combine_impl to auto, or autotp_size to 1.",
    fires: {
      tensor_parallel: { autotp_size: 2 },
      expert_parallel: { enabled: true, autoep_size: 2, async_split_plan: true },
    },
    silent: { expert_parallel: { enabled: true, autoep_size: 2, async_split_plan: true } },
  }),
];

/** What is wrong with the name of an attribute, if anything. */
function fault(value: Value | undefined): string | null {
  if ((value ?? null) === null) return null;
  if (typeof value !== "string" || value === "") return `= ${textOf(value ?? null)} is not the name of an attribute`;
  return value.includes(".") ? `= ${textOf(value)} is a path, but must be a single attribute` : null;
}
