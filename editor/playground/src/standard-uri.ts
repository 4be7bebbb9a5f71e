/** The address under which the page shows a file of the standard library, spelled as Monaco spells addresses. */
export const standardUri = (path: string): string => `cdr:/${path}.cdr`;
