/** A worker from its text: a page that was opened from a folder may load none from a file. */
export const startWorker = (program: string): Worker =>
  new Worker(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
