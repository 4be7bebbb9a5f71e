/** A written file has all pods alike: what one role has otherwise is told. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import { alike, alone } from "./alike.ts";
import { carried, type Carried } from "./carried.ts";
import type { Pod } from "./pods.ts";

/** Parts that other roles have as the first one does, and what only the first one has. */
export function rolesOf({ roles }: Pod): Carried<readonly Diagnostic[]> {
  const [first, ...rest] = roles;
  const same = rest.flatMap(({ owner }) => alike(owner, first?.owner));
  const only = rest.flatMap(({ owner, role }) =>
    first === undefined
      ? []
      : alone(first.owner, owner)
          .filter(({ path }) => !/(?:^|\.)metadata\b|^policies\./.test(path))
          .map(({ path, node }) =>
            importLeftOut(node.span, {
              what: `that \`${role}\` has no \`${path}\``,
              why: `all pods of the written file are alike, and \`${first.role}\` has it`,
            }),
          ),
  );
  return carried(only, ...same);
}
