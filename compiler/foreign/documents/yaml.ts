/**
 * YAML with positions. js-yaml gives events with offsets and has the tags of YAML 1.1, which PyYAML speaks too (`on` is true,
 * `5e8` is text), so that one library serves where `yaml` would be a second.
 */
import {
  boolYaml11Tag,
  type Event,
  EVENT_ID,
  floatYaml11Tag,
  getScalarValue,
  intYaml11Tag,
  nullYaml11Tag,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { foreignDuplicate, foreignYamlSize, foreignYamlSyntax } from "../../diagnostics/foreign.ts";
import type { Entry, Located, Scalar } from "./located.ts";
import type { Text } from "../shell/text.ts";
import { isUnknown } from "./unknown.ts";
import { eventsOf } from "./yaml-indentation.ts";

/** Nodes after every alias is followed: ten aliases of ten aliases of ten would fill any memory. */
const most = 100_000;

export function readYaml(text: Text): {
  readonly documents: readonly Located[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  try {
    const read = eventsOf(text);
    const documents = documentsOf(read.events, read.text, diagnostics);
    return { documents, diagnostics };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const offset = Math.min(error.mark?.position ?? 0, Math.max(0, text.text.length - 1));
    return {
      documents: [],
      diagnostics: [foreignYamlSyntax(text.spanOf(offset, offset + 1), { why: error.reason })],
    };
  }
}

function documentsOf(events: readonly Event[], text: Text, diagnostics: Diagnostic[]): readonly Located[] {
  const anchors = new Map<string, { readonly node: Located; readonly size: number }>();
  let position = 0;
  let size = 0;

  const next = (): Event => events[position++] as Event;
  const isEnd = (): boolean => position >= events.length || events[position]?.type === EVENT_ID.POP;

  function node(): Located {
    const event = next();
    const before = size++;
    const tag = taggedByPython(event, text);
    if (tag !== null) diagnostics.push(tag);
    if (event.type === EVENT_ID.ALIAS) {
      const span = text.spanOf(event.anchorStart - 1, event.anchorEnd);
      const name = text.text.slice(event.anchorStart, event.anchorEnd);
      const target = anchors.get(name);
      if (target === undefined)
        diagnostics.push(foreignYamlSyntax(span, { why: `*${name} stands for nothing: no &${name} is above it` }));
      size += target?.size ?? 0;
      if (size > most) {
        if (!diagnostics.some(({ code }) => code === foreignYamlSize.code))
          diagnostics.push(foreignYamlSize(span, { limit: most }));
        return { kind: "scalar", value: null, span };
      }
      return target?.node ?? { kind: "scalar", value: null, span };
    }
    const made =
      event.type === EVENT_ID.SCALAR
        ? scalar(event, text)
        : event.type === EVENT_ID.SEQUENCE
          ? sequence(event.start)
          : event.type === EVENT_ID.MAPPING
            ? mapping(event.start)
            : { kind: "scalar" as const, value: null, span: text.spanOf(0, 0) };
    if ("anchorStart" in event && event.anchorStart >= 0)
      anchors.set(text.text.slice(event.anchorStart, event.anchorEnd), { node: made, size: size - before });
    return made;
  }

  function sequence(start: number): Located {
    const items: Located[] = [];
    while (!isEnd()) items.push(node());
    position++;
    return { kind: "list", items, span: spanFrom(start, items.at(-1)) };
  }

  function mapping(start: number): Located {
    const entries: Entry[] = [];
    const merged: Entry[] = [];
    const firsts = new Map<string, Entry>();
    while (!isEnd()) {
      const key = node();
      const value = node();
      if (key.kind !== "scalar") continue;
      const name = String(key.value);
      if (name === "<<") merged.push(...mergedEntries(value));
      else {
        const first = firsts.get(name);
        if (first !== undefined) {
          const related = [{ message: "first given here", span: first.keySpan }];
          diagnostics.push(foreignDuplicate(key.span, { key: name }, { related, severity: "warning" }));
        }
        const entry = { key: name, keySpan: key.span, value };
        entries.push(entry);
        if (first === undefined) firsts.set(name, entry);
      }
    }
    position++;
    return {
      kind: "map",
      entries: [...merged.filter(({ key }) => !firsts.has(key)), ...entries],
      span: spanFrom(start, entries.at(-1)?.value),
    };
  }

  const spanFrom = (start: number, last: Located | undefined): Located["span"] => {
    const from = text.spanOf(Math.max(0, start), Math.max(0, start) + 1);
    return last === undefined || last.span.source !== from.source
      ? from
      : { ...from, end: Math.max(from.end, last.span.end) };
  };

  const documents: Located[] = [];
  while (position < events.length) {
    const event = next();
    if (event.type === EVENT_ID.DOCUMENT && !isEnd()) documents.push(node());
  }
  return documents;
}

/** A tag that asks Python to import or call something. Nothing of it is done here, and `yaml.safe_load` refuses it. */
function taggedByPython(event: Event, text: Text): Diagnostic | null {
  if (!("tagStart" in event) || event.tagStart < 0) return null;
  const tag = text.text.slice(event.tagStart, event.tagEnd);
  if (!/^(?:!!|!<tag:yaml\.org,2002:)python\//.test(tag)) return null;
  const why = `${tag} asks Python to create or call something, which yaml.safe_load, the reader of launch files, refuses`;
  return foreignYamlSyntax(text.spanOf(event.tagStart, event.tagEnd), { why });
}

function mergedEntries(value: Located): readonly Entry[] {
  if (value.kind === "map") return value.entries;
  return value.kind === "list" ? value.items.flatMap(mergedEntries) : [];
}

function scalar(event: ScalarEvent, text: Text): Located {
  const [start, end] = [Math.max(0, event.valueStart), Math.max(0, event.valueEnd)];
  const span = text.spanOf(start, end);
  const written = getScalarValue(text.text, event);
  if (isUnknown(written)) return { kind: "unknown", span };
  return { kind: "scalar", value: event.style === SCALAR_STYLE.PLAIN ? resolved(written) : written, span };
}

/** What PyYAML makes of a plain word. */
function resolved(written: string): Scalar {
  if (written === "") return null;
  for (const tag of [nullYaml11Tag, boolYaml11Tag, intYaml11Tag, floatYaml11Tag]) {
    const value = tag.resolve(written, false, "");
    if (value === null || ["boolean", "number"].includes(typeof value)) return value as Scalar;
  }
  return written;
}
