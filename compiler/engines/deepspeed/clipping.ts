import { below } from "../release.ts";

/** The norm that a release clips gradients to where its configuration does not say it; 0 for none (runtime/constants.py: GRADIENT_CLIPPING_DEFAULT). */
export const usualClipping = (release: string): number => (below(release, "0.19.3") ? 0 : 1);
