/** `--engine NAME=VERSION`, any number of times. */
import { InvalidArgumentError } from "commander";

const names = ["megatron", "deepspeed"];

export function engineFlag(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, name = "", version = ""] = /^([a-z]+)=v?(\d+\.\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (!names.includes(name))
    throw new InvalidArgumentError(
      `write ${names.map((each) => `${each}=VERSION`).join(" or ")}, such as megatron=0.15.`,
    );
  return new Map([...(before ?? []), [name, version]]);
}
