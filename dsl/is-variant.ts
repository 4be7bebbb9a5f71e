import type { BlockKind } from "./kind.ts";

/** Whether blocks of a kind declare nothing and amend others: presets and overlays. */
export const isVariant = (kind: BlockKind | null | undefined): boolean => kind?.variant === true;
