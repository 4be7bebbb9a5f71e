/** Diagnostics for code scanning (SARIF 2.1.0) and for the log of a GitHub workflow. */
import { positionAt, type Source, type Span } from "../source/source.ts";
import type { Definition, Diagnostic, Severity } from "./diagnostic.ts";
import { fixesOf } from "./fixes-of.ts";
import { helpFor } from "./help.ts";

const levels = { error: "error", warning: "warning", info: "note" } as const satisfies Record<Severity, string>;

/** What a code's page says of it. */
type Known = Pick<Definition<never>, "code" | "explanation">;

/** `known` has each code that is reported. */
export function toSarif(diagnostics: readonly Diagnostic[], version: string, known: readonly Known[]): object {
  const codes = [...new Set(diagnostics.map((diagnostic) => diagnostic.code))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "cdrc",
            version,
            rules: codes.map((code) => ruleOf(code, diagnostics, known)),
          },
        },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => result(diagnostic, codes)),
      },
    ],
  };
}

/** GitHub's code scanning takes a rule only with both descriptions. */
function ruleOf(code: string, diagnostics: readonly Diagnostic[], known: readonly Known[]): object {
  const fix = diagnostics.find((diagnostic) => diagnostic.code === code)?.fix;
  const help = [...(fix === undefined ? [] : [fix]), helpFor(code)].join("\n");
  const explanation = known.find((definition) => definition.code === code)?.explanation ?? code;
  return {
    id: code,
    shortDescription: { text: firstSentence(explanation) },
    fullDescription: { text: explanation },
    help: { text: help },
  };
}

function firstSentence(text: string): string {
  const [paragraph = ""] = text.split("\n\n");
  const [first] = new Intl.Segmenter("en", { granularity: "sentence" }).segment(paragraph.replaceAll("\n", " "));
  return (first?.segment ?? text).trim();
}

function result(diagnostic: Diagnostic, codes: readonly string[]): object {
  const { code, severity, message, span, related, fixes, fix } = diagnostic;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[severity],
    message: { text: fixes.length > 0 ? message : `${message}\n${fix}` },
    locations: [{ physicalLocation: location(span) }],
    ...(related.length > 0 && {
      relatedLocations: related.map((note, id) => ({
        id,
        message: { text: note.message },
        physicalLocation: location(note.span),
      })),
    }),
    ...(fixes.length > 0 && {
      fixes: fixes.map(({ title, edits }) => ({
        description: { text: title },
        artifactChanges: [...Map.groupBy(edits, (edit) => edit.span.source.path)].map(([path, changes]) => ({
          artifactLocation: { uri: uri(path) },
          replacements: changes.map((edit) => ({
            deletedRegion: region(edit.span),
            insertedContent: { text: edit.newText },
          })),
        })),
      })),
    }),
  };
}

function location(span: Span): object {
  return { artifactLocation: { uri: uri(span.source.path) }, region: region(span) };
}

function region(span: Span): object {
  const start = positionAt(span.source, span.start);
  const end = positionAt(span.source, span.end);
  return {
    startLine: start.line + 1,
    startColumn: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
  };
}

function uri(path: string): string {
  return path.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
}

/** Workflow commands, one a line: `::error file=…,line=…::message`. */
export function toGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${annotation(diagnostic)}\n`).join("");
}

function annotation(diagnostic: Diagnostic): string {
  const { code, severity, message, span, valid } = diagnostic;
  const start = positionAt(span.source, span.start);
  const end = positionAt(span.source, span.end);
  const isOption = span.source.path.startsWith("--");
  const properties = {
    ...(!isOption && {
      file: span.source.path,
      line: start.line + 1,
      col: start.character + 1,
      endLine: end.line + 1,
      ...(end.line === start.line && { endColumn: end.character + 1 }),
    }),
    title: code,
  };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  const values = valid.length === 0 ? [] : [`valid: ${valid.join(", ")}`];
  const said = [
    isOption ? `${optionOf(span.source)}: ${message}` : message,
    ...values,
    ...fixesOf(diagnostic).map((fix) => `fix: ${fix}`),
  ];
  return `::${severity === "info" ? "notice" : severity} ${list.join(",")}::${escapeMessage(said.join("\n"))}`;
}

/** `--set s.sed=4` has no file that a line of it could be marked in. */
const optionOf = ({ path, text }: Source): string => (path.includes(" ") ? `${path}=${text}` : `${path} ${text}`);

function escapeMessage(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
