// The pieces of forms that select ratings.

import {field, h, t} from './later.js';

let cards = 0;
export function card(heading, ...children) {
  const id = `rd-card-${++cards}`;
  return h(
    'section',
    {class: 'rd-panel rd-card', 'aria-labelledby': id},
    h('header', {class: 'rd-panel-head'}, h('h3', {id}, heading)),
    h('div', {class: 'rd-body'}, children),
  );
}

export const choice = (attributes, text) => h('label', {class: 'rd-choice'}, h('input', attributes), ' ', text);

export const fieldset = (legend, ...children) =>
  h('fieldset', {class: 'rd-choices'}, h('legend', {}, legend), children);

// Object ids go up to 2^63 - 1, more than a number field could hold exactly.
export const idField = (key, label, help) =>
  field(
    label,
    h('input', {
      type: 'text',
      name: key,
      inputmode: 'numeric',
      pattern: '[1-9][0-9]{0,18}',
      title: t('A whole number'),
      size: 12,
    }),
    help,
  );

export const dayField = (key, label) => field(label, h('input', {type: 'date', name: key, max: '9999-12-30'}));

// The named values of a form that are not empty.
export const valuesOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
