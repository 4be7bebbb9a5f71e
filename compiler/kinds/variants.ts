import type { BlockKind } from "../../dsl/kind.ts";
import { bool } from "../../dsl/types/type.ts";

/** Their bodies amend other blocks and are read as layers, never as settings of their own. */
export const preset: BlockKind = {
  name: "preset",
  also: ["profile"],
  doc: "A named set of amendments, at most one at a time: chosen by `--preset NAME`, or by its `when` condition",
  properties: { when: { type: bool, doc: "the condition under which it applies automatically" } },
  variant: true,
};

export const overlay: BlockKind = {
  name: "overlay",
  also: ["override", "overrides"],
  doc: "A named set of amendments, any number at a time: `--with NAME|FILE`",
  properties: {},
  variant: true,
};
