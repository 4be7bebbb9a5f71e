import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { podName } from "../../diagnostics/pods.ts";
import type { KubernetesOptions, LaunchSpec, PipelineStep } from "../../pipeline.ts";
import { longestLabel, longestSuffix, objectName } from "./names.ts";
import type { SpanOf } from "./rules.ts";

/** Files beside the manifests of the steps. */
const taken: ReadonlySet<string> = new Set(["bundle", "claims"]);

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export function checkNames(
  steps: readonly PipelineStep[],
  { cluster }: LaunchSpec,
  { controller, queue, priority }: KubernetesOptions,
  spanOf: SpanOf,
): Diagnostic[] {
  const room = longestLabel - longestSuffix(controller, cluster.nodes).length;
  const called = new Map<string, string>();
  const ofSteps = steps.flatMap((step): Diagnostic[] => {
    const name = objectName(step.name);
    const other = called.get(name);
    called.set(name, step.name);
    const why =
      name === ""
        ? "which is no name"
        : taken.has(name)
          ? "which is a file of the bundle"
          : other !== undefined
            ? `as step \`${other}\` is`
            : name.length > room
              ? `which has ${name.length} characters; its pods' names leave room for ${room}`
              : !/^[a-z]/.test(name)
                ? "and the name of a service begins with a letter"
                : null;
    return why === null ? [] : [podName(step.span, { what: `step \`${step.name}\``, name, why })];
  });
  const options = [
    ["controller", "its queue", queue],
    ["priority", "its priority class", priority],
  ] as const;
  return [
    ...ofSteps,
    ...options.flatMap(([option, what, name]) =>
      name === null || subdomain.test(name)
        ? []
        : [podName(spanOf(option), { what, name, why: "which is no name there" })],
    ),
  ];
}
