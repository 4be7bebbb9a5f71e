/** Prints the examples that scripts/deepspeed-demands.py gives to each release: what breaks a demand, and the nearest that does not. */
import { demands } from "../compiler/engines/deepspeed/demands/index.ts";
import { exampleConfig } from "../compiler/engines/deepspeed/example.ts";

const cases = demands
  .filter(({ phase, diagnostic }) => phase === "config" && diagnostic.severity === "error")
  .map(({ diagnostic: { code }, fires, silent }) => ({
    code,
    fires: exampleConfig(fires),
    silent: exampleConfig(silent),
  }));
process.stdout.write(`${JSON.stringify(cases)}\n`);
