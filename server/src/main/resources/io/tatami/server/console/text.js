// Figures as people read them. Sizes are in powers of 1,024.
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

export function bytes(size) {
  if (size === undefined || size === null) return '–';
  let value = size, unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) { value /= 1024; unit++; }
  return unit === 0 ? `${size} B` : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit]}`;
}

export function count(number) {
  return number === undefined || number === null ? '–' : Number(number).toLocaleString('en-US');
}

export function rate(perSecond) {
  if (perSecond === undefined || perSecond === null) return '–';
  return perSecond === 0 || perSecond >= 10 ? count(Math.round(perSecond)) : perSecond.toFixed(perSecond < 1 ? 2 : 1);
}

export function percent(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : '–';
}

export function duration(millis) {
  const seconds = Math.floor(millis / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

/** A short time, such as that of an access. */
export function micros(value) {
  if (!value) return '–';
  return value < 1000 ? `${value} µs` : value < 1000000 ? `${(value / 1000).toFixed(1)} ms` : `${(value / 1000000).toFixed(1)} s`;
}

/** A short time in seconds. */
export function seconds(value) {
  if (value >= 1) return `${value.toFixed(1)} s`;
  if (value >= 0.001) return `${(value * 1000).toFixed(value < 0.01 ? 1 : 0)} ms`;
  return value === 0 ? '0' : `${(value * 1000000).toFixed(0)} µs`;
}

/** A moment by the clock of whoever looks. */
export function moment(millis) {
  return millis ? new Date(millis).toLocaleString('sv-SE') : '–';
}
