/** What an example leaves to its reader, where the shell would take it for redirections: `--node_rank <RANK>`. */

export interface Placeholder {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether the shell can read on behind it: something follows that `>` can lead to. */
  readonly isRead: boolean;
}

const shape = /<[A-Za-z][\w ./-]*>/;
const none: readonly Placeholder[] = [];
let last: { readonly text: string; readonly found: readonly Placeholder[] } = { text: "", found: none };

export function placeholdersIn(text: string): readonly Placeholder[] {
  if (text.length > longest || !shape.test(text)) return none;
  if (last.text !== text) last = { text, found: scanned(text) };
  return last.found;
}

/** Each as a variable that no script sets, of the same length. */
export function withUnknowns(text: string): string {
  const found = placeholdersIn(text);
  if (found.length === 0) return text;
  let made = "";
  let from = 0;
  for (const { start, end } of found) {
    const name = text.slice(start + 1, end - 1).replaceAll(/\W/g, "_");
    const isGlued = /\w/.test(text[end] ?? "");
    made += text.slice(from, start) + (isGlued ? `\${${name.slice(0, -1)}}` : `$${name}_`);
    from = end;
  }
  return made + text.slice(from);
}

/** What no shell reads as commands: comments, quoted text, here-documents, escaped letters. What is not closed reaches to the end. */
const skipped =
  /(?<=^|[\s;])#[^\n]*|'[^']*(?:'|(?![\s\S]))|"(?:[^"\\]|\\[\s\S])*(?:"|(?![\s\S]))|<<<|<<-?[ \t]*(['"]?)(\w+)\1[^\n]*\n(?:[\s\S]*?\n)??(?:[ \t]*\2(?=\n|(?![\s\S]))|(?![\s\S]))|\\[\s\S]|<[A-Za-z][\w ./-]*>/gm;

/** No launch is longer. */
const longest = 1_000_000;

function scanned(text: string): readonly Placeholder[] {
  return [...text.matchAll(skipped)].flatMap(({ 0: word, index: start }): readonly Placeholder[] => {
    if (!word.startsWith("<") || word.startsWith("<<") || !isPlaceholder(text, word, start)) return [];
    const end = start + word.length;
    const [after = ""] = /^(?:[ \t]|\\\n)*[^ \t]?/.exec(text.slice(end, end + 200)) ?? [];
    return [{ start, end, text: word, isRead: /[^\s;|&()<>#]$/.test(after) }];
  });
}

/** A redirection may be written so too: `sort <names> sorted`, `<in.txt >out.txt`. */
function isPlaceholder(text: string, word: string, start: number): boolean {
  const inner = word.slice(1, -1);
  if (/\s$|\s-/.test(inner) || inner.length < 2) return false;
  const before = text.slice(Math.max(0, start - 200), start);
  if (/[=:/,@_-]$/.test(before)) return true;
  if (!/\s$/.test(before) || /^\S+\.\w{1,5}$/.test(inner)) return false;
  return /(?:^|\s)-[^\s]*\s+$/.test(before) || /[A-Z_ -]/.test(inner);
}
