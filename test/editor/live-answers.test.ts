import { describe, expect, it } from "vitest";
import { liveAnswers } from "../../editor/playground/src/live-answers.ts";

const of = (uri: string) => ({ textDocument: { uri } });
const close = { method: "textDocument/didClose", params: of("file:///main.cdr") };
const hints = { id: 4, method: "textDocument/inlayHint", params: of("file:///main.cdr") };

describe("answers that reach the playground's editor", () => {
  it("are as the server gave them while every file is open", () => {
    const { sent, received } = liveAnswers();
    sent(hints);
    const answer = { id: 4, result: [{ label: "8B" }] };
    expect(received(answer)).toBe(answer);
  });

  it("say nothing of a file that was closed since, even if another took its name", () => {
    const { sent, received } = liveAnswers();
    sent(hints);
    sent({ ...hints, id: 5 });
    sent(close);
    sent({ method: "textDocument/didOpen", params: of("file:///main.cdr") });
    sent({ ...hints, id: 6 });
    expect(received({ id: 4, result: [{ label: "8B" }] })).toEqual({ id: 4, result: null });
    expect(received({ id: 5, error: { code: -32603, message: "no such file" } })).toEqual({ id: 5, result: null });
    expect(received({ id: 6, result: [] })).toEqual({ id: 6, result: [] });
  });

  it("say nothing where the server says that the text changed meanwhile, and everything else that it refuses", () => {
    const { sent, received } = liveAnswers();
    sent(hints);
    sent({ ...hints, id: 5 });
    const changed = { id: 4, error: { code: -32801, message: "the text has changed since" } };
    const refused = { id: 5, error: { code: -32603, message: "no" } };
    expect(received(changed)).toEqual({ id: 4, result: null });
    expect(received(refused)).toBe(refused);
  });

  it("leaves what is not about a file alone", () => {
    const { sent, received } = liveAnswers();
    sent({ id: 0, method: "initialize", params: { capabilities: {} } });
    sent(close);
    const [begun, asks, said] = [
      { id: 0, result: { capabilities: {} } },
      { id: 0, method: "workspace/inlayHint/refresh" },
      { method: "textDocument/publishDiagnostics", params: { uri: "file:///main.cdr", diagnostics: [] } },
    ];
    for (const message of [asks, said, begun]) expect(received(message)).toBe(message);
  });
});
