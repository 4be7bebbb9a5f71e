/** A screen for one of several runs at once: its lines, each under the point's number. */
import { tellingTo, type Colour, type Screen } from "../../runtime/run/screen.ts";

export function labelled(label: string, stream: NodeJS.WriteStream, colour: Colour): Screen {
  return tellingTo(stream, colour, (text) => text.replaceAll(/^(?=.)/gm, `${label} `));
}
