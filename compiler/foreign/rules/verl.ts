/** Batches of verl, in hydra's words. */
import type { Settings, Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const verl = (prompts: number, more = ""): string =>
  `python -m verl.trainer.main_ppo data.train_batch_size=${prompts} actor_rollout_ref.actor.ppo_mini_batch_size=128${more}\n`;
const actor = "actor_rollout_ref.actor";

const isTrue = (told: Told | undefined): boolean =>
  told !== undefined && (!told.known || /^true$/i.test(String(told.value)));

/** A number that is written; `fallback` where nothing is, `null` where it is not known. */
function numberOf(options: Settings, name: string, fallback: number): number | null {
  const told = options.get(name);
  if (told === undefined) return fallback;
  const count = told.known ? Number(told.value) : Number.NaN;
  return Number.isInteger(count) && count > 0 ? count : null;
}

/** Prompts of a step and mini-batches of the actor and the critic. */
function minis(options: Settings): readonly Found[] {
  const prompts = options.get("data.train_batch_size");
  const size = Number(prompts?.value);
  if (prompts?.known !== true || !Number.isInteger(size)) return [];
  return [actor, "critic"].flatMap((section): readonly Found[] => {
    const mini = options.get(`${section}.ppo_mini_batch_size`);
    if (mini?.known !== true || !(size < Number(mini.value)) || isTrue(options.get(`${section}.use_dynamic_bsz`)))
      return [];
    return [
      {
        span: prompts.span,
        message: `${size} prompts per step are fewer than one mini-batch of ${String(mini.value)}`,
        valid: [String(mini.value)],
        ...nearby("the mini-batch", mini.span),
      },
    ];
  });
}

/** Answers of a step against the GPUs that Ray starts workers on. */
function answers(options: Settings): readonly Found[] {
  const [prompts, gpus] = [options.get("data.train_batch_size"), options.get("trainer.n_gpus_per_node")];
  if (prompts?.known !== true || gpus?.known !== true || isTrue(options.get(`${actor}.use_dynamic_bsz`))) return [];
  if (![...options.keys()].some((name) => name.startsWith("actor_rollout_ref."))) return [];
  const total = numberOf(options, "trainer.n_gpus_per_node", 8);
  const [nodes, each] = [numberOf(options, "trainer.nnodes", 1), numberOf(options, "actor_rollout_ref.rollout.n", 1)];
  const degrees = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"].map(
    (name) => numberOf(options, `${actor}.megatron.${name}`, 1),
  );
  const micro = options.get(`${actor}.ppo_micro_batch_size_per_gpu`);
  const isMegatron =
    options.get(`${actor}.strategy`)?.value === "megatron" ||
    [...options.keys()].some((name) => name.startsWith(`${actor}.megatron.`));
  if (total === null || nodes === null || each === null || degrees.includes(null)) return [];
  const cut = isMegatron ? degrees.reduce<number>((all, degree) => all * (degree ?? 1), 1) : 1;
  const ranks = total * nodes;
  if (ranks % cut !== 0)
    return [
      { span: gpus.span, message: `${ranks} GPUs are not a multiple of tensor x pipeline x context ranks = ${cut}` },
    ];
  if (isMegatron && micro?.known !== true) return [];
  const unit = isMegatron ? (ranks / cut) * Number(micro?.value) : ranks;
  const made = Number(prompts.value) * each;
  if (!Number.isInteger(made) || !Number.isInteger(unit) || made % unit === 0) return [];
  return [
    {
      span: prompts.span,
      message: `${String(prompts.value)} prompts x ${each} answers = ${made} are not a multiple of ${isMegatron ? `${ranks / cut} data-parallel ranks x micro-batch ${String(micro?.value)} = ${unit}` : `${unit} GPUs`}`,
      ...nearby("GPUs of a node", gpus.span),
    },
  ];
}

/** Sizes that verl takes in one of two ways. */
function twice(options: Settings): readonly Found[] {
  return [
    `${actor}.ppo_micro_batch_size`,
    "critic.ppo_micro_batch_size",
    "actor_rollout_ref.ref.log_prob_micro_batch_size",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size",
  ].flatMap((name): readonly Found[] => {
    const [whole, own] = [options.get(name), options.get(`${name}_per_gpu`)];
    if (
      whole === undefined ||
      own === undefined ||
      [whole, own].some(({ value }) => /^(?:null|none)$/i.test(String(value)))
    )
      return [];
    return [
      {
        span: whole.nameSpan,
        message: `${name.split(".").at(-1)} and its _per_gpu are both given, but verl takes only one`,
        ...nearby("the other", own.nameSpan),
      },
    ];
  });
}

export const verlRules: readonly ForeignRule[] = [
  rule({
    name: "verl-batch",
    source:
      "verl/utils/config.py: validate_config; verl/workers/config: ActorConfig.validate, CriticConfig.validate (from 0.3 on; trainer/ppo/ray_trainer.py before)",
    why: "A step's prompts are split into mini-batches, and their answers (prompts x rollout.n) among all GPUs: with fewer prompts than one mini-batch, or answers that do not divide evenly, verl stops before it loads a model. With use_dynamic_bsz this is not checked.",
    fix: "Set data.train_batch_size to a multiple of ppo_mini_batch_size such that its product with rollout.n is a multiple of the GPUs; and give each micro-batch only once, as _per_gpu.",
    check: ({ runs }) => runs.flatMap(({ options }) => [...minis(options), ...answers(options), ...twice(options)]),
    fires: {
      "run.sh": verl(16),
      "gpus.sh": verl(132, " trainer.n_gpus_per_node=8 trainer.nnodes=1 actor_rollout_ref.rollout.n=5"),
    },
    silent: {
      "run.sh": verl(128),
      "gpus.sh": verl(136, " trainer.n_gpus_per_node=8 trainer.nnodes=1 actor_rollout_ref.rollout.n=5"),
    },
  }),
];
