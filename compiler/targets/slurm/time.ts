/** Seconds as Slurm reads them: `D-HH:MM:SS`. */
export function slurmTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const clock = [Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60].map(two).join(":");
  return `${Math.floor(whole / 86_400)}-${clock}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
