import {element, fill, tiles} from './element.js';
import {bytes, count, percent} from './text.js';
import {table} from './table.js';
import {get} from './server.js';
import {isAdministrator} from './administer.js';

function view() {
  const figures = element('div');
  const note = element('p', {class: 'note'});
  let last = null, owners = new Map();
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
  const plans = table({
    caption: 'Plans, of everybody, by the first digits of their ids; each server tells its newest 100', filter: 'Filter', key: row => row.plan,
    empty: 'No plan is known. One is made by a program, or by: tatami prefetch URI PATH…', isBad: row => row.failed_bytes > 0,
    columns: [
      {name: 'Plan', value: row => row.plan, show: row => element('code', {}, row.plan)},
      {name: 'Owner', value: row => row.owner ?? 'not told', only: isAdministrator},
      {name: 'About', value: row => row.owner === undefined ? 'not told' : row.about || 'its client does not say', wrap: true, only: isAdministrator},
      {name: 'Servers', value: row => row.servers, number: true},
      {name: 'Planned', value: row => row.planned_bytes, show: row => bytes(row.planned_bytes), number: true},
      {name: 'Staged, read or given up', value: row => row.done, show: row => percent(row.done, row.planned_bytes), number: true},
      {name: 'Waits to be staged', value: row => row.remaining_bytes, show: row => bytes(row.remaining_bytes), number: true},
      {name: 'Waits to be read', value: row => row.waiting_bytes, show: row => bytes(row.waiting_bytes), number: true},
      {name: 'Read', value: row => row.read_bytes, show: row => bytes(row.read_bytes), number: true},
      {name: 'Of these late', value: row => row.read_bytes > 0 ? row.late_bytes / row.read_bytes : 0, show: row => percent(row.late_bytes, row.read_bytes), number: true},
      {name: 'Given up', value: row => row.failed_bytes, show: row => bytes(row.failed_bytes), number: true},
    ],
  });
  const FIELDS = ['planned_bytes', 'remaining_bytes', 'waiting_bytes', 'read_bytes', 'late_bytes', 'failed_bytes'];

  /** The parts on all servers of each plan, together. */
  function together(tiers) {
    const known = new Map();
    for (const part of tiers.flatMap(tier => tier.parts)) {
      const plan = known.get(part.plan) ?? {plan: part.plan, servers: 0, ...Object.fromEntries(FIELDS.map(field => [field, 0]))};
      plan.servers++;
      FIELDS.forEach(field => { plan[field] += part[field]; });
      plan.done = plan.planned_bytes - plan.remaining_bytes;
      known.set(part.plan, plan);
    }
    return [...known.values()].map(plan => ({...plan, owner: owners.get(plan.plan)?.user, about: owners.get(plan.plan)?.about}));
  }

  function drawPlans() {
    if (!isAdministrator()) owners = new Map();
    plans.update(together(last.tiers));
    fill(note, isAdministrator() ? '' : 'Administrators see whose the plans are and what they are about.');
  }

  /** Only administrators hear it, and not with the other figures. */
  async function askOwners() {
    if (!isAdministrator()) return;
    try { owners = new Map((await get('/api/admin/plans')).plans.map(each => [each.plan, each])); } catch (refusal) { /* The plans are told without. */ }
    drawPlans();
  }

  return {
    root: element('div', {}, figures, element('h2', {}, 'Plans'), plans.root, note, element('h2', {}, 'Cache tiers'), tiers.root),
    renew() { plans.renew(); if (last) { drawPlans(); askOwners(); } },
    update(data) {
      last = data;
      const sum = name => data.tiers.reduce((all, tier) => all + tier[name], 0);
      const read = sum('bytes_read_staged') + sum('bytes_read_late');
      fill(figures, tiles([
        ['Parts of plans', count(sum('plans')), 'a plan has a part on each server that stages for it'],
        ['Staged or to be staged', bytes(sum('bytes_planned')), 'and not read yet'],
        ['On the tiers', bytes(sum('used_bytes')), `of ${bytes(sum('capacity_bytes'))}`],
        ['Read from a tier in time', percent(sum('bytes_read_staged'), read), 'of what was planned and read, since the servers started'],
        ['Late', percent(sum('bytes_read_late'), read), `${bytes(sum('bytes_read_late'))} were read before they were staged`],
      ]));
      drawPlans();
      askOwners();
      tiers.update(data.tiers);
    },
  };
}

export const plans = {name: 'plans', title: 'Plans', source: '/api/plans', view};
