/** The copy of a bundle inside a run directory: what its attempts run from, whatever happens to the sources. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { trainerFiles } from "../../compiler/bundle/trainer.ts";
import type { Bundle } from "../../compiler/bundle/steps.ts";

/** Complete or absent: it is written beside its place and renamed. */
export function placeBundle(bundle: Bundle, place: string): void {
  if (existsSync(place)) return;
  const parent = dirname(place);
  const temporary = join(parent, `.bundle-${process.pid}`);
  const hasTrainer = bundle.files.some((file) => file.path === "trainer/provision.sh");
  try {
    for (const file of hasTrainer ? bundle.files : [...bundle.files, ...trainerFiles()]) {
      const path = join(temporary, file.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.text, { mode: file.executable === true ? 0o755 : 0o644 });
    }
    renameSync(temporary, place);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Somebody else was quicker with the same bundle.
    if (!(existsSync(place) && readdirSync(place).length > 0)) throw error;
  }
}
