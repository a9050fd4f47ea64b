import {element, fill, announce} from './element.js';
import {bytes, count, duration, moment} from './text.js';
import {table} from './table.js';
import {get} from './server.js';
import {reader} from './administer.js';

const SIZES = [['empty', 0], ['up to 4 KiB', 4096], ['up to 16 KiB', 16384], ['up to 1 MiB', 1 << 20], ['up to 16 MiB', 1 << 24],
  ['up to 256 MiB', 1 << 28], ['larger', Infinity]];
const LETTERS = ['---', '--x', '-w-', '-wx', 'r--', 'r-x', 'rw-', 'rwx'];
const MAP_BLOCKS = 40;

const address = (path, file) => `#/files?path=${encodeURIComponent(path)}${file ? '&file' : ''}`;
const child = (path, name) => path === '/' ? `/${name}` : `${path}/${name}`;

/** As ls writes it. */
export function permissions(entry) {
  const mode = parseInt(entry.mode, 8);
  const first = {directory: 'd', link: 'l', file: '-'}[entry.kind];
  const text = first + LETTERS[mode >> 6 & 7] + LETTERS[mode >> 3 & 7] + LETTERS[mode & 7];
  const sticky = mode & 0o1000 ? text.slice(0, 9) + (text[9] === 'x' ? 't' : 'T') : text;
  return sticky + (entry.has_acl ? '+' : '');
}

function view(first) {
  const where = element('nav', {class: 'crumbs', 'aria-label': 'Path'});
  const box = element('input', {type: 'text', size: '36', 'aria-label': 'Path', spellcheck: 'false', autocapitalize: 'off'});
  const form = element('form', {class: 'tools', onsubmit: event => { event.preventDefault(); location.hash = address(box.value || '/'); }},
    element('label', {}, 'Go to', box), element('button', {type: 'submit', class: 'plain'}, 'Go'));
  const below = element('div');
  const root = element('div', {}, element('p', {class: 'note'}, 'Files are read as ', element('code', {}, reader() || 'nobody'), '; what this user may not see is not shown.'),
    form, where, below);
  let path = '/', turn = 0;

  function drawCrumbs(isFile) {
    const names = path === '/' ? [] : path.slice(1).split('/');
    const steps = [element('a', {href: address('/')}, '/')];
    names.forEach((name, at) => {
      const to = `/${names.slice(0, at + 1).join('/')}`;
      const isLast = at === names.length - 1;
      steps.push(element('a', {href: address(to, isLast && isFile), 'aria-current': isLast ? 'location' : null}, name));
      if (!isLast) steps.push(element('span', {'aria-hidden': 'true'}, '/'));
    });
    fill(where, ...steps);
  }

  async function go(parameters) {
    path = parameters.get('path') || '/';
    const isFile = parameters.has('file');
    const mine = ++turn;
    box.value = path;
    drawCrumbs(isFile);
    fill(below, element('p', {class: 'note', role: 'status'}, 'Asking the cluster…'));
    try {
      const made = isFile ? await fileView(path) : await directoryView(path, parameters.get('after') ?? '');
      if (mine === turn) fill(below, made);
    } catch (refusal) {
      if (mine !== turn) return;
      if (refusal.status === 400 && !isFile && /is no directory/.test(refusal.message)) { location.replace(address(path, true)); return; }
      fill(below, element('p', {class: 'verdict is-bad', role: 'alert'}, element('strong', {}, refusal.status === 403
        ? `${reader()} may not read this. ` : refusal.status === 404 ? 'There is nothing here. ' : 'This cannot be shown. '), refusal.message));
    }
  }

  go(first);
  return {root, update() {}, moved: go};
}

async function directoryView(path, after) {
  const listed = await get('/api/files', {path, after});
  const entries = table({
    caption: after ? `Entries behind ${after}` : 'Entries', filter: 'Filter', key: row => row.name, empty: after ? 'No more entries.' : 'This directory is empty.',
    columns: [
      {name: 'Name', value: row => row.name, show: row => row.kind === 'link' ? `${row.name} → ${row.link_target}`
        : element('a', {href: address(child(path, row.name), row.kind === 'file')}, row.kind === 'directory' ? `${row.name}/` : row.name)},
      {name: 'Permissions', value: row => row.mode, show: row => element('code', {}, permissions(row))},
      {name: 'Owner', value: row => row.owner}, {name: 'Group', value: row => row.group},
      {name: 'Length', value: row => row.kind === 'file' ? row.length : -1, show: row => row.kind === 'file' ? bytes(row.length) : '–', number: true},
      {name: 'Copies', value: row => row.copies, show: row => row.kind !== 'file' ? '–' : row.is_inline ? 'inline' : row.copies, number: true},
      {name: 'Modified', value: row => row.modified_millis, show: row => moment(row.modified_millis)},
      {name: 'Open', value: row => row.is_open ? 'open' : '', show: row => row.is_open ? element('span', {class: 'warn'}, 'is written') : ''},
    ],
  });
  entries.update(listed.entries);
  const sums = element('div', {class: 'tools', role: 'status'});
  const open = element('div');
  const totals = element('button', {type: 'button', class: 'plain', onclick: async () => {
    await told(sums, async () => {
      const all = await get('/api/totals', {path});
      return [`${bytes(all.bytes)} in ${count(all.files)} files and ${count(all.directories)} directories; ${bytes(all.space_bytes)} with the copies that they ask for`];
    });
  }}, 'Add up everything below');
  const look = element('button', {type: 'button', class: 'plain', onclick: () => told(open, () => openFiles(path))}, 'Look for open files below');
  return element('div', {}, element('div', {class: 'tools'}, totals, look), sums, open, entries.root,
    listed.next ? element('p', {}, element('a', {href: `${address(path)}&after=${encodeURIComponent(listed.next)}`}, `Entries behind ${listed.next}`)) : null,
    histogram(listed));
}

async function told(place, answer) {
  fill(place, element('span', {class: 'note'}, 'Asking the cluster…'));
  try { fill(place, ...await answer()); } catch (refusal) { fill(place, element('span', {class: 'bad'}, refusal.message)); announce(refusal.message); }
}

async function openFiles(path) {
  const found = await get('/api/open-files', {path});
  const list = table({
    caption: `Files that are open for writing at and below ${path}${found.is_complete ? '' : `; not complete: ${count(found.looked_at)} entries were looked at, of directories that may be read`}`,
    key: row => row.path, empty: 'No file here is open for writing.',
    columns: [
      {name: 'File', value: row => row.path, show: row => element('a', {href: address(row.path, true)}, row.path)},
      {name: 'Owner', value: row => row.owner},
      {name: 'Length so far', value: row => row.length, show: row => bytes(row.length), number: true},
      {name: 'Modified', value: row => row.unchanged_millis, show: row => `${duration(row.unchanged_millis)} ago`, number: true},
    ],
  });
  list.update(found.files);
  return [list.root];
}

function histogram(listed) {
  const files = listed.entries.filter(entry => entry.kind === 'file');
  if (files.length === 0) return null;
  let from = -1;
  const rows = SIZES.map(([name, most]) => {
    const number = files.filter(file => file.length > from && file.length <= most).length;
    from = most;
    return {name, number};
  });
  const most = Math.max(...rows.map(row => row.number));
  return element('div', {}, element('h2', {}, 'Sizes of the files listed above'), element('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Sizes of files'},
    element('table', {class: 'bars'}, element('caption', {}, `${count(files.length)} files; those of up to 16 KiB are stored with the metadata`), element('tbody', {}, ...rows.map(row => {
      const bar = element('i', {'aria-hidden': 'true'});
      bar.style.width = `${100 * row.number / most}%`;
      return element('tr', {}, element('th', {scope: 'row'}, row.name), element('td', {class: 'number'}, count(row.number)), element('td', {}, row.number ? bar : ''));
    })))));
}

async function fileView(path) {
  const file = await get('/api/file', {path});
  const entry = file.entry;
  const facts = [['Length', bytes(entry.length)], ['Permissions', permissions(entry)], ['Owner', `${entry.owner}:${entry.group}`],
    ['Copies', entry.is_inline ? 'inline' : entry.copies], ['Blocks', count(file.blocks_in_all)], ['Block size', bytes(file.block_size)], ['Modified', moment(entry.modified_millis)],
    ['State', entry.is_open ? 'is written' : 'closed']];
  if (entry.is_inline || file.blocks.length === 0) {
    return element('div', {}, factList(facts), element('p', {class: 'note'}, entry.is_inline
      ? 'The file is short and stored with the metadata: it has no blocks.' : 'The file has no blocks yet.'));
  }
  const blocks = table({
    caption: `Blocks${file.blocks.length < file.blocks_in_all ? `: the first ${count(file.blocks.length)} of ${count(file.blocks_in_all)}` : ''}`, key: row => row.id, empty: 'The file has no blocks.',
    isBad: row => row.is_unreadable,
    columns: [
      {name: 'Block', value: row => row.id, show: row => element('code', {}, row.id)},
      {name: 'At', value: row => row.offset, show: row => bytes(row.offset), number: true},
      {name: 'Length', value: row => row.length, show: row => bytes(row.length), number: true},
      {name: 'State', value: row => row.is_unreadable ? 'no copy can be read' : row.is_open ? 'is written' : 'readable',
        show: row => element('span', {class: row.is_unreadable ? 'bad' : 'good'}, row.is_unreadable ? 'no copy can be read' : row.is_open ? 'is written' : 'readable')},
      {name: 'Copies on', value: row => row.copies.map(copy => copy.server).join(), wrap: true,
        show: row => row.copies.map(copy => `${copy.server} (${copy.address} ${copy.rack}${copy.is_bad ? ', bad' : copy.is_alive ? '' : ', away'})`).join(', ') || 'none known'},
    ],
  });
  blocks.update(file.blocks);
  return element('div', {}, factList(facts), element('h2', {}, 'Where the copies are'), map(file.blocks), blocks.root);
}

function factList(facts) {
  return element('dl', {class: 'tiles facts'}, ...facts.map(([name, value]) => element('div', {class: 'tile'}, element('dt', {}, name), element('dd', {}, value))));
}

/** Blocks from left to right, block servers from top to bottom. */
function map(all) {
  const blocks = all.slice(0, MAP_BLOCKS);
  const servers = new Map();
  blocks.forEach(block => block.copies.forEach(copy => servers.set(copy.server, copy)));
  const rows = [...servers.values()].sort((one, other) => one.rack.localeCompare(other.rack) || one.server - other.server);
  const cell = (server, block) => {
    const copy = block.copies.find(each => each.server === server);
    if (!copy) return element('td', {}, element('span', {class: 'unseen'}, 'no'));
    const text = copy.is_bad ? 'bad' : copy.is_alive ? 'good' : 'away';
    return element('td', {}, element('span', {class: `copy${copy.is_bad ? ' is-bad' : copy.is_alive ? '' : ' is-away'}`, title: text}, element('span', {class: 'unseen'}, text), element('span', {'aria-hidden': 'true'}, {bad: '!', good: '✓', away: '?'}[text])));
  };
  return element('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Copies over block servers'}, element('table', {class: 'map'},
    element('caption', {}, `Copies of ${all.length > blocks.length ? `the first ${blocks.length} ` : 'the '}blocks: ✓ good, ? its server is away, ! damaged or gone`),
    element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'Server'), ...blocks.map((block, at) => element('th', {scope: 'col'}, element('span', {}, at + 1))))),
    element('tbody', {}, ...rows.map(row => element('tr', {}, element('th', {scope: 'row'}, `${row.server} ${row.rack}`), ...blocks.map(block => cell(row.server, block)))))));
}

export const files = {name: 'files', title: 'Files', source: '/api/events', parameters: () => ({limit: 0}), view};
