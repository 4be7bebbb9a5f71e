/** The copy of a bundle inside a run directory: what its attempts run from, whatever happens to the sources. */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { trainerFiles } from "../../compiler/bundle/trainer.ts";
import type { Bundle } from "../../compiler/bundle/steps.ts";
import { writeBeside } from "../../compiler/bundle/write-beside.ts";

export function placeBundle(bundle: Bundle, place: string): void {
  if (existsSync(place)) return;
  const hasTrainer = bundle.files.some((file) => file.path === "trainer/provision.sh");
  const written = writeBeside(place, hasTrainer ? bundle.files : [...bundle.files, ...trainerFiles()]);
  try {
    renameSync(written, place);
  } catch (error) {
    rmSync(written, { recursive: true, force: true });
    // Somebody else was quicker with the same bundle.
    if (!(existsSync(place) && readdirSync(place).length > 0)) throw error;
  }
}
