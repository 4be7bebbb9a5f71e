/** Why a job waits, in a sentence; reasons that need none keep Slurm's word. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/^Priority$/, "jobs of higher priority are before it"],
  [/^Resources$/, "it is next, and waits for free nodes"],
  [/^Dependency$/, "it waits for an earlier step"],
  [/^DependencyNeverSatisfied$/, "an earlier step failed, so it will never start: cancel it"],
  [/^BeginTime$/, "it may not start yet; after a requeue Slurm holds a job back for a moment"],
  [/^JobHeldUser$/, "it is held by its user: `scontrol release` lets it go"],
  [/^JobHeldAdmin$/, "it is held by an administrator"],
  [/^JobHoldMaxRequeue$/, "it was requeued as often as the site allows, and is held"],
  [/^JobLaunchFailure$/, "a node could not start it, and it is held"],
  [/^launch_failed_requeued_held$/i, "a node could not start it, and it is held: `scontrol release` lets it go"],
  [/^Reserv/, "its reservation has not begun or is full"],
  [/^ReqNodeNotAvail/, "a node that it needs is down, drained or reserved"],
  [/^Nodes_required_for_job_are_DOWN/i, "nodes that it needs are down, drained or reserved"],
  [/^PartitionTimeLimit$/, "it asks for more time than its partition allows: it will not start"],
  [/^PartitionNodeLimit$/, "it asks for more nodes than its partition allows: it will not start"],
  [/^PartitionDown$/, "its partition is down"],
  [/^PartitionInactive$/, "its partition takes no jobs to run at the moment"],
  [/^BadConstraints$/, "no node can ever meet its constraints: it will not start"],
  [/^InvalidAccount$/, "its account is not valid"],
  [/^InvalidQOS$/, "its quality of service is not valid"],
  [/^AccountNotAllowed$/, "its account may not use this partition"],
  [/^QOSNotAllowed$/, "its quality of service may not be used in this partition"],
  [/^Licenses$/, "it waits for a licence"],
  [/^Cleaning$/, "its previous start is still being cleaned up"],
  [
    /^(QOS|Assoc)Max.*(Limit|PerUser|PerAccount|PerJob)/,
    "it would exceed a limit of its account or quality of service",
  ],
  [/^(QOS|Assoc)(Grp|.*Limit)/, "its group has used up a limit of its account or quality of service"],
  [/^QOSResourceLimit|^QOSTimeLimit|^QOSJobLimit/, "it would exceed a limit of its quality of service"],
  [/^None$|^$/, ""],
];

export function pendingReason(reason: string): string {
  const word = reason.trim().replace(/^\((.*)\)$/s, "$1");
  const sentence = sentences.find(([pattern]) => pattern.test(word))?.[1];
  return sentence === undefined ? `Slurm's reason: ${word}` : sentence;
}
