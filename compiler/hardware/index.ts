import { cpu } from "./cpu.ts";
import { gpus, type KnownDevice } from "./gpus.ts";
import { links, type Link } from "./links.ts";

/** Devices and links by name. */
export const devices: ReadonlyMap<string, KnownDevice> = new Map(
  [...gpus, cpu].map((device) => [device.name, device]),
);
export const linksByName: ReadonlyMap<string, Link> = new Map(links.map((link) => [link.name, link]));
