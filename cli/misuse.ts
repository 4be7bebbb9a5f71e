/** The command line was misused: one sentence on stderr, a document on stdout where one was asked for, exit code 2. */
export function misuse(message: string, json: boolean): void {
  process.stderr.write(`cdrc: ${message}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ error: { message } }, null, 2)}\n`);
  process.exitCode = 2;
}
