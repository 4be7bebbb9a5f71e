/** A refusal as lines for the user. */
import type { Paint } from "../view/paint.ts";
import type { Refusal } from "./refusal.ts";

export function renderRefusal({ message, advice }: Refusal, paint: Paint): string[] {
  const [first = "", ...others] = message.split("\n");
  return [
    "",
    ` ${paint.red("✖")} ${first}`,
    ...others.map((line) => `   ${line}`),
    ...(advice === null ? [] : [`   ${paint.dim("next")}  ${advice}`]),
    "",
  ];
}
