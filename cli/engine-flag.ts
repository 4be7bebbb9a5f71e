/** `--engine NAME=VERSION`, any number of times. */
import { InvalidArgumentError } from "commander";

const names = ["megatron", "deepspeed"];

export function engineFlag(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, name = "", version = ""] = /^([a-z]+)=v?(\d+(?:\.\d+){0,2})$/.exec(text) ?? [];
  if (!names.includes(name))
    throw new InvalidArgumentError(
      `write ${names.map((each) => `${each}=VERSION`).join(" or ")}, such as megatron=0.15.`,
    );
  // `deepspeed=1` is the release 1.0, which nobody knows: the nearest judges, and says so.
  return new Map([...(before ?? []), [name, version.includes(".") ? version : `${version}.0`]]);
}
