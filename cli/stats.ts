import { output } from "./output.ts";

/** Collects how long each phase takes, and says it on stderr. */
export function stopwatch(): { readonly timing: (phase: string, ms: number) => void; readonly say: () => void } {
  const phases = new Map<string, number>();
  return {
    timing: (phase, ms) => phases.set(phase, (phases.get(phase) ?? 0) + ms),
    say: () => {
      const total = [...phases.values()].reduce((sum, ms) => sum + ms, 0);
      for (const [phase, ms] of [...phases, ["total", total] as const])
        output("stderr", `${phase.padEnd(14)} ${ms.toFixed(1).padStart(8)} ms\n`);
    },
  };
}
