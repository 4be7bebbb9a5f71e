/** The name of a block inside what it is compared by: another name of the same block is no difference. */
const mark = "\u0002";

export const reference = (name: string): string => mark + name + mark;

/** Between marks stands a name. */
export const renamedIn = (text: string, names: ReadonlyMap<string, string>): string =>
  text
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : (names.get(part) ?? part)))
    .join(mark);

export const refers = (text: string): boolean => text.includes(mark);
