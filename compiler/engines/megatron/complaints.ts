import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import { suggestion } from "../../../dsl/diagnostics/suggest.ts";
import { cover } from "../../../dsl/source/source.ts";
import {
  megatronRepeated,
  megatronUnrecognized,
  megatronValueChoice,
  megatronValueCount,
  megatronValueType,
} from "../../diagnostics/megatron.ts";
import type { CommandLine, Complaint, Given } from "./command-line.ts";
import { historyOf } from "./history.ts";
import { meantBy } from "./meant.ts";
import type { ArgumentTable } from "./table.ts";

/** What the parser's complaints are to a user. */
export function complaintsOf(line: CommandLine, table: ArgumentTable): readonly Diagnostic[] {
  return line.complaints.map((complaint) => diagnosticOf(complaint, table));
}

function diagnosticOf(complaint: Complaint, table: ArgumentTable): Diagnostic {
  switch (complaint.kind) {
    case "unrecognized": {
      const argument = complaint.word.text ?? "";
      const history = historyOf(argument.replace(/=.*/s, ""), table.version);
      const best = meantBy(argument, table);
      return megatronUnrecognized(
        complaint.word.span,
        { argument, nearest: best, version: table.version, history },
        best === null
          ? {}
          : { fixes: [{ title: `write ${best}`, edits: [{ span: complaint.word.span, newText: best }] }] },
      );
    }
    case "count":
      return megatronValueCount(spanOf(complaint.given), {
        argument: complaint.given.name,
        expected: complaint.expected,
      });
    case "type":
      return megatronValueType(complaint.word.span, {
        argument: complaint.given.name,
        value: complaint.word.text ?? "",
        expected: complaint.expected,
      });
    case "choice": {
      const value = complaint.word.text ?? "";
      const best = nearest(value, complaint.choices);
      return megatronValueChoice(
        complaint.word.span,
        { argument: complaint.given.name, value, nearest: best },
        suggestion(complaint.word.span, best, complaint.choices),
      );
    }
    case "repeated":
      return megatronRepeated(
        spanOf(complaint.given),
        { argument: complaint.given.name },
        { related: [{ message: "first given here", span: spanOf(complaint.earlier) }] },
      );
  }
}

/** An argument with its values; its name alone where a variable brings a value from elsewhere. */
export function spanOf({ words }: Given): ReturnType<typeof cover> {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) throw new Error("an argument has a name");
  const together = words.every(({ span }, at) => {
    const before = words[at - 1]?.span ?? span;
    if (before.source !== span.source) return false;
    return (
      at === 0 || (span.start >= before.end && /^[\s\\"'=]*$/.test(span.source.text.slice(before.end, span.start)))
    );
  });
  return together ? cover(first.span, last.span) : first.span;
}
