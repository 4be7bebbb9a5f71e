/**
 * Loaded into a server before it starts: says what its main thread has worked, whenever it is asked. No TypeScript, whose
 * reader would be in the memory that is measured.
 */
process.on("message", () => {
  const { user, system } = process.threadCpuUsage();
  process.send?.((user + system) / 1000);
});
// The server ends when its client says so, whoever may still ask.
process.channel?.unref();
