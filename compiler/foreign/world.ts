import { gpusPerNode } from "./slurm/directives.ts";
import { chosenSlots, poolOf } from "./hostfile.ts";
import type { Listing, Run, Supplied, World } from "./launch.ts";
import type { ShellCommand } from "./shell/state.ts";
import { numberIn, textIn, toldIn, type Settings, type Told } from "./settings.ts";

/** How many ranks a run has, from its launcher, its step and its allocation. */
export function worldOf(
  run: Run,
  accelerate: Settings | null,
  supplied: Supplied,
  listings: readonly Listing[],
): World {
  const { kind, settings } = run.launcher;
  const nodesOfJob = numberIn(run.step?.settings ?? new Map(), "nodes") ?? numberIn(run.script.directives, "nodes");
  const gpus = gpusPerNode(run.script.directives);
  const { pods } = run.script;
  const visible = visibleDevices(run);
  const perNodeOfJob =
    supplied.gpusPerNode ?? (visible === undefined ? (gpus?.count ?? pods?.perNode ?? null) : visible);
  const said = (...names: string[]): readonly Told[] => names.flatMap((name) => toldIn(settings, name) ?? []);
  const made = (nodes: number | null, perNode: number | null, told: readonly Told[]): World => ({
    size: supplied.world ?? (nodes === null || perNode === null ? null : nodes * perNode),
    nodes,
    perNode,
    said: told,
  });
  switch (kind) {
    case "torchrun": {
      const word = textIn(settings, "nproc_per_node");
      const devices = word === "gpu" || word === "auto";
      const perNode = settings.has("nproc_per_node")
        ? devices
          ? perNodeOfJob
          : (numberIn(settings, "nproc_per_node") ?? supplied.gpusPerNode)
        : 1;
      // Ranks come from the pods that there are, whatever number the command waits for.
      const nodes = settings.has("nnodes") ? (pods?.nodes ?? numberIn(settings, "nnodes")) : 1;
      return made(nodes, perNode, said("nnodes", "nproc_per_node"));
    }
    case "deepspeed": {
      const chosen = chosenSlots(run, listings, supplied.gpusPerNode ?? pods?.perNode ?? null);
      if (chosen !== undefined)
        return { ...made(chosen?.size ?? null, 1, said("include", "exclude", "hostfile")), ...chosen?.shape };
      const pool = poolOf(run, listings, nodesOfJob);
      const isOpen = run.launcher.open !== null;
      const nodes =
        settings.has("num_nodes") || isOpen
          ? numberIn(settings, "num_nodes")
          : settings.has("hostfile")
            ? (pool?.nodes ?? null)
            : 1;
      const counted = toldIn(settings, "num_gpus", "num_accelerators");
      const perNode =
        counted?.known === false || (counted === undefined && isOpen)
          ? supplied.gpusPerNode
          : (numberIn(settings, "num_gpus", "num_accelerators") ??
            pool?.perNode ??
            supplied.gpusPerNode ??
            visible ??
            pods?.perNode ??
            null);
      return made(nodes, perNode, said("num_nodes", "num_gpus", "num_accelerators", "hostfile"));
    }
    case "accelerate": {
      return worldOfAccelerate(new Map([...(accelerate ?? []), ...settings]), supplied, visible ?? null);
    }
    case "mpirun": {
      const sets = numberIn(settings, "nrs");
      const size =
        numberIn(settings, "np") ?? (sets === null ? null : sets * (numberIn(settings, "tasks_per_rs") ?? 1));
      return { size: supplied.world ?? size, nodes: null, perNode: null, said: said("np", "nrs") };
    }
    case "python": {
      if (pods !== null) return made(pods.nodes, supplied.gpusPerNode ?? pods.perNode, []);
      // GPT-NeoX's own starter hands what its configuration says to DeepSpeed's launcher.
      if (isStarter(run)) return { size: supplied.world, nodes: null, perNode: supplied.gpusPerNode, said: [] };
      const { env } = run.command;
      const said = ["WORLD_SIZE", "RANK", "LOCAL_RANK"].some((name) => env.has(name));
      if (run.step === null && !said) return { ...made(1, 1, []), ...(supplied.world === null ? assumed(run) : {}) };
      const ranks = countIn(env, "WORLD_SIZE");
      const tasks = run.step === null ? null : tasksOf(run);
      return {
        size: supplied.world ?? tasks ?? ranks,
        nodes: run.step === null ? null : nodesOfJob,
        perNode: null,
        said: [],
      };
    }
    case "other": {
      // LLaMA-Factory and ms-swift start torchrun with what these variables say.
      const program = /(?:^|\/)(llamafactory-cli|swift)$/.exec(run.launcher.word.text ?? "")?.[1];
      const { env } = run.command;
      const nodes = env.has("NNODES") ? countIn(env, "NNODES") : 1;
      const processes = env.has("NPROC_PER_NODE") ? countIn(env, "NPROC_PER_NODE") : undefined;
      if (program !== undefined && typeof processes === "number") return made(nodes, processes, []);
      // llamafactory/launcher.py: as many as there are GPUs, where nothing is said and several are to start.
      const starts = env.has("FORCE_TORCHRUN") ? perNodeOfJob : (visible ?? null);
      if (program === "llamafactory-cli" && processes === undefined && starts !== null)
        return made(nodes, starts, []);
      // swift/cli/main.py: use_torchrun. Without either it is one process, however many GPUs it sees.
      if (program === "swift" && processes === undefined && pods === null) return made(nodes, 1, []);
      return pods === null
        ? { size: supplied.world, nodes: null, perNode: null, said: [] }
        : made(pods.nodes, supplied.gpusPerNode ?? pods.perNode, []);
    }
  }
}

const countIn = (env: ShellCommand["env"], name: string): number | null => {
  const value = env.get(name)?.value;
  return value != null && /^[1-9]\d*$/.test(value) ? Number(value) : null;
};

/** Whoever starts a script that no scheduler does may have set WORLD_SIZE, for each of its ranks. */
const assumed = ({ script, command }: Run): Pick<World, "isAssumed"> =>
  script.directives.size === 0 && command.outer === null ? { isAssumed: true } : {};

/** What accelerate is told, by its file or its options; `visible`: the devices of the only machine, where it is told of none. */
export function worldOfAccelerate(settings: Settings, supplied: Supplied, visible: number | null): World {
  const nodes = numberIn(settings, "num_machines") ?? 1;
  // accelerate/commands/launch.py: _validate_launch_command takes the devices that it sees.
  const all = settings.has("num_processes") || nodes > 1 ? numberIn(settings, "num_processes") : visible;
  const told = toldIn(settings, "num_processes");
  return {
    size: supplied.world ?? all,
    nodes,
    perNode: all === null || all % nodes !== 0 ? null : all / nodes,
    said: told === undefined ? [] : [told],
  };
}

/** GPUs that a command is shown: `undefined` where it sees all of a node, `null` where nobody knows which. */
function visibleDevices({ command }: Run): number | null | undefined {
  const told = command.env.get("CUDA_VISIBLE_DEVICES");
  if (told === undefined) return undefined;
  const { value: shown } = told;
  return shown !== null && /^[\w-]+(?:,[\w-]+)*$/.test(shown) ? shown.split(",").length : null;
}

export function isStarter({ program }: Run): boolean {
  return program?.text?.split("/").at(-1) === "deepy.py";
}

/** Processes that `srun` starts. */
export function tasksOf(run: Run): number | null {
  const step = run.step?.settings ?? new Map<string, Told>();
  const { directives } = run.script;
  if (step.has("ntasks")) return numberIn(step, "ntasks");
  /** `undefined` where nobody says it, `null` where what is said is no number. */
  const said = (name: string, ...places: readonly Settings[]): number | null | undefined => {
    const place = places.find((each) => each.has(name));
    return place === undefined ? undefined : numberIn(place, name);
  };
  const nodes = said("nodes", step, directives);
  const perNode = said("ntasks_per_node", step, directives);
  // Who submits a script without directives says on the command line how large its job is.
  if (directives.size === 0 && (nodes === undefined || perNode === undefined)) return null;
  if (nodes === null || perNode === null) return null;
  if (perNode !== undefined) return (nodes ?? 1) * perNode;
  const all = said("ntasks", directives);
  return all === undefined ? (nodes ?? 1) : all;
}
