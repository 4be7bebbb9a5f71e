/** What must never be written down: it stays where the job finds it. */

/** Tokens of a tokenizer, and of a model's inputs. */
const ofText =
  /(?:^|_)(?:eos|bos|pad|unk|sep|cls|mask|eod|eot|end|start|stop|special|image|im_patch|im_start_end|video|audio|per|max)_token$/i;

/** Names of variables and arguments that hold one. */
export function isSecretName(name: string): boolean {
  if (ofText.test(name.replaceAll("-", "_"))) return false;
  return /(?:^|_)(?:token|secret|password|passwd|credentials?|api_?key|(?:secret_)?access_?key|private_?key|auth)$/i.test(
    name.replaceAll("-", "_"),
  );
}

/** A value that is a key under such a name: a switch or a small number is none. */
export function isSecret(name: string, value: string): boolean {
  return isSecretName(name) && !/^(?:true|false|yes|no|on|off|none|null|-?\d{1,4})?$/i.test(value);
}

/**
 * Shapes of the keys that people leave in scripts, and addresses with a password in them. Each with letters that it does not do
 * without: to look for those is nothing, and to compile a pattern is a part of what a small file takes.
 */
const shapes: readonly (readonly [letters: string, shape: RegExp])[] = [
  ["hf_", /\bhf_[A-Za-z0-9]{16,}/],
  ["k-", /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/],
  ["gh", /\bgh[pousr]_[A-Za-z0-9]{16,}/],
  ["github_pat_", /\bgithub_pat_\w{16,}/],
  ["glpat-", /\bglpat-[\w-]{16,}/],
  ["IA", /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/],
  ["xox", /\bxox[abprs]-[\w-]{10,}/],
  ["AIza", /\bAIza[\w-]{30,}/],
  ["nvapi-", /\bnvapi-[\w-]{16,}/],
  ["eyJ", /\beyJ[\w-]{8,}\.[\w-]{8,}\./],
  ["PRIVATE KEY", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["://", /:\/\/[^/\s:@]+:[^/\s@]+@/],
];

/** All of a text, or it could be anything. */
const isHex = (text: string): boolean => text.length === 40 && /^[0-9a-f]+$/.test(text);

export function isSecretText(text: string): boolean {
  return isHex(text) || shapes.some(([letters, shape]) => text.includes(letters) && shape.test(text));
}

/** Every secret in a text that its shape gives away. */
export function secretsIn(text: string): readonly string[] {
  return shapes.flatMap(([, shape]) => [...text.matchAll(new RegExp(shape.source, "g"))].map(([found]) => found));
}
