import { LSPErrorCodes } from "vscode-languageserver-protocol";

/** What travels between Monaco's language client and the server. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface LiveAnswers {
  readonly sent: (message: Message) => void;
  /** The message as the client may have it. */
  readonly received: (message: Message) => Message;
}

/**
 * Monaco's client takes every answer for one about the text as it is now: it throws where a place is in a text that was closed while the
 * server thought, and where the server says that a text changed meanwhile. Both come to nothing here: Monaco asks again for the new text.
 * Every file of the page is replaced at once, so an answer that was asked for before one was closed says nothing.
 */
export function liveAnswers(): LiveAnswers {
  const asked = new Map<unknown, number>();
  let closed = 0;
  return {
    sent: ({ id, method, params }) => {
      if (method === "textDocument/didClose") closed += 1;
      else if (id !== undefined && method !== undefined && isOfFile(params)) asked.set(id, closed);
    },
    received: (message) => {
      const { id, method, error } = message;
      const before = method === undefined ? asked.get(id) : undefined;
      if (before === undefined) return message;
      asked.delete(id);
      const isOutdated = before !== closed || error?.code === LSPErrorCodes.ContentModified;
      return isOutdated ? { id, result: null } : message;
    },
  };
}

const isOfFile = (params: unknown): boolean =>
  typeof params === "object" && params !== null && "textDocument" in params;
