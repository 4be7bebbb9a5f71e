import type { Expression } from "../../syntax/ast.ts";
import type { Context } from "../context.ts";
import type { Branch } from "./not-taken.ts";

/** Notes which branches a choice passes over: they are judged when everything has its value. */
export function passOver(
  bodies: readonly Expression[],
  chosen: Expression | null,
  branch: Branch,
  { branches: { passed, taken } }: Context,
): void {
  for (const body of bodies) {
    if (body === chosen) taken.add(body);
    else if (!passed.has(body)) passed.set(body, branch);
  }
}
