/** Hosts of DeepSpeed's launcher, as its hostfile and its options name them. */
import { below } from "../../engines/release.ts";
import type { Launch, Run } from "../launch.ts";
import { linesOf } from "../documents/listing.ts";
import { packagesOf } from "../known/packages.ts";
import { numberIn, textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

interface Host {
  readonly name: string;
  readonly slots: number | null;
  readonly span: Told["span"];
}

/** Each launcher has a form of its own, so that only those files are read which DeepSpeed's is given, or nothing here starts from. Source: deepspeed/launcher/runner.py: _parse_hostfile. */
function hostsOf({ listings, runs, accelerate }: Launch): readonly Host[] {
  const given = runs.flatMap((run) => {
    const isOwn = run.launcher.kind === "deepspeed" || /(?:^|\/)deepy\.py$/.test(run.program?.text ?? "");
    return isOwn ? [textIn(run.launcher.settings, "hostfile")] : [];
  });
  const plugin = accelerate === null ? null : textIn(accelerate, "deepspeed_hostfile");
  const names = plugin === null ? given : [...given, plugin];
  return listings
    .filter(({ kind }) => kind === "hostfile")
    .filter(({ source }) => runs.length === 0 || names.some((name) => name === null || same(name, source.path)))
    .flatMap(({ source }) =>
      linesOf(source).map(({ text, span }) => {
        const parts = /^(\S+)\s+slots=(\d+)\s*$/.exec(text);
        return {
          name: parts?.[1] ?? text.split(/\s/)[0] ?? "",
          slots: parts === null ? null : Number(parts[2]),
          span,
        };
      }),
    );
}

const same = (one: string, other: string): boolean => one.split("/").at(-1) === other.split("/").at(-1);
const launched = ({ runs }: Launch): readonly Run[] => runs.filter(({ launcher }) => launcher.kind === "deepspeed");
const two = "node1 slots=8\nnode2 slots=8\n";
const start = (options: string): string =>
  `deepspeed --hostfile hosts ${options} train.py --deepspeed_config ds.json\n`;
const others = new Set(["openmpi", "mpich", "impi", "mvapich"]);

export const hostRules: readonly ForeignRule[] = [
  rule({
    name: "hostfile-lines",
    source: "deepspeed/launcher/runner.py: _parse_hostfile",
    why: "A line of a hostfile is `NAME slots=N`, with each host listed once and N the number of GPUs to use there. Anything else stops the launcher.",
    fix: "Write each host once, as NAME slots=N.",
    check: (launch) => {
      const seen = new Map<string, Host>();
      return hostsOf(launch).flatMap((host): readonly Found[] => {
        const first = seen.get(host.name);
        if (first !== undefined)
          return [{ span: host.span, message: `${host.name} appears twice`, ...nearby("first here", first.span) }];
        seen.set(host.name, host);
        return host.slots === null ? [{ span: host.span, message: "a line is `NAME slots=N`" }] : [];
      });
    },
    fires: { hosts: "node1 slots=8\nnode1 slots=8\n", "run.sh": start("") },
    silent: { hosts: two, "run.sh": start("") },
  }),
  rule({
    name: "hostfile-filter",
    source: "deepspeed/launcher/runner.py: parse_resource_filter, parse_num_nodes",
    why: "`--include` and `--exclude` take hosts and slots from the hostfile; `--num_nodes` and `--num_gpus` cannot exceed what it has.",
    fix: "Name hosts and slots from the hostfile, and request at most as many as it has.",
    check: (launch) => {
      const hosts = new Map(hostsOf(launch).map((host) => [host.name, host]));
      if (hosts.size === 0) return [];
      return launched(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const found: Found[] = [];
        const filter = toldIn(settings, "include", "exclude");
        for (const part of typeof filter?.value === "string" ? filter.value.split("@") : []) {
          const [name = "", slots = ""] = part.split(":");
          const host = hosts.get(name);
          const beyond = slots.split(",").find((slot) => slot !== "" && Number(slot) >= (host?.slots ?? Infinity));
          if (host === undefined && filter !== undefined)
            found.push({ span: filter.span, message: `the hostfile has no ${name}`, valid: [...hosts.keys()] });
          else if (beyond !== undefined && filter !== undefined)
            found.push({
              span: filter.span,
              message: `${name} has ${host?.slots} slots, 0 to ${(host?.slots ?? 1) - 1}, but no slot ${beyond}`,
              ...nearby("its slots", host?.span),
            });
        }
        const nodes = toldIn(settings, "num_nodes");
        const count = numberIn(settings, "num_nodes");
        if (nodes !== undefined && count !== null && count > hosts.size)
          found.push({
            span: nodes.span,
            message: `the hostfile has ${hosts.size} hosts, not ${count}`,
            valid: [String(hosts.size)],
          });
        return found;
      });
    },
    fires: { hosts: two, "run.sh": start("--include node3") },
    silent: { hosts: two, "run.sh": start("--include node2") },
  }),
  rule({
    name: "deepspeed-launcher-hosts",
    source: "deepspeed/launcher/multinode_runner.py: OpenMPIRunner, MPICHRunner, IMPIRunner, MVAPICHRunner",
    why: "The MPI launchers use all hosts of the hostfile: they have no filters and no limits, and MPICH, IMPI and MVAPICH need the same number of slots on each.",
    fix: "Remove --include, --exclude, --num_nodes and --num_gpus and list the hosts in the hostfile, with equal slots; or use --launcher pdsh.",
    check: (launch) =>
      launched(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const told = toldIn(settings, "launcher");
        const name = (textIn(settings, "launcher") ?? "pdsh").toLowerCase();
        if (told === undefined || !others.has(name)) return [];
        const limit = toldIn(settings, "include", "exclude", "num_nodes", "num_gpus");
        if (limit !== undefined)
          return [
            {
              span: limit.nameSpan,
              message: `launcher ${name} does not support ${limit.name}`,
              ...nearby("the launcher", told.span),
            },
          ];
        const slots = hostsOf(launch);
        const uneven = slots.find((host) => host.slots !== slots[0]?.slots);
        if (name === "openmpi" || uneven === undefined) return [];
        return [
          {
            span: uneven.span,
            message: `launcher ${name} needs the same number of slots on every host`,
            ...nearby("the first", slots[0]?.span),
          },
        ];
      }),
    fires: { hosts: two, "run.sh": start("--launcher openmpi --num_gpus 4") },
    silent: { hosts: two, "run.sh": start("--launcher openmpi") },
  }),
  rule({
    name: "deepspeed-launcher-name",
    source: "deepspeed/launcher/runner.py: main",
    why: "The launchers are pdsh, openmpi, mpich, impi, slurm and mvapich; any other name stops the start. Up to DeepSpeed 0.19.6, `slurm` passes `--include` on as an option that srun does not have.",
    fix: "Write --launcher pdsh, openmpi, mpich, impi, slurm or mvapich; with slurm, choose hosts with srun's own --nodelist in --launcher_args.",
    check: (launch) =>
      launched(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const told = toldIn(settings, "launcher");
        const name = (textIn(settings, "launcher") ?? "").toLowerCase();
        const valid = ["pdsh", ...others, "slurm"];
        if (told === undefined || !told.known) return [];
        if (!valid.includes(name)) return [{ span: told.span, message: `there is no launcher ${name}`, valid }];
        const own = packagesOf(launch).get("deepspeed");
        if (name !== "slurm" || (own?.version != null && !below(own.version, "0.19.7"))) return [];
        const include = toldIn(settings, "include");
        const exclude = toldIn(settings, "exclude");
        // srun leaves hosts out by the same option, where they are named as it names them.
        const filter = include ?? (/[:@]/.test(String(exclude?.value ?? "")) ? exclude : undefined);
        if (filter === undefined) return [];
        const what =
          filter === include ? "which has no such option" : "which separates hosts by commas and has no slots";
        return [
          {
            span: filter.nameSpan,
            severity: own?.version == null ? ("warning" as const) : ("error" as const),
            message: `launcher slurm of DeepSpeed ${own?.version ?? "up to 0.19.6"} passes ${filter.name} to srun, ${what}`,
            ...nearby("the launcher", told.span),
          },
        ];
      }),
    fires: { hosts: two, "run.sh": start("--launcher pdhs") },
    silent: { hosts: two, "run.sh": start("--launcher pdsh") },
  }),
  rule({
    name: "deepspeed-no-ssh",
    source: "deepspeed/launcher/runner.py: main (no_ssh); parse_args (elastic_training)",
    why: "`--no_ssh` starts only this node, and needs its rank, `--node_rank`, from 0 to the number of nodes less one, and the address of the first node, `--master_addr`. A range of nodes needs `--elastic_training`.",
    fix: "Give --node_rank between 0 and the number of nodes less one, and --master_addr; use a range of nodes only with --elastic_training.",
    check: (launch) =>
      launched(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const alone = toldIn(settings, "no_ssh");
        const rank = numberIn(settings, "node_rank");
        const hosts = hostsOf(launch).length || (numberIn(settings, "num_nodes") ?? Infinity);
        const range = toldIn(settings, "num_nodes");
        if (range !== undefined && /:/.test(String(range.value)) && !settings.has("elastic_training"))
          return [{ span: range.span, message: "a range of nodes needs --elastic_training" }];
        if (alone === undefined) return [];
        const told = settings.get("node_rank");
        if (told === undefined) return [{ span: alone.nameSpan, message: "--no_ssh needs --node_rank" }];
        if (rank === null || (rank >= 0 && rank < hosts)) return [];
        return [{ span: told.span, message: `node_rank ${rank} is not in the range 0 to ${hosts - 1}` }];
      }),
    fires: { hosts: two, "run.sh": start("--no_ssh --node_rank 2") },
    silent: { hosts: two, "run.sh": start("--no_ssh --node_rank 1") },
  }),
  rule({
    name: "deepspeed-module",
    source: "deepspeed/launcher/launch.py: main; accelerate/utils/launch.py: prepare_simple_launcher_cmd_env",
    why: "`--module` runs a Python module, and `--no_python` a program that is not Python. The launcher cannot do both with one name, and stops.",
    fix: "Keep one of --module and --no_python.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { settings, kind } }): readonly Found[] => {
        const [module, plain] = [toldIn(settings, "module"), toldIn(settings, "no_python")];
        if (kind === "other" || module === undefined || plain === undefined) return [];
        return [
          {
            span: plain.nameSpan,
            message: `${module.name} and ${plain.name} cannot be combined`,
            ...nearby("the first", module.nameSpan),
          },
        ];
      }),
    fires: { "run.sh": "deepspeed --num_gpus 8 --module --no_python pkg.train\n" },
    silent: { "run.sh": "deepspeed --num_gpus 8 --module pkg.train\n" },
  }),
  rule({
    name: "deepspeed-ssh-port",
    source: "deepspeed/launcher/multinode_runner.py: PDSHRunner (ssh_port); runner.py: main",
    why: "pdsh reaches the hosts by ssh on port 22. Hosts whose ssh daemon listens on another port, often containers, refuse the connection.",
    fix: "Add --ssh_port PORT, or a Port line in ~/.ssh/config.",
    check: (launch) =>
      launched(launch).flatMap(({ launcher: { settings } }): readonly Found[] => {
        const hosts = toldIn(settings, "hostfile");
        const port = sshPort(launch);
        if (hosts === undefined || port === null || settings.has("ssh_port")) return [];
        return [
          {
            span: hosts.nameSpan,
            message: `the hosts listen for ssh on port ${port.port}, but pdsh connects to 22`,
            valid: [`--ssh_port ${port.port}`],
            ...nearby("the port", port.span),
          },
        ];
      }),
    fires: { hosts: two, "run.sh": `/usr/sbin/sshd -p 8088\n${start("")}` },
    silent: { hosts: two, "run.sh": `/usr/sbin/sshd -p 8088\n${start("--ssh_port 8088")}` },
  }),
];

/** The port on which scripts start or ask for ssh, where it is not its own. */
function sshPort({ scripts }: Launch): { readonly port: string; readonly span: Told["span"] } | null {
  for (const { commands } of scripts)
    for (const { words } of commands) {
      const names = words.map(({ text }) => text ?? "");
      const program = names.findIndex((name) => /(?:^|\/)(?:sshd|ssh|ssh-copy-id)$/.test(name));
      const option = names.findIndex((name, index) => index > program && /^-p\d*$|^-oPort=/.test(name));
      const published = /^(\d+):22$/.exec(
        names[names.findIndex((name) => /^(?:-p|--publish)$/.test(name)) + 1] ?? "",
      );
      const word = words[published !== null ? names.indexOf(published[0]) : option];
      if (word === undefined || (program < 0 && published === null) || (published === null && option < 0)) continue;
      const port = published?.[1] ?? /\d+$/.exec(names[option] ?? "")?.[0] ?? names[option + 1] ?? "";
      if (/^\d+$/.test(port) && port !== "22") return { port, span: word.span };
    }
  return null;
}
