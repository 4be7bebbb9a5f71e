/** What Kubernetes takes for a name. */
import { documentsOf } from "../launch.ts";
import { at, scalarOf } from "../located.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";

const manifest = (name: string): string => `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ${name}\nspec: {}\n`;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const jobs: ReadonlySet<unknown> = new Set(["Job", "PyTorchJob", "MPIJob", "TrainJob", "JobSet", "RayJob"]);

export const kubernetesNameRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-name",
    source: "Kubernetes: object names, RFC 1123 subdomains",
    why: "The name of a job is part of host names: small letters, digits, `-` and `.`, with a letter or digit at both ends. The API server refuses others.",
    fix: "Write the name in small letters, digits and -, with a letter or digit at both ends: llama-job.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "metadata", "name");
        const name = scalarOf(node);
        if (node === undefined || typeof name !== "string" || !jobs.has(scalarOf(at(root, "kind")))) return [];
        if (label.test(name) || /[${}<>]/.test(name)) return [];
        const right = name
          .toLowerCase()
          .replaceAll(/[^a-z0-9.-]+/g, "-")
          .replaceAll(/^[-.]+|[-.]+$/g, "");
        return [
          { span: node.span, message: `${name} is no name of Kubernetes`, valid: label.test(right) ? [right] : [] },
        ];
      }),
    fires: { "job.yaml": manifest("Llama_Job") },
    silent: { "job.yaml": manifest("llama-job.v2") },
  }),
];
