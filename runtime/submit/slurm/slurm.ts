/** Slurm, reached by its own commands. */
import type { Target } from "../../target.ts";
import { pollerOf } from "./poll.ts";
import { slurmRequest } from "./request.ts";
import { signalJob } from "./signal.ts";
import { submitJob } from "./submit.ts";
import { here, type Transport } from "./transport.ts";

export function slurmOver(transport: Transport): Target {
  const poll = pollerOf(transport);
  return {
    name: "slurm",
    request: slurmRequest,
    submit: (request) => submitJob(transport, request),
    poll,
    signal: (handle, what, directory) => signalJob(transport, poll, handle, what, directory),
  };
}

export const slurm: Target = slurmOver(here);
