/** What must never be written down: it stays where the job finds it. */

/** Names of variables and arguments that hold one. */
export function isSecretName(name: string): boolean {
  return /(?:^|_)(?:token|secret|password|passwd|credentials?|api_?key|(?:secret_)?access_?key|private_?key|auth)$/i.test(
    name.replaceAll("-", "_"),
  );
}

/** Shapes of the keys that people leave in scripts, and addresses with a password in them. */
const shapes: readonly RegExp[] = [
  /\bhf_[A-Za-z0-9]{16,}/,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/,
  /\bgithub_pat_\w{16,}/,
  /\bglpat-[\w-]{16,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\bAIza[\w-]{30,}/,
  /\bnvapi-[\w-]{16,}/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\./,
  /^[0-9a-f]{40}$/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /:\/\/[^/\s:@]+:[^/\s@]+@/,
];

export function isSecretText(text: string): boolean {
  return shapes.some((shape) => shape.test(text));
}

/** Every secret in a text that its shape gives away. */
export function secretsIn(text: string): readonly string[] {
  return shapes.flatMap((shape) =>
    shape.source.startsWith("^") ? [] : [...text.matchAll(new RegExp(shape.source, "g"))].map(([found]) => found),
  );
}
