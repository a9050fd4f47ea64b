// Questions to this metadata server.
const BUSY_TRIES = 12, BUSY_PAUSE_MILLIS = 400;

/** Why there is no answer. The status is 0 where the server does not answer at all. */
export class Refusal extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

const pause = millis => new Promise(done => setTimeout(done, millis));

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (failure) {
    throw new Refusal(0, 'this metadata server does not answer');
  }
  if (!answer.ok) throw new Refusal(answer.status, (await answer.text()).trim());
  return answer;
}

/** The JSON at a path. What is refused because another question is being answered is asked again. */
export async function get(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  for (let left = BUSY_TRIES; ; left--) {
    try {
      return await (await ask(query ? `${path}?${query}` : path)).json();
    } catch (refusal) {
      if (refusal.status !== 503 || !refusal.message.includes('ask again') || left === 0) throw refusal;
      await pause(BUSY_PAUSE_MILLIS);
    }
  }
}

/** The text that a change is answered with. */
export async function post(path, form = {}) {
  return (await ask(path, {method: 'POST', body: new URLSearchParams(form)})).text();
}
