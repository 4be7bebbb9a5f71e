import type { BlockKind } from "../../dsl/kind.ts";
import {
  block,
  choice,
  enumeration,
  filled,
  integer,
  list,
  noneType,
  path,
  quantity,
  sequence,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";
import { imageReference } from "./forms.ts";
import { timeLimit } from "./limits.ts";

const severities = ["low", "medium", "high", "critical"];

export const image: BlockKind = {
  name: "image",
  also: ["container", "docker"],
  doc: "A container image: built in layers (system, packages, code), scanned, and only then pushed",
  step: true,
  runs: false,
  properties: {
    from: {
      type: union(block("image"), imageReference),
      doc: "the base image: another `image`, which is built first, or a reference in quotes",
      required: true,
    },
    system: { type: list(string), doc: "packages of the operating system", default: "[]" },
    python: { type: block("python"), doc: "Python and its packages" },
    copy: { type: list(path), doc: "files of the project, added last because they change most", default: "[]" },
    platforms: {
      type: filled(enumeration("platform", ["amd64", "arm64"])),
      doc: "platforms it is built for",
      default: "[amd64]",
    },
    cache: {
      type: union(noneType, enumeration("cache", ["github", "registry", "local"])),
      doc: "cache of layers and downloads between builds",
    },
    scan: {
      type: union(
        noneType,
        choice("scanner", {
          trivy: {
            doc: "Trivy: known vulnerabilities in packages",
            parameters: {
              fail: {
                type: enumeration("severity", severities),
                doc: "the image is not pushed if it has findings of this severity or higher",
                default: "high",
              },
              ignore: { type: path, doc: "a file of accepted findings, with reasons" },
            },
          },
        }),
      ),
      doc: "a scan between building and pushing; an image that fails is not pushed",
    },
    ports: { type: list(integer({ min: 1, max: 65_535 })), doc: "ports it listens on", default: "[]" },
    user: { type: string, doc: "user of its processes; root is refused", default: '"app"' },
    command: { type: union(string, sequence(string)), doc: "the command that it starts" },
    tags: {
      type: list(enumeration("tag", ["branch", "version", "commit", "latest"])),
      doc: "human-readable tags; programs refer to it by digest",
      default: "[commit]",
    },
    to: { type: path, doc: "where it is pushed; not pushed by default" },
    size: { type: quantity([{ byte: 1 }], { min: 0 }), doc: "size of all its layers", bounded: true },
    time: timeLimit("time of a build with a warm cache"),
  },
  handles: ["digest", "findings"],
  watches: {
    cache_hits: {
      type: share("the layers"),
      doc: "share of a build's layers that came from the cache",
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
