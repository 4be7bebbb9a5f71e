/** What a null for the loggers means is the release's. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (value: string, more: Readonly<Record<string, string>> = {}): readonly string[] =>
  toldOf({ "args.yaml": `output_dir: out\nper_device_train_batch_size: 4\nreport_to: ${value}\n`, ...more }).flatMap(
    ({ code, severity }) => (code === "cdr/trainer-report-to" ? [severity] : []),
  );
const release = (version: string) => ({ "requirements.txt": `transformers==${version}\n` });

it("tells a null where the release refuses it, and what it means where it does not", () => {
  expect(told("null", release("5.0.0"))).toEqual(["error"]);
  expect(told("", release("5.2.0"))).toEqual(["error"]);
  expect(told("null", release("4.57.6"))).toEqual(["info"]);
  expect(told("null")).toEqual(["warning"]);
});

it("says nothing of words, nor of what Axolotl makes its own list of", () => {
  expect(told("none", release("5.0.0"))).toEqual([]);
  expect(told("[wandb]", release("5.0.0"))).toEqual([]);
  expect(
    toldOf({
      "axo.yaml":
        "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ndatasets:\n  - path: d\n    type: alpaca\nreport_to:\n",
    }).filter(({ code }) => code === "cdr/trainer-report-to"),
  ).toEqual([]);
});
