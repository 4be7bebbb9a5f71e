/** A JSON value. */
export type Document = null | boolean | number | string | readonly Document[] | { readonly [key: string]: Document };
