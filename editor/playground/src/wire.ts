import { liveAnswers, type Message } from "./live-answers.ts";

/** The worker as Monaco's language client sees it, and a way past that client for what only this page asks. */
export interface Wire {
  readonly client: Worker;
  readonly request: <T>(method: string, params: unknown) => Promise<T>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: Error) => void;
}

export function wire(worker: Worker): Wire {
  const send = worker.postMessage.bind(worker);
  const waiting = new Map<string, Waiting>();
  const { sent, received } = liveAnswers();
  let asked = 0;
  const receive =
    (listener: (event: MessageEvent) => void) =>
    (event: MessageEvent<Message>): void => {
      const { id, error, result } = event.data;
      const own = typeof id === "string" ? waiting.get(id) : undefined;
      if (own === undefined || typeof id !== "string")
        return listener(new MessageEvent("message", { data: received(event.data) }));
      waiting.delete(id);
      if (error === undefined) own.resolve(result as never);
      else own.reject(new Error(error.message));
    };
  const client = {
    addEventListener: (_: "message", listener: (event: MessageEvent) => void) =>
      worker.addEventListener("message", receive(listener)),
    removeEventListener: () => worker.terminate(),
    postMessage: (message: Message) => {
      sent(message);
      send(introduced(message));
    },
  };
  return {
    client: client as unknown as Worker,
    request: (method, params) =>
      new Promise((resolve, reject) => {
        asked += 1;
        const id = `page-${asked}`;
        waiting.set(id, { resolve, reject });
        send({ jsonrpc: "2.0", id, method, params });
      }),
  };
}

/**
 * Monaco's client understands snippets and does not say so; and it pulls diagnostics half a second after a keystroke, while the server
 * pushes them at once to clients that do not pull.
 */
function introduced(message: Message): Message {
  if (message.method !== "initialize") return message;
  const params = structuredClone(message.params) as {
    capabilities: {
      textDocument: { diagnostic?: unknown; completion: { completionItem: { snippetSupport?: boolean } } };
    };
  };
  const { textDocument } = params.capabilities;
  delete textDocument.diagnostic;
  textDocument.completion.completionItem.snippetSupport = true;
  return { ...message, params };
}
