/** `64Gi` as `64 GiB`; `null` for a form that the language has no unit for. */
export function bytesOf(text: string): string | null {
  const [, count = "", unit = ""] = /^(\d+)(Ki|Mi|Gi|Ti|k|M|G|T)?$/.exec(text) ?? [];
  const known = unit === "k" ? "K" : unit;
  return count === "" ? null : `${count} ${known === "" ? "bytes" : `${known}B`}`;
}
