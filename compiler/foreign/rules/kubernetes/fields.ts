/** Fields of manifests that the API server does not have where they stand. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { manifestSpecs, type Level } from "../../kubernetes/fields.ts";
import { documentsOf } from "../../launch.ts";
import { at, scalarOf, type Located } from "../../documents/located.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const job = (field: string, inPod = ""): string =>
  `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      restartPolicy: OnFailure\n${field}      template:\n        spec:\n${inPod}          containers:\n            - name: pytorch\n              image: i\n              command: [python3, train.py]\n`;

/** A field that is unknown here, where it stands below: `template.spec.runtimeClassName`. */
function placeOf(name: string, { fields, below }: Level): string | null {
  const own = [...fields].find((each) => each.toLowerCase() === name.toLowerCase());
  if (own !== undefined) return own;
  for (const [key, inner] of Object.entries(below)) {
    const place = placeOf(name, inner);
    if (place !== null) return key === "*" ? place : `${key}.${place}`;
  }
  return null;
}

function meantBy(name: string, fields: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  const same = [...fields].find((field) => field.toLowerCase() === lower);
  if (same !== undefined) return same;
  return name.length < 5
    ? undefined
    : [...fields].find((field) => distance(field.toLowerCase(), lower) <= (field.length < 8 ? 1 : 2));
}

function unknownIn(node: Located | undefined, level: Level): readonly Found[] {
  if (node?.kind === "list") return node.items.flatMap((item) => unknownIn(item, level));
  if (node?.kind !== "map") return [];
  return node.entries.flatMap(({ key, keySpan, value }): readonly Found[] => {
    const inner = Object.hasOwn(level.below, key) ? level.below[key] : level.below["*"];
    if (level.fields.size === 0 || level.fields.has(key)) return inner === undefined ? [] : unknownIn(value, inner);
    const meant = meantBy(key, level.fields);
    if (meant !== undefined)
      return [
        {
          span: keySpan,
          message: `there is no field ${key} here: it is ${meant}`,
          valid: [meant],
          fixes: [replacement(keySpan, meant)],
        },
      ];
    const place = placeOf(key, level);
    return [
      {
        span: keySpan,
        message: `there is no field ${key} here${place === null ? "" : `: it is ${place}`}`,
        ...(place === null ? { severity: "warning" as const } : {}),
      },
    ];
  });
}

export const kubernetesFieldRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-field",
    source:
      "Kubernetes API: field validation (kubectl applies with Strict); the schemas of core/v1, batch/v1, JobSet, TrainJob and PyTorchJob",
    why: "kubectl refuses a manifest with a field that the schema does not have at that place. Without kubectl's validation, the API server drops the field silently, and the pod runs without it.",
    fix: "Write the field's name as in the schema, at the level where it belongs.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }) => {
        const [kind, group] = [scalarOf(at(root, "kind")), String(scalarOf(at(root, "apiVersion")) ?? "")];
        const spec = manifestSpecs.find((each) => each.kind === kind && each.group.test(group))?.spec;
        return spec === undefined ? [] : unknownIn(at(root, "spec"), spec);
      }),
    fires: { "job.yaml": job("      runtimeclassname: nvidia\n") },
    silent: { "job.yaml": job("", "          runtimeClassName: nvidia\n") },
  }),
];
