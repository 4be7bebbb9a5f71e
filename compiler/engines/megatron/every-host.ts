/** What a rule says whichever GPU and whichever Transformer Engine the job meets. */
import { hostOf, Undecided, type Arguments, type Host, type Surroundings } from "./launch.ts";
import type { Rule } from "./step.ts";
import { unknown } from "./unknown.ts";

/** Compute capabilities from Volta on. */
const capabilities = [7, 7.5, 8, 8.6, 8.9, 9, 10, 10.3, 12];

/** Beyond every release that a rule names. */
const newest = "1000";

/** The message that remains on the newest of both; `null` where one of them would satisfy the rule, or something else is unknown. */
export function onEveryHost(rule: Rule, args: Arguments, surroundings: Surroundings): string | null {
  const { architecture, transformerEngine } = surroundings;
  if (architecture !== unknown && transformerEngine !== unknown) return null;
  try {
    let message: string | null = null;
    for (const each of architecture === unknown ? capabilities : [architecture]) {
      message = onEveryEngine(rule, args, { ...surroundings, architecture: each });
      if (message === null) return null;
    }
    return message;
  } catch (error) {
    if (error instanceof Undecided) return null;
    throw error;
  }
}

function onEveryEngine(rule: Rule, args: Arguments, surroundings: Surroundings): string | null {
  if (surroundings.transformerEngine !== unknown) return rule.check(args, hostOf(surroundings));
  const message = rule.check(args, hostOf({ ...surroundings, transformerEngine: newest }));
  if (message === null) return null;
  // Only releases that the rule asks for tell more: it is the same between two of them.
  const versions: (string | null)[] = [null, "0"];
  for (const version of versions) {
    const host = hostOf({ ...surroundings, transformerEngine: version });
    const asked: Host = Object.create(host, {
      te: {
        value: (atLeast = "0"): boolean => {
          if (!versions.includes(atLeast)) versions.push(atLeast);
          return host.te(atLeast);
        },
      },
    });
    if (rule.check(args, asked) === null) return null;
  }
  return message;
}
