// Votes with a pointer or with the keyboard.

import css from 'builtin/message.css';
import {addSheet, all, create, dataOf, further, keyOf, typeOf, warn} from './page.js';
import {ask, post, withdraw} from './server.js';
import {
  action, attach, buttons, find, isBusy, isKnown, load, loginOr, reasonOf, showAll, showControls, showOwn, sliders,
  tellTabs, widgets,
} from './show.js';
import {word} from './words.js';

// Properties of a widget:
// - "next" is the vote to send when the current request has ended.
// - "timer" exists between a move of the slider and the moment when its value counts.
// - "last" is the last button that was clicked.
// - "answered" is the time at which the last response arrived.
// - "removed" is the rating that was just removed.

const messageOf = (widget) => find(widget, '[data-message]');
export const groupOf = (widget) => widget.closest('ratingd-criteria,ratingd-reactions')?.group;

// A message about a success is shown for a few seconds. A message about a failure is shown until the next
// click or key press. Screen readers find both kinds of messages until the next message.
addSheet(css);
const hide = (element) => (dataOf(element).message = '');
const hideFailures = (event) => {
  // A link in a message must be reachable, so neither Tab nor the keys of screen readers hide the message. Pointer
  // events have no key.
  if (/^[A-DF-Z]\w/.test(event.key)) return;
  // A selector would miss widgets in shadow roots.
  for (const element of [...widgets].map(messageOf)) {
    if (dataOf(element).message === 'failed' && !event.composedPath().includes(element)) hide(element);
  }
};
// Do not hide messages when the pointer goes down. If elements moved at this moment, the click would miss them.
addEventListener('click', hideFailures, true);
addEventListener('keydown', hideFailures);

export const showMessage = (widget, kind, ...content) => {
  const element = messageOf(widget);
  dataOf(element).message = kind;
  element.replaceChildren(...content);
  clearTimeout(element.timer);
  if (kind === 'saved') element.timer = setTimeout(hide, 8000, element);
};

// Reports that a vote was saved or removed. The visitor's own rating already shows that a vote is saved, so the message
// is shown only if the site has a thank-you text. A removed rating can be given again.
const showSuccess = (widget, value) => {
  const {removed} = widget;
  const thanks = word(widget, 'thanks');
  const kind = thanks || groupOf(widget)?.save ? 'saved' : '';
  if (value !== null) return showMessage(widget, kind, thanks || word(widget, 'saved'));
  const undo = action(widget, 'undo');
  undo.onclick = (event) => {
    event.preventDefault();
    hide(messageOf(widget));
    vote(widget, removed);
    focusControl(widget); // Move the focus to the star that is chosen again.
  };
  showMessage(widget, 'saved', word(widget, 'removed'), ...(removed ? [' ', undo] : []));
};

const send = (widget, value) => {
  const sent = groupOf(widget)?.send(widget, value);
  if (sent) return sent;
  const {objectId, category} = dataOf(widget);
  const fields = {object_id: objectId, object_type: typeOf(widget), category};
  if (value === null) return withdraw(fields);
  // The value is a share of 1 and does not depend on the maximum in the settings.
  return post({...fields, value: +value, ...(category === 'scale' && {scale: 1})});
};

// Shows a choice before it is stored.
const showChosen = (widget, value) => {
  const dataset = dataOf(widget);
  dataset.userRating = value ?? '';
  dataset.pending = '';
  find(widget, '.ratingd-hint')?.replaceChildren();
  const own = value === null ? null : +value;
  showOwn(widget, own);
  showControls(widget, own, null);
};

// The shown rating may be out of date because it was removed elsewhere or because its slider has already moved.
const showStored = async (widget) => {
  if (!isKnown(widget)) showChosen(widget, null);
  delete dataOf(widget).pending;
  attach(widget);
  await load([widget]);
};

// If "value" is null, the vote is withdrawn. If several votes are requested while one is being sent, only the last of
// them is sent afterwards.
export const vote = async (widget, value) => {
  showChosen(widget, value);
  if (groupOf(widget)?.choose?.(widget, value)) return;
  widget.next = value;
  delete dataOf(widget).saved;
  if (isBusy(widget)) return;
  while ('next' in widget) {
    const {next} = widget;
    delete widget.next;
    widget.ariaBusy = 'true';
    try {
      const answer = await send(widget, next);
      if ('next' in widget) continue;
      widget.ariaBusy = 'false';
      showAll(keyOf(widget), answer);
      tellTabs(keyOf(widget));
      dataOf(widget).saved = '';
      showSuccess(widget, next);
      if (answer.reason_invited) further('reason').then((one) => one.show(widget, answer, ask, word), warn);
    } catch (error) {
      if ('next' in widget) continue;
      widget.ariaBusy = 'false';
      // The rating is already gone. It was removed elsewhere, or by a request whose response was lost.
      if (next === null && error.status === 404) showMessage(widget, '', word(widget, 'removed'));
      else showMessage(widget, 'failed', error.say?.(widget, word) || loginOr(widget, error.word || 'failed'));
      await showStored(widget);
    }
  }
  widget.answered = performance.now();
};

const focusControl = (widget) => find(widget, '[tabindex="0"],input')?.focus();

// Returns whether a click on a toggle button is a double click or an impatient second click.
const isHasty = (widget, button, {detail}) =>
  button === widget.last && (detail > 1 || isBusy(widget) || performance.now() - widget.answered < 500);

const choose = (widget, control, event) => {
  const {category, userRating} = dataOf(widget);
  const value = control.value || dataOf(control).value;
  if (control.ariaDisabled === 'true') return showMessage(widget, 'failed', reasonOf(widget));
  // Only the button Remove removes a rating on a scale.
  if (category === 'scale') return userRating && +userRating === +value ? 0 : vote(widget, value);
  if (isHasty(widget, control, event)) return;
  widget.last = control;
  vote(widget, control.ariaPressed === 'true' ? null : value);
};

const onClick = (event) => {
  const {currentTarget: widget, target} = event;
  const control = target.closest([buttons, sliders, '.ratingd-actions button']);
  if (!control) return;
  // The widget may be in a link or in a form. preventDefault() would undo the choice of a radio button or checkbox.
  if (!/radio|checkbox/.test(control.type)) event.preventDefault();
  const {timer} = widget;
  if (control.matches('[data-value]')) {
    if (!timer) choose(widget, control, event); // the value of a slider that moved is sent later
    return;
  }
  focusControl(widget);
  if (!control.matches('.ratingd-remove')) return;
  widget.timer = clearTimeout(timer);
  widget.removed = dataOf(widget).userRating;
  vote(widget, null);
};

// If the visitor leaves the page, votes that wait for their timer are sent at once.
addEventListener('pagehide', () => {
  for (const widget of widgets) {
    if (widget.timer) widget.slider.send();
    if ('next' in widget) {
      send(widget, widget.next).catch(() => 0);
      delete widget.next;
    }
  }
});

const onKey = (event) => {
  const {key, target, currentTarget: widget, repeat} = event;
  if (event.altKey || event.ctrlKey || event.metaKey) return; // leave the browser's shortcuts alone
  // A key that is held down would click a button many times.
  if (repeat && key === 'Enter' && target.matches('button')) event.preventDefault();
  const radios = all(widget, '[role=radio]');
  const at = radios.indexOf(target);
  if (at < 0) return;
  const forward = getComputedStyle(widget).direction === 'rtl' ? -1 : 1;
  const steps = {ArrowRight: forward, ArrowLeft: -forward, ArrowDown: 1, ArrowUp: -1, Home: -at, End: -1 - at};
  if (!(key in steps)) return;
  event.preventDefault();
  radios.at((at + steps[key]) % radios.length).focus();
};

// Adds a widget's handlers. May be called again.
export const addHandlers = (widget) => {
  widget.addEventListener('click', onClick);
  widget.addEventListener('keydown', onKey);
  // Screen readers announce a text only if its element existed before the text appeared.
  if (messageOf(widget)) return;
  const span = (className) => create('span', {className});
  const status = create('span', {role: 'status'});
  hide(status);
  const line = span('ratingd-line');
  const own = find(widget, '[data-stat=own]');
  // In the built-in templates, the visitor's own rating is within the line.
  if (own?.className === 'ratingd-own') {
    own.replaceWith(line);
    line.append(own);
  } else {
    widget.append(line);
  }
  line.append(span('ratingd-actions'), span('ratingd-hint'), status);
};
