/** What travels between Monaco's language client and the server. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface LiveAnswers {
  readonly sent: (message: Message) => void;
  /** The message as the client may have it. */
  readonly received: (message: Message) => Message;
}

/**
 * The client looks for the text of every place in an answer, and throws where that text was closed while the server thought. Every file
 * of the page is replaced at once, so an answer that was asked for before one was closed says nothing.
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
      const { id, method } = message;
      const before = method === undefined ? asked.get(id) : undefined;
      if (before === undefined) return message;
      asked.delete(id);
      return before === closed ? message : { id, result: null };
    },
  };
}

const isOfFile = (params: unknown): boolean =>
  typeof params === "object" && params !== null && "textDocument" in params;
