// Handles votes cast with a pointer or the keyboard.

import css from 'builtin/message.css';
import {addSheet, all, create, dataOf, further, keyOf, typeOf, warn} from './page.js';
import {ask, post, withdraw} from './server.js';
import {
  action, attach, buttons, find, isBusy, isKnown, load, loginOr, reasonOf, showAll, showControls, showOwn, sliders,
  tellTabs, widgets,
} from './show.js';
import {word} from './words.js';

// The script stores the following properties in widget elements. The "vote" property is the vote to send
// after the current request. The "timer" property is the timer that sends a new slider value. The "last"
// property is the last button that was clicked. The "answered" property is the arrival time of the last
// response. The "removed" property is the rating that the visitor has just removed.

const messageOf = (widget) => find(widget, '[data-message]');
const groupOf = (widget) => widget.closest('ratingd-criteria,ratingd-reactions')?.group;

// A success message is shown for a few seconds. An error message is shown until the next click or key press. For screen
// readers, each message remains until the next message.
addSheet(css);
const hide = (element) => (dataOf(element).message = '');
const hideFailures = (event) => {
  // The Tab key and the keys of screen readers must not hide a message, because users must be able to
  // reach a link in the message. Pointer events have no key, so they always hide messages.
  if (/^[A-DF-Z]\w/.test(event.key)) return;
  // Do not search for the messages with a selector, because a selector finds no widgets in shadow roots.
  for (const element of [...widgets].map(messageOf)) {
    if (dataOf(element).message === 'failed' && !event.composedPath().includes(element)) hide(element);
  }
};
// Hide messages on "click" instead of "pointerdown". If a message disappeared on "pointerdown", elements could move,
// and the click would miss them.
addEventListener('click', hideFailures, true);
addEventListener('keydown', hideFailures);

const showMessage = (widget, kind, ...content) => {
  const element = messageOf(widget);
  dataOf(element).message = kind;
  element.replaceChildren(...content);
  clearTimeout(element.timer);
  if (kind === 'saved') element.timer = setTimeout(hide, 8000, element);
};

// Reports that a vote was saved or removed. The visitor's own rating already shows that a vote is saved, so a message
// is visible only if the site has a thank-you text. After a removal, the message contains an "Undo" button.
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
  // The vote's value is a number from 0 to 1, so it does not depend on the maximum of the scale in the settings.
  return post({...fields, value: +value, ...(category === 'scale' && {scale: 1})});
};

// Shows the chosen value before the service has stored it.
const showChosen = (widget, value) => {
  const dataset = dataOf(widget);
  dataset.userRating = value ?? '';
  dataset.pending = '';
  find(widget, '.ratingd-hint')?.replaceChildren();
  const own = value === null ? null : +value;
  showOwn(widget, own);
  showControls(widget, own, null);
};

// The displayed rating may be outdated, because it was removed on another page, or because the slider
// has already moved.
const showStored = async (widget) => {
  if (!isKnown(widget)) showChosen(widget, null);
  delete dataOf(widget).pending;
  attach(widget);
  await load([widget]);
};

// Sends a vote. If "value" is null, withdraws the vote. If the visitor votes several times while a request is pending,
// only the last vote is sent afterwards.
export const vote = async (widget, value) => {
  showChosen(widget, value);
  if (groupOf(widget)?.choose?.(widget, value)) return;
  widget.vote = value;
  delete dataOf(widget).saved;
  if (isBusy(widget)) return;
  while ('vote' in widget) {
    const next = widget.vote;
    delete widget.vote;
    widget.ariaBusy = 'true';
    try {
      const answer = await send(widget, next);
      if ('vote' in widget) continue;
      widget.ariaBusy = 'false';
      showAll(keyOf(widget), answer);
      tellTabs(keyOf(widget));
      dataOf(widget).saved = '';
      showSuccess(widget, next);
      if (answer.reason_invited) further('reason').then((one) => one.show(widget, answer, ask, word), warn);
    } catch (error) {
      if ('vote' in widget) continue;
      widget.ariaBusy = 'false';
      // The rating no longer exists, because it was removed on another page, or by a request whose response was lost.
      if (next === null && error.status === 404) showMessage(widget, '', word(widget, 'removed'));
      else showMessage(widget, 'failed', error.say?.(widget, word) || loginOr(widget, error.word || 'failed'));
      await showStored(widget);
    }
  }
  widget.answered = performance.now();
};

const focusControl = (widget) => find(widget, '[tabindex="0"],input')?.focus();

// Returns whether a click on a toggle button is a double click or follows the last click too quickly.
const isHasty = (widget, button, {detail}) =>
  button === widget.last && (detail > 1 || isBusy(widget) || performance.now() - widget.answered < 500);

const choose = (widget, control, event) => {
  const {category, userRating} = dataOf(widget);
  const value = control.value || dataOf(control).value;
  if (control.ariaDisabled === 'true') return showMessage(widget, 'failed', reasonOf(widget));
  // Only the "Remove" button can remove a rating on a scale.
  if (category === 'scale') return userRating && +userRating === +value ? 0 : vote(widget, value);
  if (isHasty(widget, control, event)) return;
  widget.last = control;
  vote(widget, control.ariaPressed === 'true' ? null : value);
};

const onClick = (event) => {
  const {currentTarget: widget, target} = event;
  const control = target.closest([buttons, sliders, '.ratingd-actions button']);
  if (!control) return;
  // Prevent the default action, because the widget may be in a link or in a form. For radio buttons and checkboxes,
  // preventDefault() would undo the choice.
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

// If the visitor leaves the page, delayed votes are sent immediately.
addEventListener('pagehide', () => {
  for (const widget of widgets) {
    if (widget.timer) widget.slider.send();
    if ('vote' in widget) {
      send(widget, widget.vote).catch(() => 0);
      delete widget.vote;
    }
  }
});

const onKey = (event) => {
  const {key, target, currentTarget: widget, repeat} = event;
  if (event.altKey || event.ctrlKey || event.metaKey) return; // leave the browser's shortcuts alone
  // A button must ignore repeated clicks from a key that is held down.
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

// Adds the event handlers of a widget. addHandlers() may be called several times for the same widget.
export const addHandlers = (widget) => {
  widget.addEventListener('click', onClick);
  widget.addEventListener('keydown', onKey);
  // Screen readers announce text only if its element existed before the text.
  if (messageOf(widget)) return;
  const span = (className) => create('span', {className});
  const status = create('span', {role: 'status'});
  hide(status);
  const line = span('ratingd-line');
  const own = find(widget, '[data-stat=own]');
  // In the built-in templates, the message and the visitor's own rating share a line.
  if (own?.className === 'ratingd-own') {
    own.replaceWith(line);
    line.append(own);
  } else {
    widget.append(line);
  }
  line.append(span('ratingd-actions'), span('ratingd-hint'), status);
};
