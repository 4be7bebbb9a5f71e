/** What Kubeflow's Trainer refuses of a TrainJob, and of one against its runtime. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, itemsOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const job = (more: string, trainer = "    numNodes: 2\n"): string =>
  `apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: a\nspec:\n  runtimeRef:\n    name: torch\n${more}  trainer:\n${trainer}    command: [torchrun, train.py]\n`;
const runtime = (step: string): string =>
  `apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: torch\nspec:\n  mlPolicy:\n    numNodes: 1\n    torch:\n      numProcPerNode: auto\n  template:\n    spec:\n      replicatedJobs:\n        - name: ${step}\n          template:\n            spec:\n              template:\n                spec:\n                  containers:\n                    - name: ${step}\n                      image: i\n`;

const trainJobs = (launch: Launch): readonly Located[] =>
  documentsOf(launch, "kubernetes")
    .filter(
      ({ root }) =>
        scalarOf(at(root, "kind")) === "TrainJob" &&
        String(scalarOf(at(root, "apiVersion")) ?? "").startsWith("trainer.kubeflow.org/"),
    )
    .map(({ root }) => root);

/** The runtime that a job names, where it is among the files. */
const runtimeOf = (launch: Launch, root: Located): Located | undefined =>
  documentsOf(launch, "kubernetes").find(
    ({ root: other }) =>
      /^(?:Cluster)?TrainingRuntime$/.test(String(scalarOf(at(other, "kind")) ?? "")) &&
      scalarOf(at(other, "metadata", "name")) === scalarOf(at(root, "spec", "runtimeRef", "name")),
  )?.root;

/** Set by the torch plugin itself. */
const reserved = new Set(["PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"]);

export const kubernetesTrainJobRules: readonly ForeignRule[] = [
  rule({
    name: "trainjob-counts",
    source: "kubeflow/trainer pkg/apis/trainer/v1alpha1/trainjob_types.go: Trainer.NumNodes, Trainer.NumProcPerNode",
    why: "Training needs at least one node and one process. Fewer are refused when the job is created, or leave it without a pod that trains.",
    fix: "Write 1 or more, or leave the field out to use the runtime's value.",
    check: (launch) =>
      trainJobs(launch).flatMap((root) =>
        ["numNodes", "numProcPerNode"].flatMap((name): readonly Found[] => {
          const node = at(root, "spec", "trainer", name);
          const count = numberAt(node);
          if (node === undefined || count === null || count >= 1) return [];
          return [{ span: node.span, message: `${name} ${count} is below 1`, valid: ["1"] }];
        }),
      ),
    fires: { "job.yaml": job("", "    numNodes: 0\n") },
    silent: { "job.yaml": job("", "    numNodes: 1\n") },
  }),
  rule({
    name: "trainjob-environment",
    source: "kubeflow/trainer pkg/runtime/framework/plugins/torch/torch.go: Torch.Validate",
    why: "The Trainer tells torchrun its nodes, processes and master through these variables, and refuses a job that sets them itself.",
    fix: "Remove the variable; numNodes and numProcPerNode set the numbers.",
    check: (launch) =>
      trainJobs(launch).flatMap((root) =>
        itemsOf(at(root, "spec", "trainer", "env")).flatMap((item): readonly Found[] => {
          const name = at(item, "name");
          return name === undefined || !reserved.has(String(scalarOf(name)))
            ? []
            : [{ span: name.span, message: `only the Trainer may set ${String(scalarOf(name))}` }];
        }),
      ),
    fires: { "job.yaml": job("", "    env:\n      - { name: PET_NNODES, value: '2' }\n") },
    silent: { "job.yaml": job("", "    env:\n      - { name: NCCL_DEBUG, value: INFO }\n") },
  }),
  rule({
    name: "trainjob-initializer",
    source: "kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go: JobSet.Validate",
    why: "Data and models are fetched by steps of the runtime. A job whose initializer needs a step that the runtime lacks is refused.",
    fix: "Name a runtime that has the step dataset-initializer (or model-initializer) with a container of that name, or leave the initializer out.",
    check: (launch) =>
      trainJobs(launch).flatMap((root) => {
        const steps = runtimeOf(launch, root);
        if (steps === undefined) return [];
        return ["dataset", "model"].flatMap((what): readonly Found[] => {
          const entry = entryOf(at(root, "spec", "initializer"), what);
          const jobs = itemsOf(at(steps, "spec", "template", "spec", "replicatedJobs"));
          if (entry === undefined || jobs.some((each) => scalarOf(at(each, "name")) === `${what}-initializer`))
            return [];
          return [
            {
              span: entry.keySpan,
              message: `the initializer of ${what} needs a step ${what}-initializer, which the runtime does not have`,
              ...nearby(
                "the runtime's steps",
                entryOf(at(steps, "spec", "template", "spec"), "replicatedJobs")?.keySpan,
              ),
            },
          ];
        });
      }),
    fires: {
      "job.yaml": job("  initializer:\n    dataset:\n      storageUri: hf://d/e\n"),
      "runtime.yaml": runtime("node"),
    },
    silent: {
      "job.yaml": job("  initializer:\n    dataset:\n      storageUri: hf://d/e\n"),
      "runtime.yaml": runtime("dataset-initializer"),
    },
  }),
];
