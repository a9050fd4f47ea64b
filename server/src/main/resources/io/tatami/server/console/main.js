import {element, fill, announce} from './element.js';
import {get} from './server.js';
import {duration} from './text.js';
import {begin, look, onSession} from './administer.js';
import {overview} from './overview.js';
import {nodes} from './nodes.js';
import {groups} from './groups.js';
import {files} from './files.js';
import {plans} from './plans.js';
import {pending} from './pending.js';
import {events} from './events.js';

const PAGES = [overview, nodes, groups, files, plans, pending, events];
const OLD_MILLIS = 45_000, LEAST_PAUSE_MILLIS = 2_000, MOST_PAUSE_MILLIS = 15_000;

const content = document.getElementById('content');
const told = {age: null, at: 0, failure: '', every: MOST_PAUSE_MILLIS};
let shown = null;
let timer = 0;
let asking = 0;
let address = '#/overview';

function parts() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {name: path || 'overview', parameters: new URLSearchParams(query ?? '')};
}

function drawNavigation(name) {
  for (const link of document.querySelectorAll('#pages a')) {
    if (link.dataset.page === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Shows the page that the address names. */
function route() {
  if (location.hash === '#content') {
    history.replaceState(null, '', address);
    content.focus();
    return;
  }
  address = location.hash;
  const {name, parameters} = parts();
  const page = PAGES.find(each => each.name === name);
  if (!page) { location.replace('#/overview'); return; }
  if (shown?.page === page) { shown.view.moved?.(parameters); return; }
  const isFirst = shown === null;
  document.title = `${page.title} – Tatami`;
  drawNavigation(name);
  const body = element('div', {class: 'waits'}, 'Asking this metadata server…');
  fill(content, element('h1', {}, page.title), body);
  shown = {page, body, view: page.view(parameters), isFilled: false};
  if (!isFirst) { content.focus(); window.scrollTo(0, 0); }
  refresh();
}

async function refresh() {
  clearTimeout(timer);
  const mine = ++asking;
  const {page, view, body} = shown;
  try {
    const answer = await get(page.source, page.parameters?.() ?? {});
    if (mine !== asking) return;
    fresh(answer);
    if (answer.data === null) fill(body, answer.failure || 'This metadata server asks the cluster for the first time…');
    else drawPage(view, answer.data);
  } catch (refusal) {
    if (mine !== asking) return;
    told.failure = refusal.message;
    if (!shown.isFilled) fill(body, refusal.message);
  }
  drawFreshness();
  const pause = told.age === null || told.failure ? LEAST_PAUSE_MILLIS
    : Math.min(MOST_PAUSE_MILLIS, Math.max(LEAST_PAUSE_MILLIS, told.every - told.age + 300));
  timer = setTimeout(refresh, pause);
}

function drawPage(view, data) {
  if (!shown.isFilled) {
    shown.body.classList.remove('waits');
    fill(shown.body, view.root);
    shown.isFilled = true;
  }
  view.update(data);
}

function fresh(answer) {
  told.age = answer.age_millis ?? null;
  told.at = performance.now();
  told.every = answer.every_millis;
  told.failure = answer.failure;
}

function drawFreshness() {
  const place = document.getElementById('freshness');
  const age = told.age === null ? null : told.age + performance.now() - told.at;
  const isOld = told.failure !== '' || (age !== null && age > OLD_MILLIS);
  place.classList.toggle('old', isOld);
  fill(place, age === null ? 'no figures yet' : `as of ${duration(age)} ago${told.failure ? ' – not renewed' : isOld ? ' – old' : ''}`);
  const trouble = document.getElementById('trouble');
  if (trouble.dataset.from === 'action') return;
  const reason = told.failure ? `These figures are not renewed: ${told.failure}`
    : isOld ? 'These figures are not renewed: the questions to the cluster take long.' : '';
  if (trouble.textContent !== reason) fill(trouble, reason);
  trouble.hidden = reason === '';
}

/** The header has the cluster's name also on pages that do not tell it. */
async function name() {
  try {
    const {data} = await get('/api/cluster');
    if (data?.name) fill(document.getElementById('cluster-name'), `Tatami: ${data.name}`);
  } catch (refusal) {
    announce(refusal.message);
  }
}

fill(document.getElementById('pages'), ...PAGES.map(page => element('li', {},
  element('a', {href: `#/${page.name}`, 'data-page': page.name}, page.title))));
onSession(() => shown?.view.renew?.());
window.addEventListener('hashchange', route);
document.addEventListener('visibilitychange', () => { if (!document.hidden && shown) refresh(); });
setInterval(drawFreshness, 1000);
setInterval(look, 60_000);
await begin();
route();
name();
