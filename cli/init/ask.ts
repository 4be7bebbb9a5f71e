/** The questionnaire at a terminal; `null` where the user leaves it. */
import { cancel, intro, isCancel, select, text } from "@clack/prompts";
import { type InitTemplate, initTemplates } from "./templates.ts";

export interface Asked {
  readonly template: InitTemplate;
  readonly answers: Readonly<Record<string, string>>;
}

/** For terminals that say they have no columns: a line of none holds one letter. */
const widthOfNone = 80;

export async function ask(
  given: InitTemplate | null,
  known: Readonly<Record<string, string>>,
): Promise<Asked | null> {
  if (process.stdout.columns === 0) process.stdout.columns = widthOfNone;
  intro("cdrc init");
  const template = given ?? (await askTemplate());
  if (template === null) return leave();
  const answers: Record<string, string> = { ...known };
  for (const { name, message, default: initial, refuse, choices } of template.questions) {
    if (answers[name] !== undefined) continue;
    const answer =
      choices === undefined
        ? await text({ message, initialValue: initial, validate: (value) => refuse(value ?? "") })
        : await select({
            message,
            initialValue: initial,
            options: choices.map((value) => ({ value, label: value })),
          });
    if (isCancel(answer)) return leave();
    answers[name] = answer;
  }
  return { template, answers };
}

async function askTemplate(): Promise<InitTemplate | null> {
  const options = initTemplates.map((template) => ({
    value: template,
    label: template.name,
    hint: template.summary,
  }));
  const chosen = await select({ message: "What do you want to do?", options });
  return isCancel(chosen) ? null : chosen;
}

function leave(): null {
  cancel("nothing was written");
  return null;
}
