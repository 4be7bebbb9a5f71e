/** What measures any character there is: tables so large that bundles load them with the first text that is not plain. */
export { default as wideColumns } from "string-width";
