/** What Kubernetes refuses of a launch is told where it is written. */
import { expect, it } from "vitest";
import { checkFiles } from "../../../../compiler/targets/kubernetes/file-rules.ts";
import { compile } from "../../../../compiler/compile.ts";
import { alone } from "../../../support/alone.ts";

const file = (launch: string, stage = "pre"): string => `import "std/clusters" { dgx_h100 }
secret key = file("/etc/key")
secret odd = kubernetes("token")
store work { at = "pvc://work", mount = "/work" }
store bucket { at = "s3://work", mount = "/bucket" }
store loose { at = "pvc://loose" }
store alone { at = "pvc://alone", mount = "/alone", access = one }
data web { from = "x.txt", tokenizer = bytes }
model t { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
stage ${stage} { model = t, data = web, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-4)
  checkpoint { every = 50 steps, to = work / "runs" } }
cluster pod extends dgx_h100 { nodes = 2 }
launch k on pod { ${launch} }
`;
const image = 'image = "ghcr.io/lab/trainer:1.4"';
const mounts = "mounts = [work]";
const target = (more = ""): string => `target = kubernetes(namespace = "research"${more})`;

const told = (text: string): readonly string[] =>
  compile({ path: "main.cdr", text }, alone).diagnostics.map(({ code, span }) => {
    const { text: all } = span.source;
    return `${code} ${all.slice(span.start, span.end).split(/[ ({\n]/)[0]}`;
  });

it.each([
  [[target(), image, mounts], []],
  [[target(), mounts], ["cdr/pod-image k"]],
  [[target(), image], ["cdr/pod-storage pre"]],
  [[target(), image, "mounts = [work, bucket]"], []],
  [[target(), image, "mounts = [work, loose]"], ["cdr/pod-mount loose"]],
  [[target(), image, "mounts = [work, alone]"], ["cdr/pod-mount alone"]],
  [[target(), image, "mounts = [work, work]"], ["cdr/list-twice work"]],
  [[target(), image, 'mounts = [work, "/data", "/data/"]'], ['cdr/pod-mount "/data/"']],
  [[target(), image, 'mounts = [work, "data"]'], ['cdr/pod-mount "data"']],
  [[target(", memory = 3 TiB"), image, mounts], ["cdr/pod-resources 3"]],
  [
    [target(", memory = 8 GiB"), image, mounts],
    ["cdr/pod-resources k", "cdr/pod-memory 8"],
  ],
  [[target(", cpu = 1000"), image, mounts], ["cdr/pod-resources 1000"]],
  [[target(', selector = "a/b/c=d"'), image, mounts], ['cdr/pod-selector "a/b/c=d"']],
  [[target(', selector = "a=-d"'), image, mounts], ['cdr/pod-selector "a=-d"']],
  [[target(', priority = "a..b"'), image, mounts], ['cdr/pod-name "a..b"']],
  [[target(", controller = job, spot = workers"), image, mounts], ["cdr/pod-controller workers"]],
  [[target(', controller = job, version = "1.21"'), image, mounts], ['cdr/pod-controller "1.21"']],
  [[target(', controller = volcano(queue = "q"), time = 1 h'), image, mounts], ["cdr/pod-controller 1"]],
  [[target(), image, mounts, "env { KEY = key }"], ["cdr/pod-secret KEY"]],
  [[target(), image, mounts, "env { KEY = odd }"], ["cdr/pod-secret KEY"]],
])("%j", (members, codes) => {
  const unused = new Set(["cdr/secret-unused", "cdr/name-unused"]);
  expect(told(file(members.join(", "))).filter((line) => !unused.has(line.split(" ")[0] ?? ""))).toEqual(codes);
});

it("tells steps whose pods would have no name", () => {
  const long = "a".repeat(60);
  expect(told(file([target(), image, mounts].join(", "), long)).filter((line) => line.startsWith("cdr/pod"))).toEqual(
    [`cdr/pod-name ${long}`],
  );
});

it("refuses files that no ConfigMap holds", () => {
  const { pipeline } = compile({ path: "main.cdr", text: file([target(), image, mounts].join(", ")) }, alone);
  const bundle = { files: [{ path: "steps.json", text: "x".repeat(2 ** 20 + 1) }], steps: [] };
  expect(checkFiles(bundle, pipeline.launch).map(({ code }) => code)).toEqual(["cdr/pod-file"]);
});
