import {element} from './element.js';
import {bytes, count, micros, rate, seconds} from './text.js';
import {table} from './table.js';
import {curve} from './curve.js';
import {hotDirectories} from './hot.js';

function view() {
  const groups = table({
    caption: 'Groups; batches are those that were made durable between the last two looks at the cluster', filter: 'Filter',
    key: row => row.group, empty: 'No group is known.', isBad: row => row.failure !== '',
    columns: [
      {name: 'Group', value: row => row.group},
      {name: 'Leader', value: row => row.leader || 'nobody'},
      {name: 'Replicas', value: row => row.replicas.length || 1, number: true,
        show: row => element('span', {title: row.replicas.map(each => `${each.address}${each.member ? '' : ' (joins)'}`).join(', ')}, row.replicas.length || 1)},
      {name: 'Answers', value: row => row.failure ? 'no' : 'yes', show: row => element('span', {class: row.failure ? 'bad' : 'good'}, row.failure ? 'no' : 'yes')},
      {name: 'Batches a second', value: row => row.rate ?? -1, show: row => row.rate === undefined ? 'not known yet' : rate(row.rate), number: true},
      {name: 'Change, 99th percentile', value: row => row.change_micros_p99 ?? -1, show: row => micros(row.change_micros_p99), number: true},
      {name: 'Entries applied', value: row => row.applied_index ?? -1, show: row => count(row.applied_index), number: true},
      {name: 'Log on disk', value: row => row.log_bytes ?? -1, show: row => bytes(row.log_bytes || null), number: true},
      {name: 'Files', value: row => row.files ?? -1, show: row => count(row.files), number: true},
      {name: 'Directories', value: row => row.directories ?? -1, show: row => count(row.directories), number: true},
      {name: 'Bytes', value: row => row.bytes ?? -1, show: row => bytes(row.bytes), number: true},
      {name: 'Blocks', value: row => row.blocks ?? -1, show: row => count(row.blocks), number: true},
      {name: 'Open files', value: row => row.leases ?? -1, show: row => count(row.leases), number: true},
      {name: 'Notes', value: row => row.failure, wrap: true},
    ],
  });
  const replicas = table({
    caption: 'Replicas, and how many entries they are behind their leader, as the servers said last', filter: 'Filter', key: row => `${row.group} ${row.address}`, empty: 'No group has several replicas.',
    isBad: row => row.failure !== '',
    columns: [
      {name: 'Group', value: row => row.group}, {name: 'Server', value: row => row.address},
      {name: 'Part', value: row => row.part},
      {name: 'Entries behind', value: row => row.behind ?? -1, show: row => row.behind === null ? 'not known' : count(row.behind), number: true},
      {name: 'Stopped', value: row => row.failure, wrap: true},
    ],
  });
  const curves = [
    curve({title: 'Requests a second to the groups led here', name: 'tatami_group_requests',
      only: name => name.endsWith(':rate'), of: values => values.reduce((sum, value) => sum + value, 0), text: rate}),
    curve({title: 'Requests that wait for a group here', name: 'tatami_group_queued_requests',
      only: () => true, of: values => values.reduce((sum, value) => sum + value, 0), text: rate}),
    curve({title: 'Time to decide a batch here, 99th percentile', name: 'tatami_group_decide_duration',
      only: name => name.endsWith(':p99'), of: values => Math.max(...values), text: seconds}),
    curve({title: 'Time to make a batch durable here, 99th percentile', name: 'tatami_group_commit_duration',
      only: name => name.endsWith(':p99'), of: values => Math.max(...values), text: seconds}),
  ];

  const hot = hotDirectories();

  function parts(data) {
    const stopped = new Map(data.metadata_servers.flatMap(server => server.stopped.map(each => [`${each.group} ${server.address}`, each.failure])));
    const applied = new Map(data.applied_entries.map(server => [server.address, server.groups]));
    const behind = (group, address) => {
      const there = applied.get(address)?.[group.group], ofLeader = applied.get(group.leader)?.[group.group];
      return there === undefined || ofLeader === undefined ? null : Math.max(0, ofLeader - there);
    };
    return data.groups.flatMap(group => group.replicas.map(replica => ({
      group: group.group, behind: behind(group, replica.address), address: replica.address, failure: stopped.get(`${group.group} ${replica.address}`) ?? '',
      part: replica.address === group.leader ? 'leads' : replica.member ? 'follows' : 'joins'})));
  }

  return {
    root: element('div', {}, groups.root, element('h2', {}, 'This metadata server, last hour'),
      element('div', {class: 'curves'}, ...curves.map(each => each.root)), element('h2', {}, 'Replicas'), replicas.root, hot.root),
    update(data) {
      groups.update(data.groups.map(group => ({...group, rate: data.batches_per_second[group.group]})));
      replicas.update(parts(data));
      curves.forEach(each => each.update());
      hot.update();
    },
    renew() { hot.renew(); },
  };
}

export const groups = {name: 'groups', title: 'Groups', source: '/api/cluster', view};
