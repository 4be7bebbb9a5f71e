/** A mistake that is already reported: unwinds to the sequence around it. */
export class Reported extends Error {}
