import writeFileAtomic from "write-file-atomic";
import { unwritable } from "../unreadable.ts";
import { planPage, type Shown } from "./page.ts";

/** Writes the page of a plan; what is wrong with the place, or `null`. */
export async function writePlanPage(to: string, file: string, shown: Shown): Promise<string | null> {
  const page = await planPage(file, shown);
  try {
    await writeFileAtomic(to, page);
    return null;
  } catch (error) {
    return unwritable(error);
  }
}
