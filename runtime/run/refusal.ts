/** Why something could not be started, in words for the user: one block, and what to do about it. */
import { hostname } from "node:os";

export interface Refusal {
  readonly kind: "refusal";
  readonly message: string;
  readonly advice: string | null;
}

export function refusal(message: string, advice: string | null = null): Refusal {
  return { kind: "refusal", message, advice };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refusal";
}

/** What the system refused, or `null` when the error is a defect of ours. */
export function refusalOf(error: unknown, directory: string): Refusal | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  switch (error.code) {
    case "EACCES":
    case "EPERM":
      return refusal(`${directory} cannot be written`, `check who owns it, or set another root in the file`);
    case "EROFS":
      return refusal(`${directory} is on a read-only file system`, "set another root in the file");
    case "ENOSPC":
    case "EDQUOT":
      return refusal(
        `no space is left on ${hostname()} for ${directory}`,
        "free some, or set another root in the file",
      );
    case "ENOTDIR":
    case "EEXIST":
      return refusal(`${directory} cannot be made: a part of its path is not a folder`);
    case "ENOENT":
      return refusal(`a required file is missing: ${error.message}`);
    default:
      return null;
  }
}
