/** `cdrc` with all its commands. */
import { commands } from "./commands.ts";
import { main } from "./main.ts";

await main(commands);
