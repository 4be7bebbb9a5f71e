/** What Kubernetes takes for a name, of an object and of its kind. */
import { documentsOf } from "../../launch.ts";
import { at, scalarOf } from "../../documents/located.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const manifest = (name: string): string => `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ${name}\nspec: {}\n`;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** Of these a service is made, whose names have no dots and begin with a letter. */
const served = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const services: ReadonlySet<unknown> = new Set(["PyTorchJob", "MPIJob", "TrainJob", "JobSet"]);
const jobs: ReadonlySet<unknown> = new Set(["Job", "PyTorchJob", "MPIJob", "TrainJob", "JobSet", "RayJob"]);

/** Whoever submits it puts a word in, by `envsubst` or `sed`: `${NAME}`, `<NAME>`, `job-NODE_NAME`. */
const isFilledIn = (name: string): boolean => /[${}<>]|(?:^|-)[A-Z]+(?:_[A-Z]+)+(?:-|$)/.test(name);

/** The versions that a kind has in its group. Other groups have kinds of the same names. */
const versions: readonly { readonly kind: string; readonly group: string; readonly valid: readonly string[] }[] = [
  { kind: "PyTorchJob", group: "kubeflow.org", valid: ["kubeflow.org/v1"] },
  { kind: "TrainJob", group: "trainer.kubeflow.org", valid: ["trainer.kubeflow.org/v1alpha1"] },
  { kind: "JobSet", group: "jobset.x-k8s.io", valid: ["jobset.x-k8s.io/v1alpha2"] },
  { kind: "Job", group: "batch", valid: ["batch/v1"] },
];

export const kubernetesNameRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-kind-version",
    source:
      "kubeflow/training-operator, trainer and jobset: manifests of their CRDs (served versions); Kubernetes: batch/v1",
    why: "A kind exists only under the API versions that its operator serves. Under any other, the API server reports `no matches for kind`.",
    fix: "Write one of the API versions in `valid`; fields of an earlier version may have other names there.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "apiVersion");
        const [kind, written] = [scalarOf(at(root, "kind")), scalarOf(node)];
        if (node === undefined || typeof written !== "string") return [];
        const own = versions.find((each) => each.kind === kind && written.startsWith(`${each.group}/`));
        if (own === undefined || own.valid.includes(written) || /[${}]/.test(written)) return [];
        return [{ span: node.span, message: `${written} has no kind ${own.kind}`, valid: own.valid }];
      }),
    fires: { "job.yaml": manifest("a").replace("batch/v1", "batch/v1beta1") },
    silent: { "job.yaml": manifest("a") },
  }),
  rule({
    name: "kubernetes-name",
    source:
      "Kubernetes: object names, RFC 1123 subdomains and, of services, RFC 1035 labels; kubeflow and jobset: validation of names",
    why: "The name of a job becomes part of host names: lower-case letters, digits, `-` and `.`, with a letter or digit at both ends. If its pods meet at a service, the name has no dot and begins with a letter. Other names are refused, or no service is created and the pods never meet.",
    fix: "Write the name in lower-case letters, digits and -, with a letter or digit at both ends: llama-job.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "metadata", "name");
        const name = scalarOf(node);
        if (node === undefined || typeof name !== "string" || !jobs.has(scalarOf(at(root, "kind")))) return [];
        const isServed = services.has(scalarOf(at(root, "kind")));
        if ((isServed ? served : label).test(name) || isFilledIn(name)) return [];
        const right = name
          .toLowerCase()
          .replaceAll(isServed ? /[^a-z0-9-]+/g : /[^a-z0-9.-]+/g, "-")
          .replaceAll(isServed ? /^[-0-9]+|-+$/g : /^[-.]+|[-.]+$/g, "");
        return [
          {
            span: node.span,
            message: `${name} is not a valid ${isServed ? "service name" : "name"} in Kubernetes`,
            valid: label.test(right) ? [right] : [],
          },
        ];
      }),
    fires: { "job.yaml": manifest("Llama_Job") },
    silent: { "job.yaml": `${manifest("llama-job.v2")}---\n${manifest("check-NODE_NAME")}` },
  }),
];
