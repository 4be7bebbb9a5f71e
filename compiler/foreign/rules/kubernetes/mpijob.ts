/** What the MPI operator refuses of an MPIJob, and slots that its command does not have. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, itemsOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const job = (launcher: string, worker: string, more = ""): string =>
  `apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata:\n  name: a\nspec:\n${more}  mpiReplicaSpecs:\n${[
    ["Launcher", launcher],
    ["Worker", worker],
  ]
    .filter(([, said]) => said !== "none")
    .map(
      ([role, said]) =>
        `    ${role}:\n${said}      template:\n        spec:\n          containers:\n            - name: a\n              image: i\n              command: [mpirun, -np, "4", python, train.py]\n`,
    )
    .join("")}`;
const count = (replicas: number): string => `      replicas: ${replicas}\n`;

const mpiJobs = (launch: Launch): readonly Located[] =>
  documentsOf(launch, "kubernetes")
    .filter(({ root }) => scalarOf(at(root, "kind")) === "MPIJob")
    .map(({ root }) => at(root, "spec"))
    .filter((spec) => spec !== undefined);

const words = new Map([
  ["mpiImplementation", ["OpenMPI", "Intel", "MPICH"]],
  ["launcherCreationPolicy", ["AtStartup", "WaitForWorkersReady"]],
]);

function refused(spec: Located): readonly Found[] {
  const roles = entryOf(spec, "mpiReplicaSpecs");
  const found: Found[] = [];
  const [launcher, worker] = ["Launcher", "Worker"].map((role) => entryOf(roles?.value, role));
  if (roles !== undefined && roles.value.kind === "map" && launcher === undefined)
    found.push({ span: roles.keySpan, message: "an MPIJob needs the role Launcher" });
  const launchers = at(launcher?.value, "replicas");
  const many = numberAt(launchers);
  if (launchers !== undefined && many !== null && many !== 1)
    found.push({ span: launchers.span, message: `an MPIJob has one launcher, not ${many}`, valid: ["1"] });
  const workers = at(worker?.value, "replicas");
  const few = workers === undefined ? 0 : numberAt(workers);
  if (worker !== undefined && few !== null && few < 1)
    found.push({
      span: workers?.span ?? worker.keySpan,
      message:
        workers === undefined
          ? "Worker has no replicas, and the default is 0"
          : `Worker needs at least one replica, not ${few}`,
      valid: ["1"],
    });
  for (const [name, valid] of words) {
    const node = at(spec, name);
    const word = scalarOf(node);
    if (node !== undefined && typeof word === "string" && !valid.includes(word))
      found.push({ span: node.span, message: `${name} takes no ${word}`, valid });
  }
  return found;
}

/** How many processes the launcher's command asks for, where it says it in a word of its own or in a shell's line. */
function processesOf(
  launcher: Located | undefined,
): { readonly count: number; readonly span: Located["span"] } | null {
  for (const container of itemsOf(at(launcher, "template", "spec", "containers")))
    for (const part of ["command", "args"]) {
      const all = itemsOf(at(container, part));
      if (all.some((word) => /oversubscribe|--hostfile|--host\b|^-H$/.test(String(scalarOf(word))))) return null;
      for (const [index, word] of all.entries()) {
        const next = all[index + 1];
        const processes = Number(scalarOf(next));
        if (/^--?np?$/.test(String(scalarOf(word))) && next !== undefined && Number.isInteger(processes))
          return { count: processes, span: next.span };
      }
    }
  return null;
}

export const kubernetesMpiJobRules: readonly ForeignRule[] = [
  rule({
    name: "mpijob-roles",
    source: "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go: ValidateMPIJob; v2beta1/default.go",
    why: "An MPIJob has one launcher and, if it has the role Worker, at least one worker (the default is 0). The operator refuses any other job with an event, and creates no pod.",
    fix: "Write one Launcher, and replicas: N for the Worker.",
    check: (launch) => mpiJobs(launch).flatMap(refused),
    fires: { "mpi.yaml": job("", "") },
    silent: { "mpi.yaml": job("", count(4)) },
  }),
  rule({
    name: "mpijob-slots",
    source:
      "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go: newConfigMap (slots of the hostfile); Open MPI: mpirun(1), slots",
    why: "The hostfile of a job gives each worker slotsPerWorker slots, 1 by default. mpirun starts as many processes as there are slots, and refuses more: `There are not enough slots available`.",
    fix: "Set slotsPerWorker to the GPUs of a worker, and -np to the workers times their slots.",
    check: (launch) =>
      mpiJobs(launch).flatMap((spec): readonly Found[] => {
        const slots = at(spec, "slotsPerWorker");
        const perWorker = slots === undefined ? 1 : numberAt(slots);
        const worker = at(spec, "mpiReplicaSpecs", "Worker");
        const replicas = numberAt(at(worker, "replicas"));
        if (perWorker === null || replicas === null || replicas < 1) return [];
        const own = scalarOf(at(spec, "runLauncherAsWorker")) === true ? 1 : 0;
        const all = (replicas + own) * perWorker;
        const asked = processesOf(at(spec, "mpiReplicaSpecs", "Launcher"));
        if (asked !== null && asked.count > all)
          return [
            {
              span: asked.span,
              message: `${asked.count} processes do not fit in ${replicas + own} workers x ${perWorker} slots = ${all}`,
              valid: [String(all)],
              ...nearby("the slots", slots?.span),
            },
          ];
        const gpus = itemsOf(at(worker, "template", "spec", "containers"))
          .map((container) => at(container, "resources", "limits", "nvidia.com/gpu"))
          .find((node) => node !== undefined);
        const held = Number(scalarOf(gpus));
        if (gpus === undefined || !Number.isInteger(held) || held <= perWorker) return [];
        return [
          {
            span: slots?.span ?? gpus.span,
            severity: "warning",
            message: `${perWorker} slot${perWorker === 1 ? "" : "s"} on a worker with ${held} GPUs: ${held - perWorker} of each worker's ${held - perWorker === 1 ? "is" : "are"} idle`,
            valid: [String(held)],
            ...nearby("the GPUs", gpus.span),
          },
        ];
      }),
    fires: { "mpi.yaml": job("", count(2)) },
    silent: { "mpi.yaml": job("", count(2), "  slotsPerWorker: 2\n") },
  }),
];
