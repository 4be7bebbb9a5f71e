/** Pods of a JobSet: how they are called, and which node each takes itself for. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { at, itemsOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { textIn, toldIn, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

interface Role {
  readonly name: string;
  /** `null` where something else says how many. */
  readonly jobs: number | null;
  readonly pods: number | null;
  readonly span: Span;
}

interface JobSet {
  readonly root: Located;
  readonly name: string;
  readonly roles: readonly Role[];
}

function jobSetsOf(launch: Launch): readonly JobSet[] {
  return documentsOf(launch, "kubernetes").flatMap(({ root }): readonly JobSet[] => {
    const name = scalarOf(at(root, "metadata", "name"));
    if (scalarOf(at(root, "kind")) !== "JobSet" || typeof name !== "string") return [];
    const count = (node: Located | undefined): number | null => (node === undefined ? 1 : numberAt(node));
    const roles = itemsOf(at(root, "spec", "replicatedJobs")).map((each) => ({
      name: String(scalarOf(at(each, "name")) ?? ""),
      jobs: count(at(each, "replicas")),
      pods: count(at(each, "template", "spec", "parallelism")),
      span: each.span,
    }));
    return [{ root, name, roles }];
  });
}

const isWithin = ({ launcher: { word } }: Run, { source, start, end }: Span): boolean =>
  word.span.source === source && word.span.start >= start && word.span.start < end;

const mostPods = 4096;

/** `NAME-ROLE-JOB-POD`, as their hosts are called. */
function hostsOf({ name, roles }: JobSet): readonly string[] | null {
  const all = roles.flatMap(({ name: role, jobs, pods }) =>
    jobs === null || pods === null || jobs * pods > mostPods
      ? [null]
      : Array.from({ length: jobs * pods }, (_, at) => `${name}-${role}-${Math.floor(at / pods)}-${at % pods}`),
  );
  const known = all.filter((host) => host !== null);
  return known.length < all.length ? null : known;
}

/** The ranks that the pods of a role take; `null` where the command does not say. */
function ranksOf({ jobs, pods }: Role, told: Told): readonly number[] | null {
  if (jobs === null || pods === null || jobs * pods > mostPods) return null;
  const all = (rankOf: (pod: number) => number): readonly number[] =>
    Array.from({ length: jobs * pods }, (_, at) => rankOf(at % pods));
  if (told.known && told.from.length === 0 && /^\d+$/.test(String(told.value))) return all(() => Number(told.value));
  const { source, start, end } = told.span;
  const written = source.text.slice(start, end).replace(/^["']|["']$/g, "");
  if (/^\$(?:JOB_COMPLETION_INDEX|[({]JOB_COMPLETION_INDEX[)}])$/.test(written)) return all((pod) => pod);
  const more = /^\$\(\(\s*\$?\{?JOB_COMPLETION_INDEX\}?\s*\+\s*(\d+)\s*\)\)$/.exec(written)?.[1];
  return more === undefined ? null : all((pod) => pod + Number(more));
}

const role = (name: string, pods: number, command: string): string =>
  `    - name: ${name}\n      template:\n        spec:\n          parallelism: ${pods}\n          completions: ${pods}\n          backoffLimit: 0\n          template:\n            spec:\n              restartPolicy: Never\n              containers:\n                - name: t\n                  image: i\n                  command: [bash, -c, "${command}"]\n`;
const set = (rank: string, address: string): string =>
  `apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: gpt\nspec:\n  replicatedJobs:\n${role("leader", 1, start("0", address))}${role("worker", 3, start(rank, address))}`;
const start = (rank: string, address: string): string =>
  `torchrun --nnodes=4 --nproc-per-node=8 --node-rank=${rank} --master-addr=${address} --master-port=29500 train.py`;

export const kubernetesJobSetRules: readonly ForeignRule[] = [
  rule({
    name: "jobset-node-ranks",
    source:
      "torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py: next_rendezvous (rank = node_rank); batch/v1: JOB_COMPLETION_INDEX counts the pods of one Job from 0",
    why: "JOB_COMPLETION_INDEX counts the pods of one Job. In a JobSet of several Jobs each starts at 0: two pods are the same node to torchrun, and the store waits for a node that does not exist.",
    fix: "Add the number of pods in the Jobs before it: --node-rank=$((JOB_COMPLETION_INDEX + 1)); or use rdzv-backend=c10d, which assigns the ranks itself.",
    ofAll: true,
    check: (launch) =>
      jobSetsOf(launch).flatMap(({ roles }): readonly Found[] => {
        const taken = new Map<number, { readonly name: string; readonly span: Span }>();
        for (const each of roles) {
          const run = launch.runs.find((one) => isWithin(one, each.span));
          if (run?.launcher.kind !== "torchrun") continue;
          const { settings } = run.launcher;
          const told = toldIn(settings, "node_rank");
          if (told === undefined || (textIn(settings, "rdzv_backend") ?? "static") !== "static") return [];
          const ranks = ranksOf(each, told);
          if (ranks === null) return [];
          for (const rank of ranks) {
            const other = taken.get(rank);
            if (other !== undefined)
              return [
                {
                  span: told.span,
                  message:
                    other.name === each.name
                      ? `several pods of ${each.name} have node rank ${rank}`
                      : `a pod of ${each.name} has node rank ${rank}, and so has one of ${other.name}`,
                  ...nearby("the other", other.name === each.name ? undefined : other.span),
                },
              ];
            taken.set(rank, { name: each.name, span: told.span });
          }
        }
        return [];
      }),
    fires: { "job.yaml": set("$JOB_COMPLETION_INDEX", "gpt-leader-0-0.gpt") },
    silent: { "job.yaml": set("$((JOB_COMPLETION_INDEX + 1))", "gpt-leader-0-0.gpt") },
  }),
  rule({
    name: "jobset-address",
    source:
      "jobset pkg/util/placement/placement.go: GenPodName; pkg/controllers/jobset_controller.go: subdomain of spec.network, the JobSet's name where none is set",
    why: "A pod of a JobSet is called JOBSET-ROLE-JOB-POD in the service of spec.network.subdomain, or of the JobSet's own name. Any other name has no address, and every node waits for a host that never answers.",
    fix: "Write the name of the first pod: JOBSET-ROLE-0-0.SUBDOMAIN.",
    ofAll: true,
    check: (launch) =>
      jobSetsOf(launch).flatMap((jobSet): readonly Found[] => {
        const { root, name } = jobSet;
        const hosts = hostsOf(jobSet);
        const subdomain = scalarOf(at(root, "spec", "network", "subdomain")) ?? name;
        if (hosts === null || scalarOf(at(root, "spec", "network", "enableDNSHostnames")) === false) return [];
        const places = new Map<number, Found>();
        for (const run of launch.runs.filter((each) => isWithin(each, root.span))) {
          const told = toldIn(run.launcher.settings, "master_addr", "rdzv_endpoint", "main_process_ip");
          const env = run.command.env.get("MASTER_ADDR");
          const said = typeof told?.value === "string" ? { value: told.value, span: told.span } : env;
          const [host = "", service] = (said?.value ?? "").replace(/:\d+$/, "").split(".");
          if (said === undefined || service !== subdomain || hosts.includes(host)) continue;
          const first = hosts[0] ?? host;
          const valid = nearest(host, hosts) ?? first;
          places.set(said.span.start, {
            span: said.span,
            message: `no pod of this JobSet is called ${host}`,
            valid: [`${valid}.${String(subdomain)}`],
          });
        }
        return [...places.values()];
      }),
    fires: { "job.yaml": set("$((JOB_COMPLETION_INDEX + 1))", "gpt-master-0-0.gpt") },
    silent: { "job.yaml": set("$((JOB_COMPLETION_INDEX + 1))", "gpt-leader-0-0.gpt") },
  }),
];
