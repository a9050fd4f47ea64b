import {element, fill} from './element.js';
import {duration, moment} from './text.js';
import {table} from './table.js';

function view() {
  const kinds = element('select', {onchange: () => draw()}, element('option', {value: ''}, 'all'));
  let all = [];
  const list = table({
    caption: 'Changes that this server has seen since it started, the newest first', filter: 'Filter', key: row => row.number,
    empty: 'Nothing has changed since this server began to watch.',
    columns: [
      {name: 'Seen', value: row => row.at_millis, show: row => element('time', {datetime: new Date(row.at_millis).toISOString()}, moment(row.at_millis))},
      {name: 'Kind', value: row => row.kind},
      {name: 'Subject', value: row => row.subject, wrap: true},
      {name: 'What', value: row => row.text, wrap: true, show: row => element('span', {class: row.is_bad ? 'bad' : null}, row.text)},
    ],
  });
  const newest = element('p', {class: 'note'});

  function draw() {
    list.update(kinds.value === '' ? all : all.filter(event => event.kind === kinds.value));
  }

  return {
    root: element('div', {}, element('div', {class: 'tools'}, element('label', {}, 'Kind', kinds)), newest, list.root),
    update(data) {
      const seen = new Map();
      all = data.events.map(event => {
        const place = `${event.at_millis} ${event.kind} ${event.subject} ${event.text}`;
        seen.set(place, (seen.get(place) ?? 0) + 1);
        return {at_millis: event.at_millis, kind: event.kind, subject: event.subject, text: event.text, is_bad: event.is_bad, number: `${place} ${seen.get(place)}`};
      });
      const known = [...kinds.options].map(option => option.value);
      [...new Set(all.map(event => event.kind))].filter(kind => !known.includes(kind)).sort()
        .forEach(kind => kinds.append(element('option', {value: kind}, kind)));
      fill(newest, `The last ${data.kept_max.toLocaleString('en-US')} are kept, in memory. `,
        data.events.length ? `The newest is ${duration(data.events[0].age_millis)} old.` : '');
      draw();
    },
  };
}

export const events = {name: 'events', title: 'Events', source: '/api/events', view};
