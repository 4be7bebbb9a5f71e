/** What this machine has, asked of the programs themselves; nothing is changed and nothing is waited for long. */
import { execFile } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { arch, availableParallelism, cpus, freemem, platform, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../../compiler/package-root.ts";
import { readyPython } from "../../runtime/run/provision.ts";

export interface Gpu {
  readonly name: string;
  /** Bytes. */
  readonly memory: number;
  readonly driver: string;
}

export interface Environment {
  readonly python: string;
  /** By module: its version, or `null` and why it cannot be imported. */
  readonly modules: Readonly<Record<string, { readonly version: string } | { readonly error: string }>>;
  readonly torchrun: boolean;
  /** What torch sees; `null` where torch is not there. */
  readonly devices: number | null;
}

export interface Machine {
  readonly node: string;
  readonly system: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memory: { readonly total: number; readonly free: number };
  readonly disk: { readonly folder: string; readonly free: number } | null;
  /** A Python from which an environment can be made. */
  readonly python: string | null;
  readonly environment: Environment | null;
  readonly gpus: readonly Gpu[];
  /** `sbatch --version`, and each partition as `sinfo` gives it. */
  readonly slurm: { readonly version: string; readonly partitions: readonly string[] | null } | null;
  readonly ssh: string | null;
  readonly kubectl: string | null;
}

export async function probe(folder: string): Promise<Machine> {
  const interpreter = readyPython(join(packageRoot(), "trainer"));
  const [python, environment, gpus, slurm, ssh, kubectl] = await Promise.all([
    basePython(),
    interpreter === null ? null : environmentOf(interpreter),
    gpusOf(),
    slurmOf(),
    said("ssh", ["-V"]),
    said("kubectl", ["version", "--client"]),
  ]);
  return {
    node: process.versions.node,
    system: `${platform()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? "",
    cores: availableParallelism(),
    memory: { total: totalmem(), free: freemem() },
    disk: diskOf(folder),
    python,
    environment,
    gpus,
    slurm,
    ssh: firstLine(ssh),
    kubectl: firstLine(kubectl),
  };
}

/** Those that provisioning tries, in its order. */
const pythons = ["python3.13", "python3.12", "python3.11", "python3", "python3.14", "python3.10"];

async function basePython(): Promise<string | null> {
  const code = "import sys; print(sys.version.split()[0]); sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))";
  const found = await Promise.all(pythons.map(async (name) => ({ name, words: await said(name, ["-c", code]) })));
  const first = found.find(({ words }) => words !== null);
  return first === undefined ? null : `${first.name} ${firstLine(first.words) ?? ""}`.trim();
}

const modules = ["torch", "transformers", "deepspeed"];

async function environmentOf(python: string): Promise<Environment> {
  const code = [
    "import importlib, json, sys",
    "def look(name):",
    "    try: return {'version': importlib.import_module(name).__version__}",
    "    except Exception as error: return {'error': f'{type(error).__name__}: {error}'.split(chr(10))[0]}",
    "found = {name: look(name) for name in sys.argv[1:]}",
    "devices = sys.modules['torch'].cuda.device_count() if 'torch' in sys.modules else None",
    "print('\\n' + json.dumps({'modules': found, 'devices': devices}))",
  ].join("\n");
  const words = await said(python, ["-c", code, ...modules], 120_000);
  const parsed = parse(words?.trim().split("\n").at(-1));
  const torchrun = existsSync(join(dirname(python), "torchrun"));
  return parsed === null
    ? { python, modules: { python: { error: "it does not start" } }, torchrun, devices: null }
    : { python, torchrun, ...parsed };
}

function parse(line: string | undefined): Pick<Environment, "modules" | "devices"> | null {
  try {
    return JSON.parse(line ?? "") as Pick<Environment, "modules" | "devices">;
  } catch {
    return null;
  }
}

/** NVIDIA's, as its driver names them. */
export async function gpusOf(): Promise<readonly Gpu[]> {
  const query = ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"];
  const words = (await said("nvidia-smi", query)) ?? "";
  return words.split("\n").flatMap((line) => {
    const [name, memory, driver] = line.split(",").map((cell) => cell.trim());
    return name && memory && driver ? [{ name, memory: Number(memory) * 2 ** 20, driver }] : [];
  });
}

async function slurmOf(): Promise<Machine["slurm"]> {
  const version = firstLine(await said("sbatch", ["--version"]));
  if (version === null) return null;
  const words = await said("sinfo", ["--noheader", "--format=%P %D nodes, %G, up to %l"]);
  return { version, partitions: words === null ? null : words.split("\n").filter((line) => line.trim() !== "") };
}

function diskOf(folder: string): Machine["disk"] {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return { folder, free: bavail * bsize };
  } catch {
    return null;
  }
}

const firstLine = (words: string | null): string | null => words?.trim().split("\n")[0] ?? null;

/** What a program says, on either stream; `null` where it is not there, fails, or does not answer. */
function said(program: string, words: readonly string[], timeout = 15_000): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout, encoding: "utf8" }, (error, stdout, stderr) => {
      resolve(error === null ? stdout + stderr : null);
    });
  });
}
