import { type Content, element } from "./element.ts";

/** What stands between backquotes is code. */
export const spoken = (message: string): readonly Content[] =>
  message.split("`").map((text, i) => (i % 2 === 0 ? text : element("code", "", text)));
