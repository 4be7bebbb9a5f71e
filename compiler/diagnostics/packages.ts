/** Diagnostics about pinned packages and releases of Python. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const packagePins = define<{ pin: string; other: string }>({
  code: "cdr/python-pins",
  severity: "error",
  message: ({ pin, other }) => `"${pin}" and "${other}" cannot both be installed`,
  explanation: `An environment, and an image together with its base images, holds one version of each package.`,
  fix: "Write the version once, in the `python` block that the others extend.",
});

export const packageDemand = define<{ pin: string; takes: string; other: string }>({
  code: "cdr/python-demand",
  severity: "error",
  message: ({ pin, takes, other }) => `"${pin}" needs ${takes}, but "${other}" is installed with it`,
  explanation: `A release of vLLM, torchvision, torchaudio and xFormers was built for one release of PyTorch, and transformers trains with an
accelerate that is new enough. For other combinations pip finds no solution, or replaces a package that the image was built on.`,
  fix: "Write the version that it needs, or a release of its own that fits the other package.",
});

export const pythonRelease = define<{ torch: string; version: string; told: boolean }>({
  code: "cdr/python-release",
  severity: "error",
  message: ({ torch, version, told }) =>
    `"${torch}" was never built for Python ${version}${told ? "" : ", which is the default"}`,
  explanation: `Each release of PyTorch comes as wheels for some versions of Python: 2.5 for 3.9 to 3.13, 2.0 for 3.8 to 3.11. For
any other version pip finds no release, which shows only while the image is being built. Packages from indexes other than PyPI's and PyTorch's are not checked.`,
  fix: "Use a version of Python that `valid` lists, or another release of PyTorch.",
});

export const pythonOld = define<{ version: string; first: string }>({
  code: "cdr/python-old",
  severity: "warning",
  message: ({ version, first }) =>
    `no release of PyTorch 2 was built for Python ${version}: the first is for ${first}`,
  explanation: `Packages for training are built only for maintained versions of Python. For any other version pip finds no release, which shows
only while the image is being built.`,
  fix: "Use a version of Python that `valid` lists.",
});
