/** What Python's YAML makes of a file. */
import type { Document, Launch } from "../launch.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";
import type { Located } from "../documents/located.ts";
import { neoxBase } from "./neox/neox.ts";
import { asNumber } from "./trainer/numbers.ts";

const quotedNumber = /^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$/;

/** Read by OmegaConf, jsonargparse or pydantic, which take such a text for the number that was meant; those of the Trainer have a rule of their own. */
const lenient: ReadonlySet<string> = new Set([
  "training-arguments",
  "llama-factory",
  "axolotl",
  "composer",
  "submitit",
  "lightning",
  "litgpt",
  "torchtune",
  "nemo",
  "fairchem",
  "kubernetes",
]);

const yamls = (launch: Launch): readonly Document[] =>
  launch.documents.filter(({ source, kind }) => !/^\s*[{[]/.test(source.text) && !lenient.has(kind));

export const yamlRules: readonly ForeignRule[] = [
  rule({
    name: "yaml-number-text",
    severity: "error",
    source: "PyYAML: resolver of tag:yaml.org,2002:float (YAML 1.1)",
    why: "YAML 1.1, which Python reads, needs a point and a sign in a number with an exponent: `5e8` is text, `5.0e+8` is a number. A program that computes with the text fails, or compares letters.",
    fix: "Write the number with a point and a sign in its exponent: 5.0e+8.",
    check: (launch) =>
      yamls(launch).flatMap(({ root }) =>
        scalarsOf(root).flatMap(({ path, node }): Found[] => {
          const { source, start, end } = node.span;
          if (
            typeof node.value !== "string" ||
            !quotedNumber.test(node.value) ||
            /^["']/.test(source.text.slice(start - 1, end))
          )
            return [];
          const right = asNumber(node.value);
          return [
            {
              span: node.span,
              message: `${path} is the text "${node.value}", not a number: Python's YAML needs ${right}`,
              valid: [right],
              fixes: [{ title: `write ${right}`, edits: [{ span: node.span, newText: right }] }],
            },
          ];
        }),
      ),
    fires: { "neox.yaml": `${neoxBase}zero_optimization:\n  stage: 1\n  reduce_bucket_size: 5e8\n` },
    silent: { "neox.yaml": `${neoxBase}zero_optimization:\n  stage: 1\n  reduce_bucket_size: 5.0e+8\n` },
  }),
];

function scalarsOf(
  node: Located,
  prefix = "",
): readonly { readonly path: string; readonly node: Located & { readonly kind: "scalar" } }[] {
  if (node.kind === "scalar") return [{ path: prefix, node }];
  if (node.kind === "unknown") return [];
  if (node.kind === "list") return node.items.flatMap((each, index) => scalarsOf(each, `${prefix}[${index}]`));
  return node.entries.flatMap(({ key, value }) => scalarsOf(value, prefix === "" ? key : `${prefix}.${key}`));
}
