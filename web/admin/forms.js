// The pieces of forms that select ratings.

import {field} from './controls.js';
import {h, newId, replace} from './dom.js';
import {t, typeNames} from './words.js';

export function card(heading, ...children) {
  const id = newId();
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

// The types that have ratings: asked for once.
const ratedTypes = ({api, memory}) =>
  (memory.types ||= api
    .get('/analytics/stats', {period: 'all', _fields: 'data.rated_objects'})
    .then(({data}) => Object.keys(data.rated_objects.by_type))
    .catch(() => {
      delete memory.types;
      return []; // WordPress's types, then
    }));

// A choice of the types that exist. "optionsOf" makes the options, texts by values, of typeNames(). "chosen" is offered
// in any case.
export function typeSelect(context, optionsOf, {chosen = '', ...attributes}) {
  const control = h('select', attributes);
  const draw = (value, types) => {
    const options = optionsOf(typeNames([...types, ...(chosen ? [chosen] : [])]));
    replace(
      control,
      Object.entries(options).map(([name, text]) => h('option', {value: name}, text)),
    );
    control.value = value;
  };
  draw(chosen, []);
  ratedTypes(context).then((types) => draw(control.value, types));
  return control;
}

export const dayField = (key, label) => field(label, h('input', {type: 'date', name: key, max: '9999-12-30'}));

// The named values of a form that are not empty.
export const valuesOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
