import type { Name } from "../ast.ts";

/** What Chevrotain's recording of the rules gets for a token that is not there. */
export const unnamed: Name = {
  kind: "name",
  span: { source: { path: "", text: "" }, start: 0, end: 0 },
  text: "",
  quoted: false,
};
