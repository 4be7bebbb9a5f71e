/** Lines of `events.jsonl` and `metrics.jsonl` as values; a line that is none of them is passed over. */
import { z } from "zod";

const states = [
  "draft",
  "queued",
  "starting",
  "preflight",
  "running",
  "saving",
  "requeued",
  "done",
  "failed",
  "cancelled",
  "lost",
] as const;

const state = z.enum(states);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const base = { time: z.number(), attempt: z.number() };

const failure = z.object({
  rank: z.number().nullish(),
  node: z.number().nullish(),
  code: z.number().nullish(),
  cause: text,
  tail: z.array(z.string()).default([]),
});

const event = z.discriminatedUnion("kind", [
  z.object({ ...base, kind: z.literal("state"), state, reason: text, raw: text }),
  z.object({
    ...base,
    kind: z.literal("progress"),
    done: z.number(),
    total: z.number().nullish(),
    unit: z.string().default("steps"),
  }),
  z.object({
    ...base,
    kind: z.literal("checkpoint"),
    step: z.number(),
    path: z.string(),
    bytes: z.number().nullish(),
    seconds: z.number().nullish(),
  }),
  /** `used`: what serves in its place; `null`: nothing does, and it starts over. */
  z.object({
    ...base,
    kind: z.literal("rejected_checkpoint"),
    path: z.string(),
    reason: text,
    used: z.string().nullish(),
  }),
  z.object({ ...base, kind: z.literal("failure"), ...failure.shape }),
  z.object({ ...base, kind: z.literal("warning"), message: z.string() }),
]);

const amounts = z.record(z.string(), z.number()).nullish();

const metric = z.object({
  step: z.number(),
  attempt: z.number().default(0),
  tokens: z.number().nullish(),
  loss: z.number().nullish(),
  val_loss: z.number().nullish(),
  val_perplexity: z.number().nullish(),
  lr: z.number().nullish(),
  grad_norm: z.number().nullish(),
  tokens_per_second: z.number().nullish(),
  seconds: z.number().nullish(),
  epoch: z.number().nullish(),
  memory: z.number().nullish(),
  /** Seconds of a step by phase, as a clock on the wall and as the thread itself saw them; bytes of a rank by what holds them. */
  phases: amounts,
  computed: amounts,
  held: amounts,
});

const exit = z.object({ code: z.number(), state, reason: text, failure: failure.nullish() });

export type Event = Readonly<z.infer<typeof event>>;
export type Failure = Readonly<z.infer<typeof failure>>;
export type Metric = Readonly<z.infer<typeof metric>>;
export type Exit = Readonly<z.infer<typeof exit>>;

export const eventOf = (line: string): Event | null => valueOf(event, line);
export const metricOf = (line: string): Metric | null => valueOf(metric, line);
export const exitOf = (text: string): Exit | null => valueOf(exit, text);

function valueOf<T>(schema: z.ZodType<T>, line: string): T | null {
  if (line.trim() === "") return null;
  try {
    // Python writes these three where a loss is no number, and JSON knows none of them.
    const parsed = schema.safeParse(JSON.parse(line.replaceAll(/(?<=:\s*)(-?Infinity|NaN)(?=\s*[,}])/g, "null")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
