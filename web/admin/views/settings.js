// Builds the form for all settings. The form is generated from the schema returned by GET /settings, so
// this file does not have to change when ratingd gets a new setting. The values are validated by
// ratingd, not by the form. The form shows ratingd's error messages next to the fields. In the network
// admin, the form contains the settings that the network enforces for all its sites.

import {confirm} from '../confirm.js';
import {notice, searchField} from '../controls.js';
import {h, newId, replace} from '../dom.js';
import {failure} from '../failure.js';
import {panel, source} from '../panel.js';
import {fieldFor, fixable, isMissing, shown} from '../setting_fields.js';
import {getTypes, said, t, tn, typeNames} from '../words.js';
import {load as loadHealth, pendingZone} from './health.js';

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// --- A single setting ---------------------------------------------------------------------------------

// Returns the names of the settings whose stored values cannot be read.
const damagedIn = ({data, meta: {problem_details: details = [], schema}}) =>
  details.map(({setting}) => setting).filter((one) => schema[one] && !isMissing(schema[one], data[one]));

// "saved" is the value that ratingd has stored. "isDamaged" is true if the stored value cannot be read.
// A damaged setting shows its default value until the user chooses a value. "onChange" is called after
// each change of the value. "types" contains the available content types. "isOfNetwork" is true in the
// network admin, where null means that each site decides.
function makeSetting(key, schema, saved, {isDamaged, onChange, types, isOfNetwork}) {
  const id = newId();
  const label = t(schema.title || key);
  const own = fieldFor(id, schema, types);
  const field = isOfNetwork ? fixable(own, schema, label) : own;
  const ordered = (value) => (field.isGroup && value ? [...value].sort() : value);
  const is = (value) => same(ordered(field.read()), ordered(value));
  const described = h('p', {id: newId(), class: 'description'}, schema.description && t(schema.description));
  const problem = h('p', {id: newId(), class: 'rd-field-error', hidden: true});
  const resetText = t('Reset to default ({value})', {value: shown(schema, schema.default)});
  const reset = h(
    'button',
    {
      type: 'button',
      class: 'rd-link',
      'aria-label': `${resetText}: ${label}`,
      onclick: () => choose(schema.default),
    },
    resetText,
  );
  const fixed = h('span', {hidden: !schema.readOnly}, t('The network enforces this setting for all sites.'));
  field.control.disabled = schema.readOnly === true;
  const mark = h('span', {class: 'rd-changed', hidden: true}, t('changed'));
  const heading = own.isGroup
    ? h('span', {id: newId(), class: 'rd-setting-title'}, label)
    : h('label', {for: id, class: 'rd-setting-title'}, label);
  if (own.isGroup) own.control.setAttribute('aria-labelledby', heading.id);
  const element = h(
    'div',
    {class: 'rd-setting', 'data-setting': key},
    h('div', {class: 'rd-setting-name'}, heading, ' ', mark),
    h('div', {class: 'rd-setting-value'}, field.element, problem, described, h('div', {}, fixed, reset)),
  );

  const setting = {
    name: key,
    element,
    saved,
    read: field.read,
    incomplete: () => field.problem?.() || '',
    label,
    isAdvanced: schema.advanced === true,
    isDamaged,
    isChosen: false, // whether the reader has chosen a value
    hasProblem: () => setting.isDamaged || isMissing(schema, setting.saved),
    isFixed: () => isOfNetwork && setting.saved !== null,
    words: wordsOf(key, schema),
    isChanged: () => (setting.isDamaged && setting.isChosen) || !is(setting.saved) || setting.incomplete() !== '',
    reveal() {
      element.closest('details')?.setAttribute('open', '');
      field.control.focus({preventScroll: true});
      element.scrollIntoView({block: 'center'});
    },
    isRefused: false,
    // "data" contains the error message's pattern and placeholder values. The message uses the setting's
    // label instead of its API name.
    refuse(sentence, data) {
      setting.setProblem(said(sentence, {...data, values: {...data?.values, name: label}}));
      setting.isRefused = true;
    },
    // Shows an error message. An empty message hides the error.
    setProblem(sentence) {
      setting.isRefused = false;
      problem.textContent = sentence;
      problem.hidden = !sentence;
      field.control.setAttribute('aria-describedby', (sentence ? problem.id + ' ' : '') + described.id);
      if (sentence) field.control.setAttribute('aria-invalid', 'true');
      else field.control.removeAttribute('aria-invalid');
    },
    setSaved(value) {
      setting.saved = value;
      setting.isChosen = false;
      field.write(value);
      showState();
      onChange();
    },
  };

  // Returns an explanation of the problem with the stored value.
  function problemOf() {
    const instead = {name: shown(schema, schema.default)};
    return setting.isDamaged
      ? t('The stored value cannot be read, so the default “{name}” is used. Choose a value and save.', instead)
      : t('This template does not exist, so widgets use “{name}”. Choose a template and save.', instead);
  }
  function showState() {
    mark.hidden = !setting.isChanged();
    const isDefault = is(schema.default) && !(setting.isDamaged && !setting.isChosen);
    reset.hidden = isDefault || schema.readOnly === true || field.read() === null;
    setting.setProblem(setting.hasProblem() && !setting.isChanged() ? problemOf() : '');
  }
  function changed() {
    setting.isChosen = true;
    showState();
    onChange();
  }
  function choose(value) {
    field.write(value);
    changed();
    field.control.focus(); // because the button is now hidden
  }
  element.addEventListener('input', changed);
  field.write(saved);
  showState();
  return setting;
}

// Returns the search words of a setting in English and in the user's language.
function wordsOf(key, schema) {
  const texts = [schema.title, schema.description, schema.keywords, ...Object.values(schema.enum_titles || {})];
  const both = texts.filter(Boolean).flatMap((one) => [one, t(one)]);
  return [key, ...both].join(' ').toLowerCase();
}

// --- The settings form --------------------------------------------------------------------------------

// Returns the groups in the order of meta.groups. Settings whose group is unknown are put into the last
// group.
function grouped({schema, groups = []}) {
  const names = Object.keys(schema);
  const known = new Set(groups.map((group) => group.name));
  const of = (group) => names.filter((one) => schema[one].group === group.name);
  return [
    ...groups.map((group) => ({name: group.name, title: t(group.title), names: of(group)})),
    {title: t('Other'), names: names.filter((one) => !known.has(schema[one].group))},
  ].filter((group) => group.names.length > 0);
}

// Returns a card with the form fields for "settings". Advanced settings are initially collapsed. "link"
// contains the URL and text of a link to a plugin page with related settings. "moreWords" contains the
// search words for a card that consists only of a link.
function makeCard(title, settings, link, moreWords = '') {
  const id = newId();
  const elements = (isAdvanced) =>
    settings.filter((one) => one.isAdvanced === isAdvanced).map((one) => one.element);
  const more = elements(true);
  const fold =
    more.length > 0 &&
    h(
      'details',
      {class: 'rd-fold'},
      h('summary', {}, tn('{n} advanced setting', '{n} advanced settings', more.length)),
      more,
    );
  const isOpen = () =>
    settings.some((one) => one.isAdvanced && (one.isChanged() || one.hasProblem() || one.isFixed()));
  if (fold) fold.open = isOpen();
  const element = h(
    'section',
    {class: 'rd-panel rd-card', 'aria-labelledby': id},
    h('header', {class: 'rd-panel-head'}, h('h3', {id}, title)),
    h('div', {class: 'rd-body'}, elements(false), link && h('p', {}, h('a', {href: link[0]}, link[1])), fold),
  );
  // Shows only the settings that match the search. If the search is empty, collapses the advanced settings again.
  function showMatching(words) {
    const isMatch = (text) => words.every((word) => `${title} ${text}`.toLowerCase().includes(word));
    for (const one of settings) one.element.hidden = !isMatch(one.words);
    element.hidden = settings.length ? settings.every((one) => one.element.hidden) : !isMatch(moreWords);
    if (!fold) return;
    fold.hidden = more.every((one) => one.hidden);
    fold.open = words.length > 0 || isOpen();
  }
  return {element, showMatching};
}

function form(context, {data, meta}) {
  const isOfNetwork = context.view === ofNetwork;
  const settings = [];
  const damaged = damagedIn({data, meta});
  const count = h('span', {role: 'status'});
  const refusal = h('p', {class: 'rd-field-error', role: 'alert', hidden: true});
  const save = h('button', {type: 'submit', class: 'button button-primary'}, t('Save'));
  const discard = h('button', {type: 'button', class: 'button', onclick: askToDiscard}, t('Discard'));
  const buttons = h('div', {class: 'rd-actions'}, discard, save);
  const outcome = h('div', {class: 'rd-outcome'}); // The result of saving is shown next to the "Save" button.
  const bar = h('div', {class: 'rd-save-bar', hidden: true}, refusal, outcome, count, buttons);
  const search = searchField(t('Find a setting'), context.params.get('search') || '', (typed) => {
    context.update({search: typed});
    showMatching(typed);
  });
  const nothing = h('p', {hidden: true}, t('No setting matches.'));
  const {placement, names} = context.steps || {};
  const links = {
    voting: names && [names, t('Criteria and reactions: labels, order, weights and emoji')],
    appearance: placement && [placement, t('Where ratings appear and how they look')],
  };
  const cards = grouped(meta).map((group) => {
    const members = group.names.map((one) => {
      const types = one === 'enabled_object_types' && getTypes() && typeNames();
      const isDamaged = damaged.includes(one) && !meta.schema[one].readOnly;
      return makeSetting(one, meta.schema[one], data[one], {isDamaged, onChange, types, isOfNetwork});
    });
    const link = links[group.name];
    // In WordPress, the appearance settings are on the plugin's placement page. If there is a problem
    // with a stored appearance setting, the settings form shows the appearance settings, too.
    if (group.name === 'appearance' && link && !members.some((one) => one.hasProblem())) {
      return makeCard(group.title, [], link, [link[1], ...members.map((one) => one.words)].join(' '));
    }
    settings.push(...members);
    return makeCard(group.title, members, link);
  });
  const changed = () => settings.filter((setting) => setting.isChanged());
  context.unsaved = () => changed().length > 0;

  function update() {
    const n = changed().length;
    const words = n ? tn('{n} change', '{n} changes', n) : '';
    if (count.textContent !== words) count.textContent = words;
    buttons.hidden = n === 0;
    bar.hidden = n === 0 && !outcome.firstChild;
  }
  function tell(kind, text) {
    replace(outcome, notice(kind, text));
    update();
  }
  function onChange() {
    replace(outcome);
    if (!settings.some((setting) => setting.isRefused)) refusal.hidden = true;
    update();
  }

  function showMatching(typed) {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) card.showMatching(words);
    nothing.hidden = cards.some((card) => !card.element.hidden);
  }

  async function askToDiscard() {
    const n = changed().length;
    const isSure = await confirm({
      title: t('Discard changes?'),
      text: tn('{n} setting will return to its stored value.', '{n} settings will return to their stored values.', n),
      action: t('Discard'),
      cancel: t('Keep editing'),
    });
    if (!isSure) return;
    for (const setting of settings) setting.setSaved(setting.saved);
    context.heading.focus();
  }

  // Shows the error message for each rejected setting next to its field. Errors that concern all
  // settings are shown next to the "Save" button.
  function showProblems({params, data: {details = {}}}) {
    const refused = settings.filter((setting) => params[setting.name]);
    const isShown = (one) => refused.some((setting) => setting.name === one);
    const others = Object.keys(params).filter((one) => !isShown(one));
    search.querySelector('input').value = '';
    context.update({search: ''});
    showMatching('');
    for (const {name, refuse} of refused) refuse(params[name], details[name]?.data);
    refusal.textContent = [
      t('Nothing was saved.'),
      refused.length > 0 &&
        tn('{n} value is not allowed: {names}', '{n} values are not allowed: {names}', refused.length, {
          names: refused.map((setting) => setting.label).join(', '),
        }),
      ...others.map((one) => params[one]),
    ]
      .filter(Boolean)
      .join(' ');
    refusal.hidden = false;
    refused[0]?.reveal();
  }

  // "values" contains the values that were sent. If the user has changed a value while the request was pending, the
  // user's value is kept.
  function showStored(values, answer) {
    const stored = answer.data;
    const left = damagedIn(answer);
    for (const setting of settings) {
      setting.isDamaged = left.includes(setting.name);
      const isUntouched = !values.has(setting) || same(setting.read(), values.get(setting));
      const keeps = isUntouched && (values.has(setting) || !setting.isChanged());
      if (keeps) setting.setSaved(stored[setting.name]);
      else setting.saved = stored[setting.name];
    }
    tell(
      'success',
      isOfNetwork
        ? t('Settings saved for all sites.')
        : t('Settings saved.'),
    );
    const {activeElement} = document;
    const isLost = buttons.hidden && bar.contains(activeElement);
    if (isLost || !element.contains(activeElement)) context.heading.focus({preventScroll: true});
  }

  let isSaving = false;
  async function submit(event) {
    event.preventDefault();
    const values = new Map(changed().map((setting) => [setting, setting.read()]));
    if (isSaving || values.size === 0) return;
    const incomplete = settings.filter((setting) => setting.incomplete());
    if (incomplete.length > 0) {
      const params = Object.fromEntries(incomplete.map((setting) => [setting.name, setting.incomplete()]));
      showProblems({params, data: {}});
      return;
    }
    isSaving = true;
    try {
      const sent = Object.fromEntries([...values].map(([setting, value]) => [setting.name, value]));
      // Use POST, because some hosts block the PATCH method.
      const answer = await context.api.send('POST', addressOf(context), {data: sent}, {_method: 'PATCH'});
      showStored(values, answer);
    } catch (error) {
      if (Object.keys(error.params || {}).length > 0) showProblems(error);
      else tell('error', failure(context, error, t('Nothing was saved.')));
    } finally {
      isSaving = false;
      update();
    }
  }

  // Skip problems that are already explained next to a setting's field.
  const isAtField = (problem) => settings.some((one) => one.hasProblem() && one.name === problem.setting);
  const problems = (meta.problem_details || []).filter((one) => !isAtField(one));
  const element = h(
    'form',
    {class: 'rd-settings', novalidate: true, onsubmit: submit},
    problems.map((problem) => notice('warning', said(problem.message, problem))),
    h(
      'p',
      {class: 'rd-soft rd-lead'},
      isOfNetwork && [t('Sites cannot change settings that you enforce here.'), ' '],
      t('Nothing changes until you save.'),
    ),
    h('div', {class: 'rd-filters'}, search),
    nothing,
    cards.map((card) => card.element),
    bar,
  );
  showMatching(context.params.get('search') || '');
  return element;
}

// --- The settings view --------------------------------------------------------------------------------

export const name = 'settings';
export const title = () => t('Settings');
export const right = 'administer';

export const ofNetwork = {
  name: 'network',
  title: () => t('Settings for all sites'),
  right: 'administer_network',
  show,
};
const addressOf = ({view}) => (view === ofNetwork ? '/settings/network' : '/settings');

// Fills "place" with an explanation if WordPress's new time zone has not taken effect yet.
async function showPendingZone({api}, place) {
  const state = await loadHealth(api).catch(() => ({}));
  const text = pendingZone(state);
  if (text) place.append(notice('info', text));
}

export function show(context) {
  const zone = h('div', {});
  context.root.append(zone);
  if (context.view !== ofNetwork) showPendingZone(context, zone);
  const from = source(context, (signal) => context.api.get(addressOf(context), {}, signal));
  context.root.append(panel(context, {source: from, height: 600, render: (answer) => form(context, answer)}));
  from.reload();
}
