import {element, fill, announce} from './element.js';
import {rate} from './text.js';
import {table} from './table.js';
import {get} from './server.js';
import {isAdministrator} from './administer.js';

/** The server measures from one question to the next, for a second at least. */
const MEASURE_MILLIS = 1_200;

const pause = () => new Promise(done => setTimeout(done, MEASURE_MILLIS));

/** The directories of which clients ask most. Administrators see them, once they want to. */
export function hotDirectories() {
  const note = element('p', {class: 'note', role: 'status'});
  const list = table({
    caption: 'Requests a second since the last look, by directory', key: row => row.id,
    empty: 'No client has asked for anything in a directory since the last look.',
    columns: [
      {name: 'Directory', value: row => row.path || `d${row.id}`,
        show: row => row.path ? element('code', {}, row.path) : `d${row.id} (its path is not found)`, wrap: true},
      {name: 'Requests a second', value: row => row.requests_per_second, show: row => rate(row.requests_per_second), number: true},
    ],
  });
  const body = element('div');
  const found = element('div');
  let isOn = false, isLooking = false, turn = 0;

  const begin = element('button', {type: 'button', class: 'plain', onclick: () => {
    if (!isOn) fill(note, 'Measuring for a second…');
    isOn = true;
    look();
  }}, 'Look for hot directories');

  /** What stays in place while figures are renewed, so that the focus does. */
  function draw() {
    fill(found);
    fill(note);
    if (isAdministrator()) fill(body, element('div', {class: 'tools'}, begin), note, found);
    else fill(body, element('p', {class: 'note'}, 'Administrators see which directories clients ask for most. ',
      element('code', {}, 'tatami top URI'), ' shows them at a terminal, with users and clients.'));
  }

  /** One look at a time: where the cluster takes long to answer, the page is renewed more often than that. */
  async function look() {
    if (isLooking) return;
    isLooking = true;
    const mine = turn;
    try {
      let told = await get('/api/admin/hot-directories');
      if (!told.is_measured) {
        await pause();
        told = await get('/api/admin/hot-directories');
      }
      if (mine === turn && told.is_measured) show(told);
    } catch (refusal) {
      if (mine === turn) fail(refusal);
    } finally {
      isLooking = false;
    }
  }

  function fail(refusal) {
    fill(note, element('span', {class: 'bad'}, `Hot directories cannot be shown: ${refusal.message}`));
    fill(found);
    announce('Hot directories cannot be shown.');
  }

  function show(told) {
    const missing = told.unmeasured.map(each => `${each.subject} ${each.reason}`).join('; ');
    fill(note, `Clients make ${rate(told.requests_per_second)} requests a second in all; those that name a path or a file count for no directory.`,
      missing ? element('span', {class: 'warn'}, ` Not counted: ${missing}`) : null);
    list.update(told.directories);
    if (!found.contains(list.root)) fill(found, list.root);
  }

  draw();
  return {
    root: element('section', {}, element('h2', {}, 'Hot directories'), body),
    /** Looks again, if somebody wants to see it. */
    update() { if (isOn) look(); },
    /** Who looks may do more or less now. */
    renew() { turn++; isOn = false; draw(); },
  };
}
