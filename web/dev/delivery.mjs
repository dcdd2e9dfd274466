// The delivery of a sealed build to a forge: the first attempt fails, the next one opens the pull
// request. Each look at it shows the next step.

const REMOTE = { url: "https://codeberg.org/ada/invoices.git", forge: "gitea" };
const FAILURE =
  "The branch could not be pushed: the server rejected the login. Check the credential: it may be " +
  "missing, expired or lack the permission.";
const COMMENTS = [
  {
    id: "review-7",
    author: "grace",
    text: "Good overall. Two things before this can be merged:\n\n- the report should name the file\n- `--dry-run` is not in the help text",
  },
  {
    id: "comment-31",
    author: "grace",
    path: "src/import/parse-invoice.ts",
    line: 42,
    text: "This rounds each line. The total should be rounded **once**, at the end.",
  },
];
const none = { attempts: 0, failure: null, next_attempt_at: null, note: null, pull_request: null };

export class MockDelivery {
  requests = 0;
  steps = [];
  delivery = null;

  request() {
    this.requests += 1;
    this.steps =
      this.requests === 1
        ? [{ state: "pushing" }, { state: "failed", attempts: 1, failure: FAILURE }]
        : [
            { state: "pushing" },
            { state: "opening" },
            { state: "delivered", pull_request: pull() },
          ];
    this.delivery = { ...none, state: "waiting" };
  }

  view(branch) {
    const shown = this.delivery;
    const next = this.steps.shift();
    if (next) this.delivery = { ...none, ...next };
    return { remote: REMOTE, when: "on_request", branch, delivery: shown, follow_up: null };
  }
}

function pull() {
  return {
    number: 12,
    url: "https://codeberg.org/ada/invoices/pulls/12",
    state: "open",
    draft: false,
    checks: { passed: 2, failed: 0, pending: 1 },
    comments: COMMENTS,
    read_at: new Date().toISOString(),
  };
}
