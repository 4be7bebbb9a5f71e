/** Sizes of accelerate's parallelism configuration, by every name that a file or a command gives them. */
import { numberIn, type Settings } from "./settings.ts";

export const parallelismKeys = (name: string): readonly string[] => [
  `parallelism_config.parallelism_config_${name}`,
  `parallelism_config_${name}`,
  `parallelism_config.${name}`,
];

export function parallelSize(settings: Settings, name: string): number {
  const size = numberIn(settings, ...parallelismKeys(name)) ?? 1;
  return Number.isInteger(size) && size > 1 ? size : 1;
}
