// Before a check that starts from a snapshot: leaves the code of each script that it loads, as it is when it ends, beside the script.
const { writeFileSync } = require("node:fs");
const vm = require("node:vm");

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    process.on("exit", () => writeFileSync(`${options.filename}.code`, this.createCachedData()));
  }
};
