import type { BlockKind, Property } from "../../dsl/kind.ts";
import { block, list, noneType, path, string, union } from "../../dsl/types/type.ts";
import { requirement, version } from "./forms.ts";

export const python: BlockKind = {
  name: "python",
  also: ["environment", "venv", "conda"],
  doc: "A Python and its packages: what images, jobs and builds are made of",
  runs: false,
  properties: {
    version: { type: version, doc: 'of Python: `"3.11"`', default: '"3.11"' },
    cuda: {
      type: union(string, noneType),
      doc: "the builds of packages to install; `none` for a machine without a GPU",
    },
    packages: { type: list(requirement), doc: 'as pip spells them: `"torch==2.8.0"`', default: "[]" },
    lock: { type: path, doc: "the file that pins all of them, with hashes" },
    index: { type: list(string), doc: "package indexes in addition to PyPI" },
    system: { type: list(string), doc: "packages of the operating system that they need" },
  },
  foreign: {
    requirements: { instead: "write `packages`, or `lock` for a file that pins them" },
    python_version: { instead: "write `version`", rewrite: (v) => `version = ${v}` },
  },
};

/** An environment that a step runs in; the trainer's own where nothing is said. */
export const environment: Property = {
  type: block("python"),
  doc: "the Python it runs with; the trainer's own, which is locked, by default",
  runs: false,
};
