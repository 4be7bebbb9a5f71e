/** The environment sbatch is started in. */

/** Which of sbatch's own variables are read, where the request does not say the same: they name a place, not a run. */
const places = new Set(["ACCOUNT", "PARTITION", "QOS", "RESERVATION", "CONSTRAINT", "CLUSTERS"]);
/** Of `SLURM_*`, what says where Slurm is. The rest describes the job that `cdrc` itself may run in. */
const whereabouts = new Set(["SLURM_CONF", "SLURM_CLUSTERS"]);

/**
 * `SBATCH_*` variables override what a script says, so those that would are left out: the same file asks for the same
 * thing on any shell. `said`: the long options of the request.
 */
export function submitEnvironment(
  environment: Readonly<Record<string, string>>,
  said: ReadonlySet<string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => {
      if (name.startsWith("SLURM_")) return whereabouts.has(name);
      if (!name.startsWith("SBATCH_")) return true;
      const option = name.slice("SBATCH_".length);
      return places.has(option) && !said.has(option.toLowerCase());
    }),
  );
}
