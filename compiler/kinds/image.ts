import type { BlockKind } from "../../dsl/kind.ts";
import {
  block,
  choice,
  enumeration,
  integer,
  list,
  noneType,
  path,
  quantity,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";
import { imageReference } from "./forms.ts";
import { timeLimit } from "./limits.ts";

const severities = ["low", "medium", "high", "critical"];

export const image: BlockKind = {
  name: "image",
  doc: "A container image: built in layers (system, packages, code), scanned, and only then pushed",
  step: true,
  runs: false,
  properties: {
    from: {
      type: union(block("image"), imageReference),
      doc: "what it is built on: another `image`, which is then built before, or a reference in quotes",
      required: true,
    },
    system: { type: list(string), doc: "packages of the operating system", default: "[]" },
    python: { type: block("python"), doc: "Python and its packages" },
    copy: { type: list(path), doc: "what of the project goes in, last, for it changes most", default: "[]" },
    platforms: {
      type: list(enumeration("platform", ["amd64", "arm64"])),
      doc: "machines it is built for",
      default: "[amd64]",
    },
    cache: {
      type: union(noneType, enumeration("cache", ["github", "registry", "local"])),
      doc: "where layers and downloads are kept from one build to the next",
    },
    scan: {
      type: union(
        noneType,
        choice("scanner", {
          trivy: {
            doc: "Trivy: known holes in packages",
            parameters: {
              fail: {
                type: enumeration("severity", severities),
                doc: "from this severity on the image is not pushed",
                default: "high",
              },
              ignore: { type: path, doc: "what was judged harmless, with reasons" },
            },
          },
        }),
      ),
      doc: "what is looked for between building and pushing; nobody sees an image that fails",
    },
    ports: { type: list(integer({ min: 1, max: 65_535 })), doc: "ports it listens on", default: "[]" },
    user: { type: string, doc: "who its processes are; root is refused", default: '"app"' },
    command: { type: union(string, list(string)), doc: "what it starts" },
    tags: {
      type: list(enumeration("tag", ["branch", "version", "commit", "latest"])),
      doc: "names for people; everybody else refers to it by digest",
      default: "[commit]",
    },
    to: { type: path, doc: "where it is pushed; nowhere by default" },
    size: { type: quantity([{ byte: 1 }], { min: 0 }), doc: "of all its layers", bounded: true },
    time: { type: timeLimit, doc: "of a build with a warm cache", bounded: true },
  },
  handles: ["digest", "findings"],
  watches: {
    cache_hits: {
      type: share("the layers"),
      doc: "layers that the cache had, over all of a build",
      runs: false,
    },
  },
  clauses: ["after"],
  foreign: {
    base: { instead: "write `from`", rewrite: (v) => `from = ${v}` },
    apt: { instead: "write `system`", rewrite: (v) => `system = ${v}` },
    expose: { instead: "write `ports`", rewrite: (v) => `ports = ${v}` },
  },
};
