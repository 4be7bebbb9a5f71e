/** Places of the Hugging Face Hub. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Value } from "../../../dsl/types/value.ts";
import type { WeightsConfig } from "../../bundle/data-programs.ts";
import { argument, textAt, textOf, valued } from "./read.ts";

export interface HubPlace {
  readonly repository: string;
  readonly subset: string | null;
  readonly revision: string | null;
}

/** `hf://owner/name#subset@revision`; `null` for any other place. */
export function hubPlace(text: string): HubPlace | null {
  const [found, repository = "", subset = null, revision = null] =
    /^hf:\/\/([^#@]+)(?:#([^@]+))?(?:@(.+))?$/.exec(text) ?? [];
  return found === undefined ? null : { repository, subset, revision };
}

/** The environment variable that holds a secret on the target. */
export function tokenEnv(key: Value | undefined): string | null {
  return key?.kind === "secret" && key.from.name === "env" ? textOf(argument(key.from, "name")) : null;
}

/** The weights of others that a model begins with. */
export function publishedWeights(model: Instance): WeightsConfig | null {
  const from = textAt(model, "from");
  if (from === null) return null;
  const hub = hubPlace(from);
  if (hub === null) return { kind: "folder", path: from };
  const { repository, revision } = hub;
  return { kind: "hub", repository, revision, token_env: tokenEnv(valued(model, "key").value) };
}
