/** What the classes of models have, on the meta device. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Built } from "../../compiler/models/build.ts";
import { python } from "./python.ts";

/** Of each a number of parameters, or what its class says. */
export function inTransformers(
  cases: readonly { readonly family: { readonly name: string }; readonly build: Built | null }[],
): readonly unknown[] {
  return JSON.parse(
    execFileSync(python(), [join(import.meta.dirname, "parameters.py")], {
      input: JSON.stringify(cases.map(({ family, build }) => ({ family: family.name, build }))),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    }),
  ) as readonly unknown[];
}
