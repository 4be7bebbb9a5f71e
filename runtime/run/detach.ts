/** `--detach`: the same command again, in a session of its own, left alone once its first step is on its way. */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stateHome } from "../state/home.ts";
import { seen, waiting } from "../view/model.ts";
import { factsOf, shown } from "./document.ts";
import { renderRefusal } from "./refusal-block.ts";
import { isRefusal, refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import type { Screen } from "./screen.ts";
import { nameOf } from "./named.ts";
import { statusOf } from "./status.ts";
import { typed } from "./typed.ts";

export async function detach(runs: readonly ResolvedRun[], json: boolean, screen: Screen): Promise<number> {
  const before = await firstOpen(runs);
  if (before === null || before.live) {
    tell(before, json, screen, before === null ? "all steps were done before" : "in use by a live run");
    return 0;
  }
  const folder = join(stateHome(), "supervisors");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${before.run.spec.id}.log`);
  const log = openSync(path, "w");
  const args = process.argv.slice(1).filter((word) => word !== "--detach" && word !== "--json");
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...process.env, CI: "true" },
  });
  closeSync(log);
  let exited = false;
  child.on("exit", () => {
    exited = true;
  });
  for (;;) {
    await sleep(200);
    const now = await firstOpen([before.run]);
    if (now === null || now.live) {
      child.unref();
      tell(now ?? before, json, screen, `started, supervised by process ${child.pid ?? "?"}`);
      return 0;
    }
    if (exited) {
      const words = readFileSync(path, "utf8").trim().split("\n").slice(-15).join("\n");
      screen.say(renderRefusal(refusal(`it ended before it began\n${words}`), screen.paint));
      if (json) process.stdout.write(`${JSON.stringify({ runs: [], error: { message: words, advice: null } })}\n`);
      return 3;
    }
  }
}

interface Open {
  readonly run: ResolvedRun;
  readonly live: boolean;
}

/** The first run that is not done; `null` when all are. */
async function firstOpen(runs: readonly ResolvedRun[]): Promise<Open | null> {
  for (const run of runs) {
    const status = await statusOf(run.spec.directory);
    if (isRefusal(status)) return { run, live: false };
    if (status.kind !== "done") return { run, live: status.kind === "live" };
  }
  return null;
}

function tell(open: Open | null, json: boolean, screen: Screen, words: string): void {
  if (open === null) {
    screen.say([words]);
    if (json) process.stdout.write(`${JSON.stringify({ runs: [] })}\n`);
    return;
  }
  const { step, id, directory } = open.run.spec;
  screen.say([
    `${step.name} (${id}): ${words}; ${typed(`attach ${nameOf({ step: step.name, id, directory })}`)} shows it`,
    shown(directory),
  ]);
  if (!json) return;
  void statusOf(directory).then((status) => {
    const view = waiting(step, id, directory);
    const known = isRefusal(status) || status.snapshot === null ? view : seen(view, status.snapshot);
    process.stdout.write(`${JSON.stringify({ runs: [factsOf(known, directory, null)], note: words }, null, 2)}\n`);
  });
}
