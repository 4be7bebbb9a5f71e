/** Diagnostics about plugins: what they declare, held against their Python source. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const pluginFactory = define<{ factory: string }>({
  code: "cdr/plugin-factory",
  severity: "error",
  message: ({ factory }) => `"${factory}" names no callable: write "package.module:name"`,
  explanation: `\`factory\` names a module and, behind a colon, what is called in it: \`factory = "mylab.losses:clipped"\`.`,
  fix: 'Write the module and what is called in it: `factory = "mylab.losses:clipped"`.',
});

export const pluginUnread = define<{ name: string; why: string }>({
  code: "cdr/plugin-unread",
  severity: "info",
  message: ({ name, why }) => `the parameters of \`${name}\` cannot be checked against Python: ${why}`,
  explanation: `The module is looked for beside the file, in its \`src\` folder, and in the same places of the folder where cdrc was started. Its source
is parsed and never imported. What cannot be read is assumed to be right; if it is not, the run fails.`,
  fix: "Put the module beside the file or into its `src` folder, start cdrc in the folder of the package, or name a function that says its parameters.",
});

export const pluginName = define<{ name: string; path: string }>({
  code: "cdr/plugin-name",
  severity: "error",
  message: ({ name, path }) => `${path} defines no \`${name}\``,
  explanation: `The module was found and read, but nothing in it has this name. \`valid\` lists the names that it has.`,
  fix: "Write a name that `valid` lists, or define it in the module.",
});

export const pluginCallable = define<{ name: string; path: string; line: number }>({
  code: "cdr/plugin-callable",
  severity: "error",
  message: ({ name, path, line }) => `\`${name}\` cannot be called: line ${line} of ${path} gives it a value`,
  explanation: `A factory is a function or a class: the run calls it with the params, and what it returns is the plugin.`,
  fix: "Name a function or a class of the module.",
});

export const pluginSource = define<{ path: string; line: number }>({
  code: "cdr/plugin-source",
  severity: "error",
  message: ({ path, line }) => `${path} is not valid Python (line ${line})`,
  explanation: "The module was found, and Python's own parser refuses it: the run would stop when it imports it.",
  fix: "Correct the Python at that line.",
});

export const pluginParameter = define<{ name: string; factory: string }>({
  code: "cdr/plugin-parameter",
  severity: "error",
  message: ({ name, factory }) => `\`${factory}\` takes no \`${name}\``,
  explanation: `Each \`param\` is given to the factory under its own name, or under the one after \`as\`: \`param layers as n_layer: Int\`. The names
that the Python source has are listed.`,
  fix: "Write the name that the factory has; `valid` lists them, and `param layers as n_layer: Int` maps one to another.",
});

export const pluginParameterMissing = define<{ name: string; factory: string }>({
  code: "cdr/plugin-parameter-missing",
  severity: "error",
  message: ({ name, factory }) => `\`${factory}\` needs \`${name}\`, and no \`param\` gives it`,
  explanation: `The Python callable has a parameter without a default that the plugin does not declare.`,
  fix: "Declare the parameter, `param name: Int`, or give it a default in Python.",
});

export const pluginParameterType = define<{ name: string; python: string; declared: string }>({
  code: "cdr/plugin-parameter-type",
  severity: "error",
  message: ({ name, python, declared }) => `Python's \`${name}\` is \`${python}\`, and the \`param\` is ${declared}`,
  explanation: `The annotation of the Python parameter and the type of the \`param\` cannot both be true.`,
  fix: "Change the type of the `param` or the annotation in Python, so that both say the same.",
});
