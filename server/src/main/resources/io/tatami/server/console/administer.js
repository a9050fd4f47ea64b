import {element, fill, announce} from './element.js';
import {get, post} from './server.js';

let session = {administrator: '', reader: ''};
const listeners = [];

export const isAdministrator = () => session.administrator !== '';
export const reader = () => session.reader;

/** @param listener is called when another person looks, or the same one may do more or less */
export function onSession(listener) { listeners.push(listener); }

/** Takes an invitation out of the address, where there is one, and begins a session by it. */
export async function begin() {
  const invitation = /^#invitation=([\w-]+)$/.exec(location.hash)?.[1];
  if (invitation) {
    history.replaceState(null, '', location.pathname + '#/overview');
    try {
      await post('/login', {invitation});
      announce('You are an administrator now.');
    } catch (refusal) {
      show(refusal.message);
    }
  }
  await look();
}

/** Asks who looks. */
export async function look() {
  const before = JSON.stringify(session);
  try {
    session = await get('/api/session');
  } catch (refusal) {
    return;
  }
  if (before !== JSON.stringify(session)) {
    draw();
    listeners.forEach(listener => listener());
  }
}

function draw() {
  const place = document.getElementById('session');
  if (!isAdministrator()) {
    fill(place, `reads as ${session.reader}`);
    return;
  }
  fill(place, `administrator: ${session.administrator}`, element('button', {type: 'button', class: 'plain', onclick: async () => {
    try { await post('/logout'); } catch (refusal) { show(refusal.message); }
    await look();
  }}, 'Log out'));
}

/** Shows why something could not be done, until something else can be told. */
export function show(text) {
  const place = document.getElementById('trouble');
  place.dataset.from = 'action';
  place.hidden = false;
  fill(place, text, ' ', element('button', {type: 'button', class: 'plain', onclick: () => {
    place.hidden = true; delete place.dataset.from;
  }}, 'Dismiss'));
}

/**
 * A button for administrators that asks first; null for others.
 *
 * @param spec name of the button; label for those who do not see its row; title and text of the question; path and form of
 *   what is posted; danger where it cannot be taken back at once
 */
export function action(spec) {
  if (!isAdministrator()) return null;
  return element('button', {type: 'button', 'aria-label': spec.label, onclick: async () => {
    if (!await confirmed(spec)) return;
    try {
      await post(spec.path, spec.form);
      announce(`${spec.title} Done; the figures follow within seconds.`);
    } catch (refusal) {
      show(`${spec.label}: ${refusal.message}`);
      if (refusal.status === 401) await look();
    }
  }}, spec.name);
}

function confirmed(spec) {
  const dialog = document.getElementById('confirmation');
  fill(document.getElementById('confirmation-title'), spec.title);
  fill(document.getElementById('confirmation-text'), spec.text);
  const yes = fill(document.getElementById('confirmation-yes'), spec.name);
  yes.className = spec.danger ? 'danger' : '';
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise(done => dialog.addEventListener('close', () => done(dialog.returnValue === 'yes'), {once: true}));
}
