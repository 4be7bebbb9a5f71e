/** How a file names another in an import. */
export function relativePath(own: string, other: string): string {
  const from = own.split("/").slice(0, -1);
  const to = other.split("/");
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const up = from.slice(same).map(() => "..");
  return up.length === 0 ? `./${to.slice(same).join("/")}` : [...up, ...to.slice(same)].join("/");
}
