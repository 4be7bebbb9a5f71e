/** What goes on as a declaration of that kind does, and as nothing else. */
const declarations: readonly RegExp[] = [
  /^(param)([a-z_]\w*)\s*:\s*[A-Z["(]/,
  /^(param|let|secret)([a-z_]\w*)\s*=\s/,
  /^(fn)([a-z_]\w*)\s*\([^()]*\)\s*[:=]/,
  /^(enum)([A-Z]\w*)\s*\{/,
  /^(assert|expect)([a-z_]\w*)(?:\.\w+)*\s*(?:[<>]=?|==|!=|in\b)/,
];

/** A line that begins with a word that declares and the name, without a blank between them. */
export function gluedIn(line: string): { readonly word: string; readonly name: string } | null {
  for (const pattern of declarations) {
    const [, word, name] = pattern.exec(line) ?? [];
    if (word !== undefined && name !== undefined) return { word, name };
  }
  return null;
}
