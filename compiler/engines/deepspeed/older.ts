/** What releases before the newest make of a configuration by sections that it no longer has. */
import { below } from "../release.ts";
import { amp } from "./amp.ts";
import { elastic, type Elastic } from "./elasticity.ts";
import type { Section } from "./value.ts";
import history from "./versions.json" with { type: "json" };

export function older(release: string, written: Section, world: number | null): Elastic {
  const { config, findings } = elastic(release, written, world);
  return below(release, history.went.amp)
    ? { config, findings: [...findings, ...amp(config)] }
    : { config, findings };
}
