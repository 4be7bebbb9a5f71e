/** URIs that nothing opens, of an unknown scheme, a misspelt one or an empty place, and those that anybody may read on the way. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import { describeInstance } from "../../../dsl/eval/blocks/instance.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { placeEmpty, placeOpen, placeScheme, placeSpelling } from "../../diagnostics/places.ts";
import type { Said } from "./references.ts";

/** Object stores, file systems of clusters, volumes of Kubernetes, images in registries, the Hub, and what is only read. */
const schemes: ReadonlySet<string> = new Set([
  ...["s3", "gs", "oci", "az", "abfs", "abfss", "wasb", "wasbs", "r2", "b2", "swift", "oss", "cos"],
  ...["file", "nfs", "hdfs", "webhdfs", "lustre", "ceph", "sftp", "ssh", "pvc", "tmp"],
  ...["hf", "http", "https", "git", "docker", "dvc", "lakefs", "dbfs", "gdrive"],
]);
const usual = ["gs://", "s3://", "oci://", "abfs://", "hf://", "pvc://", "tmp://", "file://"];

/** A page of the Hub as a browser shows it; behind the repository may stand what of it is shown. */
const page =
  /^(?:https?:\/\/)?(?:www\.)?huggingface\.co\/(?:datasets\/|models\/)?([\w.-]+\/[\w.-]+)(?:\/tree\/main)?\/?$/;

type Place = Said & { readonly path: string };

/** A store is told itself, not again at each path in it. */
export function judgePlaces(places: readonly Place[]): Diagnostic[] {
  const told: string[] = [];
  const isStore = ({ holder }: Place): boolean => holder.kind.path !== undefined;
  return [...places.filter(isStore), ...places.filter((place) => !isStore(place))].flatMap((place) => {
    const found = told.some((other) => place.path.startsWith(other)) ? null : judge(place);
    if (found === null) return [];
    told.push(place.path);
    return [found];
  });
}

function judge({ holder, name, path, span }: Place): Diagnostic | null {
  const meant = spelling(path);
  if (meant !== null) {
    const isWritten = span.source.text.slice(span.start, span.end) === `"${path}"`;
    const fixes = isWritten ? [replacement(span, `"${meant}"`)] : [];
    return placeSpelling(span, { written: path, meant }, { fixes });
  }
  const scheme = /^([A-Za-z][\w+.-]*):\/\//.exec(path)?.[1];
  if (scheme === undefined) return null;
  const where = describeInstance(holder);
  if (!schemes.has(scheme.toLowerCase())) return placeScheme(span, { scheme, name, where }, { valid: usual });
  if (scheme.toLowerCase() !== "file" && /:\/+$/.test(path)) return placeEmpty(span, { scheme, name, where });
  return isPublic(path) ? placeOpen(span, { name, where }, { fixes: secured(span) }) : null;
}

/** Networks of one owner have names without a dot, names that no public domain ends in, and addresses of their own. */
const isPublic = (path: string): boolean =>
  /^http:\/\/(?:[^/@]*@)?(?:[\w-]+\.)+(?!(?:local|localhost|internal|intranet|lan|svc|corp|home|test|example)\b)[a-z]{2,}(?:[:/]|$)/i.test(
    path,
  );

function secured(span: Span): Fix[] {
  const start = span.source.text.indexOf("http://", span.start);
  const written = { ...span, start, end: start + "http".length };
  return start < 0 || written.end > span.end ? [] : [replacement(written, "https")];
}

function spelling(path: string): string | null {
  const repository = page.exec(path)?.[1];
  if (repository !== undefined) return `hf://${repository}`;
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9]*):\/([^/].*)$/.exec(path) ?? [];
  return schemes.has(scheme) ? `${scheme}://${rest}` : null;
}
