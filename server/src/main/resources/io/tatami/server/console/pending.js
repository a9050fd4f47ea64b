import {element, fill, tiles} from './element.js';
import {bytes, count, duration, rate} from './text.js';
import {table} from './table.js';

function view() {
  const figures = element('div');
  const balance = element('div');
  const groups = table({
    caption: 'What waits in each group', filter: 'Filter', key: row => row.group, empty: 'No group is known.', isBad: row => row.failure !== '',
    columns: [
      {name: 'Group', value: row => row.group},
      ...[['Changes over several groups', 'transactions'], ['Messages to other groups', 'outbox'], ['Blocks to be deleted', 'reclaim_blocks']]
        .map(([name, field]) => ({name, value: row => row[field] ?? -1, show: row => count(row[field]), number: true})),
      {name: 'Bytes to be freed', value: row => row.reclaim_bytes ?? -1, show: row => bytes(row.reclaim_bytes), number: true},
      ...[['One good copy left', 'last_copy_blocks'], ['Too few copies', 'under_replicated_blocks'], ['To be judged', 'unjudged_blocks']]
        .map(([name, field]) => ({name, value: row => row[field] ?? -1, show: row => count(row[field]), number: true})),
      {name: 'Notes', value: row => row.failure, wrap: true},
    ],
  });
  const drains = table({
    caption: 'Drains', key: row => `${row.id} ${row.volume ?? ''}`, empty: 'Nothing is drained.',
    columns: [
      {name: 'Block server', value: row => row.id, show: row => `${row.id} (${row.address})`},
      {name: 'Volume', value: row => row.volume ?? 'all'},
      {name: 'Left', value: row => row.used_bytes, show: row => row.drained ? 'drained' : bytes(row.used_bytes), number: true},
      {name: 'Ends in', value: row => row.drained_in_millis ?? 0, show: row => row.drained_in_millis ? `about ${duration(row.drained_in_millis)}` : '–', number: true},
      {name: 'Waits for', value: row => row.waits_for ?? '', wrap: true},
    ],
  });

  function drawBalance(told) {
    if (!told) { fill(balance, element('p', {class: 'note'}, 'No leader of a shard tells.')); return; }
    const left = told.under_way ? `${bytes(told.bytes_left)} are to be moved${told.left_millis ? `, in about ${duration(told.left_millis)}` : ''}` : 'nothing is to be moved';
    fill(balance, element('p', {}, `The fullest block server has ${told.fullest_percent} % of its room in use, the emptiest ${told.emptiest_percent} %: ${left}.`),
      element('p', {}, `${count(told.moving_copies)} copies (${bytes(told.moving_bytes)}) are on their way; ${count(told.moved_copies)} (${bytes(told.moved_bytes)}) were moved since the leaders began.`),
      ...told.waits_for.map(text => element('p', {class: 'warn'}, `Balancing waits: ${text}`)));
  }

  return {
    root: element('div', {}, figures, element('h2', {}, 'Balancing'), balance, element('h2', {}, 'Drains'), drains.root,
      element('h2', {}, 'By group'), element('p', {class: 'note'}, 'A deletion goes through three stages: the change itself, where it concerns several groups; messages to the groups that have the files; blocks that block servers are told to delete.'),
      groups.root),
    update(data) {
      const sum = name => data.groups.reduce((all, group) => all + (group[name] ?? 0), 0);
      const copies = data.copies;
      fill(figures, tiles([
        ['Deletion: changes under way', count(sum('transactions')), 'over several groups'],
        ['Deletion: messages', count(sum('outbox')), 'wait to be sent to other groups'],
        ['Deletion: blocks', count(sum('reclaim_blocks')), `${bytes(sum('reclaim_bytes'))} are freed by it`],
        ['Copies to be made', count(sum('last_copy_blocks') + sum('under_replicated_blocks')), `blocks; ${count(sum('last_copy_blocks'))} of them have one good copy left`],
        ['Copies being made', count(copies.being_made), copies.being_made === undefined ? 'no leader tells' : `${bytes(copies.being_made_bytes)}; ${rate(copies.made_per_second)} a second were made of late`],
        ['Moves of replicas', count((data.metadata.moves ?? []).length), data.metadata.waits_for ? `waits: ${data.metadata.waits_for}` : 'between metadata servers'],
      ]));
      drawBalance(copies.balance);
      drains.update(data.draining);
      groups.update(data.groups);
    },
  };
}

export const pending = {name: 'pending', title: 'Pending', source: '/api/pending', view};
