/** Diagnostics about paths and URIs. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const pathCase = define<{ path: string; other: string }>({
  code: "cdr/path-case",
  severity: "warning",
  message: ({ path, other }) => `"${path}" and "${other}" differ only in case, but stores are case-sensitive`,
  explanation:
    "Object stores and most file systems are case-sensitive: a file written to one path is not found at the other, and a resumed run starts from scratch.",
  fix: 'Write the path once, in a `store` or a `let`, and use its name: `let kept = bucket / "checkpoints"`.',
});

export const placeScheme = define<{ scheme: string; name: string; where: string }>({
  code: "cdr/place-scheme",
  severity: "warning",
  message: ({ scheme, name, where }) =>
    `no program here can open \`${scheme}://\`, the scheme of \`${name}\` in ${where}`,
  explanation: `A place is a folder, an object store, a volume of a cluster or a web address; the scheme before \`://\` selects the client. With an
unknown scheme, a run fails at its first file.`,
  fix: "Write a scheme that `valid` lists, or a folder where the place is mounted.",
});

export const placeSpelling = define<{ written: string; meant: string }>({
  code: "cdr/place-spelling",
  severity: "warning",
  message: ({ written, meant }) => `\`${written}\` is written \`${meant}\``,
  explanation: `A URI has two slashes after its scheme: \`s3:/bucket\`, with one, is a folder called \`s3:\`. A repository of the Hugging Face
Hub is \`hf://owner/name\`, not the address of its page.`,
  fix: "Write the place as a URI: `s3://bucket/folder`, `hf://owner/name`.",
  fixFor: ({ meant }) => `Write \`"${meant}"\`.`,
});

export const placeEmpty = define<{ scheme: string; name: string; where: string }>({
  code: "cdr/place-empty",
  severity: "error",
  message: ({ scheme, name, where }) => `\`${name}\` in ${where} names nothing behind \`${scheme}://\``,
  explanation: `A URI names a bucket, a host or a repository behind its scheme: \`s3://bucket/folder\`, \`hf://owner/name\`. A scheme alone is
usually a variable that was empty.`,
  fix: "Write what it names, `s3://bucket/folder`, `hf://owner/name`, or a folder.",
});

export const placeOpen = define<{ name: string; where: string }>({
  code: "cdr/place-open",
  severity: "warning",
  message: ({ name, where }) =>
    `\`${name}\` in ${where} goes over \`http://\`: anybody on the way can read and change it`,
  explanation: `\`http://\` neither encrypts nor checks who answers, so text, weights and keys may be read or replaced on the way. Between machines of one
network, which have names without a public domain (\`http://mlflow:5000\`), it is usual.`,
  fix: "Write `https://`.",
});
