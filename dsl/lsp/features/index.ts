/** Everything that an editor can ask for; one more is one file and one line here. */
import type { Feature } from "../feature.ts";
import type { Analysis } from "../workspace.ts";
import { incomingCalls, outgoingCalls, prepareCallHierarchy } from "./call-hierarchy.ts";
import { codeActions } from "./code-actions.ts";
import { completion } from "./completion.ts";
import { definition } from "./definition.ts";
import { documentLinks } from "./document-links.ts";
import { documentSymbols } from "./document-symbols.ts";
import { folding } from "./folding.ts";
import { formatting, onTypeFormatting, rangeFormatting } from "./formatting.ts";
import { highlights } from "./highlights.ts";
import { hover, type HoverPart } from "./hover.ts";
import { noOpenKeys, type OpenKeys } from "../open-keys.ts";
import { documentDiagnostics } from "./pull-diagnostics.ts";
import { references } from "./references.ts";
import { prepareRename, rename } from "./rename.ts";
import { selectionRanges } from "./selection-ranges.ts";
import { semanticTokens, semanticTokensDelta, semanticTokensRange } from "./semantic-tokens.ts";
import { signatureHelp } from "./signature-help.ts";
import { prepareTypeHierarchy, subtypes, supertypes } from "./type-hierarchy.ts";
import { workspaceDiagnostics } from "./workspace-diagnostics.ts";
import { workspaceSymbols } from "./workspace-symbols.ts";

export function languageFeatures<A extends Analysis>(
  hoverParts: readonly HoverPart<A>[] = [],
  open: OpenKeys = noOpenKeys,
): readonly Feature<A>[] {
  return [
    ...[completion(open), signatureHelp, definition, references, highlights, prepareRename, rename],
    ...[documentSymbols, workspaceSymbols, folding, selectionRanges, documentLinks],
    ...[formatting, rangeFormatting, onTypeFormatting, codeActions],
    ...[semanticTokens, semanticTokensDelta, semanticTokensRange],
    ...[prepareTypeHierarchy, supertypes, subtypes, prepareCallHierarchy, incomingCalls, outgoingCalls],
    ...[documentDiagnostics, workspaceDiagnostics],
    hover(hoverParts, open),
  ] as readonly Feature<A>[];
}
