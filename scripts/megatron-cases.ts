/** Prints the examples that scripts/megatron-demands.py gives to each release: what breaks a rule. */
import { exampleLaunch } from "../compiler/engines/megatron/example.ts";
import { rules } from "../compiler/engines/megatron/rules/index.ts";

const cases = rules
  .filter(({ diagnostic, gone }) => diagnostic.severity === "error" && gone === undefined)
  .map(({ diagnostic: { code }, base, fires }) => ({
    code,
    fires: exampleLaunch(base, fires),
  }));
process.stdout.write(`${JSON.stringify(cases)}\n`);
