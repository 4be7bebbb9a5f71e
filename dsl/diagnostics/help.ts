const pages = "https://cdr.dev/diagnostics";

/** The page that explains a code. */
export function helpUrl(code: string): string {
  return `${pages}#${code.replace(/^cdr\//, "")}`;
}
