/** Where a block that is not indented ends before a blank line: what follows is another statement of the file. */
const betweenBlocks = /\n\}\n\n(?=[A-Za-z/])/g;

/**
 * Offsets at which a text is cut into pieces that can be read alone, each of `least` characters or more; the last is where
 * it ends. A cut may be wrong, as in a string of many lines: then the piece before it has a mistake.
 */
export function piecesOf(text: string, least: number): readonly number[] {
  const cuts: number[] = [];
  let from = 0;
  while (text.length - from > 2 * least) {
    betweenBlocks.lastIndex = from + least;
    const found = betweenBlocks.exec(text);
    if (found === null) break;
    from = found.index + found[0].length;
    cuts.push(from);
  }
  return [...cuts, text.length];
}
