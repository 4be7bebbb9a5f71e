/** A text as it stands in a snippet. */
export const escaped = (text: string): string => text.replaceAll(/[\\$}]/g, String.raw`\$&`);
