import {element, fill, tiles, announce} from './element.js';
import {bytes, count, duration, percent, rate, seconds} from './text.js';
import {table} from './table.js';
import {curve} from './curve.js';
import {get} from './server.js';
import {isAdministrator} from './administer.js';

const SERVING = ['active', 'joining', 'draining', 'maintenance'];
const HEALTH = [
  ['missing', 'no copy can be read, and none may come back by itself'],
  ['damaged', 'no copy can be read, and all that are left are damaged'],
  ['under_replicated', 'fewer good copies than the file asks for'],
  ['misreplicated', 'enough copies, badly spread over hosts or racks'],
  ['over_replicated', 'more copies than the file asks for'],
  ['unknown', 'no copy can be read now; a server or volume that may have one is away'],
  ['with_damaged_copy', 'some copy is damaged, others are good'],
  ['beyond_hosts', 'the file asks for more copies than there are hosts'],
];

/** Where a server's room is. What is told by its volumes is divided; the rest is other. */
export function room(server) {
  const takers = server.volumes.filter(volume => volume.failure === '' && !volume.draining);
  const reserved = takers.reduce((sum, volume) => sum + volume.capacity_bytes - volume.used_bytes - volume.free_bytes, 0);
  const rest = Math.max(0, server.capacity_bytes - server.used_bytes - server.free_bytes);
  return {capacity: server.capacity_bytes, used: server.used_bytes, free: server.free_bytes,
    reserved: Math.min(rest, reserved), other: Math.max(0, rest - reserved)};
}

export function isWell(server) {
  return server.state !== 'dead' && server.state !== 'stale' && server.failure === ''
    && server.volumes.every(volume => volume.failure === '' && volume.structure_damage === '' && volume.slowness === '');
}

function problems(data) {
  const found = [];
  if (data.safe_mode) found.push('Safe mode is on: nothing may be changed until it is left.');
  data.groups.filter(group => group.failure).forEach(group => found.push(`${group.group} does not answer: ${group.failure}`));
  data.metadata_servers.filter(server => !server.answers).forEach(server => found.push(`metadata server ${server.address} does not answer`));
  data.metadata_servers.filter(server => server.answers && server.stopped.length > 0).forEach(server =>
    found.push(`metadata server ${server.address}: ${server.stopped.length} replicas have stopped`));
  data.metadata_servers.filter(server => server.low_space).forEach(server => found.push(`metadata server ${server.address}: its disk is almost full`));
  if (data.copies.brake) found.push(`No copies are made: ${data.copies.brake}`);
  const health = data.copies.waiting_by_health ?? {};
  if (health.missing > 0) found.push(`${count(health.missing)} blocks are missing`);
  if (health.damaged > 0) found.push(`${count(health.damaged)} blocks are damaged`);
  data.block_servers.filter(server => server.state !== 'gone' && !isWell(server)).forEach(server => found.push(
    `block server ${server.id} (${server.address}) ${trouble(server)}`));
  return found;
}

function trouble(server) {
  if (server.state === 'dead' || server.state === 'stale') return `is ${server.state}`;
  if (server.failure) return `does not answer: ${server.failure}`;
  const volume = server.volumes.find(each => each.failure || each.structure_damage || each.slowness);
  return volume.failure ? `has a volume that has stopped: ${volume.failure}`
    : volume.structure_damage ? `has a damaged volume: ${volume.structure_damage}` : `has a slow volume: ${volume.slowness}`;
}

function view() {
  const verdict = element('section', {class: 'verdict', 'aria-label': 'Verdict'});
  const figures = element('div');
  const capacity = element('section', {'aria-label': 'Capacity'});
  const affected = element('div');
  const blocks = table({
    caption: 'Blocks that are not as their files ask for', key: row => row.name, empty: 'All blocks are as their files ask for.',
    columns: [
      {name: 'Blocks are', value: row => row.name.replaceAll('_', '-'), fixed: true},
      {name: 'Number', value: row => row.number, show: row => count(row.number), number: true, fixed: true},
      {name: 'That is', value: row => row.text, wrap: true, fixed: true},
    ],
  });
  const curves = [
    curve({title: 'Requests a second to the groups led here', name: 'tatami_group_requests',
      only: name => name.endsWith(':rate'), of: values => values.reduce((sum, value) => sum + value, 0), text: rate}),
    curve({title: 'Time to make a batch durable here, 99th percentile', name: 'tatami_group_commit_duration',
      only: name => name.endsWith(':p99'), of: values => Math.max(...values), text: seconds}),
  ];
  const root = element('div', {}, verdict, figures, element('h2', {}, 'Copies of blocks'), blocks.root, affected,
    element('h2', {}, 'Capacity'), capacity, element('h2', {}, 'This metadata server, last hour'),
    element('div', {class: 'curves'}, ...curves.map(each => each.root)));

  function drawVerdict(found) {
    const most = 12;
    verdict.classList.toggle('is-bad', found.length > 0);
    const text = found.length === 0 ? 'All servers, groups and volumes work.' : `${found.length} ${found.length === 1 ? 'problem' : 'problems'}`;
    fill(verdict, element('strong', {class: found.length ? 'bad' : 'good'}, text), found.length === 0 ? null
      : element('ul', {}, ...found.slice(0, most).map(line => element('li', {}, line)),
        found.length > most ? element('li', {}, `and ${found.length - most} more: see Nodes and Groups`) : null));
    announce(text);
  }

  function drawFigures(data) {
    const servers = data.block_servers.filter(server => server.state !== 'gone');
    const well = servers.filter(server => SERVING.includes(server.state) && isWell(server)).length;
    const metadata = data.metadata_servers.filter(server => server.answers).length;
    const answering = data.groups.filter(group => !group.failure).length;
    const copies = data.copies;
    const health = copies.waiting_by_health;
    const heal = copies.seconds_to_heal;
    const sum = field => data.groups.reduce((all, group) => all + (group[field] ?? 0), 0);
    fill(figures, tiles([
      ['Block servers', `${well} of ${servers.length}`, 'serve well', well < servers.length ? 'bad' : null],
      ['Metadata servers', `${metadata} of ${data.metadata_servers.length}`, 'answer', metadata < data.metadata_servers.length ? 'bad' : null],
      ['Groups', `${answering} of ${data.groups.length}`, 'answer', answering < data.groups.length ? 'bad' : null],
      ['Files', count(sum('files')), `${count(sum('directories'))} directories, ${bytes(sum('bytes'))}`],
      ['Time to heal', !health ? '–' : heal === 'unknown' ? 'not known' : heal === 0 ? 'nothing to heal' : `about ${duration(heal * 1000)}`,
        !health ? 'no leader tells' : `${count(health.copies_lacking)} copies lack, ${rate(copies.made_per_second)} a second are made`],
      ['One more loss would cost', `${count(copies.waiting_with_one_copy_left)} blocks`,
        `of several copies, of which one good is left; beside ${count(copies.files_of_one_copy)} ${copies.files_of_one_copy === 1 ? 'file that asks' : 'files that ask'} for one copy`,
        copies.waiting_with_one_copy_left > 0 ? 'bad' : null],
    ]));
  }

  function drawCapacity(servers) {
    const all = servers.filter(server => server.state !== 'dead' && server.state !== 'gone').map(room);
    const sum = name => all.reduce((whole, each) => whole + each[name], 0);
    const whole = sum('capacity');
    if (whole === 0) {
      fill(capacity, element('p', {class: 'note'}, 'No block server has told of room yet.'));
      return;
    }
    const kinds = ['used', 'other', 'reserved', 'free'];
    const meaning = {used: 'taken by blocks, and kept for blocks that are being written',
      other: 'room that takes no new blocks: of volumes that drain or do not serve',
      reserved: 'never given to blocks, so that a volume can be compacted', free: 'for new blocks'};
    const bar = element('div', {class: 'stack', 'aria-hidden': 'true'}, ...kinds.map(kind => {
      const piece = element('i', {class: kind});
      piece.style.width = `${100 * sum(kind) / whole}%`;
      return piece;
    }));
    fill(capacity, bar, element('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Capacity in figures'},
      element('table', {}, element('caption', {}, `${bytes(whole)} of block servers that are not dead`),
        element('tbody', {}, ...kinds.map(kind => element('tr', {},
          element('th', {scope: 'row'}, element('span', {class: `swatch ${kind}`}), kind),
          element('td', {class: 'number'}, bytes(sum(kind))), element('td', {class: 'number'}, percent(sum(kind), whole)),
          element('td', {class: 'wrap'}, meaning[kind])))))));
  }

  async function drawAffected(stuck) {
    if (stuck.length === 0) { fill(affected); return; }
    let known = stuck.map(each => ({block: each.block, path: '', reason: each.reason}));
    if (isAdministrator()) {
      try { known = (await get('/api/admin/stuck')).stuck; } catch (refusal) { /* The blocks are told without paths. */ }
    }
    fill(affected, element('h3', {}, 'Some blocks that cannot go on'), element('ul', {}, ...known.map(each =>
      element('li', {}, element('code', {}, each.path || `block ${each.block}`), ` ${each.reason}`))),
      isAdministrator() ? null : element('p', {class: 'note'}, 'Administrators see the paths of their files.'),
      element('p', {class: 'note'}, element('code', {}, 'tatami fsck URI --corrupt'), ' and ',
        element('code', {}, '--under'), ' list all affected files.'));
  }

  return {
    root,
    update(data) {
      drawVerdict(problems(data));
      drawFigures(data);
      const health = data.copies.waiting_by_health ?? {};
      blocks.update(HEALTH.filter(([name]) => health[name] > 0).map(([name, text]) => ({name, text, number: health[name]})));
      drawAffected(data.copies.stuck ?? []);
      drawCapacity(data.block_servers);
      curves.forEach(each => each.update());
    },
  };
}

export const overview = {name: 'overview', title: 'Overview', source: '/api/cluster', view};
