// Node's modules as a snapshot should hold them. What `require` gives esbuild copies, name by name and each with a getter; and
// `node:child_process` brings sockets and pipes along, which nearly no check ever needs.
import { execFileSync } from "node:child_process";

/** What every Node has loaded before it runs a script. */
const loaded = new Set([
  "node:events",
  "node:fs",
  "node:module",
  "node:path",
  "node:process",
  "node:url",
  "node:util",
]);

/** `node`: the one that starts from the snapshot, which may have other names than the one that builds it. */
export const snapshotBuiltins = (node) => ({
  name: "snapshot-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "snapshot-builtin", sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "snapshot-builtin" }, ({ path }) => ({ contents: contentsOf(path, node) }));
  },
});

function contentsOf(path, node) {
  const found = namesOf(path, node);
  const names = Object.keys(found).filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== "default");
  const load = `process.getBuiltinModule(${JSON.stringify(path)})`;
  const lines = loaded.has(path)
    ? [
        `const own = /* @__PURE__ */ ${load};`,
        "export default own;",
        ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => own.${name})();`),
      ]
    : [
        `export default { ${names.map((name) => `get ${name}() { return ${load}.${name}; }`).join(", ")} };`,
        ...names.map((name) => lazily(name, found[name] === "function", load)),
      ];
  return lines.join("\n");
}

/** What is no function has to be there when it is read: it is not left out, but taken when its module is evaluated. */
const lazily = (name, isFunction, load) =>
  isFunction
    ? `export function ${name}(...given) { return ${load}.${name}(...given); }`
    : `export const ${name} = /* @__PURE__ */ (() => ${load}.${name})();`;

/** What a module exports, and the type of each. */
function namesOf(path, node) {
  const types = `Object.entries(require(${JSON.stringify(path)})).map(([name, value]) => [name, typeof value])`;
  return Object.fromEntries(JSON.parse(execFileSync(node, ["-p", `JSON.stringify(${types})`], { encoding: "utf8" })));
}
