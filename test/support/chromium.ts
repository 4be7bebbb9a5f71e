/** The Chromium of this machine, where it has one: what a page looks like is for a browser to say. */
import { spawnSync } from "node:child_process";

const names = ["chromium", "chromium-browser", "google-chrome", process.env["CDR_TEST_CHROMIUM"] ?? ""];

export const chromium = names
  .filter((name) => name !== "")
  .map((name) => spawnSync("sh", ["-c", 'command -v "$0"', name], { encoding: "utf8" }).stdout.trim())
  .find((path) => path !== "");

if (chromium === undefined) process.stderr.write("skipped: Chromium is not installed (sh test/editors/install.sh)\n");
