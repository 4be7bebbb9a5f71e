/** Diagnostics about what is open to others: images, services, code that comes with weights. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const serviceOpen = define<{ service: string; port: number; why: string }>({
  code: "cdr/service-open",
  severity: "warning",
  message: ({ service, port, why }) =>
    `anyone who reaches port ${port} can do everything that \`${service}\` can: ${why}`,
  explanation:
    "A notebook or a shell on an open port runs the commands of anyone who reaches it, with the rights of the job.",
  fix: "Declare a secret and give it to the service: `key = jupyter_token`.",
});

export const imageRoot = define<{ image: string }>({
  code: "cdr/image-root",
  severity: "error",
  message: ({ image }) => `processes of image \`${image}\` would run as root`,
  explanation: `An attacker who breaks out of a process of root is root on the node. Images have a user of their own, \`app\` by default.`,
  fix: "Remove `user`, which is `app` by default; or name an unprivileged user.",
});

export const imageUnscanned = define<{ push: string; scan: string }>({
  code: "cdr/image-unscanned",
  severity: "warning",
  message: ({ push, scan }) => `\`${push}\` comes before \`${scan}\`: the image is published before it is scanned`,
  explanation: `A vulnerability that is found after the push is found too late: the image may already be in use. An \`image\` block with
\`scan = trivy(fail = high)\` and \`to\` is scanned between building and pushing.`,
  fix: "Scan before the push, or let an `image` block with `scan` and `to` do both.",
});

export const imageFloating = define<{ image: string }>({
  code: "cdr/image-floating",
  severity: "warning",
  message: ({ image }) => `"${image}" is not pinned: each push changes the image`,
  explanation: `A reference without a version, or with \`latest\`, means the last pushed image, so two runs of the same file can differ.`,
  fix: "Name a version or a digest (`name@sha256:…`), or refer to an `image` block, which is pinned by its digest.",
});

export const modelRemoteCode = define<{ model: string; from: string }>({
  code: "cdr/model-remote-code",
  severity: "warning",
  message: ({ model, from }) => `\`${model}\` runs the current Python code of "${from}", since no commit is pinned`,
  explanation: `\`remote_code = true\` runs programs that come with the weights, with your permissions.`,
  fix: 'Pin the commit that you reviewed: `from = "hf://owner/name@<40 hexadecimal digits>"`.',
});
