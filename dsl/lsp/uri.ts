/** Documents have addresses, modules have paths. Imports are resolved on paths, whatever the scheme. */

/** What stands behind a `?` tells versions of one file apart (`git:/a.cdr?ref=HEAD`): each is a document of its own. */
export function pathOf(uri: string): string {
  try {
    const { pathname, search } = new URL(uri);
    return decodeURIComponent(pathname) + search.replaceAll("/", "%2F");
  } catch {
    return uri;
  }
}

/** The address of a path that no open document has. */
export function fileUri(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":")}`;
}
