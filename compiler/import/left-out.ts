/** What the written file lacks of the launch, as it was told. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { absent, importLeftOut } from "../diagnostics/import.ts";

/** What the written file lacks, by all that was said of it. */
export const leftOutIn = (found: readonly Diagnostic[]): readonly string[] =>
  found.flatMap(({ code, message }) => (code === importLeftOut.code ? [message.split(absent)[0] ?? message] : []));

/** What many settings of one file lack for one reason, as one remark. */
export function leftOutTogether(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ code, message, span }: Diagnostic): string =>
    code === importLeftOut.code ? `${span.source.path}\n${message.split(absent)[1] ?? ""}` : "";
  const groups = Map.groupBy(found, keyOf);
  return found.flatMap((each) => {
    const group = groups.get(keyOf(each)) ?? [];
    if (keyOf(each) === "" || group.length < many) return [each];
    if (group[0] !== each) return [];
    const names = leftOutIn(group);
    const why = (each.message.split(absent)[1] ?? "").replace(/ it$/, " them");
    const listed = `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
    return [{ ...each, message: `${listed} are not in the written file: ${why}` }];
  });
}

const many = 4;
