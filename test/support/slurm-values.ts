/** Directives, and whether sbatch of Slurm 22.05 reads them: what it refuses by itself, whatever the cluster has. */
const read = (option: string, values: string): readonly string[] =>
  values.split(" ").map((value) => `--${option}=${value}`);

export const takenDirectives: readonly string[] = [
  ...read(
    "time",
    "30 0 30:00 1:30:00 24:00:00 2-0 2- 2-12 2-12:30 2-12:30:15 1-24 infinite UNLIMITED -1 1:99 99:99:99",
  ),
  ...read("time-min", "10 1:00"),
  ...["mem", "mem-per-cpu"].flatMap((each) => read(each, "0 1 1M 1MB 1mb 100K 100kb")),
  ...read("nodes", "1 0 1-1 1-2"),
  ...["ntasks", "cpus-per-task", "ntasks-per-node", "tasks-per-node", "mincpus"].flatMap((each) => read(each, "1 2")),
  ...read("gres", "gpu gpu:1 gpu:0 none gpu:1,gpu:1"),
  ...read("gpus-per-node", "1 0 4,2"),
  ...read("gpus", "1"),
  ...read(
    "signal",
    "USR1 USR1@120 B:USR1@300 SIGUSR1@9 10@60 10 B:10 USR1@ usr1@60 R:USR1@60 BR:USR1 B:TERM@65535 HUP",
  ),
  ...read("array", "0-9 1,3,5 0-15:4 0-9%2 0- 1-5,7-9%2 [0-9] 0-9:2%3 7"),
  ...read("mail-type", "ALL END,FAIL end,fail none TIME_LIMIT_80"),
  ...read("open-mode", "append truncate a trunc"),
  ...read("exclusive", "user mcs"),
  ...read("kill-on-invalid-dep", "yes no"),
  ...read("dependency", "singleton"),
  ...read(
    "begin",
    "tomorrow noon teatime now+1hour now+60 now-60 16:00 16:00:00 12:30pm 2030-01-20T12:34:00 01/20/30",
  ),
  ...read("hint", "nomultithread compute_bound,nomultithread COMPUTE_BOUND"),
  ...read("distribution", "block plane=4 cyclic:block:fcyclic *:block block,Pack Block pack"),
  ...read("gpu-bind", "closest none verbose,closest map_gpu:0,1 single:2 per_task:1"),
  ...["--exclusive", "--requeue", "--no-requeue", "--nice", "-t 10", "-n1", "-N 1", "--job-name x", "--err=x"],
];

export const refusedDirectives: readonly string[] = [
  ...read("time", "24h 1d 90m 1.5 1:2:3:4 120: :30 1-00:00:00:00 1-2:3:4:5 24:00:00h inf +30 1_000 $HOURS"),
  ...read("time-min", "5h"),
  ...["mem", "mem-per-cpu"].flatMap((each) => read(each, "64Gi 64GiB 64.5G 64B 1P 1e3 all -1")),
  ...read("nodes", "4-2 two 2.5 2- 2:3"),
  ...["ntasks", "cpus-per-task", "ntasks-per-node", "tasks-per-node", "mincpus", "threads-per-core"].flatMap((each) =>
    read(each, "0 -1 two 2.5 2-4 1k 8x"),
  ),
  ...read("gres", "gpu=4 4 gpu: gpu:2.5 gpu:2x gpu:4b gpu:a100:x gpu:4:a100 gpu:1g.5gb a:b:c:d"),
  ...read("gpus-per-node", "gpu:a100:4 2.5 4x a100:"),
  ...read("gpus", "2.5"),
  ...read("signal", "FOO@60 USR1@5m USR1:60 B@USR1 B:TERM@65536 @60 USR1@-1 0@60 SEGV X:USR1@3"),
  ...read("array", "5-1 a-b 0:9 1..10 -1 0-15:0"),
  ...read("mail-type", "FAILED"),
  ...read("open-mode", "w"),
  ...read("exclusive", "true 1"),
  ...read("kill-on-invalid-dep", "true"),
  ...read("dependency", "foo:1"),
  ...read("begin", "tomorow 4pm 16:61 2030-13-01 now+3months +60"),
  ...read("hint", "nomultithred none nocompute_bound"),
  ...read("distribution", "blok plane plane:4 block:foo fcyclic"),
  ...read("gpu-bind", "single gpu:1 map:0,1 verbose map_gpu"),
  ...["--requeue=1", "--nodes", "--nodes =2", "--nodes= 2", "-N=2", "-n=8", "-t 24h", "--mem=64 G", "-J = x"],
  ...["--gpu-per-node=4", "--gpus-per-nodes=4", "--cpus=4", "--task-per-node=4", "--nnodes=2", "--node=2", "--gpu=4"],
  ...["--memory=4G", "--walltime=10", "--job_name=x", "--name=x", "--cpus_per_task=4", "--ntask=4", "--mail=x"],
  ...["--cpu-bind=cores", "--kill-on-bad-exit=1", "--label", "--overlap", "--mpi=pmix"],
];

export const withDirective = (directive: string): string => `#!/bin/bash\n#SBATCH ${directive}\nhostname\n`;
