/** `cdrc check` alone: bundled into one file, since loading several takes a good part of the time a check may take. */
import { checkCommand } from "./commands/check.ts";
import { main } from "./main.ts";

await main({ check: async () => checkCommand() });
