// Questions to the studio, and its messages.

export const page = crypto.randomUUID();

export class Refused extends Error {
  constructor(status, problems) {
    super(problems.join("\n"));
    this.status = status;
    this.problems = problems;
  }
}

async function answered(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw new Refused(response.status, body?.problems ?? [`the studio answered ${response.status}`]);
}

export async function get(path) {
  return answered(await fetch(path));
}

export async function post(path, body) {
  return answered(await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ page, ...body }),
  }));
}

/** Messages of the studio: `heard(message)`, and whether it is there at all: `there(yes)`. */
export function listen(heard, there) {
  const source = new EventSource(`/api/events?page=${page}`);
  source.onmessage = (event) => heard(JSON.parse(event.data));
  source.onopen = () => there(true);
  source.onerror = () => there(false);
  addEventListener("pagehide", () => source.close());
}

/** One question at a time, and always the newest next: for what is asked while dragging. */
export class Latest {
  constructor(ask) {
    this.ask = ask;
    this.busy = false;
    this.waiting = null;
  }

  async want(value) {
    this.waiting = { value };
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.waiting) {
        const { value: next } = this.waiting;
        this.waiting = null;
        await this.ask(next);
      }
    } finally {
      this.busy = false;
    }
  }
}
