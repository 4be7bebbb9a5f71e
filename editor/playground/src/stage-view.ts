/** The plan of one stage, for somebody who has a minute. */
import { dollars, duration, gib, seconds, short, whole } from "../../../cli/render/figures.ts";
import { bar, type BarPart, legend } from "./bar.ts";
import { type Content, element } from "./element.ts";
import { spoken } from "./spoken.ts";
import { layoutWords, ranksSentence } from "./layout-words.ts";
import type { PlannedStage } from "./messages.ts";
import { modelSentence } from "./model-sentence.ts";

export function stageView(stage: PlannedStage): HTMLElement {
  const { total, memory, model } = stage;
  const isOver = memory.peak > memory.usable;
  return element(
    "article",
    "stage",
    element("h2", "", stage.name, element("small", "", stage.engine)),
    element(
      "dl",
      "figures",
      figure("parameters", short(model.parameters.total)),
      figure("time", duration(total.hours)),
      figure("device-hours", short(total.gpu_hours)),
      figure("cost", total.cost === null ? "unknown" : dollars(total.cost), total.cost === null ? "faint" : ""),
      figure("memory a rank", gib(memory.peak), isOver ? "bad" : ""),
    ),
    section("Model", element("p", "", modelSentence(model))),
    section(
      "Layout",
      element("p", "", ranksSentence(stage)),
      element(
        "ul",
        "words",
        layoutWords(stage).map((word) => element("li", "", word)),
      ),
    ),
    section("Batch", batchView(stage)),
    section("Memory", memoryView(stage)),
    section("Step", stepView(stage)),
    section("Total", totalView(stage)),
    stage.alternatives.length === 0 ? null : section("Choices", choicesView(stage)),
  );
}

const section = (title: string, ...content: readonly Content[]): HTMLElement =>
  element("section", "", element("h3", "", title), element("div", "", content));

const figure = (label: string, value: string, look = ""): HTMLElement =>
  element("div", look, element("dt", "", label), element("dd", "", value));

/** A product as it is done by hand, each number above its name; a sign stays with the number after it. */
const arithmetic = (...operands: readonly (readonly [sign: string, value: string, name: string])[]): HTMLElement =>
  element(
    "div",
    "arithmetic",
    operands.map(([sign, value, name]) =>
      element(
        "span",
        "operand",
        sign === "" ? null : element("span", "sign", sign),
        element("span", "term", element("b", "", value), element("small", "", name)),
      ),
    ),
  );

function batchView({ batch, layout }: PlannedStage): Content {
  return [
    arithmetic(
      ["", whole(batch.micro_batch), "micro-batch"],
      ["×", whole(batch.accumulation), "accumulation"],
      ["×", whole(layout.data_parallel), "data parallel"],
      ["=", whole(batch.global_batch), "samples a step"],
    ),
    element("p", "faint", `${whole(batch.sequence)} tokens a sample, ${whole(batch.tokens_per_step)} tokens a step`),
  ];
}

const memoryColours = {
  weights: "weights",
  gradients: "gradients",
  optimizer: "optimizer",
  activations: "activations",
  logits: "logits",
  buffers: "buffers",
  runtime: "runtime",
} as const;

/** Bars of more pipeline stages than these scroll, or what stands below them is not seen. */
const shownRanks = 8;

function memoryView({ memory }: PlannedStage): Content {
  const scale = Math.max(memory.capacity, memory.peak);
  const parts = Object.entries(memoryColours).map(([name, colour]): BarPart => {
    const size = memory.parts[name as keyof typeof memoryColours];
    return { name, size, shown: gib(size), colour };
  });
  const limit = { size: memory.usable, label: `${gib(memory.usable)} can be used` };
  const share = `${gib(memory.peak)} of ${gib(memory.usable)}`;
  const said =
    memory.peak > memory.usable
      ? element("p", "bad", `${share}: does not fit`)
      : element("p", "", `${share} that can be used (${gib(memory.capacity)} in all)`);
  const ranks = memory.ranks.length > 1 ? memory.ranks : [];
  return [
    said,
    bar({ label: "memory of a rank", parts, whole: scale, limit }),
    legend({ parts, whole: memory.peak }),
    ranks.length === 0
      ? null
      : element(
          "div",
          ranks.length > shownRanks ? "ranks many" : "ranks",
          ranks.map(({ pipeline_stage, peak }) => [
            element("small", "", `pipeline stage ${pipeline_stage}`),
            bar({
              label: `pipeline stage ${pipeline_stage}`,
              parts: [{ name: "peak", size: peak, shown: gib(peak), colour: "runtime" }],
              whole: scale,
              limit,
            }),
            element("small", "", gib(peak)),
          ]),
        ),
    memory.host_peak > 0 ? element("p", "faint", `${gib(memory.host_peak)} of the host's memory`) : null,
    estimate(memory.error),
  ];
}

const timeColours = ["compute", "comm", "wait", "logits", "optimizer", "gradients", "buffers", "runtime"];

function stepView({ time, layout }: PlannedStage): Content {
  const parts = Object.entries(time.parts)
    .filter(([, size]) => size > 0)
    .map(([name, size], i): BarPart => ({
      name: name.replace("_comm", " communication").replaceAll("_", " "),
      size,
      shown: `${((100 * size) / time.step).toFixed(size < 0.1 * time.step ? 1 : 0)} %`,
      colour: timeColours[i] ?? "runtime",
    }));
  const sum = parts.reduce((total, { size }) => total + size, 0);
  return [
    element(
      "p",
      "",
      element("b", "", seconds(time.step)),
      ` a step, ${short(time.tokens_per_second)} tokens/s`,
      layout.world > 1 ? ` (${short(time.tokens_per_second_per_gpu)} a rank)` : null,
      `, MFU ${(100 * time.mfu).toFixed(0)} %`,
    ),
    parts.length === 0
      ? null
      : [
          bar({ label: "time of a step", parts, whole: Math.max(sum, time.step) }),
          legend({ parts, whole: time.step }),
        ],
    estimate(time.error),
  ];
}

function totalView({ total, time, layout, memory }: PlannedStage): Content {
  const price = total.cost === null ? [] : [": ", element("b", "", dollars(total.cost))];
  const beside = Object.entries(total.parts).filter(
    ([name, hours]) => name !== "steps" && hours >= 0.005 * total.hours,
  );
  return [
    arithmetic(
      ["", whole(total.steps), total.steps === 1 ? "step" : "steps"],
      ["×", seconds(time.step), "a step"],
      ["=", duration(total.parts.steps), "training"],
    ),
    beside.length === 0
      ? null
      : arithmetic(
          ["", duration(total.parts.steps), "training"],
          ...beside.map(([name, hours]) => ["+", duration(hours), name] as const),
          ["=", duration(total.hours), "time"],
        ),
    element(
      "p",
      "",
      layout.world === 1 ? "on 1 rank" : `on ${whole(layout.world)} ranks: ${short(total.gpu_hours)} device-hours`,
      price,
    ),
    total.cost === null ? element("p", "faint", "The cluster has no price, so the cost is unknown.") : null,
    element("p", "faint", `${short(total.tokens)} tokens in all, ${gib(memory.checkpoint)} a checkpoint`),
    total.uncounted.map((each) => element("p", "bad", `Not counted: ${each}`)),
  ];
}

const estimate = (error: number | null): HTMLElement =>
  element(
    "p",
    "faint",
    error === null
      ? "An estimate; its error is unknown, nothing was measured yet."
      : `An estimate, ± ${(100 * error).toFixed(0)} %.`,
  );

function choicesView(stage: PlannedStage): HTMLElement {
  const all = [stage, ...stage.alternatives].map(({ layout, batch }) =>
    layoutWords({ engine: stage.engine, layout, batch }),
  );
  // What all of them have in common stands above, under the layout.
  const own = (words: readonly string[]) =>
    words.filter((word) => !all.every((others) => others.includes(word))).join(", ");
  const row = (
    look: string,
    words: readonly string[],
    { memory, time }: { readonly memory: { readonly peak: number }; readonly time: { readonly step: number } },
    why: string,
  ) =>
    element(
      "tr",
      look,
      element("td", "", own(words)),
      element("td", "number", gib(memory.peak)),
      element("td", "number", seconds(time.step)),
      element("td", "", spoken(why)),
    );
  const titles = ["layout", "memory", "step", ""].map((title) => element("th", "", title));
  const rows = stage.alternatives.map((other, i) => row("", all[i + 1] ?? [], other, other.why_not));
  return element(
    "div",
    "scroll",
    element(
      "table",
      "",
      element("thead", "", element("tr", "", titles)),
      element("tbody", "", row("taken", all[0] ?? [], stage, "taken"), rows),
    ),
  );
}
