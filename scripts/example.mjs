// Copies the contracts of static/example/contracts into static/example/scenario.json, which submits
// them. A submission that is rejected differs in one line from the accepted one.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const FOLDER = new URL("../static/example/", import.meta.url);
const FAULTS = { physics: ["name: list_week\n", "name: list_tasks\n"] };

const scenarioFile = new URL("scenario.json", FOLDER);
const scenario = JSON.parse(readFileSync(scenarioFile, "utf8"));
for (const file of readdirSync(new URL("contracts/", FOLDER))) {
  const type = file.replace(/\.\w+$/, "");
  const text = readFileSync(new URL(`contracts/${file}`, FOLDER), "utf8");
  const calls = scenario.runs[`contract/${type}`].flat().flatMap((reply) => reply.tool_calls ?? []);
  const submissions = calls.filter((call) => call.name === "submit_contract");
  const accepted = submissions.pop();
  accepted.input.content = text;
  for (const refused of submissions) {
    const [right, wrong] = FAULTS[type];
    if (!text.includes(right)) throw new Error(`${file} no longer contains ${JSON.stringify(right)}`);
    refused.input.content = text.replace(right, wrong);
  }
}
writeFileSync(scenarioFile, `${JSON.stringify(scenario, null, 1)}\n`);
