/** Every command by its name; each is loaded when it is asked for. */
import type { Commands } from "./main.ts";

export const commands: Commands = {
  init: async () => (await import("./commands/init.ts")).initCommand(),
  check: async () => (await import("./commands/check.ts")).checkCommand(),
  plan: async () => (await import("./commands/plan.ts")).planCommand(),
  explain: async () => (await import("./commands/explain.ts")).explainCommand(),
  compile: async () => (await import("./commands/compile.ts")).compileCommand(),
  run: async () => {
    const [{ runCommand }, { compileForRun }] = await Promise.all([
      import("./commands/run.ts"),
      import("./compile-for-run.ts"),
    ]);
    return runCommand(compileForRun);
  },
  sweep: async () => {
    const [{ sweepCommand }, { compileForRun }] = await Promise.all([
      import("./commands/sweep.ts"),
      import("./compile-for-run.ts"),
    ]);
    return sweepCommand(compileForRun);
  },
  ps: async () => (await import("./commands/ps.ts")).psCommand(),
  logs: async () => (await import("./commands/logs.ts")).logsCommand(),
  cancel: async () => (await import("./commands/cancel.ts")).cancelCommand(),
  resume: async () => (await import("./commands/resume.ts")).resumeCommand(),
  attach: async () => (await import("./commands/attach.ts")).attachCommand(),
  report: async () => (await import("./commands/report.ts")).reportCommand(),
  calibrate: async () => (await import("./commands/calibrate.ts")).calibrateCommand(),
  import: async () => (await import("./commands/import.ts")).importCommand(),
  fmt: async () => (await import("./commands/fmt.ts")).fmtCommand(),
  diff: async () => (await import("./commands/diff.ts")).diffCommand(),
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand(),
  schema: async () => (await import("./commands/schema.ts")).schemaCommand(),
  completion: async () => {
    const { completionCommand } = await import("./commands/completion.ts");
    return completionCommand(() => Promise.all(Object.values(commands).map((load) => load())));
  },
  lock: async () => (await import("./commands/lock.ts")).lockCommand(),
  test: async () => (await import("./commands/test.ts")).testCommand(),
  lsp: async () => (await import("./commands/lsp.ts")).lspCommand(),
};
