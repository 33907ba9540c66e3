// Prints how many nanoseconds ajv behind JSON.parse takes for one body: node contract_ajv.js FILE text|bytes.
//
// FILE holds the schema on one line, then the body; with `bytes` the body is a Buffer, as a socket gives it, which
// JSON.parse wants to have as a string first. ajv comes from `npm install --prefix build/ajv ajv`.
"use strict";
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");

const folder = path.join(__dirname, "..", "..", "build", "ajv");
const Ajv = createRequire(path.join(folder, "package.json"))("ajv/dist/2020").default;

const [schema, ...rest] = fs.readFileSync(process.argv[2], "utf8").split("\n");
const body = rest.join("\n");
const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(JSON.parse(schema));

const bytes = Buffer.from(body);
const read = process.argv[3] === "bytes" ? () => JSON.parse(bytes.toString("utf8")) : () => JSON.parse(body);

// The smaller one of time on the clock, which others on the machine lengthen, and of CPU time, which counts helpers too.
function round(count) {
  const start = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  let valid = 0;
  for (let i = 0; i < count; ++i) valid += validate(read()) ? 1 : 0;
  const used = process.cpuUsage(cpu);
  const taken = Math.min(Number(process.hrtime.bigint() - start), 1000 * (used.user + used.system));
  if (valid !== count) throw new Error("the body is not valid");
  return taken / count;
}

round(20000);
let best = Infinity;
for (let i = 0; i < 5; ++i) best = Math.min(best, round(40000));
console.log(best.toFixed(1));
