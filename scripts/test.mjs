// `npm test`: set-up, then every test there is: TypeScript (vitest) and Python (pytest), and one closing line over both.
//   npm test -- --unit          only what takes no real trainer, scheduler or engine
//   npm test -- NAME…           only test files whose path holds NAME
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { node, root, setupBuild, setupNode, setupPython } from "./setup.mjs";

setupNode();
setupBuild();
const python = setupPython();
const words = process.argv.slice(2);
const unit = words.includes("--unit");
const names = words.filter((word) => !word.startsWith("--"));
const folder = mkdtempSync(join(tmpdir(), "cdr-test-"));
const env = {
  ...process.env,
  PATH: `${dirname(node)}:${process.env.PATH}`,
  CDR_TEST_PYTHON: python,
  // Tests start `cdrc` from its sources some hundred times: their types are stripped once.
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/cdr/sources"),
};

const vitest = () => {
  const report = join(folder, "vitest.json");
  const projects = unit ? ["--project", "unit"] : [];
  const args = [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    "--passWithNoTests",
    ...projects,
    ...names,
  ];
  const { status } = spawnSync(node, [join(root, "node_modules/vitest/vitest.mjs"), ...args], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env,
  });
  const result = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null;
  if (result === null) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests: passed, numFailedTests, numPendingTests, numTodoTests } = result;
  return { passed, failed: Math.max(numFailedTests, status === 0 ? 0 : 1), skipped: numPendingTests + numTodoTests };
};

const pytest = () => {
  const report = join(folder, "pytest.xml");
  ensurePytest();
  const args = ["-m", "pytest", "-q", `--junitxml=${report}`, ...(unit ? ["-m", "not slow"] : []), "trainer/tests"];
  const { status } = spawnSync(python, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env: { ...env, PYTHONPATH: join(root, "trainer") },
  });
  const head = existsSync(report) ? /<testsuite [^>]*>/.exec(readFileSync(report, "utf8"))?.[0] : undefined;
  if (head === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  return {
    passed: count("tests") - failed - count("skipped"),
    failed: Math.max(failed, status === 0 ? 0 : 1),
    skipped: count("skipped"),
  };
};

/** The test tools are locked too, and come on top of the trainer's environment. */
function ensurePytest() {
  const lock = join(root, "trainer/requirements-dev.lock");
  const digest = createHash("sha256").update(readFileSync(lock)).digest("hex").slice(0, 16);
  const stamp = join(dirname(dirname(python)), `test-tools-${digest}`);
  if (existsSync(stamp)) return;
  process.stderr.write("setup: installing pytest\n");
  const tries = [
    ["uv", ["pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", lock]],
    [python, ["-m", "uv", "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", lock]],
    [python, ["-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock]],
    ["python3", ["-m", "uv", "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", lock]],
  ];
  const done = tries.some(
    ([command, args]) => spawnSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "ignore"] }).status === 0,
  );
  if (done) writeFileSync(stamp, "");
}

const results = names.length > 0 ? [vitest()] : [vitest(), pytest()];
rmSync(folder, { recursive: true, force: true });
const sum = (name) => results.reduce((total, result) => total + result[name], 0);
const skipped = sum("skipped");
process.stdout.write(
  `${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
);
process.exit(sum("failed") > 0 ? 1 : 0);
