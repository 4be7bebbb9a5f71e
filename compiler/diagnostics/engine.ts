import { define } from "../../dsl/diagnostics/diagnostic.ts";

interface Said {
  readonly message: string;
}
const say = ({ message }: Said): string => message;

export const enginePrecision = define<{ precision: string; device: string; engine: string }>({
  code: "cdr/engine-precision",
  severity: "error",
  message: ({ precision, device, engine }) =>
    `${engine} cannot train in ${precision} on ${device}: it has no such type`,
  explanation:
    "bf16 needs an NVIDIA GPU from Ampere on (A100, not T4 or V100) or an AMD Instinct; fp16 needs a GPU. The engines notice " +
    "only after the job has its devices.",
  fix: "Write `precision = fp16` on an older GPU and `fp32` on a CPU, or take a device from Ampere on.",
});

export const engineNarrow = define<{ precision: string; engine: string; others: string }>({
  code: "cdr/engine-narrow",
  severity: "error",
  message: ({ precision, engine, others }) => `engine ${engine} has no products in ${precision}; ${others} has`,
  explanation: "Products in 8 and 4 bits need Transformer Engine, which Megatron brings.",
  fix: "Write `engine = megatron`, or `precision = bf16`.",
});

export const engineNarrowDevice = define<{ precision: string; device: string; able: string }>({
  code: "cdr/engine-narrow-device",
  severity: "error",
  message: ({ precision, device, able }) => `${device} has no matrix units for ${precision}; ${able} have`,
  explanation:
    "fp8 came with NVIDIA's Ada and Hopper (L4, L40S, H100), fp4 and the scaling by blocks of `mxfp8` with Blackwell (B200, GB200). A " +
    "device of your own says so by its figure: `gpu mine { fp8 = 1979 TFLOP/s, … }`.",
  fix: "Write `precision = bf16`, or take one of the devices that the message names.",
});

export const engineTuning = define<{ property: string; engine: string; others: string }>({
  code: "cdr/engine-tuning",
  severity: "error",
  message: ({ property, engine, others }) =>
    `engine ${engine} trains whole models: it has no \`${property}\`; ${others} have`,
  explanation:
    "Megatron-LM's own programs train every weight. Adapters and frozen weights are planned for the engines that train modules of transformers.",
  fix: "Write `engine = torch` or `deepspeed`, or train every weight.",
});

export const engineRawUnknown = define<{
  key: string;
  engine: string;
  nearest: string | null;
  /** When it came or went, seen from the version that is named. */
  history?: string | null;
}>({
  code: "cdr/engine-raw-unknown",
  severity: "error",
  message: ({ key, engine, nearest, history }) =>
    `${engine} has no key ${key}${nearest === null ? "" : `; did you mean ${nearest}?`}${history == null ? "" : `: ${history}`}`,
  explanation:
    "DeepSpeed ignores unknown keys at the top level and in several sections without a word, so a misspelt key silently " +
    "changes nothing. Keys are checked against the engine's own schema.",
  fix: "Write the key that the message means, or leave it out.",
});

export const engineRawRefused = define<{ key: string; engine: string; version: string; advice: string }>({
  code: "cdr/engine-raw-refused",
  severity: "error",
  message: ({ key, engine, version, advice }) => `${engine} ${version} refuses ${key}: ${advice}`,
  explanation: "Older versions took this key. The version that runs here raises an error when it finds it.",
  fix: "Leave the key out, or write what the message says in its place.",
});

export const engineRawType = define<{ key: string; value: string; wanted: string }>({
  code: "cdr/engine-raw-type",
  severity: "error",
  message: ({ key, value, wanted }) => `${key} = ${value} is not ${wanted}`,
  explanation:
    "The engine's schema gives each key its type. `auto` is filled in by nobody here: every value is concrete.",
  fix: "Write a value of the type that the message names.",
});

export const engineRawConflict = define<{ key: string; raw: string; derived: string; from: string }>({
  code: "cdr/engine-raw-conflict",
  severity: "error",
  message: ({ key, raw, derived, from }) => `${key} = ${raw} contradicts ${derived}, which follows from ${from}`,
  explanation:
    "The value of this key is derived from the stage, and the training program gets the same number. The transformers Trainer " +
    "refuses a DeepSpeed file that disagrees with it.",
  fix: "Change the stage, or leave the key out of the raw block.",
});

export const engineRawOwned = define<{ key: string; property: string }>({
  code: "cdr/engine-raw-owned",
  severity: "error",
  message: ({ key, property }) => `${key} belongs to ${property} of the stage`,
  explanation:
    "With an `optimizer` or `scheduler` section DeepSpeed would make its own in place of the stage's, with other parameter " +
    "groups and another schedule. What says of a router or of experts something else than the model's family would train another model.",
  fix: "Say it in the stage, and leave the key out of the raw block.",
});

export const engineRawIgnored = define<Said>({
  code: "cdr/engine-raw-ignored",
  severity: "warning",
  message: say,
  explanation:
    "The engine accepts this key and never looks at it in this combination: what was meant by it does not happen, without a word.",
  fix: "Leave the key out, or turn on what reads it.",
});

export const engineCombination = define<Said>({
  code: "cdr/engine-combination",
  severity: "error",
  message: say,
  explanation: "The engine refuses this combination when it starts, after the job has got its devices.",
  fix: "Take out one of the keys that the message names, or give it the value that it asks for.",
});

export const engineRawUncounted = define<{ key: string; what: string }>({
  code: "cdr/engine-raw-uncounted",
  severity: "info",
  message: ({ key, what }) => `the plan does not count ${key}, which changes ${what}`,
  explanation:
    "The engine gets this key as it stands. The estimates of memory and time know nothing of what it changes, so that the run may need more or " +
    "less than the plan says.",
  fix: "Leave room for it, or measure a short run and calibrate the cluster by it.",
});

export const engineRawUnread = define<{ raw: string; engine: string }>({
  code: "cdr/engine-raw-unread",
  severity: "error",
  message: ({ raw, engine }) => `raw ${raw} is given, but the stage runs on engine ${engine}`,
  explanation:
    "`raw deepspeed { … }` is laid over the DeepSpeed configuration and `raw megatron { … }` over Megatron's arguments; no other engine " +
    "reads them.",
  fix: "Remove the raw block, or write the engine that reads it: `engine = megatron`, `engine = deepspeed`.",
});

export const engineVersion = define<{ engine: string; version: string; valid: string }>({
  code: "cdr/engine-version",
  severity: "error",
  message: ({ engine, version, valid }) =>
    `the arguments of ${engine} ${version} are not known; those of ${valid} are`,
  explanation:
    "Arguments come and go between the versions of an engine, so a stage is judged against the version that it names. `0.19` means the " +
    "last release that begins so.",
  fix: "Write a version that `valid` lists.",
});

export const engineLate = define<{ argument: string; from: string; came: string; version: string }>({
  code: "cdr/engine-late",
  severity: "error",
  message: ({ argument, from, came, version }) =>
    `${argument} (from ${from}) came with Megatron ${came}, and this stage names ${version}`,
  explanation:
    "A stage is lowered to the arguments of the release that it names. What it asks for became one later: that release would refuse the " +
    "argument, and without it the run would be another one.",
  fix: "Name the release that the message gives or a newer one, or take out what asks for the argument.",
});

export const engineModel = define<{ engine: string; family: string; why: string }>({
  code: "cdr/engine-model",
  severity: "error",
  message: ({ engine, family, why }) => `${engine} has no model of family ${family}: ${why}`,
  explanation:
    "An engine that brings its own model code builds what its arguments can say and nothing else. Engines torch and deepspeed build every " +
    "family that transformers has.",
  fix: "Write `engine = deepspeed` or `torch`, or take a family that the engine has.",
});

export const engineDevice = define<{ engine: string; device: string }>({
  code: "cdr/engine-device",
  severity: "error",
  message: ({ engine, device }) => `${engine} trains on NVIDIA GPUs only, and the ranks are ${device}`,
  explanation: "Megatron asks for CUDA before it does anything else, whatever its distributed backend.",
  fix: "Name a cluster of NVIDIA GPUs in a launch, `launch hpc on pod { … }`, or write `engine = torch`.",
});

export const engineOption = define<{ engine: string; option: string; why: string }>({
  code: "cdr/engine-option",
  severity: "error",
  message: ({ engine, option, why }) => `${option} of engine ${engine}: ${why}`,
  explanation:
    "An option of an engine counts with the layouts that it is meant for: `shard_over` where ranks share a model (torch: zero_stage 2 or 3, " +
    "deepspeed: 3), `quantize` under zero_stage 3 on GPUs, `nvme` where something is offloaded under zero_stage 3.",
  fix: "Leave the option out, or give the layout that it is meant for.",
});

export const engineEnvironment = define<{
  name: string;
  written: string;
  stage: string;
  engine: string;
  derived: string | null;
}>({
  code: "cdr/engine-environment",
  severity: "error",
  message: ({ name, written, stage, engine, derived }) =>
    `${name} = "${written}" has no effect: stage \`${stage}\` on engine ${engine} ${derived === null ? "takes it away" : `sets it to "${derived}"`}`,
  explanation:
    "Some variables of the environment belong to how a stage is laid out: kernels and transfers of tensor parallelism keep their order only in " +
    "one queue, a run that repeats bit for bit pins the algorithms of its libraries. They are derived from the stage, whatever a launch or a " +
    "shell says.",
  fix: "Leave the variable out of `env`, or change what it follows from.",
});

export const engineRawUnused = define<{ key: string; why: string }>({
  code: "cdr/engine-raw-unused",
  severity: "error",
  message: ({ key, why }) => `${key} changes nothing here: ${why}`,
  explanation:
    "DeepSpeed takes the key, but it acts on parts that a program of its own would bring: a pipeline's modules, its data loader, its own " +
    "launcher. The training program brings a model of transformers and its own order of the data.",
  fix: "Leave the key out of the raw block.",
});

export const engineProperty = define<{ engine: string; property: string; value: string; valid: string }>({
  code: "cdr/engine-property",
  severity: "error",
  message: ({ engine, property, value, valid }) => `${engine} has no ${property} ${value}; it has ${valid}`,
  explanation: "Each engine brings its own optimizers and schedules. `valid` lists those of this one.",
  fix: "Take one that `valid` lists, or another engine.",
});

export const engineRawSwitch = define<{ key: string }>({
  code: "cdr/engine-raw-switch",
  severity: "error",
  message: ({ key }) => `${key} is a switch: true or false`,
  explanation:
    "A switch of Megatron's command line takes no value: `true` gives it, `false` leaves it out. Under the name that the engine reads it by " +
    "(`add_bias_linear`) it says the thing itself, under its own name (`disable_bias_linear`) that the switch is given.",
  fix: "Write `true` or `false`.",
});

export const engineRawDeprecated = define<{ key: string; status: string; replacement: string | null }>({
  code: "cdr/engine-raw-deprecated",
  severity: "warning",
  message: ({ key, status, replacement }) =>
    `${key} is deprecated (${status})${replacement === null ? "" : `; ${replacement} takes its place`}`,
  explanation: "The engine keeps it for old scripts. A later version will refuse it, or it has no effect already.",
  fix: "Write what takes its place, or leave the key out.",
});

export const deepspeedRemoved = define<Said>({
  code: "cdr/deepspeed-removed",
  severity: "error",
  message: say,
  explanation:
    "Older versions took this key. The version that runs here raises an error when it finds it, whatever it says.",
  fix: "Leave the key out, or write what the message says in its place.",
});

export const deepspeedElasticity = define<Said>({
  code: "cdr/deepspeed-elasticity",
  severity: "error",
  message: say,
  explanation:
    "Releases before 0.19.8 choose the batch of elastic training themselves: the largest that the most numbers of ranks share evenly, in " +
    "micro-batches of the sizes that are listed. A start with another number of ranks stops.",
  fix: "Start as many ranks as the message lists, or widen `max_train_batch_size`, `micro_batch_sizes`, `min_gpus` and `max_gpus`.",
  source: "deepspeed/elasticity/elasticity.py: compute_elastic_config; elasticity/config.py; runtime/config.py",
});

export const deepspeedKey = define<Said>({
  code: "cdr/deepspeed-key",
  severity: "error",
  message: say,
  explanation:
    "Sections such as zero_optimization, fp16, bf16, compile and the monitors are read by a class with fixed fields; a key that " +
    "isn't one of them stops the engine, a comment too.",
  fix: "Write a key of the section, of which `valid` lists the nearest (all stand in DeepSpeed's page on its configuration), or leave it out, comments too.",
});

export const deepspeedValue = define<Said>({
  code: "cdr/deepspeed-value",
  severity: "error",
  message: say,
  explanation:
    'The class that reads the section gives each key its type and its limits. Texts that read as the type do as well ("16" for 16), ' +
    'and 1e8 for a whole number; "5e8" as a text does not.',
  fix: "Write a value of the type that the message names, numbers without quotes.",
});

export const deepspeedShape = define<Said>({
  code: "cdr/deepspeed-shape",
  severity: "error",
  message: say,
  explanation: "The engine looks keys up in this section. A single value in its place stops it with a Python error.",
  fix: 'Write a section: `{ "key": value }`.',
});

export const deepspeedBoth = define<Said>({
  code: "cdr/deepspeed-both",
  severity: "error",
  message: say,
  explanation: "A key and the one that replaces it, together, are refused, whatever they say.",
  fix: "Leave the old key out.",
});

export const deepspeedIgnored = define<Said>({
  code: "cdr/deepspeed-ignored",
  severity: "warning",
  message: say,
  explanation:
    "The engine looks the keys up that it knows and never sees the others: a misspelt or misplaced key silently changes nothing.",
  fix: "Write the key that is meant in the section that it belongs to, or remove it.",
});

export const deepspeedNoEffect = define<Said>({
  code: "cdr/deepspeed-no-effect",
  severity: "info",
  message: say,
  explanation:
    "The engine knows the key, but the stage that is chosen never looks at it: what was meant by it does not happen.",
  fix: "Remove the key, or take a ZeRO stage that looks at it.",
});

export const deepspeedDeprecated = define<Said>({
  code: "cdr/deepspeed-deprecated",
  severity: "warning",
  message: say,
  explanation:
    "The engine still takes the old name, warns, and reads it as the new one. A later version will refuse it.",
  fix: "Write the new key that the message names.",
});

export const deepspeedDropped = define<Said>({
  code: "cdr/deepspeed-auto",
  severity: "info",
  message: say,
  explanation:
    '`"auto"` is a word of the transformers Trainer, which fills the value in. A program that hands the file over by itself gets the default, without a word.',
  fix: "Write the value itself where the program is none of the Trainer's; otherwise leave it.",
});
