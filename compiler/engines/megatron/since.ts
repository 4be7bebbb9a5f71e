/**
 * Demands of the newest Megatron that an older one does not make. `demands.json` lists them by release: the examples of every rule were
 * given to each release's own parser, `validate_args` and configuration, and these were accepted there.
 */
import demands from "./versions/demands.json" with { type: "json" };

const free: Readonly<Record<string, readonly string[]>> = demands;

export function isDemanded(code: string, version: string): boolean {
  return free[version]?.includes(code) !== true;
}
