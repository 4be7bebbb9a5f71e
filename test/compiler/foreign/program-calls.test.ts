/** Calls of a program that its launch makes DeepSpeed or accelerate refuse; the nearest that is taken. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import { callsIn } from "../../../compiler/foreign/python-calls.ts";

const told = (text: string, json: object, more: Readonly<Record<string, string>> = {}): readonly string[] =>
  toldOf({
    "ds.json": JSON.stringify({ train_micro_batch_size_per_gpu: 1, ...json }),
    "run.sh": "deepspeed --num_gpus 8 src/train.py --deepspeed_config ds.json\n",
    "src/train.py": text,
    ...more,
  }).flatMap(({ code, span: { source, start } }) =>
    code.startsWith("cdr/program-") && code !== "cdr/program-missing"
      ? [`${source.path}:${source.text.slice(0, start).split("\n").length}`]
      : [],
  );

const made = "import deepspeed\nengine, _, _, _ = deepspeed.initialize(args=args, model=model)\n";
const stage = (number: number, more: object = {}) => ({ zero_optimization: { stage: number, ...more } });
const line3 = ["src/train.py:3"];
const line2 = ["src/train.py:2"];

it.each([
  ["no_sync", `${made}with engine.no_sync(): pass\n`, stage(2), line3],
  ["no_sync of stage 1", `${made}with engine.no_sync(): pass\n`, stage(1), []],
  ["no_sync in a comment", `${made}# with engine.no_sync(): pass\n`, stage(2), []],
  ["no_sync of another", `${made}with other.no_sync(): pass\n`, stage(2), []],
  [
    "two configurations",
    "import deepspeed\ne = deepspeed.initialize(args=args, model=m, config=my_config)\n",
    stage(1),
    line2,
  ],
  [
    "two configurations, perhaps",
    "import deepspeed\ne = deepspeed.initialize(args=args, model=m, config=a if b else None)\n",
    stage(1),
    [],
  ],
  [
    "a configuration without arguments",
    "import deepspeed\ne = deepspeed.initialize(model=m, config=my_config)\n",
    stage(1),
    [],
  ],
  [
    "an mpu beside a pipeline",
    "import deepspeed\ne = deepspeed.initialize(args=a, model=PipelineModule(layers), mpu=mpu)\n",
    {},
    line2,
  ],
  [
    "a schedule alone",
    "import deepspeed\ns = torch.optim.lr_scheduler.StepLR(o, 1)\ne, _ = deepspeed.initialize(args=a, model=m, lr_scheduler=s)\n",
    {},
    line3,
  ],
  [
    "a schedule with its optimizer",
    "import deepspeed\ns = torch.optim.lr_scheduler.StepLR(o, 1)\ne, _ = deepspeed.initialize(args=a, model=m, optimizer=o, lr_scheduler=s)\n",
    {},
    [],
  ],
  ["groups", "from deepspeed.utils import groups\ngroups.initialize(ep_size=2)\n", {}, line2],
  ["groups of another", "import groups\ngroups.initialize(ep_size=2)\n", {}, []],
  [
    "steps of a pipeline",
    "import deepspeed\nnet = PipelineModule(layers)\nengine, *_ = deepspeed.initialize(args=a, model=net)\nengine.step()\n",
    {},
    ["src/train.py:4"],
  ],
  [
    "a batch of a pipeline",
    "import deepspeed\nnet = PipelineModule(layers)\nengine, *_ = deepspeed.initialize(args=a, model=net)\nengine.train_batch(it)\n",
    {},
    [],
  ],
  ["an export of stage 3", `${made}engine._zero3_consolidated_16bit_state_dict()\n`, stage(2), line3],
  ["an export of stage 3 as it is", `${made}engine._zero3_consolidated_16bit_state_dict()\n`, stage(3), []],
  [
    "states of offloaded weights",
    `${made}engine.offload_states()\n`,
    stage(3, { offload_param: { device: "cpu" } }),
    line3,
  ],
  ["states", `${made}engine.offload_states()\n`, stage(3), []],
  [
    "a backend of DeepCompile",
    `${made}engine.compile(backend="onnxrt")\n`,
    { compile: { deepcompile: true } },
    line3,
  ],
  [
    "the backend of DeepCompile",
    `${made}engine.compile(backend="inductor")\n`,
    { compile: { deepcompile: true } },
    [],
  ],
  ["a noisy gate", "import deepspeed\nl = deepspeed.moe.layer.MoE(8, e, noisy_gate_policy='jitter')\n", {}, line2],
  [
    "a noisy gate as it is",
    "import deepspeed\nl = deepspeed.moe.layer.MoE(8, e, noisy_gate_policy='Jitter')\n",
    {},
    [],
  ],
  [
    "eager attention",
    "import deepspeed\nUlyssesSPAttentionHF.register_with_transformers(\n  core_attn_implementation='eager')\n",
    {},
    line2,
  ],
  [
    "a length that nobody gives",
    "import deepspeed\nUlyssesSPAttentionHF.register_with_transformers(core_attn_implementation='sdpa', seq_length_is_variable=False)\n",
    {},
    line2,
  ],
  [
    "a length",
    "import deepspeed\nUlyssesSPAttentionHF.register_with_transformers(core_attn_implementation='sdpa', seq_length_is_variable=False, seq_length=8)\n",
    {},
    [],
  ],
  ["a batch", `${made}engine.set_train_batch_size(12)\n`, {}, line3],
  ["a batch of all ranks", `${made}engine.set_train_batch_size(16)\n`, {}, []],
] as const)("DeepSpeed: %s", (_, text, json, places) => {
  expect(told(text, json)).toEqual(places);
});

const accelerator = "from accelerate import Accelerator\nacc = Accelerator()\n";
const byAccelerate = {
  "run.sh": "accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 8 src/train.py\n",
};
const gathered = { stage3_gather_16bit_weights_on_model_save: true };
const adam = { optimizer: { type: "AdamW", params: { lr: 1e-4 } } };

it.each([
  ["weights that are not gathered", `${accelerator}acc.get_state_dict(m)\n`, stage(3), line3],
  ["weights that are gathered", `${accelerator}acc.get_state_dict(m)\n`, stage(3, gathered), []],
  ["weights of stage 2", `${accelerator}acc.get_state_dict(m)\n`, stage(2), []],
  ["values that are clipped", `${accelerator}acc.clip_grad_value_(p, 1)\n`, stage(2), line3],
  ["a norm that is clipped", `${accelerator}acc.clip_grad_norm_(p, 1)\n`, stage(2), []],
  ["two optimizers", `${accelerator}o = torch.optim.AdamW(p)\n`, adam, line3],
  [
    "an optimizer, or a dummy",
    `${accelerator}cls = AdamW if a else DummyOptim\no = torch.optim.AdamW(p)\n`,
    adam,
    [],
  ],
  ["a dummy of nothing", `${accelerator}o = DummyOptim(p)\n`, {}, line3],
  ["a dummy", `${accelerator}o = DummyOptim(p)\n`, adam, []],
  ["a dummy of a schedule", `${accelerator}s = DummyScheduler(o)\n`, {}, line3],
  [
    "a dummy where the configuration has one",
    `${accelerator}if "scheduler" in acc.state.deepspeed_plugin.deepspeed_config:\n    s = DummyScheduler(o)\n`,
    {},
    [],
  ],
  [
    "a step of a schedule",
    `${accelerator}self.lr_scheduler.step()\n`,
    { ...adam, scheduler: { type: "WarmupLR", params: {} } },
    [],
  ],
  ["a dummy of a schedule of its own", `${accelerator}s = DummyScheduler(o, lr_scheduler_callable=f)\n`, {}, []],
] as const)("accelerate: %s", (_, text, json, places) => {
  expect(told(text, json, byAccelerate)).toEqual(places);
});

it("reads calls as Python does", () => {
  const text =
    "def f(a, b=1): pass\nf(\"a, (\", b={'x': (1, 2)}, *rest)  # f(c)\n'''f(d)'''\nx.y.z(k == 1, w=v == 2)\n";
  expect(
    callsIn({ path: "a.py", text }).map(({ name, inOrder, named, isOpen }) => [name, inOrder, [...named], isOpen]),
  ).toEqual([
    ["f", ['"a, ("'], [["b", "{'x': (1, 2)}"]], true],
    ["x.y.z", ["k == 1"], [["w", "v == 2"]], false],
  ]);
});
