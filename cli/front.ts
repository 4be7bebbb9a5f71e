/** What every command that reads a file does first: options, host, files, diagnostics on stderr. */
import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { isAbsolute, relative, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Compilation, compile, type CompileOptions, type Timing } from "../compiler/compile.ts";
import type { Source } from "../dsl/source/source.ts";
import { readSignatures } from "../compiler/plugins/python.ts";
import { unreadable } from "./unreadable.ts";
import { number, type Value } from "../dsl/types/value.ts";

export interface FrontFlags {
  readonly on?: string | undefined;
  readonly target?: "local" | "slurm" | undefined;
  readonly preset?: string | undefined;
  readonly with?: readonly string[];
  readonly set?: readonly string[];
}

/** Of an option that may be given again, all its values. */
export const gather = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** One answer at most: of two that differ the last would win without a word. */
const once =
  (flag: string) =>
  (value: string, before?: string): string => {
    if (before !== undefined && before !== value)
      throw new InvalidArgumentError(
        `It is given twice: \`${flag} ${before}\` and \`${flag} ${value}\`. Write one of them.`,
      );
    return value;
  };

/** The options that decide what a file means. */
export function frontOptions(command: Command): Command {
  const target = new Option(
    "--target <name>",
    "use the first launch with this target, or else the target's defaults",
  );
  const { parseArg: listed } = target.choices(["local", "slurm"]);
  return command
    .option("--on <launch>", "launch block to use", once("--on"))
    .addOption(
      target.argParser((value, before?: string) => once("--target")(listed?.(value, before) ?? value, before)),
    )
    .option("--preset <name>", "preset to apply", once("--preset"))
    .option("--with <overlay>", "overlay to apply: a name in the file, or a .cdr file (repeatable)", gather)
    .option("--set <name=value>", "set a param, or a property by its path (repeatable)", gather);
}

/** A mistake in the command line or a file that cannot be read: one sentence, exit code 2. */
export interface Misuse {
  readonly misuse: string;
}

/** What a file may ask of the machine where it is compiled. */
export const machine: Pick<CompileOptions, "environment" | "host" | "signatures"> = {
  environment: (name) => process.env[name],
  host: hostValue,
  signatures: readSignatures,
};

/** The text of a file and what the command line says of it. */
export function sourceAndOptions(
  path: string,
  flags: FrontFlags,
): { readonly source: Source; readonly options: CompileOptions } | Misuse {
  const text = readText(path);
  if (text === undefined) return { misuse: `cannot read ${path}: ${reasonFor(path)}` };
  const sets = splitSets(flags.set ?? []);
  if ("misuse" in sets) return sets;
  const overlays = flags.with ?? [];
  // What a full path leads to is named in full, so that one file has one name.
  const placed = (of: string): string => (isAbsolute(path) ? resolve(of) : relative(process.cwd(), resolve(of)));
  const options: CompileOptions = {
    on: flags.on ?? null,
    target: flags.target ?? null,
    preset: flags.preset ?? null,
    overlays: overlays.filter((name) => !name.endsWith(".cdr")),
    overlayFiles: overlays.filter((name) => name.endsWith(".cdr")).map((name) => placed(name)),
    placed,
    sets: sets.sets,
    read: readText,
    ...machine,
  };
  return { source: { path: placed(path), text }, options };
}

/** With what was asked of the compiler, so that it can be asked again. */
export interface FileCompilation extends Compilation {
  readonly options: CompileOptions;
}

export function compileFile(path: string, flags: FrontFlags, timing?: Timing): FileCompilation | Misuse {
  const asked = sourceAndOptions(path, flags);
  if ("misuse" in asked) return asked;
  return { ...compile(asked.source, asked.options, timing), options: asked.options };
}

function splitSets(words: readonly string[]): { readonly sets: CompileOptions["sets"] } | Misuse {
  const sets: { name: string; text: string }[] = [];
  for (const word of words) {
    // `kind=reason,scale=40b` sets two; a comma inside a value is one that no `name=` follows.
    for (const part of word.split(/,(?=[A-Za-z_][\w.]*=)/)) {
      const at = part.indexOf("=");
      if (at < 1) return { misuse: `--set ${word}: write NAME=VALUE` };
      sets.push({ name: part.slice(0, at).trim(), text: part.slice(at + 1).trim() });
    }
  }
  const twice = sets.find(({ name, text }, i) => sets.some((s, j) => j < i && s.name === name && s.text !== text));
  if (twice !== undefined) return { misuse: `--set ${twice.name} is given twice, with different values` };
  return { sets };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function reasonFor(path: string): string {
  try {
    readFileSync(path);
    return "it is not text";
  } catch (error) {
    return unreadable(error);
  }
}

function hostValue(name: string): Value | undefined {
  switch (name) {
    case "cores":
      return number(availableParallelism(), { core: 1 });
    case "memory":
      return number(totalmem(), { byte: 1 });
    case "gpus":
      return number(gpusOfThisMachine());
    case "gpu_memory":
      return number(gpuMemoryOfThisMachine(), { byte: 1 });
    default:
      return undefined;
  }
}

/** NVIDIA's driver lists its devices under /proc. */
function gpusOfThisMachine(): number {
  const visible = process.env.CUDA_VISIBLE_DEVICES;
  if (visible !== undefined)
    return visible.split(",").filter((device) => device.trim() !== "" && device.trim() !== "-1").length;
  try {
    return process.getBuiltinModule("node:fs").readdirSync("/proc/driver/nvidia/gpus").length;
  } catch {
    return 0;
  }
}

/** Of the smallest of its devices, as NVIDIA's driver gives it; none where there is no driver. */
function gpuMemoryOfThisMachine(): number {
  if (gpusOfThisMachine() === 0) return 0;
  const asked = process
    .getBuiltinModule("node:child_process")
    .spawnSync("nvidia-smi", ["--query-gpu=memory.total", "--format=csv,noheader,nounits"], {
      encoding: "utf8",
      timeout: 10_000,
    });
  const each = (asked.stdout ?? "").split("\n").map(Number.parseFloat).filter(Number.isFinite);
  return each.length === 0 ? 0 : Math.min(...each) * 2 ** 20;
}
