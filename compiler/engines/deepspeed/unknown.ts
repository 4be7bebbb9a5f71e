/** Thrown where a rule asks for something that nobody knows before the start, or that another finding already refuses. */
export class Undecided extends Error {}
