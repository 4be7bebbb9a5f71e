/** Settings of a configuration of Megatron Bridge by their dotted paths, and what one of them asks of another. */
import { at, scalarOf, type Located } from "../../documents/located.ts";
import { nearby, type Found } from "../rule.ts";

export const part = (root: Located, path: string): Located | undefined => at(root, ...path.split("."));
export const is = (root: Located, path: string, value: unknown): boolean => scalarOf(part(root, path)) === value;

/** The setting that asks for another one. */
export interface Because {
  readonly path: string;
  readonly says: string;
}

/** The first of the settings that is written otherwise than `wanted`, which another one asks for. */
export function unless(
  root: Located,
  because: Because,
  wanted: readonly (readonly [path: string, wanted: string | number | boolean | null])[],
): readonly Found[] {
  return wanted.flatMap(([path, value]) => {
    const node = part(root, path);
    const found = scalarOf(node);
    if (node === undefined || found === value || (node.kind !== "scalar" && value !== null)) return [];
    return [
      {
        span: node.span,
        message: `${because.says} ${value === null ? `cannot be combined with ${path}` : `needs ${path} ${String(value)}`}`,
        valid: value === null ? [] : [String(value)],
        ...nearby("requested here", part(root, because.path)?.span),
      },
    ];
  });
}

/** A configuration that names its class is all that is said; others are laid over a recipe. */
export const isWhole = (root: Located): boolean =>
  String(scalarOf(part(root, "_target_")) ?? "").endsWith(".ConfigContainer");

/** A setting that is left out where its default will not do. */
export function unsaid(root: Located, because: Because, path: string, wanted: string): readonly Found[] {
  const span = part(root, because.path)?.span;
  const message = `${because.says} needs ${path} ${wanted}, which is not set`;
  return span === undefined || !isWhole(root) || part(root, path) !== undefined ? [] : [{ span, message, valid: [] }];
}

/** Megatron-FSDP is asked for by either section. */
export const usesMegatronFsdp = (root: Located): boolean =>
  ["ddp", "dist"].some((section) => is(root, `${section}.use_megatron_fsdp`, true));
