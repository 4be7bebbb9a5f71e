/** Texts whose form is known: what does not look like one is not one. */
import { textOfForm } from "../../dsl/types/type.ts";

export const version = textOfForm(
  'a version, such as `"1.25"`',
  /^v?\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)[\w.+-]*|[-+][\w.+-]+)?$/,
);

/** Kubernetes' names: RFC 1123 labels, and several of them with dots. */
export const label = textOfForm(
  "a name of lower-case letters, digits and `-`, at most 63",
  /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
);
export const subdomain = textOfForm(
  "a name of lower-case letters, digits, `-` and `.`",
  /^[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/,
);
export const resource = textOfForm(
  "a resource of nodes, `nvidia.com/gpu`",
  /^[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?\/[A-Za-z0-9](?:[-.\w]{0,61}[A-Za-z0-9])?$/,
);
export const selector = textOfForm(
  "a label and its value, `key=value`",
  /^[A-Za-z0-9][\w./-]*=[\w.-]*(?:,[A-Za-z0-9][\w./-]*=[\w.-]*)*$/,
);

export const commandLine = textOfForm("a command for a shell", /\S/);

/** A blank would end it, and a shell would read the rest. */
export const word = textOfForm("a name without spaces", /^[^\s"'`$;|<>]+$/);

export const host = textOfForm("a host, `name`, `user@name` or an address", /^(?:[\w.-]+@)?[A-Za-z0-9[][\w.:\]-]*$/);

export const imageReference = textOfForm(
  "an image, `registry/name:tag`",
  /^(?:[a-z]+:\/\/)?[A-Za-z0-9][\w./:@#+-]*[A-Za-z0-9]$|^[./~]\S+$/,
);

/** PEP 508, and what pip takes beside it: an address, a folder, a commit of a repository. */
const clause = String.raw`(?:===?|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][\w.*+!-]*`;
export const requirement = textOfForm(
  'a package as pip spells it, such as `"torch==2.8.0"`',
  new RegExp(
    String.raw`^\s*(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\s*(?:\[[\w.,\s-]*\]\s*)?(?:@\s*\S+|\(?(?:${clause}\s*(?:,\s*${clause}\s*)*)?\)?)|(?:[a-z+]+:\/\/|\.{0,2}\/)\S+)\s*(?:;.*\S.*)?$`,
  ),
);
