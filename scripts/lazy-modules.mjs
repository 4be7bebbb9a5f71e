// Modules that a check of most files needs nothing of: bundled, but evaluated when something of them is first used.
import { join, relative } from "node:path";
import { build } from "esbuild";

/** Asked for by name, and by few files: an engine's rules and what it lowers to, plugins, packages, the sizer, the search of layouts for GPUs and its physics, sweeps and what draws their points, raw directives, signs of other languages, what is not carried out, what a stage freezes, what Kubernetes refuses, names that nobody knows, which block was meant, help texts, what compiles a lexer or judges a grammar, why nothing fits, where a value is from, what errors touch, what only follows from mistakes, what renders templates. */
const doors = [
  "compiler/diagnostics/run.ts",
  "compiler/draw.ts",
  "compiler/engines/deepspeed/lower.ts",
  "compiler/engines/deepspeed/rules/index.ts",
  "compiler/engines/megatron/lower/expressible.ts",
  "compiler/engines/megatron/lower/launch.ts",
  "compiler/engines/megatron/lower/lower.ts",
  "compiler/engines/megatron/pipeline-layout.ts",
  "compiler/engines/megatron/released.ts",
  "compiler/engines/megatron/stage/rules.ts",
  "compiler/engines/megatron/table.ts",
  "compiler/engines/torch/lower.ts",
  "compiler/passes/beside-raw.ts",
  "compiler/passes/healthy.ts",
  "compiler/passes/operations/demands-of.ts",
  "compiler/passes/operations/seldom.ts",
  "compiler/passes/parallelize/conflicts.ts",
  "compiler/passes/parallelize/origins.ts",
  "compiler/passes/parallelize/too-large.ts",
  "compiler/passes/parallelize/uneven-table.ts",
  "compiler/passes/parallelize/wrong-details.ts",
  "compiler/passes/resolve/kubernetes.ts",
  "compiler/passes/resolve/raw-defaults.ts",
  "compiler/passes/resolve/row-checks.ts",
  "compiler/passes/size/sized.ts",
  "compiler/passes/unexecuted.ts",
  "compiler/passes/verify-seldom.ts",
  "compiler/planner/physics/memory.ts",
  "compiler/planner/physics/time.ts",
  "compiler/planner/search/explore.ts",
  "compiler/planner/unequal-cuts.ts",
  "compiler/plugins/verify.ts",
  "compiler/targets/kubernetes/rules.ts",
  "compiler/targets/slurm/rules.ts",
  "compiler/targets/slurm/sbatch.ts",
  "compiler/templates.ts",
  "dsl/diagnostics/consequences/consequences.ts",
  "dsl/diagnostics/wide.ts",
  "dsl/eval/blocks/meant-block.ts",
  "dsl/eval/blocks/unknown-member.ts",
  "dsl/eval/declarations/recursion.ts",
  "dsl/eval/declarations/unused.ts",
  "dsl/eval/expressions/cannot-combine.ts",
  "dsl/eval/expressions/swapped-arguments.ts",
  "dsl/eval/expressions/typed-operands.ts",
  "dsl/eval/expressions/unknown-name.ts",
  "dsl/eval/variants/vary.ts",
  "dsl/lsp/mends.ts",
  "dsl/syntax/between-numbers.ts",
  "dsl/syntax/block-after-value.ts",
  "dsl/syntax/clause-order.ts",
  "dsl/syntax/docstring.ts",
  "dsl/syntax/header-word.ts",
  "dsl/syntax/read-foreign.ts",
  "dsl/syntax/read-shift.ts",
  "node_modules/chevrotain/lib/src/parse/grammar/checks.js",
  "node_modules/chevrotain/lib/src/scan/lexer.js",
  "node_modules/chevrotain/lib/src/scan/reg_exp_parser.js",
  "node_modules/commander/lib/help.js",
];

/**
 * Whoever imports a door from outside of one gets its names as getters, so a name must not be read while modules are
 * evaluated: `get rules() { return rules; }` in a registry. `open` gives the code that loads a door, by its path here and
 * its whole path. It is run each time that a name is read, and what esbuild makes of a bare `require` collects all names of the
 * module anew each time.
 */
export function lazyModules(root, open = opening) {
  const paths = new Set(doors.map((path) => join(root, path)));
  return {
    name: "lazy-modules",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\..*\.[jt]s$/ }, ({ importer, kind, path, resolveDir }) => {
        const file = join(resolveDir, path);
        return kind === "import-statement" && paths.has(file) && !paths.has(importer)
          ? { path: file, namespace: "door" }
          : undefined;
      });
      onLoad({ filter: /.*/, namespace: "door" }, async ({ path }) => {
        const opened = open(relative(root, path), path);
        const getters = (await namesOf(path)).map((name) => `get ${name}() { return ${opened}.${name}; }`);
        return { contents: `let found; module.exports = { ${getters.join(", ")} };`, loader: "js", resolveDir: root };
      });
    },
  };
}

export const opening = (_, path) => `(found ??= require(${JSON.stringify(path)}))`;

/** A module of all doors: `behind[path]` evaluates the door of that path. */
export function behindDoors(root) {
  const getters = doors.map(
    (path) => `get ${JSON.stringify(path)}() { return require(${JSON.stringify(join(root, path))}); }`,
  );
  return `export const behind = { ${getters.join(", ")} };`;
}

/** What is in a bundle before any door is opened: paths and their bytes, largest first. */
export function eagerModules({ inputs, outputs }, entry) {
  const found = new Set();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || path.startsWith("door:")) continue;
    found.add(path);
    for (const each of inputs[path]?.imports ?? []) open.push(each.path);
  }
  const bytes = Object.assign({}, ...Object.values(outputs).map((output) => output.inputs));
  return [...found]
    .map((path) => [path, bytes[path]?.bytesInOutput ?? 0])
    .filter(([, size]) => size > 0)
    .sort(([, a], [, b]) => b - a);
}

async function namesOf(path) {
  const { metafile } = await build({
    entryPoints: [path],
    bundle: false,
    format: "esm",
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs)[0].exports;
}
