// Manages the period of a report. The period is either the name of a period in the API, or a first day
// and a last day. The period is stored in the URL hash and is kept when another view is opened.

import {h, newId} from './dom.js';
import {select} from './controls.js';
import {dateRange, t, today} from './words.js';

const names = () => [
  ['today', t('Today')],
  ['7d', t('Last 7 days')],
  ['30d', t('Last 30 days')],
  ['90d', t('Last 90 days')],
  ['this_week', t('This week')],
  ['this_month', t('This month')],
  ['this_year', t('This year')],
  ['all', t('All time')],
  ['range', t('Custom range …')],
];

// Returns the request parameters for the chosen period.
export function periodOf(context) {
  const of = (name) => context.params.get(name) || undefined;
  let chosen = {period: of('period'), from: of('from'), to: of('to')};
  if (chosen.period || chosen.from) {
    context.memory.period = chosen;
  } else if (context.memory.period) {
    chosen = context.memory.period;
    context.update(chosen);
  }
  return chosen.from && chosen.to ? {from: chosen.from, to: chosen.to} : {period: chosen.period || '30d'};
}

export const rangeText = (meta) => dateRange(meta.from, meta.to);

// Calls "onchange()" after the period in the URL hash has changed.
export function periodPicker(context, onchange) {
  const chosen = periodOf(context);
  const use = (period) => {
    context.memory.period = period;
    context.update({period: '', from: '', to: '', page: '', ...period});
    onchange();
  };
  const day = (label, value) => {
    const id = newId();
    const input = h('input', {type: 'date', id, value: value || '', max: '9999-12-31', onchange: useDays});
    return {input, label: h('label', {for: id, class: 'screen-reader-text'}, label)};
  };
  function useDays() {
    first.input.max = last.input.value;
    last.input.min = first.input.value;
    const isReversed = last.input.value !== '' && first.input.value > last.input.value;
    problem.textContent = isReversed ? t('The end date is before the start date.') : '';
    if (first.input.value && last.input.value && !isReversed) {
      use({from: first.input.value, to: last.input.value});
    }
  }
  const first = day(t('Start date'), chosen.from);
  const last = day(t('End date'), chosen.to);
  const problem = h('span', {class: 'rd-field-error', role: 'status'});
  const range = h(
    'span',
    {class: 'rd-range', hidden: !chosen.from},
    first.label,
    first.input,
    h('span', {'aria-hidden': 'true'}, '–'),
    last.label,
    last.input,
    problem,
  );
  const choose = (name) => {
    range.hidden = name !== 'range';
    if (name === 'range') {
      last.input.value ||= today(); // The site's time zone is known only after the first response.
      first.input.focus();
    } else {
      use({period: name});
    }
  };
  return h(
    'div',
    {class: 'rd-period'},
    range,
    select(t('Period'), names(), chosen.from ? 'range' : chosen.period, choose),
  );
}
