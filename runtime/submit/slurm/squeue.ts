/** `squeue` with chosen fields: jobs in the queue, running, and those that ended a moment ago. */
import type { JobReport } from "./states.ts";

const fields = ["JobID", "State", "RestartCnt", "exit_code", "NodeList", "Reason"] as const;

export function squeueWords(jobs: readonly string[], cluster: string | null): string[] {
  const format = fields.map((field) => `${field}:|`).join(",");
  const where = cluster === null ? [] : ["--clusters", cluster];
  return ["squeue", "--noheader", "--states=all", ...where, "--jobs", jobs.join(","), "--Format", format];
}

export function parseSqueue(text: string): JobReport[] {
  return text.split("\n").flatMap((line) => {
    const [job = "", state = "", restarts = "", status = "", nodes = "", ...reason] = line
      .split("|")
      .map((cell) => cell.trim());
    if (!/^\d+$/.test(job) || state === "") return [];
    return [
      {
        job,
        state,
        restarts: count(restarts),
        exit: exitOf(status),
        nodes,
        reason: reason.join("|").replace(/\|$/, ""),
      },
    ];
  });
}

/** The word of `wait(2)`: the exit code above, the signal below. */
function exitOf(status: string): JobReport["exit"] {
  if (!/^\d+$/.test(status)) return null;
  const word = Number(status);
  return { code: (word >> 8) & 0xff, signal: word & 0x7f };
}

function count(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : 0;
}
