/** `sacct`: jobs that squeue has forgotten, where a site keeps accounts. */
import type { JobReport } from "./states.ts";

export function sacctWords(jobs: readonly string[], cluster: string | null): string[] {
  const where = cluster === null ? [] : ["--clusters", cluster];
  const format = "JobIDRaw,State,ExitCode,NodeList,Reason";
  return [
    "sacct",
    "--allocations",
    "--noheader",
    "--parsable2",
    ...where,
    "--jobs",
    jobs.join(","),
    "--format",
    format,
  ];
}

export function isDisabled(stderr: string): boolean {
  return /accounting storage is disabled/i.test(stderr);
}

export function parseSacct(text: string): JobReport[] {
  return text.split("\n").flatMap((line) => {
    const [job = "", state = "", status = "", nodes = "", ...reason] = line.split("|").map((cell) => cell.trim());
    if (!/^\d+$/.test(job) || state === "") return [];
    const [, code, signal] = /^(\d+):(\d+)$/.exec(status) ?? [];
    const exit = code === undefined || signal === undefined ? null : { code: Number(code), signal: Number(signal) };
    const known = nodes === "None assigned" ? "" : nodes;
    return [{ job, state, restarts: 0, exit, nodes: known, reason: reason.join("|") }];
  });
}
