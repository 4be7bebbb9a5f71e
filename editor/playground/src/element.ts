/** An element with its class and what it holds; texts enter as text, never as markup. */
export type Content = Node | string | null | readonly Content[];

export function element(tag: string, name: string, ...content: readonly Content[]): HTMLElement {
  const made = document.createElement(tag);
  if (name !== "") made.className = name;
  append(made, content);
  return made;
}

function append(into: HTMLElement, content: readonly Content[]): void {
  for (const each of content) {
    if (each === null) continue;
    if (typeof each === "string" || each instanceof Node) into.append(each);
    else append(into, each);
  }
}
