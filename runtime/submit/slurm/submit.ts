/** Hands a request to sbatch. */
import type { Handle, Request } from "../../target.ts";
import { submitEnvironment } from "./environment.ts";
import { refusal, type Refusal } from "../../run/refusal.ts";
import { refusedBy } from "./refused.ts";
import type { Transport } from "./transport.ts";

export async function submitJob(transport: Transport, request: Request): Promise<Handle | Refusal> {
  const unusual = request.command.find((word) => /^--output=.*[\\\n]/s.test(word));
  if (unusual !== undefined) {
    return refusal(
      "the path of the run directory holds a backslash or a line break: Slurm cannot write a log there",
      "set another `root` in the file, or move the project",
    );
  }
  for (const { path, text, executable } of request.files) await transport.write(path, text, executable === true);
  const environment = { ...transport.environment(), ...request.env };
  const env = submitEnvironment(environment, saidIn(request));
  const answer = await transport.run(request.command, { cwd: request.cwd, env });
  const handle = handleOf(answer.stdout);
  if (answer.code === 0 && handle !== null) return handle;
  for (const { path } of request.files) await transport.remove(path);
  return refusedBy(transport, answer);
}

/** The answer of `sbatch --parsable`, `id[;cluster]`; a site's own wrapper may say more before it. */
export function handleOf(stdout: string): Handle | null {
  const last = stdout.trim().split("\n").at(-1) ?? "";
  const [, job, cluster] = /^(\d+)(?:;(\S+))?$/.exec(last.trim()) ?? [];
  return job === undefined ? null : { target: "slurm", job, cluster: cluster ?? null };
}

function saidIn({ files, command }: Request): ReadonlySet<string> {
  const directives = files.flatMap(({ text }) =>
    [...text.matchAll(/^#SBATCH --([a-z0-9-]+)/gm)].map(([, name]) => name ?? ""),
  );
  const words = command.flatMap((word) => /^--([a-z0-9-]+)/.exec(word)?.[1] ?? []);
  return new Set([...directives, ...words]);
}
