// The form of all settings, made from what GET /settings says of them: a setting that ratingd adds needs nothing
// here. What a value may be is decided by ratingd alone; its sentences are shown at the fields.

import {confirm} from '../confirm.js';
import {notice, searchField} from '../controls.js';
import {h, newId} from '../dom.js';
import {failure} from '../failure.js';
import {panel, source} from '../panel.js';
import {typeNames} from '../pieces.js';
import {number, t, tn} from '../words.js';

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// --- Fields by type -----------------------------------------------------------------------------------
//
// A field: "element", "control" (has the focus and the error), "read" and "write" (its value), and "isGroup" if
// its title is a legend instead of a label and the order of its values says nothing.

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

// "suggest" resolves to values to choose from; without them it is still a text.
function text(id, suggest) {
  const choices = suggest && h('datalist', {id: newId()});
  const control = h('input', {
    type: 'text',
    id,
    list: choices?.id,
    class: 'regular-text',
    spellcheck: 'false',
  });
  const fill = async () => choices.append(...(await suggest()).map((value) => h('option', {value})));
  if (suggest) control.addEventListener('focus', () => fill().catch(() => {}), {once: true});
  return {
    element: suggest ? h('span', {}, control, choices) : control,
    control,
    read: () => control.value.trim(),
    write: (value) => (control.value = value),
  };
}

function select(id, schema) {
  const control = h(
    'select',
    {id},
    schema.enum.map((name) => h('option', {value: name}, titleOf(schema, name))),
  );
  return {element: control, control, read: () => control.value, write: (value) => (control.value = value)};
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

// Types to choose from, and a line for others.
function objectTypes(id, types) {
  const boxes = checkboxes(id, {items: {enum: Object.keys(types)}, enum_titles: types});
  const label = t('Other object types, separated by commas');
  const others = h('input', {type: 'text', class: 'regular-text', spellcheck: 'false', 'aria-label': label});
  boxes.control.append(others, h('div', {class: 'rd-soft', 'aria-hidden': 'true'}, label));
  return {
    ...boxes,
    read: () => [...boxes.read(), ...others.value.split(/[\s,]+/).filter(Boolean)],
    write: (value) => {
      boxes.write(value);
      others.value = value.filter((name) => !types[name]).join(', ');
    },
  };
}

const titleOf = (schema, name) => t(schema.enum_titles?.[name] || name);

function fieldFor(id, schema, suggest, types) {
  if (types) return objectTypes(id, types);
  if (schema.type === 'boolean') return checkbox(id);
  if (schema.type === 'integer' || schema.type === 'number') return numeric(id, schema);
  if (schema.type === 'array') return schema.items?.enum ? checkboxes(id, schema) : lines(id);
  return schema.enum ? select(id, schema) : text(id, suggest);
}

// A value as words, for "Reset to default (24)".
function shown(schema, value) {
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  if (typeof value === 'number') return number(value, 3);
  if (Array.isArray(value)) return value.map((item) => titleOf(schema, item)).join(', ') || t('none');
  return titleOf(schema, value) || t('none');
}

// --- One setting --------------------------------------------------------------------------------------

// "saved": its value in ratingd. "onChange" is called after each change.
function makeSetting(key, schema, saved, {onChange, suggest, types}) {
  const id = newId();
  const field = fieldFor(id, schema, suggest, types);
  const is = (value) =>
    field.isGroup ? same(field.read().sort(), [...value].sort()) : same(field.read(), value);
  const label = t(schema.title || key);
  const described = h('p', {id: newId(), class: 'description'}, schema.description && t(schema.description));
  const problem = h('p', {id: newId(), class: 'rd-field-error', hidden: true});
  const resetText = t('Reset to default ({value})', {value: shown(schema, schema.default)});
  const reset = h(
    'button',
    {
      type: 'button',
      class: 'rd-link',
      'aria-label': `${resetText}: ${label}`,
      onclick: () => write(schema.default),
    },
    resetText,
  );
  const mark = h('span', {class: 'rd-changed', hidden: true}, t('changed'));
  const heading = field.isGroup
    ? h('span', {id: newId(), class: 'rd-setting-title'}, label)
    : h('label', {for: id, class: 'rd-setting-title'}, label);
  if (field.isGroup) field.control.setAttribute('aria-labelledby', heading.id);
  const element = h(
    'div',
    {class: 'rd-setting', 'data-setting': key},
    h('div', {class: 'rd-setting-name'}, heading, ' ', mark),
    h('div', {class: 'rd-setting-value'}, field.element, problem, described, h('div', {}, reset)),
  );

  const setting = {
    name: key,
    element,
    saved,
    read: field.read,
    words: `${key} ${label} ${schema.description}`.toLowerCase(),
    isChanged: () => !is(setting.saved),
    focus: () => field.control.focus(),
    // Shows a sentence of ratingd; none if it is empty.
    setProblem(sentence) {
      problem.textContent = sentence;
      problem.hidden = !sentence;
      field.control.setAttribute('aria-describedby', (sentence ? problem.id + ' ' : '') + described.id);
      if (sentence) field.control.setAttribute('aria-invalid', 'true');
      else field.control.removeAttribute('aria-invalid');
    },
    setSaved(value) {
      setting.saved = value;
      write(value);
    },
  };

  function changed() {
    mark.hidden = !setting.isChanged();
    reset.hidden = is(schema.default);
    setting.setProblem('');
    onChange();
  }
  function write(value) {
    const hadFocus = document.activeElement === reset;
    field.write(value);
    changed();
    if (hadFocus) field.control.focus(); // the button is hidden now
  }
  element.addEventListener('input', changed);
  field.write(saved);
  mark.hidden = true;
  reset.hidden = is(schema.default);
  setting.setProblem('');
  return setting;
}

// --- The form -----------------------------------------------------------------------------------------

// In the order of meta.groups; settings without a known group come last.
function grouped({schema, groups = []}) {
  const names = Object.keys(schema);
  const known = new Set(groups.map((group) => group.name));
  const of = (group) => names.filter((one) => schema[one].group === group.name);
  return [
    ...groups.map((group) => ({title: t(group.title), names: of(group)})),
    {title: t('Other'), names: names.filter((one) => !known.has(schema[one].group))},
  ].filter((group) => group.names.length > 0);
}

// The names of templates, for the settings that want one.
function suggestions(api, key) {
  const [, category] = /^default_template_(\w+)$/.exec(key) || [];
  if (!category) return null;
  return async () =>
    (await api.get('/templates', {category, _fields: 'data.slug'})).data.map(({slug}) => slug);
}

function form(context, {data, meta}) {
  const settings = [];
  const count = h('span', {role: 'status'});
  const save = h('button', {type: 'submit', class: 'button button-primary'}, t('Save'));
  const discard = h('button', {type: 'button', class: 'button', onclick: askToDiscard}, t('Discard'));
  const bar = h(
    'div',
    {class: 'rd-save-bar', hidden: true},
    count,
    h('div', {class: 'rd-actions'}, discard, save),
  );
  const search = searchField(t('Find a setting'), '', showMatching);
  const nothing = h('p', {hidden: true}, t('No setting matches.'));
  const cards = grouped(meta).map((group) => {
    const members = group.names.map((one) =>
      makeSetting(one, meta.schema[one], data[one], {
        onChange: update,
        suggest: suggestions(context.api, one),
        types: one === 'enabled_object_types' && context.types && typeNames(context),
      }),
    );
    settings.push(...members);
    const id = newId();
    const heading = h('h3', {id}, group.title);
    return {
      members,
      element: h(
        'section',
        {class: 'rd-panel rd-card', 'aria-labelledby': id},
        h('header', {class: 'rd-panel-head'}, heading),
        h(
          'div',
          {class: 'rd-body'},
          members.map((setting) => setting.element),
        ),
      ),
    };
  });
  const changed = () => settings.filter((setting) => setting.isChanged());
  context.unsaved = () => changed().length > 0;

  function update() {
    const n = changed().length;
    const words = n ? tn('{n} change', '{n} changes', n) : '';
    if (count.textContent !== words) count.textContent = words;
    bar.hidden = n === 0;
  }

  function showMatching(typed) {
    const words = typed.toLowerCase().split(/\s+/);
    for (const setting of settings) {
      setting.element.hidden = !words.every((word) => setting.words.includes(word));
    }
    for (const card of cards) card.element.hidden = card.members.every((setting) => setting.element.hidden);
    nothing.hidden = settings.some((setting) => !setting.element.hidden);
  }

  async function askToDiscard() {
    const n = changed().length;
    const isSure = await confirm({
      title: t('Discard changes?'),
      text: tn('{n} setting gets its stored value back.', '{n} settings get their stored values back.', n),
      action: t('Discard'),
      cancel: t('Keep editing'),
    });
    if (!isSure) return;
    for (const setting of settings) setting.setSaved(setting.saved);
    context.heading.focus();
  }

  // "params": a sentence for each refused setting.
  function showProblems(params) {
    const refused = settings.filter((setting) => params[setting.name]);
    const isShown = (one) => refused.some((setting) => setting.name === one);
    const others = Object.keys(params).filter((one) => !isShown(one));
    for (const setting of refused) setting.setProblem(params[setting.name]);
    context.notify(
      'error',
      [t('Nothing was saved.')],
      refused.length > 0 && [
        ' ',
        tn('{n} value is not allowed.', '{n} values are not allowed.', refused.length),
      ],
      others.map((one) => ' ' + params[one]),
    );
    search.querySelector('input').value = '';
    showMatching('');
    refused[0]?.focus();
  }

  // "values": what was sent. What was typed meanwhile stays.
  function showStored(values, stored) {
    for (const setting of settings) {
      const isUntouched = !values.has(setting) || same(setting.read(), values.get(setting));
      const keeps = isUntouched && (values.has(setting) || !setting.isChanged());
      if (keeps) setting.setSaved(stored[setting.name]);
      else setting.saved = stored[setting.name];
    }
    context.notify('success', t('Settings saved. They apply within 2 seconds.'));
    const {activeElement} = document;
    const isLost = bar.hidden && bar.contains(activeElement); // the button is hidden now
    if (isLost || !element.contains(activeElement)) context.heading.focus({preventScroll: true});
  }

  let isSaving = false;
  async function submit(event) {
    event.preventDefault();
    const values = new Map(changed().map((setting) => [setting, setting.read()]));
    if (isSaving || values.size === 0) return;
    isSaving = true;
    try {
      const sent = Object.fromEntries([...values].map(([setting, value]) => [setting.name, value]));
      showStored(values, (await context.api.send('PATCH', '/settings', {data: sent})).data);
    } catch (error) {
      if (Object.keys(error.params || {}).length > 0) showProblems(error.params);
      else context.notify('error', failure(context, error, t('Nothing was saved.')));
    } finally {
      isSaving = false;
      update();
    }
  }

  const problems = (meta.problems || []).map((problem) => notice('warning', problem));
  const element = h(
    'form',
    {class: 'rd-settings', novalidate: true, onsubmit: submit},
    problems,
    h('p', {class: 'rd-soft rd-lead'}, t('Nothing changes until you save.')),
    h('div', {class: 'rd-filters'}, search),
    nothing,
    cards.map((card) => card.element),
    bar,
  );
  return element;
}

// --- The view -----------------------------------------------------------------------------------------

export const name = 'settings';
export const title = () => t('Settings');
export const right = 'administer';

export function show(context) {
  const from = source(context, (signal) => context.api.get('/settings', {}, signal));
  context.root.append(panel(context, {source: from, height: 600, render: (answer) => form(context, answer)}));
  from.reload();
}
