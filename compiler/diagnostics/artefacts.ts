/** Diagnostics about weights and what becomes of them: their tokens, samples, services, exports. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const serviceIdle = define<{ service: string; why: string }>({
  code: "cdr/service-idle",
  severity: "error",
  message: ({ service, why }) => `service \`${service}\` ${why}`,
  explanation: `A service either serves a model, \`model = chat\`, with its \`engine\`, or starts a command of its own, \`command = "…"\`, which
may also read a model.`,
  fix: "Write `model = …` to serve a model, or `command = …` for anything else.",
});

export const adaptersMissing = define<{ what: string; stage: string }>({
  code: "cdr/adapters-missing",
  severity: "error",
  message: ({ what, stage }) => `${what} has no effect: neither stage \`${stage}\` nor its model has adapters`,
  explanation: `Adapters are small matrices beside the weights (\`adapters = lora(…)\`). Merging adds them to the weights, so that the exported
model is complete. A stage without adapters trains the weights themselves.`,
  fix: "Remove it, or give the stage `adapters = lora(…)`.",
});

export const servicePort = define<{ service: string; other: string; port: number }>({
  code: "cdr/service-port",
  severity: "error",
  message: ({ service, other, port }) =>
    `services \`${service}\` and \`${other}\` run on the same machine and both listen on port ${port}`,
  explanation: `A port belongs to one program of a machine: the second service ends at its start. Services on different machines
(\`service a on first { … }\`), and in pods of Kubernetes, each have their own.`,
  fix: "Give one of them another `port`.",
});

export const sampleLong = define<{ sample: string; asked: string; model: string; context: number }>({
  code: "cdr/sample-long",
  severity: "info",
  message: ({ sample, asked, model, context }) =>
    `\`${sample}\` asks for ${asked}, but model \`${model}\` has a context of ${context.toLocaleString("en-US")} tokens`,
  explanation: `A model reads its prompt and what it has written so far, \`context\` tokens at most. Beyond that the start of the prompt is cut off, and
the text ends early.`,
  fix: "Write a smaller `length`, a shorter prompt, or train with a larger `context`.",
});

export const weightsTokenizer = define<{ stage: string; model: string; from: string; data: string; why: string }>({
  code: "cdr/weights-tokenizer",
  severity: "warning",
  message: ({ stage, model, from, data, why }) =>
    `\`${stage}\` trains the published weights of \`${model}\`, ${from}, on data \`${data}\`, whose tokenizer is another: ${why}`,
  explanation: `A token is a number, and published weights know what each number means in their own tokenizer. With another one the same numbers
mean other texts: the model starts from nonsense, and no error shows it.`,
  fix: 'Write the tokenizer of the weights, `tokenizer = hf("owner/name")`, or train from random weights without `from`.',
});
