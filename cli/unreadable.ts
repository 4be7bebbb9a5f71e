/** Why a file cannot be read or written, in words. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you may not read it",
  EPERM: "you may not read it",
  ELOOP: "its links form a loop",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open",
  EIO: "the disk cannot read it",
};

export function unreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return reasons[code ?? ""] ?? code ?? "unknown reason";
}

const obstacles: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "part of its path is a file",
  EISDIR: "it is a folder",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  EROFS: "that disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your quota of the disk is used up",
  ENAMETOOLONG: "its name is too long",
};

export function unwritable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return obstacles[code ?? ""] ?? message;
}
