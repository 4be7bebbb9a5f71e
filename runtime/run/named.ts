/** The shortest name by which the commands on runs find a run again, from the working directory. */
import { findRun, knownRuns } from "../state/find.ts";
import { shown } from "./document.ts";

export function nameOf({ step, id, directory }: Readonly<Record<"step" | "id" | "directory", string>>): string {
  const runs = knownRuns();
  const means = (name: string): boolean => {
    const found = findRun(name, runs);
    return found.kind === "found" && found.run.directory === directory;
  };
  return [step, id].find(means) ?? shown(directory);
}
