// Makes elements of the page. Data becomes text only: nothing here reads HTML.

/**
 * @param {string} name of the element
 * @param {object} attributes by name; those that begin with "on" are listeners; undefined, null and false are left out
 * @param children elements, or what becomes text; null is left out
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  fill(made, ...children);
  return made;
}

/** Replaces what is in an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined)
    .map(child => child instanceof Node ? child : document.createTextNode(String(child))));
  return parent;
}

/** Figures with their names: a list of [name, figure, note or null, class or null]. */
export function tiles(figures) {
  return element('dl', {class: 'tiles'}, ...figures.map(([name, figure, note, kind]) =>
    element('div', {class: 'tile'}, element('dt', {}, name), element('dd', {class: kind}, figure),
      note ? element('dd', {class: 'note'}, note) : null)));
}

/** Tells those who do not see the page. */
export function announce(text) {
  const place = document.getElementById('announcement');
  if (place.textContent !== text) place.textContent = text;
}
