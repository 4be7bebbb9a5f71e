/** Names that every JavaScript object has are names like any other in what people write. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const names = ["constructor", "hasOwnProperty", "toString", "valueOf"];
const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
const messages = (path: string, text: string): readonly string[] =>
  checkForeign([{ path, text }], supplied, () => undefined).diagnostics.map(({ message }) => message);

it.each(names)("%s in a DeepSpeed JSON", (name) => {
  const text = JSON.stringify({
    train_batch_size: 8,
    [name]: 1,
    zero_optimization: { stage: 1, [name]: 1 },
    optimizer: { type: name, params: { [name]: 1 } },
    scheduler: { type: name, params: {} },
  });
  const found = messages("ds.json", text);
  expect(found.some((each) => each.includes(`refuses zero_optimization.${name}`))).toBe(true);
  expect(found.join("\n")).not.toContain("[native code]");
  const imported = (): unknown =>
    importLaunch([{ path: "ds.json", text }], { supplied, launch: null }, () => undefined);
  expect(imported).not.toThrow();
});

it.each(names)("%s in a script", (name) => {
  const text =
    `#!/bin/bash\n#SBATCH --${name}=1\n${name} a\nsrun ${name} --${name} 3\ntorchrun ${name}.py --optim ${name} --${name} 3\n` +
    `accelerate launch --${name} 1 train.py\npython -m ${name} --learning_rate 1\n`;
  expect(messages("run.sh", text).join("\n")).not.toContain("[native code]");
});

it.each(names)("%s in files of other trainers", (name) => {
  const yaml = `base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\noptimizer: ${name}\n${name}: 3\n`;
  expect(messages("axolotl.yaml", yaml).join("\n")).not.toContain("[native code]");
});
