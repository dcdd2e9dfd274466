// The routes of contracts and contract generations.
import { TYPES } from "./contracts.mjs";
import { MockGeneration } from "./generation.mjs";
import { questionnaire } from "./questionnaire.mjs";

const list = (items) => ({ body: { items, next: null } });
export const problem = (status, title, detail, fields) => ({
  status,
  body: { type: "about:blank", title, status, detail, fields },
});
export const missing = problem(404, "Not found", "There is nothing here.");
const unfit = (detail, fields) => problem(422, "Does not fit", detail, fields);

export class ContractRoutes {
  /** `contractsOf(project)`, `answersOf(project)` */
  constructor({ contractsOf, answersOf, user, speed }) {
    Object.assign(this, { contractsOf, answersOf, user, speed, generations: [] });
  }

  /** `/api/projects/{project}/contracts…` */
  contracts(method, project, [type, what, version], query, body) {
    const contracts = this.contractsOf(project);
    if (!type) return method === "POST" ? this.import(contracts, body) : list(contracts.list());
    if (type === "findings") return list(contracts.findings());
    if (type === "generate") return this.generate(project, contracts);
    if (!TYPES.includes(type)) return missing;
    if (what === "regenerate") return this.regenerate(project, contracts, type, body);
    if (what === "diff")
      return { body: contracts.diff(type, Number(query.get("from")), Number(query.get("to"))) };
    if (what === "versions" && !version) return list(contracts.history(type));
    if (what === "versions") {
      const found = contracts.versions.get(type)[Number(version) - 1];
      return found ? { body: found } : missing;
    }
    if (method === "PUT") return this.save(contracts, type, body);
    return { body: contracts.get(type) };
  }

  save(contracts, type, { content, version }) {
    if (version !== undefined && version !== contracts.get(type).version)
      return problem(409, "Changed elsewhere", "Someone else has saved this contract.");
    const reason = contracts.misfit(type, content);
    if (reason) return unfit("The text does not fit.", { content: reason });
    contracts.add(type, content, { source: "edited", author: this.user.name });
    return { body: contracts.get(type) };
  }

  import(contracts, { contracts: texts }) {
    const reasons = Object.entries(texts).map(([type, text]) => [
      type,
      contracts.misfit(type, text),
    ]);
    const bad = reasons.filter(([, reason]) => reason);
    if (bad.length > 0)
      return unfit(
        "Not every contract fits.",
        Object.fromEntries(bad.map(([type, reason]) => [`contracts.${type}`, reason])),
      );
    for (const [type, text] of Object.entries(texts))
      contracts.add(type, text, { source: "imported", author: this.user.name });
    return list(contracts.list());
  }

  generate(project, contracts) {
    const open = questionnaire(this.answersOf(project)).progress.missing;
    if (open.length > 0)
      return unfit(
        "Some answers are still needed.",
        Object.fromEntries(
          open.map(({ section, question }) => [
            `answers.${section}.${question}`,
            "answer this first",
          ]),
        ),
      );
    const types = TYPES.filter((type) => !contracts.has(type));
    if (types.length === 0)
      return problem(
        409,
        "Nothing to write",
        "All contracts exist. Regenerate single contracts instead.",
      );
    return this.start(project, contracts, types);
  }

  regenerate(project, contracts, type, { following }) {
    const at = TYPES.indexOf(type);
    return this.start(project, contracts, following ? TYPES.slice(at) : [type]);
  }

  start(project, contracts, types) {
    if (this.underWay(project)) return this.busy();
    const by = this.user.name;
    const generation = new MockGeneration({ project, contracts, types, by, speed: this.speed });
    this.generations.unshift(generation);
    generation.play();
    return { status: 201, body: generation.view };
  }

  underWay = (project) => this.ofContracts(project).some(({ underWay }) => underWay);

  ofContracts = (project) =>
    this.generations.filter(({ view }) => view.project_id === project && !view.answers);

  busy = () =>
    problem(
      409,
      "Already under way",
      "Contracts of this project are being written right now. Wait for the end, or cancel that first.",
    );

  ofProject = (project, query) =>
    list(
      this.ofContracts(project)
        .slice(0, Number(query.get("limit") ?? 50))
        .map(({ view }) => view),
    );

  /** `/api/generations/{id}…` */
  generation(id, command) {
    const found = this.generations.find(({ view }) => view.id === id);
    if (!found) return missing;
    if (command === "cancel") {
      if (!found.underWay && found.view.status !== "cancelled")
        return problem(409, "Already ended", "There is nothing left to cancel.");
      found.cancel();
    }
    if (command === "resume") {
      if (!found.view.answers && this.underWay(found.view.project_id)) return this.busy();
      if (found.view.status === "done")
        return problem(409, "Already done", "All of its contracts are written.");
      found.play();
    }
    return { body: found.view };
  }

  /** Streams the whole generation with each change until it has finished; false for other requests. */
  stream(request, response, [id, command]) {
    const wanted = request.method === "GET" && !command;
    if (!wanted || request.headers.accept !== "text/event-stream") return false;
    const found = this.generations.find(({ view }) => view.id === id);
    if (!found) return false;
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const tell = (view) => {
      response.write(`event: generation\ndata: ${JSON.stringify(view)}\n\n`);
      if (!found.underWay) response.end();
    };
    tell(found.view);
    found.listeners.add(tell);
    response.on("close", () => found.listeners.delete(tell));
    return true;
  }
}
