/** Requests are answered between `initialize` and `shutdown`, which come once each. */
import { ErrorCodes, ResponseError } from "vscode-languageserver";

export interface Lifecycle {
  /** `initialize` came; refused where it came before. */
  readonly begin: () => ResponseError | null;
  /** `shutdown` came. */
  readonly end: () => void;
  /** Why a request is not answered now. */
  readonly refusal: () => ResponseError | null;
}

export function lifecycle(): Lifecycle {
  let phase: "before" | "open" | "over" = "before";
  return {
    begin: () => {
      if (phase !== "before")
        return new ResponseError(ErrorCodes.InvalidRequest, "the server is already initialized");
      phase = "open";
      return null;
    },
    end: () => {
      phase = "over";
    },
    refusal: () => {
      if (phase === "open") return null;
      return phase === "before"
        ? new ResponseError(ErrorCodes.ServerNotInitialized, "the first request must be `initialize`")
        : new ResponseError(ErrorCodes.InvalidRequest, "the server is shut down");
    },
  };
}
