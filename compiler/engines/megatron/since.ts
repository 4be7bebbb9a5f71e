/** Demands of the newest Megatron that an older one does not make: its own validators accept what breaks them. */
import demands from "./versions/demands.json" with { type: "json" };

const free: Readonly<Record<string, readonly string[]>> = demands;

export function isDemanded(code: string, version: string): boolean {
  return free[version]?.includes(code) !== true;
}
