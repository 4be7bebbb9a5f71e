/**
 * `npm run bench -- calibration [cluster=FILE] [rounds=2] [keep=FOLDER]`: predicted against measured step time and peak memory of six
 * runs of unlike shape on this machine, one and two processes, after `cdrc calibrate`. None of them is among the runs that a
 * calibration learns from. A machine that does something else meanwhile has two measurements of a step: the clock on the
 * wall, and what the training thread itself computed with the estimate of what it waited for others.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { judged, judgedSource } from "./calibration/judged.ts";
import { scored, type Reading } from "./calibration/reading.ts";

const cdrc = join(import.meta.dirname, "../cli/cdrc.ts");

export async function run(words: readonly string[]): Promise<unknown> {
  const option = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const rounds = Number(option("rounds") ?? 2);
  const kept = option("keep");
  const folder = kept === undefined ? mkdtempSync(join(tmpdir(), "cdr-calibration-")) : resolve(kept);
  mkdirSync(folder, { recursive: true });
  try {
    const given = option("cluster");
    if (given === undefined) start(folder, ["calibrate", "--processes", "2", "-o", "machine.cdr", "--force"]);
    else copyFileSync(resolve(given), join(folder, "machine.cdr"));
    for (const processes of [1, 2]) writeFileSync(join(folder, `on${processes}.cdr`), judgedSource(processes));
    const readings: Reading[] = [];
    // Round by round, so that what disturbs one round of a run spares another.
    for (let round = 0; round < rounds; round++) {
      for (const { name, processes } of judged) {
        const outcome = start(folder, ["run", "--fresh", "--json", `on${processes}.cdr`, name]);
        readings.push({ name, directory: directoryOf(outcome, name) });
      }
    }
    const report = await scored(readings);
    process.stderr.write(table(report));
    return report;
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function start(folder: string, words: readonly string[]): string {
  const env = { ...process.env, CI: "true", XDG_STATE_HOME: join(folder, "state") };
  const ended = spawnSync(process.execPath, [cdrc, ...words], {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (ended.status !== 0) throw new Error(`cdrc ${words.join(" ")} left with ${ended.status}`);
  return ended.stdout;
}

function directoryOf(outcome: string, name: string): string {
  const { runs } = JSON.parse(outcome) as { runs: readonly { step: string; directory: string }[] };
  return runs.find(({ step }) => step === name)?.directory ?? "";
}

function table({ runs, worst }: Awaited<ReturnType<typeof scored>>): string {
  const off = (share: number): string => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
  const ms = (seconds: number): string => `${(1000 * seconds).toFixed(0)} ms`;
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const rows = [
    ["run", "step planned", "on the wall", "", "computed", "", "peak planned", "measured", ""],
    ...runs.map(({ name, step, memory }) => [
      name,
      ms(step.planned),
      ms(step.wall),
      off(step.planned / step.wall - 1),
      ms(step.computed),
      off(step.planned / step.computed - 1),
      mb(memory.planned),
      mb(memory.measured),
      off(memory.planned / memory.measured - 1),
    ]),
    ["worst", "", "", off(worst.wall), "", off(worst.computed), "", "", off(worst.memory)],
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return `${rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n")}\n`;
}
