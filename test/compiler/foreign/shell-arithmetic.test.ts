/** What the shell cannot compute is told where it is known; what isn't known, or only too large for a number here, is not. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const toldOf = (script: string): readonly string[] =>
  checkForeign([{ path: "run.sh", text: script }], { world: null, gpusPerNode: null, gpu: "h100" }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/shell-arithmetic")
    .map(({ message }) => message.replace("the shell cannot compute ", ""));

const line = (number: string): string => `torchrun --nproc_per_node 8 train.py --output_dir o --seed ${number}\n`;

it.each([
  [line("$((1/0))"), ["$((1/0)): it divides by 0"]],
  [`N=0\n${line("$((5 % N))")}`, ["$((5 % N)): it divides by 0"]],
  [`S=$((2 ** -1))\n${line("$S")}`, ["$((2 ** -1)): its exponent is below 0"]],
  [line("$((08))"), ["$((08)): 08 is octal, like every number that begins with 0"]],
  [line("$((10#08))"), []],
  [line("$((2**64))"), []],
  [line("$((8 / SLURM_NNODES))"), []],
  [`N=0\nif [ $N -gt 0 ]; then\n${line("$((8 / N))")}fi\n${line("1")}`, []],
  [line("$((0 && 1/0))"), []],
])("%j", (script, told) => {
  expect(toldOf(script)).toEqual(told);
});
