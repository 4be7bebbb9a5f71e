/** torchrun and containers. */
import { textIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

export const launcherRules: readonly ForeignRule[] = [
  rule({
    name: "torchrun-endpoint",
    source: "torch/distributed/run.py: config_from_args; elastic/rendezvous/static_tcp_rendezvous.py",
    why:
      "Several nodes meet at an address that all of them can reach. Without `--rdzv-endpoint` or `--master-addr` each node waits at its own. With the static " +
      "backend each also needs its own `--node-rank`; `--rdzv-backend=c10d` assigns the ranks itself.",
    fix: "Add --rdzv-backend=c10d --rdzv-endpoint=HOST:PORT with the first node's name; with --master-addr each node also needs its --node-rank.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { kind, settings }, step, script }): readonly Found[] => {
        const nodes = toldIn(settings, "nnodes");
        if (
          kind !== "torchrun" ||
          nodes === undefined ||
          !/^\d+(?::\d+)?$/.test(String(nodes.value)) ||
          !(Number(String(nodes.value).split(":").at(-1)) > 1)
        )
          return [];
        if (settings.has("standalone"))
          return [
            {
              span: nodes.span,
              message: "--standalone is for one node",
              ...nearby("standalone", settings.get("standalone")?.span),
            },
          ];
        if (toldIn(settings, "rdzv_endpoint", "master_addr") === undefined)
          return [
            {
              span: nodes.span,
              message: `${String(nodes.value)} nodes have no common address: --rdzv-endpoint is missing`,
            },
          ];
        const rank = settings.get("node_rank");
        const isStatic = (textIn(settings, "rdzv_backend") ?? "static") === "static";
        const backend = toldIn(settings, "rdzv_backend");
        // torch/distributed/run.py: get_rdzv_endpoint reads --master-addr for the static backend alone; an empty endpoint is localhost.
        if (backend?.known === true && !isStatic && toldIn(settings, "rdzv_endpoint") === undefined)
          return [
            {
              span: toldIn(settings, "master_addr")?.span ?? nodes.span,
              message: `--rdzv-backend=${String(backend.value)} does not read --master-addr: each node waits at itself, --rdzv-endpoint is missing`,
              ...nearby("the backend", backend.span),
            },
          ];
        // The leader of a job of several roles is one pod.
        if (isStatic && rank !== undefined && script.pods?.alike === 1) return [];
        if (isStatic && rank !== undefined && rank.known && rank.from.length === 0)
          return [
            step === null
              ? {
                  span: rank.span,
                  severity: "info",
                  message: `the node rank is ${String(rank.value)} wherever this runs, but each node needs its own`,
                }
              : {
                  span: rank.span,
                  message: `srun starts this on every node with node rank ${String(rank.value)}, but each node needs its own`,
                  valid: ["$SLURM_NODEID"],
                },
          ];
        return isStatic && rank === undefined
          ? [
              {
                span: nodes.span,
                severity: "warning",
                message:
                  "with the static rendezvous each node needs its own --node-rank, or PET_NODE_RANK in its environment; --rdzv-backend=c10d assigns the ranks",
              },
            ]
          : [];
      }),
    fires: { "run.sh": "torchrun --nnodes=2 --nproc-per-node=8 train.py\n" },
    silent: {
      "run.sh": "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500 train.py\n",
    },
  }),
  rule({
    name: "torchrun-endpoint-name",
    severity: "warning",
    source: "torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py: _matches_machine_hostname",
    why:
      "The node that hosts the store is the one where the endpoint's name resolves to its own address. A Kubernetes service or a fully qualified name often resolves " +
      "to none, and every node waits.",
    fix: "Use the name that hostname prints on that node, or its address, or add --rdzv-conf=is_host=1 there.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { settings } }) => {
        const told = toldIn(settings, "rdzv_endpoint");
        if (
          told === undefined ||
          textIn(settings, "rdzv_backend") !== "c10d" ||
          !told.known ||
          toldIn(settings, "rdzv_conf") !== undefined
        )
          return [];
        const host = String(told.value).replace(/:\d*$/, "");
        if (!/[A-Za-z].*\./.test(host) && !/(?:svc|service)/.test(host)) return [];
        return [
          { span: told.span, message: `no node may recognise ${host} as itself, and then none hosts the rendezvous` },
        ];
      }),
    fires: {
      "run.sh":
        "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=train.default.svc:29500 train.py\n",
    },
    silent: {
      "run.sh":
        "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=10.0.0.1:29500 train.py\n",
    },
  }),
  rule({
    name: "docker-shared-memory",
    severity: "warning",
    source: "docker-run(1): --shm-size defaults to 64 MB; NCCL and data loaders share memory in /dev/shm",
    why: "A container has 64 MB in /dev/shm, which NCCL and the data-loader workers soon fill: `Bus error`.",
    fix: "Add --shm-size=16g, or --ipc=host, to docker run.",
    check: ({ runs }) =>
      runs.flatMap(({ docker }) => {
        const gpus = docker?.settings.get("gpus");
        if (docker === null || docker.settings.has("shm_size") || /^host$/.test(textIn(docker.settings, "ipc") ?? ""))
          return [];
        if (gpus === undefined || ["1", "device=0"].includes(String(gpus.value))) return [];
        return [
          {
            span: docker.span,
            message: "/dev/shm of this container has 64 MB: several GPUs need --shm-size or --ipc=host",
          },
        ];
      }),
    fires: { "run.sh": "docker run --gpus all image torchrun --nproc-per-node=4 train.py\n" },
    silent: { "run.sh": "docker run --gpus all --shm-size=16g image torchrun --nproc-per-node=4 train.py\n" },
  }),
];
