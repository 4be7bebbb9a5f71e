/** Processes of this machine: who lives, since when, and who belongs to whom. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { constants } from "node:os";

const hasProc = existsSync("/proc/self/stat");

/** When a process started, in words that no other process of the same number shares; `null` when it is gone. */
export function startOf(pid: number): string | null {
  if (!hasProc) return ps(["-o", "lstart=", "-p", String(pid)])[0] ?? null;
  const stat = statOf(pid);
  return stat === null || stat.state === "Z" ? null : `${bootId()}:${stat.started}`;
}

/** Whether the machine was started anew after what `startOf` said; false where the system doesn't tell. */
export function restartedSince(started: string): boolean {
  return hasProc && started.includes(":") && !started.startsWith(`${bootId()}:`);
}

/** The process and everything it started, children of children included. */
export function familyOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

/**
 * Processes that carry `NAME=value` in the environment they were started with. Ranks leave the session of their
 * launcher, and their parent may be dead: this still finds them. Empty where the system doesn't tell.
 */
export function carrying(name: string, value: string): number[] {
  if (!hasProc) return [];
  const wanted = `${name}=${value}`;
  return pids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(wanted) && startOf(pid) !== null;
    } catch {
      return false;
    }
  });
}

/** Whether the process has a handler for a signal; true where the system doesn't tell. */
export function catches(pid: number, signal: NodeJS.Signals): boolean {
  if (!hasProc) return true;
  try {
    const mask = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
    return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

/** False when the process was gone already. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function pids(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function parents(): (readonly [number, number])[] {
  if (hasProc) {
    return pids().flatMap((pid) => {
      const stat = statOf(pid);
      return stat === null ? [] : [[pid, stat.parent] as const];
    });
  }
  return ps(["-axo", "pid=,ppid="]).flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return pid === undefined || parent === undefined ? [] : [[pid, parent] as const];
  });
}

function statOf(pid: number): { state: string; parent: number; started: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may itself hold any character.
    const [state, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: state ?? "", parent: Number(parent), started: rest[17] ?? "" };
  } catch {
    return null;
  }
}

let boot: string | undefined;

function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim().slice(0, 8);
  return boot;
}

function ps(args: readonly string[]): string[] {
  try {
    const text = execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return text.split("\n").filter((line) => line.trim() !== "");
  } catch {
    return [];
  }
}
