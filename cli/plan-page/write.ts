import writeFileAtomic from "write-file-atomic";
import type { Pipeline } from "../../compiler/pipeline.ts";
import type { Plan } from "../../compiler/plan.ts";
import { planPage } from "./page.ts";

/** Writes the page of a plan; what is wrong with the place, or `null`. */
export async function writePlanPage(
  to: string,
  file: string,
  pipeline: Pipeline,
  plan: Plan,
): Promise<string | null> {
  const page = await planPage(file, pipeline, plan);
  try {
    await writeFileAtomic(to, page);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
