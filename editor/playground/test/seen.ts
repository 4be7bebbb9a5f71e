/** What `drive.ts` saw of the page. */
export interface Seen {
  /** Errors and warnings of the console, exceptions, what was not loaded. */
  readonly complaints: readonly string[];
  /** What the list of examples says of a text of one's own. */
  readonly own: string;
  readonly colours: Readonly<Record<string, string>>;
  readonly mistake: {
    readonly squiggles: number;
    readonly problem: string;
    readonly notice: string;
    readonly stale: boolean;
  };
  readonly mended: { readonly text: string; readonly squiggles: number };
  readonly hover: string;
  readonly completion: readonly string[];
  readonly batch: Readonly<Record<"before" | "after" | "stepsBefore" | "stepsAfter", string>>;
  readonly formatted: string;
  readonly shared: { readonly said: string; readonly text: string; readonly damaged: string };
  readonly definition: string;
  /** Where the list says that mistakes are, and the file that a click on one leads to. */
  readonly elsewhere: { readonly problems: readonly string[]; readonly shown: string };
  readonly themes: readonly string[];
  /** On a narrow screen the plan stands below the text, and nothing is wider than the screen. */
  readonly narrow: boolean;
  readonly unknown: string;
  readonly examples: readonly ExampleSeen[];
  readonly empty: {
    /** What the list of examples says of the page as it opens. */
    readonly first: string;
    readonly nothing: readonly string[];
    readonly broken: string;
  };
}

export interface ExampleSeen {
  readonly group: string;
  readonly name: string;
  /** What the list shows once it is chosen. */
  readonly listed: string;
  readonly stages: readonly {
    readonly name: string;
    readonly figures: readonly string[];
    /** How its time is reckoned: steps, a step, their product, and what comes to it. */
    readonly sum: readonly string[];
  }[];
  readonly notice: string | null;
}
