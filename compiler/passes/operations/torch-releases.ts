/**
 * The releases of PyTorch and the Pythons that each was built for: the wheels for Linux on x86-64 that PyPI lists,
 * read on 2026-11-22. A row holds from its release on, up to the next one's.
 */
type Minor = number;

interface Row {
  readonly since: readonly [number, number, number];
  /** Of Python 3: the first and the last minor version. */
  readonly python: readonly [Minor, Minor];
}

const rows: readonly Row[] = [
  { since: [1, 0, 0], python: [5, 7] },
  { since: [1, 4, 0], python: [5, 8] },
  { since: [1, 6, 0], python: [6, 8] },
  { since: [1, 7, 1], python: [6, 9] },
  { since: [1, 10, 2], python: [6, 10] },
  { since: [1, 11, 0], python: [7, 10] },
  { since: [1, 13, 0], python: [7, 11] },
  { since: [2, 0, 0], python: [8, 11] },
  { since: [2, 2, 0], python: [8, 12] },
  { since: [2, 5, 0], python: [9, 13] },
  { since: [2, 9, 0], python: [10, 14] },
  { since: [2, 15, 0], python: [11, 15] },
];

/** Of each minor release the last patch; the first of 2.15 is the newest that is known. */
const patches: Readonly<Record<number, readonly number[]>> = {
  1: [1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 2, 0, 1, 1],
  2: [1, 2, 2, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0],
};

export interface TorchRelease {
  readonly version: readonly [number, number, number];
  readonly python: readonly [Minor, Minor];
}

export const torchReleases: readonly TorchRelease[] = Object.entries(patches).flatMap(([major, minors]) =>
  minors.flatMap((last, minor) =>
    Array.from({ length: last + 1 }, (_, patch) => {
      const version = [Number(major), minor, patch] as const;
      return { version, python: pythonOf(version) };
    }),
  ),
);

function pythonOf(version: readonly [number, number, number]): Row["python"] {
  const rank = ([major, minor, patch]: readonly [number, number, number]) => major * 1e6 + minor * 1e3 + patch;
  const row = rows.findLast(({ since }) => rank(since) <= rank(version));
  return row?.python ?? [0, 0];
}
