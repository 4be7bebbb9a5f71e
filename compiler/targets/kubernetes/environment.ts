/** Environment variables of a container. Secrets are references, never values. */
import type { LaunchSpec, SecretName } from "../../pipeline.ts";

/** The Secret that holds what the file reads from the environment. */
export const secretsName = "cdr-secrets";

export type Variable = Readonly<Record<string, unknown>> & { readonly name: string };

export function environmentOf(launch: LaunchSpec, tokens: readonly string[]): readonly Variable[] {
  const missing = tokens.filter((name) => !(name in launch.env)).map((name) => [name, { secret: name }] as const);
  return [...Object.entries(launch.env), ...missing].map(([name, value]) =>
    typeof value === "string"
      ? { name, value: verbatim(value) }
      : { name, valueFrom: { secretKeyRef: keyOf(value) } },
  );
}

/** `name/key` of a secret of the cluster. */
export function referenceOf({ from, secret }: SecretName): { readonly name: string; readonly key: string } {
  const [name = "", key = ""] = from?.kind === "kubernetes" ? from.at.split("/") : [secretsName, secret];
  return { name, key };
}

const keyOf = (secret: SecretName): unknown => referenceOf(secret);

/** Kubernetes replaces `$(NAME)` in values and arguments, and reads `$$` as `$`. */
export function verbatim(text: string): string {
  return text.replaceAll("$", "$$$$");
}
