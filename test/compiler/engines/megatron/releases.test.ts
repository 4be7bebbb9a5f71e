/** What the compiler chose by itself exists in the release that a stage names: a refusal is of what the stage asks for. */
import { expect, it } from "vitest";
import { parseCommandLine } from "../../../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../../../compiler/engines/megatron/complaints.ts";
import { wordsOfLaunch } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { rules } from "../../../../compiler/engines/megatron/stage/rules.ts";
import { knownVersions } from "../../../../compiler/engines/megatron/table.ts";
import {
  conversationCases,
  megatronCases,
  narrowCases,
  optimizerCases,
  unevenCases,
  type MegatronCase,
} from "../../../support/megatron.ts";

const casesOf = (version: string): readonly MegatronCase[] => [
  ...megatronCases(version),
  ...optimizerCases(version),
  ...narrowCases(version),
  ...unevenCases(version),
  ...conversationCases(version),
];

it("refuses of a release what a stage asks for, and nothing that the compiler chose", () => {
  const refused = knownVersions.map((version) => {
    const late = casesOf(version).flatMap(({ launch }) => launch.late.map(({ dest, from }) => `${from}: ${dest}`));
    return [version, [...new Set(late)].sort()];
  });
  expect(Object.fromEntries(refused)).toMatchInlineSnapshot(`
    {
      "0.10.0": [
        "attention: attention_backend",
        "data.format: sft",
        "data.format: sft_tokenizer_prompt_format",
        "layout.pipeline_parallel: account_for_loss_in_pipeline_split",
        "layout.virtual_pipeline: num_virtual_stages_per_pipeline_rank",
        "layout.virtual_pipeline: pipeline_model_parallel_layout",
        "model.family: moe_router_topk_scaling_factor",
        "model.moe.router_bias: moe_router_enable_expert_bias",
        "model.moe.router_bias: moe_router_score_function",
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
        "precision: fp8_recipe",
        "precision: reuse_grad_buf_for_mxfp8_param_ag",
      ],
      "0.11.0": [
        "data.format: sft",
        "data.format: sft_tokenizer_prompt_format",
        "layout.virtual_pipeline: pipeline_model_parallel_layout",
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
        "precision: fp8_recipe",
        "precision: reuse_grad_buf_for_mxfp8_param_ag",
      ],
      "0.12.3": [
        "data.format: sft",
        "data.format: sft_tokenizer_prompt_format",
        "layout.virtual_pipeline: pipeline_model_parallel_layout",
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
        "precision: reuse_grad_buf_for_mxfp8_param_ag",
      ],
      "0.13.1": [
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
      ],
      "0.14.0": [
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
      ],
      "0.15.3": [
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
      ],
      "0.16.1": [],
      "0.17.1": [],
      "0.18.2": [],
      "0.19.2": [],
      "0.20.0": [],
      "0.8.0": [
        "attention: attention_backend",
        "data.format: sft",
        "data.format: sft_tokenizer_prompt_format",
        "layout.pipeline_parallel: account_for_loss_in_pipeline_split",
        "layout.pipeline_parallel: decoder_first_pipeline_num_layers",
        "layout.pipeline_parallel: decoder_last_pipeline_num_layers",
        "layout.virtual_pipeline: num_virtual_stages_per_pipeline_rank",
        "layout.virtual_pipeline: pipeline_model_parallel_layout",
        "model.family: moe_router_topk_scaling_factor",
        "model.mla.kv_rank: kv_lora_rank",
        "model.mla.q_rank: q_lora_rank",
        "model.mla: multi_latent_attention",
        "model.moe.d_ff: moe_ffn_hidden_size",
        "model.moe.first_dense: moe_layer_freq",
        "model.moe.router_bias: moe_router_enable_expert_bias",
        "model.moe.router_bias: moe_router_score_function",
        "model.moe.shared_d_ff: moe_shared_expert_intermediate_size",
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
        "precision: fp8_param_gather",
        "precision: fp8_recipe",
        "precision: reuse_grad_buf_for_mxfp8_param_ag",
      ],
      "0.9.0": [
        "attention: attention_backend",
        "data.format: sft",
        "data.format: sft_tokenizer_prompt_format",
        "layout.pipeline_parallel: account_for_loss_in_pipeline_split",
        "layout.virtual_pipeline: num_virtual_stages_per_pipeline_rank",
        "layout.virtual_pipeline: pipeline_model_parallel_layout",
        "model.family: moe_router_topk_scaling_factor",
        "model.mla.kv_rank: kv_lora_rank",
        "model.mla.q_rank: q_lora_rank",
        "model.mla: multi_latent_attention",
        "model.moe.d_ff: moe_ffn_hidden_size",
        "model.moe.first_dense: moe_layer_freq",
        "model.moe.router_bias: moe_router_enable_expert_bias",
        "model.moe.router_bias: moe_router_score_function",
        "model.moe.shared_d_ff: moe_shared_expert_intermediate_size",
        "model.window: window_size",
        "optimizer.iterations: muon_num_ns_steps",
        "optimizer.momentum: muon_momentum",
        "optimizer.nesterov: muon_nesterov",
        "precision: fp4",
        "precision: fp8_recipe",
        "precision: reuse_grad_buf_for_mxfp8_param_ag",
      ],
    }
  `);
});

const saidFor = (cases: readonly MegatronCase[], name: string, mark: RegExp): readonly string[] => {
  const one = cases.find((each) => each.name === name);
  if (one === undefined) throw new Error(`no case ${name}`);
  return one.launch.arguments.filter(({ words }) => mark.test(words[0] ?? "")).map(({ words }) => words.join(" "));
};

it("says experts, rotations and uneven stages as each release does", () => {
  const [old, grid, scores, newest] = ["0.9", "0.11", "0.13", "0.20"].map(casesOf);
  const experts = /^--(?:moe-)?ffn-hidden|^--moe-router-dtype|^--expert-tensor/;
  expect([old, grid, newest].map((cases = []) => saidFor(cases, "mixtral, experts", experts))).toMatchInlineSnapshot(`
    [
      [
        "--ffn-hidden-size 3584",
      ],
      [
        "--ffn-hidden-size 3584",
        "--moe-ffn-hidden-size 3584",
        "--expert-tensor-parallel-size 1",
      ],
      [
        "--ffn-hidden-size 3584",
        "--moe-ffn-hidden-size 3584",
        "--moe-router-dtype fp32",
        "--expert-tensor-parallel-size 1",
      ],
    ]
  `);
  const rotation = /^--rope-type|^--rotary-scaling/;
  expect([scores, newest].map((cases = []) => saidFor(cases, "deepseek_v3, tensor", rotation)))
    .toMatchInlineSnapshot(`
    [
      [
        "--rotary-scaling-factor 1",
      ],
      [
        "--rope-type rope",
      ],
    ]
  `);
  const ends = /^--decoder-|^--account/;
  expect([old, newest].map((cases = []) => saidFor(cases, "16 layers in 3 stages", ends))).toMatchInlineSnapshot(`
    [
      [
        "--decoder-first-pipeline-num-layers 5",
        "--decoder-last-pipeline-num-layers 5",
      ],
      [
        "--account-for-embedding-in-pipeline-split",
        "--account-for-loss-in-pipeline-split",
      ],
    ]
  `);
});

it.each(knownVersions)("breaks no rule of Megatron %s", (version) => {
  for (const { name, step, plan, on, launch } of [...narrowCases(version), ...unevenCases(version)]) {
    // What the stage names itself may be more than the release has.
    const isAsked = step.narrow?.recipe != null || Object.keys(step.rawMegatron).length > 0;
    if (isAsked || launch.late.length > 0) continue;
    expect([name, complaintsOf(parseCommandLine(wordsOfLaunch(launch), launch.table), launch.table)]).toEqual([
      name,
      [],
    ]);
    const errors = rules.flatMap((rule) => rule.check(step, plan, on)).filter(({ severity }) => severity === "error");
    expect([name, errors.map(({ code, message }) => `${code}: ${message}`)]).toEqual([name, []]);
  }
});
