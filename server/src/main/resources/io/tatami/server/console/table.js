import {element, fill} from './element.js';

const PAGE_ROWS = 25;

/**
 * A table that stays while its rows are renewed: the order, the filter, the page and the focus are kept.
 *
 * @param spec caption; columns, each with a name, a value of a row to sort by, and perhaps show (of a row, for the cell),
 *   number, wrap, fixed (not sorted by) and only (whether it is shown to who looks); key of a row; isBad of a row, perhaps: those come first until a column is chosen;
 *   empty, the text for no rows; filter, the label of a box to filter by, perhaps
 */
export function table(spec) {
  const body = element('tbody');
  const pages = element('div', {class: 'pages'});
  const tools = element('div', {class: 'tools'});
  const heads = spec.columns.map((column, place) => element('th',
    {scope: 'col', class: column.number ? 'number' : null},
    column.fixed ? element('span', {}, column.name)
      : element('button', {type: 'button', onclick: () => sortBy(place)}, column.name)));
  const box = element('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': spec.caption},
    element('table', {}, element('caption', {}, element('span', {class: 'stay'}, spec.caption)), element('thead', {}, element('tr', {}, ...heads)), body));
  const root = element('div', {}, tools, box);
  const made = new Map();
  const state = {rows: [], sorted: -1, descending: false, words: '', page: 0};
  if (spec.filter) {
    tools.append(element('label', {}, spec.filter, element('input', {
      type: 'search', oninput: event => { state.words = event.target.value.toLowerCase(); state.page = 0; draw(); }})));
  }
  tools.append(pages);

  function sortBy(place) {
    state.descending = state.sorted === place && !state.descending;
    state.sorted = place;
    heads.forEach((head, at) => at === place
      ? head.setAttribute('aria-sort', state.descending ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
    draw();
  }

  function ordered() {
    const chosen = state.words === '' ? [...state.rows] : state.rows.filter(row => spec.columns
      .some(column => String(column.value(row) ?? '').toLowerCase().includes(state.words)));
    if (state.sorted < 0) {
      return spec.isBad ? chosen.sort((one, other) => Number(spec.isBad(other)) - Number(spec.isBad(one))) : chosen;
    }
    const value = spec.columns[state.sorted].value;
    const sign = state.descending ? -1 : 1;
    return chosen.sort((one, other) => sign * compared(value(one), value(other)));
  }

  function draw() {
    const rows = ordered();
    heads.forEach((head, at) => { head.hidden = !isShown(spec.columns[at]); });
    const last = Math.max(0, Math.ceil(rows.length / PAGE_ROWS) - 1);
    state.page = Math.min(state.page, last);
    const begin = state.page * PAGE_ROWS;
    const shown = rows.slice(begin, begin + PAGE_ROWS);
    drawRows(shown);
    if (last === 0) {
      fill(pages, rows.length === state.rows.length ? '' : `${rows.length} of ${state.rows.length}`);
      tools.hidden = !spec.filter;
      return;
    }
    tools.hidden = false;
    const focused = document.activeElement?.dataset?.step;
    const turn = (text, step, isOn) => element('button', {type: 'button', class: 'plain', 'data-step': step, disabled: !isOn,
      onclick: () => { state.page += step; draw(); }}, text);
    const buttons = [turn('Previous', -1, state.page > 0), turn('Next', 1, state.page < last)];
    const hadFocus = pages.contains(document.activeElement);
    fill(pages, buttons[0], `${begin + 1}–${begin + shown.length} of ${rows.length}`, buttons[1]);
    if (hadFocus) (buttons.find(button => button.dataset.step === focused && !button.disabled)
      ?? buttons.find(button => !button.disabled)).focus();
  }

  function drawRows(rows) {
    if (rows.length === 0) {
      made.clear();
      fill(body, element('tr', {}, element('td', {class: 'empty', colspan: spec.columns.length},
        element('span', {class: 'stay'}, state.words === '' ? spec.empty : 'Nothing here has this text.'))));
      return;
    }
    const keys = new Set(rows.map(spec.key));
    const lines = rows.map(line);
    [...made.keys()].filter(key => !keys.has(key)).forEach(key => made.delete(key));
    const isSame = lines.length === body.children.length && lines.every((row, at) => row === body.children[at]);
    if (!isSame) {
      const focused = document.activeElement;
      const hadFocus = body.contains(focused);
      body.replaceChildren(...lines);
      if (hadFocus) (body.contains(focused) ? focused : box).focus();
    }
  }

  /** The row as it was made before, unless what it tells is another. */
  function line(row) {
    const key = spec.key(row);
    const text = JSON.stringify(row);
    const before = made.get(key);
    if (before && before.text === text) return before.node;
    const node = element('tr', {class: spec.isBad?.(row) ? 'is-bad' : null}, ...spec.columns.filter(isShown).map((column, place) => element(
      place === 0 ? 'th' : 'td',
      {scope: place === 0 ? 'row' : null, class: column.number ? 'number' : column.wrap ? 'wrap' : null},
      (column.show ?? column.value)(row) ?? '')));
    const place = before ? controls(before.node).indexOf(document.activeElement) : -1;
    made.set(key, {text, node});
    if (place >= 0) queueMicrotask(() => controls(node)[place]?.focus());
    return node;
  }

  return {
    root,
    /** Shows these rows from now on. */
    update(rows) { state.rows = rows; draw(); },
    /** Makes all rows anew, as who looks may do more or less now. */
    renew() { made.clear(); draw(); },
  };
}

function isShown(column) {
  return column.only?.() ?? true;
}

function controls(node) {
  return [...node.querySelectorAll('a, button')];
}

function compared(one, other) {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one ?? '').localeCompare(String(other ?? ''), 'en', {numeric: true});
}
