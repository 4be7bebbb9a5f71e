/** What few stages are judged by: one door for all of it. */
export { frozen } from "./verify-freeze.ts";
export { verifyJob } from "./verify-job.ts";
