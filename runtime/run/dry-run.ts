/** A request as text: a person can read it, and a shell can run it. */
import { quote, quoteWords } from "../../compiler/targets/shell.ts";
import type { Request } from "../target.ts";
import type { ResolvedRun } from "./resolve.ts";

export function renderDryRun(requests: readonly { readonly run: ResolvedRun; readonly request: Request }[]): string {
  return `${requests.flatMap(({ run, request }) => section(run, request)).join("\n")}\n`;
}

function section({ spec }: ResolvedRun, request: Request): string[] {
  return [
    `# ${spec.step.name} (${spec.id}), ${request.target}`,
    `# in ${spec.directory}`,
    `cd ${quoteWords([request.cwd])}`,
    ...Object.entries(request.env).map(([name, value]) => `export ${name}=${quoteWords([value])}`),
    ...request.secrets.map((name) => `: "\${${name}:?a secret: it is taken from the environment}"`),
    ...request.files.flatMap((file) => {
      const end = endOf(file.text);
      return [`cat >${quoteWords([file.path])} <<'${end}'`, file.text.trimEnd(), end];
    }),
    request.command.map((word) => (word === "" ? quote(word) : quoteWords([word]))).join(" "),
    "",
  ];
}

/** A word that ends a here-document: no line of the text is that word, whatever the text holds. */
function endOf(text: string): string {
  const lines = new Set(text.split("\n"));
  let word = "END";
  while (lines.has(word)) word += "_";
  return word;
}
