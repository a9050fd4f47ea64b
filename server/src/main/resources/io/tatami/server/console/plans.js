import {element, fill, tiles} from './element.js';
import {bytes, count, percent} from './text.js';
import {table} from './table.js';

function view() {
  const figures = element('div');
  const tiers = table({
    caption: 'Cache tiers, with what access plans have on them', filter: 'Filter', key: row => row.id,
    empty: 'No block server that answers has a cache tier. One is given at its start: tatami start block … --cache PATH or --cache memory',
    isBad: row => row.failure !== '',
    columns: [
      {name: 'Server', value: row => row.id},
      {name: 'Tier', value: row => row.path},
      {name: 'State', value: row => row.failure || 'serves', wrap: true},
      {name: 'Capacity', value: row => row.capacity_bytes, show: row => bytes(row.capacity_bytes), number: true},
      {name: 'Used', value: row => row.used_bytes, show: row => bytes(row.used_bytes), number: true},
      {name: 'Plans', value: row => row.plans, show: row => count(row.plans), number: true},
      {name: 'Planned', value: row => row.bytes_planned, show: row => bytes(row.bytes_planned), number: true},
      {name: 'Staged since start', value: row => row.bytes_staged, show: row => bytes(row.bytes_staged), number: true},
      {name: 'Read staged', value: row => row.bytes_read_staged, show: row => bytes(row.bytes_read_staged), number: true},
      {name: 'Read late', value: row => row.bytes_read_late, show: row => bytes(row.bytes_read_late), number: true},
      {name: 'Damaged copies', value: row => row.damaged_copies, show: row => count(row.damaged_copies), number: true},
    ],
  });
  return {
    root: element('div', {}, figures, tiers.root,
      element('p', {class: 'note'}, 'One plan is told by its client: ', element('code', {}, 'tatami prefetch URI PATH… --status'), '.')),
    update(data) {
      const sum = name => data.tiers.reduce((all, tier) => all + tier[name], 0);
      const read = sum('bytes_read_staged') + sum('bytes_read_late');
      fill(figures, tiles([
        ['Parts of plans', count(sum('plans')), 'a plan has a part on each server that stages for it'],
        ['Staged or to be staged', bytes(sum('bytes_planned')), 'and not read yet'],
        ['On the tiers', bytes(sum('used_bytes')), `of ${bytes(sum('capacity_bytes'))}`],
        ['Read from a tier in time', percent(sum('bytes_read_staged'), read), 'of what was planned and read, since the servers started'],
        ['Late', percent(sum('bytes_read_late'), read), `${bytes(sum('bytes_read_late'))} were read before they were staged`],
      ]));
      tiers.update(data.tiers);
    },
  };
}

export const plans = {name: 'plans', title: 'Plans', source: '/api/plans', view};
