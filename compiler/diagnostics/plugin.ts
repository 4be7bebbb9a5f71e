/** Diagnostics about plugins: their declarations compared with their Python source. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const pluginFactory = define<{ factory: string }>({
  code: "cdr/plugin-factory",
  severity: "error",
  message: ({ factory }) => `"${factory}" does not name a function or class: write "package.module:name"`,
  explanation: `\`factory\` names a module and, after a colon, a function or class in it.`,
  fix: 'Write the module and a function or class in it: `factory = "mylab.losses:clipped"`.',
});

export const pluginUnread = define<{ name: string; why: string }>({
  code: "cdr/plugin-unread",
  severity: "info",
  message: ({ name, why }) => `the parameters of \`${name}\` cannot be checked against Python: ${why}`,
  explanation: `The module is searched for beside the file, in its \`src\` folder, and in the same places of the folder where cdrc was started. Its source
is parsed, never imported. Parameters that cannot be read are assumed to be right; if they are not, the run fails.`,
  fix: "Put the module beside the file or into its `src` folder, start cdrc in the folder of the package, or name a function with explicit parameters.",
});

export const pluginName = define<{ name: string; path: string }>({
  code: "cdr/plugin-name",
  severity: "error",
  message: ({ name, path }) => `${path} defines no \`${name}\``,
  explanation: `The module was found and read, but nothing in it has this name. \`valid\` lists the names that it has.`,
  fix: "Write a name that `valid` lists, or define it in the module.",
});

export const pluginCallable = define<{ name: string; path: string; line: number; isAsync: boolean }>({
  code: "cdr/plugin-callable",
  severity: "error",
  message: ({ name, path, line, isAsync }) =>
    isAsync
      ? `\`${name}\` is \`async\` in line ${line} of ${path}: a call of it gives a coroutine, not the plugin`
      : `\`${name}\` cannot be called: line ${line} of ${path} gives it a value`,
  explanation: `A factory is a function or a class: the run calls it with the params, and the result is the plugin.`,
  fix: "Name a function or a class of the module.",
});

export const pluginSource = define<{ path: string; line: number }>({
  code: "cdr/plugin-source",
  severity: "error",
  message: ({ path, line }) => `${path} is not valid Python (line ${line})`,
  explanation: "Python's own parser refuses the module, so a run would stop at its import.",
  fix: "Correct the Python at that line.",
});

export const pluginParameter = define<{ name: string; factory: string; isUnnamed?: boolean }>({
  code: "cdr/plugin-parameter",
  severity: "error",
  message: ({ name, factory, isUnnamed = false }) =>
    isUnnamed
      ? `\`${factory}\` takes \`${name}\` by its place alone, and a \`param\` is passed by its name`
      : `\`${factory}\` has no parameter \`${name}\``,
  explanation: `Each \`param\` is passed to the factory under its own name, or under the name after \`as\`: \`param layers as n_layer: Int\`.`,
  fix: "Write a name that `valid` lists, or map the name to one of them: `param layers as n_layer: Int`.",
});

export const pluginParameterMissing = define<{ name: string; factory: string }>({
  code: "cdr/plugin-parameter-missing",
  severity: "error",
  message: ({ name, factory }) => `\`${factory}\` needs \`${name}\`, but no \`param\` provides it`,
  explanation: `The Python function has a parameter without a default that the plugin does not declare.`,
  fix: "Declare the parameter, `param name: Int`, or give it a default in Python.",
});

export const pluginParameterType = define<{ name: string; python: string; declared: string }>({
  code: "cdr/plugin-parameter-type",
  severity: "error",
  message: ({ name, python, declared }) => `Python's \`${name}\` is \`${python}\`, but the \`param\` is ${declared}`,
  explanation: `The annotation of the Python parameter and the type of the \`param\` cannot both be true.`,
  fix: "Change the type of the `param` or the annotation in Python, so that they agree.",
});
