/** The machine against what is needed, one line for each thing, with how to mend what is missing. */
import { gib } from "../render/figures.ts";
import type { Machine } from "./probe.ts";
import type { Needs } from "./needs.ts";

export interface Finding {
  readonly name: string;
  /** `absent`: not there, and nobody needs it. */
  readonly state: "ok" | "absent" | "missing";
  readonly says: string;
  readonly mend: string | null;
}

const oldestNode = 22;

export function findings(
  machine: Machine,
  needs: Needs | null,
  variable: (name: string) => boolean,
): readonly Finding[] {
  return [
    ...own(machine),
    ...python(machine, needs),
    ...places(machine, needs),
    ...(needs === null ? [] : file(machine, needs, variable)),
  ];
}

const ok = (name: string, says: string): Finding => ({ name, state: "ok", says, mend: null });
const lacks = (name: string, says: string, mend: string, isNeeded = true): Finding => ({
  name,
  state: isNeeded ? "missing" : "absent",
  says,
  mend,
});

function own(machine: Machine): readonly Finding[] {
  const { node, system, cpu, cores, memory, disk, gpus } = machine;
  return [
    Number(node.split(".")[0]) >= oldestNode
      ? ok("node", node)
      : lacks("node", `${node}, which is older than ${oldestNode}`, "npm ci brings a newer one"),
    ok("system", `${system}, ${cpu === "" ? "" : `${cpu}, `}${cores} cores`),
    ok("memory", `${gib(memory.total)}, ${gib(memory.free)} free`),
    disk === null
      ? lacks("disk", "this folder's disk cannot be read", "run cdrc in a folder you can write to")
      : ok("disk", `${gib(disk.free)} free in ${disk.folder}`),
    gpus.length === 0
      ? lacks("gpu", "nvidia-smi names none", "install NVIDIA's driver, if this machine has a GPU", false)
      : ok(
          "gpu",
          gpus.map((gpu) => `${gpu.name} ${gib(gpu.memory)}`).join(", ") + `, driver ${gpus[0]?.driver ?? ""}`,
        ),
  ];
}

function python({ python: base, environment }: Machine, needs: Needs | null): readonly Finding[] {
  const hint = "install Python 3.10 to 3.14 with venv (Debian: apt install python3 python3-venv), or set CDR_PYTHON";
  if (environment === null) {
    return [
      base === null ? lacks("python", "none from 3.10 to 3.14 on PATH", hint) : ok("python", base),
      lacks(
        "trainer",
        "its environment is not made yet",
        "npm run setup makes it; the first cdrc run does, too",
        false,
      ),
    ];
  }
  const modules = Object.entries(environment.modules).map(([name, found]) =>
    "version" in found
      ? ok(name, found.version)
      : lacks(
          name,
          found.error,
          "remove the environment's folder and run npm run setup, or set CDR_PYTHON to one that has it",
          name !== "deepspeed" || needs === null || needs.deepspeed,
        ),
  );
  return [
    base === null ? lacks("python", "none from 3.10 to 3.14 on PATH", hint, false) : ok("python", base),
    ok("trainer", environment.python),
    ...modules,
    environment.torchrun
      ? ok("torchrun", "beside the interpreter")
      : lacks("torchrun", "not beside the interpreter", "reinstall torch completely in that environment"),
  ];
}

function places({ slurm, ssh, kubectl }: Machine, needs: Needs | null): readonly Finding[] {
  const uses = (target: string): boolean => needs?.target === target;
  return [
    slurm === null
      ? lacks("slurm", "no sbatch on PATH", "run cdrc on a login node, or install Slurm's client", uses("slurm"))
      : slurm.partitions === null
        ? lacks("slurm", `${slurm.version}, whose controller does not answer`, "look at scontrol ping", uses("slurm"))
        : ok("slurm", [slurm.version, ...slurm.partitions].join("; ")),
    ssh === null ? lacks("ssh", "no ssh on PATH", "install OpenSSH's client", uses("ssh")) : ok("ssh", ssh),
    kubectl === null
      ? lacks("kubectl", "no kubectl on PATH", "install kubectl", uses("kubernetes"))
      : ok("kubectl", kubectl),
  ];
}

function file(machine: Machine, needs: Needs, variable: (name: string) => boolean): readonly Finding[] {
  const { gpus, memory, partition, secrets, checkpoint } = needs;
  const seen = machine.gpus.length;
  const partitions = machine.slurm?.partitions?.map((line) => line.split(" ")[0]?.replace(/\*$/, "") ?? "");
  return [
    ok("target", needs.target),
    ...(gpus === null
      ? []
      : [
          seen >= gpus
            ? ok("its GPUs", `${gpus} of ${seen}`)
            : lacks(
                "its GPUs",
                `it needs ${gpus}, but this machine has ${seen}`,
                "lower the launch's processes, or use --on another launch",
              ),
          ...(machine.environment?.devices == null || machine.environment.devices >= gpus
            ? []
            : [
                lacks(
                  "torch's GPUs",
                  `torch sees ${machine.environment.devices}`,
                  "install a torch that fits the driver",
                ),
              ]),
        ]),
    ...(memory === null
      ? []
      : [
          memory <= machine.memory.total
            ? ok("its memory", `about ${gib(memory)} of ${gib(machine.memory.total)}`)
            : lacks(
                "its memory",
                `about ${gib(memory)}, but this machine has ${gib(machine.memory.total)}`,
                "make the model or the micro-batch smaller",
              ),
        ]),
    ...(machine.disk === null || checkpoint === 0
      ? []
      : [
          checkpoint <= machine.disk.free
            ? ok("its checkpoints", `${gib(checkpoint)} each`)
            : lacks(
                "its checkpoints",
                `${gib(checkpoint)} each, but only ${gib(machine.disk.free)} are free`,
                "write them elsewhere: checkpoint { to = … }",
              ),
        ]),
    ...(partition === null || partitions === undefined
      ? []
      : [
          partitions.includes(partition)
            ? ok("its partition", partition)
            : lacks("its partition", `there is no ${partition}`, `use one of ${partitions.join(", ")}`),
        ]),
    ...secrets.map((name) =>
      variable(name)
        ? ok(name, "is set")
        : lacks(name, "is not set", `export ${name}=… where the run starts`, needs.target === "local"),
    ),
  ];
}
