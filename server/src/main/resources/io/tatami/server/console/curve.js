import uPlot from './uplot.js';
import {element, fill} from './element.js';
import {get} from './server.js';

const HEIGHT = 180;

/**
 * A curve of this server's last hour, drawn anew with each update, with its last value as text for those who do not see it.
 *
 * @param spec title; name, the beginning of the series' names; only, which of these; of, the value of a moment out of those of
 *   all series (an array without null); text of a value
 */
export function curve(spec) {
  const told = element('p');
  const place = element('div');
  const root = element('figure', {class: 'curve', role: 'group', 'aria-label': spec.title}, told, place);
  let plot = null;

  async function update() {
    let answer;
    try {
      answer = await get('/history', {name: spec.name, points: 240});
    } catch (refusal) {
      fill(told, `${spec.title}: ${refusal.message}`);
      return;
    }
    const [times, values] = combined(answer);
    const last = values.findLast(value => value !== null);
    fill(told, `${spec.title}: ${last === undefined ? 'nothing yet' : `now ${spec.text(last)}`}`);
    if (last !== undefined) draw([times, values]);
  }

  function combined(answer) {
    const chosen = answer.curves.filter(each => spec.only(each.name));
    const length = Math.max(0, ...chosen.map(each => each.values.length));
    const end = answer.end_millis / 1000;
    const times = [], values = [];
    for (let at = 0; at < length; at++) {
      const here = chosen.map(each => each.values[at]).filter(value => value !== null && value !== undefined);
      times.push(end - (length - 1 - at) * answer.step_seconds);
      values.push(here.length ? spec.of(here) : null);
    }
    return [times, values];
  }

  function draw(data) {
    const width = Math.max(200, root.clientWidth - 18);
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line');
    if (plot && plot.width === width && plot.ink === ink) {
      plot.setData(data);
      return;
    }
    plot?.destroy();
    const axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}};
    plot = new uPlot({
      width, height: HEIGHT, legend: {show: false}, cursor: {show: false},
      scales: {y: {range: (self, low, high) => [0, high > 0 ? high * 1.1 : 1]}},
      series: [{}, {stroke: style.getPropertyValue('--used'), width: 2, spanGaps: false}],
      axes: [{...axis, values: [[3600, '{HH}:{mm}', null, null, null, null, null, null, 1],
        [60, '{HH}:{mm}', null, null, null, null, null, null, 1], [1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1]]},
        {...axis, size: 64, values: (self, ticks) => ticks.map(spec.text)}],
    }, data, place);
    plot.ink = ink;
    plot.root.setAttribute('aria-hidden', 'true');
  }

  return {root, update};
}
