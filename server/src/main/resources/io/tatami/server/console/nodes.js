import {element, fill} from './element.js';
import {bytes, count, duration, micros, percent} from './text.js';
import {table} from './table.js';
import {action, isAdministrator} from './administer.js';
import {isWell} from './overview.js';

function told(server) {
  if (server.failure) return `does not answer: ${server.failure}`;
  const bad = server.volumes.filter(volume => volume.failure || volume.structure_damage || volume.slowness).length;
  const waits = server.volumes.map(volume => volume.drain_waits_for).find(text => text);
  const parts = [];
  if (bad) parts.push(`${bad} of ${server.volumes.length} volumes not well`);
  if (server.state === 'draining') parts.push(server.drained ? 'drained' : `${bytes(server.used_bytes)} left`);
  if (waits) parts.push(`drain waits for: ${waits}`);
  if (server.pulls_running + server.pulls_queued > 0) parts.push(`makes ${server.pulls_running} copies, ${server.pulls_queued} wait`);
  return parts.join('; ');
}

function actions(server) {
  const name = `block server ${server.id}`;
  const form = {server: String(server.id)};
  if (server.state === 'gone') return '';
  const isDraining = server.state === 'draining' || server.state === 'maintenance';
  const isScrubbed = server.volumes.some(volume => volume.scrubbing);
  return element('span', {class: 'row-actions'},
    isDraining ? action({name: 'End drain', label: `End drain of ${name}`, title: `End the drain of ${name}?`,
      text: 'It gets new blocks again. What was moved away stays where it is.', path: '/api/admin/undrain', form})
      : action({name: 'Drain', label: `Drain ${name}`, title: `Drain ${name}?`,
        text: `${server.address} gets no more blocks, and all of its blocks (${bytes(server.used_bytes)}) are copied to other servers. It is read from meanwhile.`,
        path: '/api/admin/drain', form, danger: true}),
    server.state === 'dead' ? null : isScrubbed
      ? action({name: 'End scrub', label: `End scrub of ${name}`, title: `End the scrub of ${name}?`,
        text: 'Damage that nobody reads is found by the next scrub.', path: '/api/admin/scrub', form: {...form, on: 'false'}})
      : action({name: 'Scrub', label: `Scrub ${name}`, title: `Scrub ${name}?`,
        text: 'It reads and checks everything on its volumes, in the background. Reads and writes have precedence.',
        path: '/api/admin/scrub', form: {...form, on: 'true'}}));
}

function state(volume) {
  return volume.failure ? 'stopped' : volume.structure_damage ? 'damaged' : volume.slowness ? 'slow'
    : volume.draining ? (volume.blocks === 0 ? 'drained' : 'draining') : 'serves';
}

function notes(volume) {
  return [volume.failure, volume.structure_damage, volume.slowness, volume.drain_waits_for,
    volume.damaged_chunks > 0 ? `${volume.damaged_chunks} damaged chunks` : '',
    volume.draining && volume.drained_in_millis > 0 ? `drained in about ${duration(volume.drained_in_millis)}` : '',
    volume.scrubbing ? `is scrubbed: ${bytes(volume.scrubbed_bytes)} so far` : '',
    volume.compacting ? 'is compacted' : ''].filter(text => text).join('; ');
}

function view() {
  const balance = element('div', {class: 'tools'});
  const servers = table({
    caption: 'Block servers', filter: 'Filter', key: row => row.id, empty: 'No block server has joined. Start one: tatami start block --data DIR --metadata URI --volume PATH',
    isBad: row => row.state !== 'gone' && !isWell(row),
    columns: [
      {name: 'Id', value: row => row.id, number: false},
      {name: 'Address', value: row => row.address},
      {name: 'Rack', value: row => row.rack},
      {name: 'State', value: row => row.drained ? 'drained' : row.state, show: row => element('span',
        {class: row.state === 'active' ? 'good' : row.state === 'dead' || row.state === 'stale' ? 'bad' : 'warn'}, row.drained ? 'drained' : row.state)},
      {name: 'Do', value: () => '', show: actions, fixed: true, only: isAdministrator},
      {name: 'Heard', value: row => row.heard_millis_ago ?? -1, show: row => row.heard_millis_ago === undefined ? '–' : `${duration(row.heard_millis_ago)} ago`, number: true},
      {name: 'Release', value: row => row.version ?? '', show: row => row.version || '–'},
      {name: 'Volumes', value: row => row.volumes.length, number: true},
      {name: 'Capacity', value: row => row.capacity_bytes, show: row => bytes(row.capacity_bytes), number: true},
      {name: 'Used', value: row => row.capacity_bytes > 0 ? row.used_bytes / row.capacity_bytes : 0,
        show: row => percent(row.used_bytes, row.capacity_bytes), number: true},
      {name: 'Free', value: row => row.free_bytes, show: row => bytes(row.free_bytes), number: true},
      {name: 'Streams', value: row => row.streams, show: row => count(row.streams), number: true},
      {name: 'Notes', value: told, wrap: true},
    ],
  });
  const volumes = table({
    caption: 'Volumes, with the median time of an access in the last minutes (small: less than 1 MiB; large: 4 MiB)', filter: 'Filter',
    key: row => `${row.server} ${row.volume_id} ${row.path}`, empty: 'No block server tells of a volume.',
    isBad: row => row.failure !== '' || row.structure_damage !== '' || row.slowness !== '',
    columns: [
      {name: 'Volume', value: row => row.path},
      {name: 'Server', value: row => row.server},
      {name: 'State', value: state, show: row => element('span', {class: state(row) === 'serves' ? 'good' : state(row) === 'stopped' || state(row) === 'damaged' ? 'bad' : 'warn'}, state(row))},
      {name: 'Capacity', value: row => row.capacity_bytes, show: row => bytes(row.capacity_bytes), number: true},
      {name: 'Used', value: row => row.used_bytes, show: row => bytes(row.used_bytes), number: true},
      {name: 'Free', value: row => row.free_bytes, show: row => bytes(row.free_bytes), number: true},
      {name: 'Blocks', value: row => row.blocks, show: row => count(row.blocks), number: true},
      ...[['Small read', 'small_read_micros'], ['Large read', 'large_read_micros'], ['Small write', 'small_write_micros'], ['Large write', 'large_write_micros']]
        .map(([name, field]) => ({name, value: row => row[field], show: row => micros(row[field]), number: true})),
      {name: 'Notes', value: notes, wrap: true},
    ],
  });
  const metadata = table({
    caption: 'Metadata servers', key: row => row.id, empty: 'The namespace group does not answer, which knows them.',
    isBad: row => !row.answers || row.stopped.length > 0 || row.low_space || row.clock_ahead_seconds !== 0,
    columns: [
      {name: 'Address', value: row => row.address},
      {name: 'State', value: row => row.state},
      {name: 'Answers', value: row => row.answers ? 'yes' : 'no', show: row => element('span', {class: row.answers ? 'good' : 'bad'}, row.answers ? 'yes' : 'no')},
      {name: 'Release', value: row => row.version, show: row => row.version || '–'},
      {name: 'Leads', value: row => row.leads.length, number: true},
      {name: 'Holds', value: row => row.holds.length, number: true},
      {name: 'Notes', value: row => [...row.stopped.map(each => `${each.group} has stopped: ${each.failure}`), row.low_space ? 'its disk is almost full' : '',
        row.clock_ahead_seconds ? `its clock is ${row.clock_ahead_seconds} s ahead` : ''].filter(text => text).join('; '), wrap: true},
    ],
  });
  const moves = table({
    caption: 'Replicas of groups that move', key: row => `${row.group} ${row.from} ${row.to}`, empty: 'None moves.',
    columns: [
      {name: 'Group', value: row => row.group}, {name: 'From', value: row => row.from_address || '–'}, {name: 'To', value: row => row.to_address || '–'},
      {name: 'Entries there', value: row => row.entries_there, show: row => `${count(row.entries_there)} of ${count(row.entries_of_leader)}`, number: true},
      {name: 'Snapshot', value: row => row.snapshot_bytes, show: row => row.snapshot_bytes_total ? `${bytes(row.snapshot_bytes)} of ${bytes(row.snapshot_bytes_total)}` : '–', number: true},
    ],
  });
  const waits = element('p', {class: 'note'});
  const root = element('div', {}, element('h2', {}, 'Block servers'), balance, servers.root, element('h2', {}, 'Volumes'), volumes.root,
    element('h2', {}, 'Metadata servers'), metadata.root, element('h3', {}, 'Joins and leaves'), waits, moves.root);
  let last = null;

  function drawBalance(isOn) {
    const text = `Copies are ${isOn ? '' : 'not '}moved from full block servers to empty ones.`;
    fill(balance, element('span', {class: 'note'}, text), action({
      name: isOn ? 'Switch balancing off' : 'Switch balancing on', label: isOn ? 'Switch balancing off' : 'Switch balancing on',
      title: isOn ? 'Switch balancing off?' : 'Switch balancing on?',
      text: isOn ? 'Copies stay where they are, also where servers differ much.' : 'Copies are moved where two servers differ by more than 10 percent of their room.',
      path: '/api/admin/balance', form: {on: String(!isOn)}}));
  }

  function update(data) {
    last = data;
    if (!balance.contains(document.activeElement)) drawBalance(data.balance_is_on);
    servers.update(data.block_servers.map(server => ({...server, heard_millis_ago: data.heard_millis_ago[server.id]})));
    volumes.update(data.block_servers.flatMap(server => server.volumes.map(volume => ({...volume, server: server.id}))));
    metadata.update(data.metadata_servers);
    const address = id => data.metadata_servers.find(server => server.id === id)?.address;
    moves.update((data.metadata.moves ?? []).map(move => ({...move, from_address: address(move.from), to_address: address(move.to)})));
    fill(waits, data.metadata.waits_for ? `Waits: ${data.metadata.waits_for}` : '');
  }

  return {root, update, renew() { servers.renew(); if (last) drawBalance(last.balance_is_on); }};
}

export const nodes = {name: 'nodes', title: 'Nodes', source: '/api/cluster', view};
