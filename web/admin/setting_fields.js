// Builds the form field for a setting according to the setting's type.

import {h} from './dom.js';
import {number, t} from './words.js';

// A field is an object with members "element", "control", "read", "write" and "isGroup". "control" is
// the element that receives the focus and shows errors. "read" and "write" get and set the value of the
// field. If "isGroup" is true, the field has a legend instead of a label, and the order of its values
// does not matter.

function checkbox(id) {
  const control = h('input', {type: 'checkbox', id});
  return {
    element: control,
    control,
    read: () => control.checked,
    write: (value) => (control.checked = value),
  };
}

function numeric(id, {type, minimum, maximum}) {
  const step = type === 'integer' ? 1 : 'any';
  const control = h('input', {type: 'number', id, min: minimum, max: maximum, step});
  const element = h(
    'span',
    {},
    control,
    h('span', {class: 'rd-unit'}, t('{from} to {to}', {from: number(minimum), to: number(maximum)})),
  );
  return {
    element,
    control,
    read: () => (control.value === '' ? '' : Number(control.value)),
    write: (value) => (control.value = value),
  };
}

function text(id) {
  const control = h('input', {type: 'text', id, class: 'regular-text', spellcheck: 'false'});
  return {
    element: control,
    control,
    read: () => control.value.trim(),
    write: (value) => (control.value = value),
  };
}

function select(id, schema) {
  const option = (name) => h('option', {value: name}, titleOf(schema, name));
  const control = h('select', {id}, schema.enum.map(option));
  const write = (value) => {
    if (isMissing(schema, value) && control.value !== value) {
      control.append(h('option', {value}, t('{name} (missing)', {name: value})));
    }
    control.value = value;
  };
  return {element: control, control, read: () => control.value, write};
}

function checkboxes(id, schema) {
  const boxes = schema.items.enum.map((name) => h('input', {type: 'checkbox', value: name}));
  const labels = boxes.map((box) => h('label', {}, box, ' ', titleOf(schema, box.value)));
  const control = h('fieldset', {id, tabindex: -1}, labels);
  return {
    element: control,
    control,
    isGroup: true,
    read: () => boxes.filter((box) => box.checked).map((box) => box.value),
    write: (value) => boxes.forEach((box) => (box.checked = value.includes(box.value))),
  };
}

function lines(id) {
  const control = h('textarea', {id, rows: 3, class: 'regular-text', spellcheck: 'false'});
  return {
    element: h('div', {}, control, h('div', {class: 'rd-soft'}, t('One per line'))),
    control,
    read: () =>
      control.value
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    write: (value) => {
      control.value = value.join('\n');
      control.rows = Math.min(12, Math.max(3, value.length + 1));
    },
  };
}

// Returns checkboxes for the existing content types, and a text field for the names of other content
// types. Because an empty list means all types, "Only these types" requires at least one type.
function objectTypes(id, types) {
  const boxes = checkboxes(id, {items: {enum: Object.keys(types)}, enum_titles: types});
  const label = t('Other types, separated by commas');
  const others = h('input', {type: 'text', class: 'regular-text', spellcheck: 'false', 'aria-label': label});
  const choice = (value, title) => {
    const radio = h('input', {type: 'radio', name: `${id}-choice`, value, onchange: show});
    return [radio, h('label', {}, radio, ' ', title)];
  };
  const [all, allLabel] = choice('all', t('All types, including types that are added later'));
  const [only, onlyLabel] = choice('only', t('Only these types:'));
  const list = h('div', {class: 'rd-only-types'});
  list.append(...boxes.control.childNodes, others, h('div', {class: 'rd-soft', 'aria-hidden': 'true'}, label));
  boxes.control.append(allLabel, onlyLabel, list);
  function show() {
    list.hidden = all.checked;
  }
  const named = () => [...boxes.read(), ...others.value.split(/[\s,]+/).filter(Boolean)];
  return {
    ...boxes,
    read: () => (all.checked ? [] : named()),
    problem: () => (only.checked && named().length === 0 ? t('Choose at least one type, or all types.') : ''),
    write: (value) => {
      (value.length ? only : all).checked = true;
      boxes.write(value);
      others.value = value.filter((name) => !Object.hasOwn(types, name)).join(', ');
      show();
    },
  };
}

// Adds a select element to "field" for choosing whether the network enforces the setting for all its
// sites. If each site decides, the setting's value is null. "label" is the label of the setting.
export function fixable(field, schema, label) {
  const choice = h(
    'select',
    {'aria-label': t('Who decides: {name}', {name: label}), onchange: show},
    h('option', {value: ''}, t('Each site decides')),
    h('option', {value: 'fixed'}, t('Enforced for all sites')),
  );
  const value = h('div', {class: 'rd-fixed-value'}, field.element);
  function show() {
    value.hidden = !choice.value;
  }
  return {
    element: h('div', {}, choice, value),
    get control() {
      return choice.value ? field.control : choice;
    },
    isGroup: field.isGroup,
    problem: () => (choice.value && field.problem?.()) || '',
    read: () => (choice.value ? field.read() : null),
    write: (given) => {
      choice.value = given === null ? '' : 'fixed';
      field.write(given ?? schema.default);
      show();
    },
  };
}

const titleOf = (schema, name) => t(schema.enum_titles?.[name] || name);

// Returns whether a setting refers to a template that was deleted.
export const isMissing = (schema, value) =>
  value !== null && !Array.isArray(value) && schema.enum?.includes(value) === false;

// Returns the form field for a setting. "types" is set only for the setting that selects the allowed
// content types.
export function fieldFor(id, schema, types) {
  if (types) return objectTypes(id, types);
  if (schema.type === 'boolean') return checkbox(id);
  if (schema.type === 'integer' || schema.type === 'number') return numeric(id, schema);
  if (schema.type === 'array') return schema.items?.enum ? checkboxes(id, schema) : lines(id);
  return schema.enum ? select(id, schema) : text(id);
}

// Returns a value as text, such as "24" in "Reset to default (24)".
export function shown(schema, value) {
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  if (typeof value === 'number') return number(value, 3);
  if (Array.isArray(value)) return value.map((item) => titleOf(schema, item)).join(', ') || t('none');
  return titleOf(schema, value) || t('none');
}
