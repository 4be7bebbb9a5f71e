import type { BlockKind, Constructor, Type } from "../../dsl/kind.ts";
import { choice, enumeration, list, path, string } from "../../dsl/types/type.ts";
import { familyNames } from "../models/index.ts";
import { model } from "./model.ts";

/** What a plugin may stand for: the names of choices and the roles of formulas that take one. */
export const roles = [
  "adapter",
  "attention",
  "controller",
  "filter",
  "loss",
  "memory",
  "metric",
  "model",
  "objective",
  "optimizer",
  "reward",
  "scaler",
  "schedule",
  "source",
  "tokenizer",
  "tracker",
] as const;

/** A family with what differs from it: `gpt2 with { norm = rms }`. */
const like: Type = choice(
  "family",
  Object.fromEntries(
    familyNames.map((name): [string, Constructor] => [
      name,
      {
        doc: `like ${name}, with changes`,
        parameters: Object.fromEntries(
          Object.entries(model.properties).flatMap(([key, { type, doc }]) =>
            key === "family" || key === "size" || key === "tokenizer" ? [] : [[key, { type, doc }]],
          ),
        ),
      },
    ]),
  ),
);

/** Its `param`s are the parameters; `as` says what Python calls them. */
export const plugin: BlockKind = {
  name: "plugin",
  doc: 'your own Python code, used like a built-in: `plugin clipped { role = loss, factory = "pkg.mod:name", param clamp: Number = 2.0 }`',
  properties: {
    role: { type: enumeration("role", roles), doc: "where it can be used", required: true },
    factory: {
      type: string,
      doc: 'what makes it: `"package.module:name"`, called with the parameters by their Python names',
      required: true,
    },
    like: { type: like, doc: "the family whose figures a custom model shares: `gpt2 with { norm = rms }`" },
    files: { type: list(path), doc: "sources that it needs besides the factory's own module" },
  },
  constructs: "role",
  runs: false,
};
