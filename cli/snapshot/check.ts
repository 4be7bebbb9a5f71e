/** `cdrc check` from a snapshot. */
import { join } from "node:path";
import { packageRoot } from "../../compiler/package-root.ts";
import { checkCommand } from "../commands/check.ts";
import { snapshotOf } from "./start.ts";

// As JSON, since a stream to a terminal cannot be kept.
snapshotOf(checkCommand(), () => [["check", "--json", join(packageRoot(), "examples/quickstart.cdr")]]);
