import { readFileSync } from "node:fs";
import { parse } from "../../dsl/syntax/parse.ts";

/** Whether a file declares a sweep of this name; a file that cannot be read declares none. */
export function declaresSweep(path: string, name: string): boolean {
  try {
    const { file } = parse({ path, text: readFileSync(path, "utf8") });
    return file.statements.some((s) => s.kind === "block" && s.head[0].text === "sweep" && s.name?.text === name);
  } catch {
    return false;
  }
}
