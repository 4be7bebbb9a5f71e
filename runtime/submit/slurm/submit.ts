/** Hands a request to sbatch. */
import type { Handle, Request } from "../../target.ts";
import { submitEnvironment } from "./environment.ts";
import type { Transport } from "./transport.ts";

export async function submitJob(transport: Transport, request: Request): Promise<Handle> {
  const unusual = request.command.find((word) => /^--output=.*[\\\n]/s.test(word));
  if (unusual !== undefined) {
    throw new Error(
      "the path of the run directory holds a backslash or a line break: Slurm cannot write a log there",
    );
  }
  for (const { path, text, executable } of request.files) await transport.write(path, text, executable === true);
  const environment = { ...transport.environment(), ...request.env };
  const env = submitEnvironment(environment, saidIn(request));
  const answer = await transport.run(request.command, { cwd: request.cwd, env });
  const handle = handleOf(answer.stdout);
  if (answer.code !== 0 || handle === null)
    throw new Error(wordsOf(answer.stderr) || `sbatch ended with ${answer.code}`);
  return handle;
}

/** The answer of `sbatch --parsable`, `id[;cluster]`; a site's own wrapper may say more before it. */
export function handleOf(stdout: string): Handle | null {
  const last = stdout.trim().split("\n").at(-1) ?? "";
  const [, job, cluster] = /^(\d+)(?:;(\S+))?$/.exec(last.trim()) ?? [];
  return job === undefined ? null : { target: "slurm", job, cluster: cluster ?? null };
}

/** What sbatch said, without its name in front of each line and without what it adds to every refusal. */
export function wordsOf(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^sbatch: ((error|fatal): )?/, "").trim());
  const said = [...new Set(lines.filter((line) => line !== ""))];
  const telling = said.filter((line) => !/^(Batch job submission failed|Try "sbatch --help")/.test(line));
  return (telling.length > 0 ? telling : said).join("\n");
}

function saidIn({ files, command }: Request): ReadonlySet<string> {
  const directives = files.flatMap(({ text }) =>
    [...text.matchAll(/^#SBATCH --([a-z0-9-]+)/gm)].map(([, name]) => name ?? ""),
  );
  const words = command.flatMap((word) => /^--([a-z0-9-]+)/.exec(word)?.[1] ?? []);
  return new Set([...directives, ...words]);
}
