import type { BlockKind } from "../../kind.ts";

/** What holds where a group is not written, as it would be written: `log { every = 1 step }`. */
export const impliedText = ({ name, implied = {} }: BlockKind): string =>
  `${name} { ${Object.entries(implied)
    .map(([property, value]) => `${property} = ${value}`)
    .join(", ")} }`;
