/** Documents have addresses, modules have paths. Imports are resolved on paths, whatever the scheme. */

export function pathOf(uri: string): string {
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}

/** The address of a path that no open document has. */
export function fileUri(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":")}`;
}
