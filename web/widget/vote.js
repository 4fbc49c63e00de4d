// Votes, by pointer and by keyboard.

import css from 'builtin/message.css';
import {choose, sendFacets} from './facets.js';
import {addSheet, all, create, dataOf, further, keyOf, page, settings, typeOf, warn} from './page.js';
import {ask} from './server.js';
import {attach, buttons, load, removers, showAll, showOwn, showSlider, sliders, tellTabs} from './show.js';
import {word} from './words.js';

// A widget has "next", what it is to send when its request under way has ended, "timer" until the value of its
// slider, which just moved, counts, and "hasMoved" until then, and until a click or Enter confirms that value.

const messageOf = (widget) => widget.querySelector('[data-message]');

// Success is shown for some seconds, failure until the next click or key. Screen readers find both until the next
// message.
addSheet(css);
const hide = (element) => (dataOf(element).message = element.style = '');
const hideFailures = ({key, target}) => {
  for (const element of all(page, '[data-user-rating] [data-message=failed]')) {
    // A link in it must be within reach: not by Tab, nor by keys of screen readers. (Pointers have no key.)
    if (!/^[A-DF-Z]\w/.test(key) && !element.contains(target)) hide(element);
  }
};
addEventListener('pointerdown', hideFailures);
addEventListener('keydown', hideFailures);

const place = (element) => element.getBoundingClientRect();

const showMessage = (widget, kind, content) => {
  const element = messageOf(widget);
  dataOf(element).message = kind;
  element.style = 'top:50%;inset-inline-start:100%;translate:0 -50%';
  element.replaceChildren(content);
  clearTimeout(element.timer);
  // Beside the widget only where the page has nothing else.
  const box = place(element);
  const room = place(widget.closest('ratingd-rating') || widget);
  if (box.left < room.left || box.right > room.right) {
    // The widget shows what is saved. A failure must be seen: above the widget, and within the window.
    if (kind === 'saved') return hide(element);
    const {top, left, right} = place(widget);
    element.style = `${top < 70 ? 'top' : 'bottom'}:100%;${left + right > innerWidth ? 'right' : 'left'}:0`;
  }
  if (kind === 'saved') element.timer = setTimeout(hide, 4000, element);
};

const send = (widget, value) => {
  const sent = FACETS && sendFacets(widget, value);
  if (sent) return sent;
  const {objectId, category} = dataOf(widget);
  const vote = {object_id: objectId, object_type: typeOf(widget), category};
  if (value === null) return ask('rate?' + new URLSearchParams(vote), {method: 'DELETE'});
  vote.value = +value;
  if (category === 'scale') vote.scale = 1; // whatever maximum the settings have
  return ask('rate', {method: 'POST', body: JSON.stringify(vote)});
};

// "value" is null to take the vote back. Of what is asked for meanwhile, the last counts.
export const vote = async (widget, value) => {
  if (FACETS && choose(widget, value)) return;
  widget.next = value;
  if (widget.ariaBusy === 'true') return;
  widget.ariaBusy = 'true';
  while ('next' in widget) {
    const {next} = widget;
    delete widget.next;
    try {
      const answer = await send(widget, next);
      showAll(keyOf(widget), answer);
      tellTabs(keyOf(widget));
      showMessage(widget, 'saved', word(widget, next === null ? 'removed' : 'saved'));
      if (answer.reason_invited) further('reason').then((one) => one.show(widget, answer, ask, word), warn);
    } catch (error) {
      // Gone already: removed elsewhere, or by the request whose answer was lost.
      if (next === null && error.status === 404) showMessage(widget, 'saved', word(widget, 'removed'));
      else {
        const textContent = word(widget, error.word || 'failed', error.retry_after);
        // After the login, the visitor comes back to this page.
        const login = error.status === 401 && settings.login;
        showMessage(
          widget,
          'failed',
          login ? create('a', {href: login + encodeURIComponent(location), textContent}) : textContent,
        );
      }
      // What is shown may be old: taken back elsewhere, or a slider that has moved already.
      attach(widget);
      await load([widget]);
    }
  }
  widget.ariaBusy = 'false';
};

const onClick = ({currentTarget: widget, target}) => {
  const control = target.closest([buttons, sliders, removers]);
  const {hasMoved, timer} = widget;
  widget.hasMoved = 0;
  if (control?.matches(removers)) {
    widget.querySelector('[tabindex="0"],input')?.focus(); // the button goes
    widget.timer = clearTimeout(timer);
    return vote(widget, null);
  }
  if (!control || timer) return; // of a slider that moved, onChange knows
  const {ariaPressed, ariaChecked, value} = control;
  const isChosen = ariaPressed ?? ariaChecked ?? '' + (value === dataOf(widget).userRating && !hasMoved);
  vote(widget, isChosen === 'true' ? null : value || dataOf(control).value);
};

const onInput = ({currentTarget: widget, target}) => {
  if (!target.matches(sliders)) return;
  widget.hasMoved = true;
  showSlider(target, target.value);
  showOwn(widget, +target.value);
};

const onChange = ({currentTarget: widget, target}) => {
  if (!target.matches(sliders)) return;
  // Arrow keys change it many times.
  clearTimeout(widget.timer);
  widget.timer = setTimeout(() => {
    widget.timer = 0;
    vote(widget, target.value);
  }, 400);
};

const onKey = (event) => {
  const {key, target, currentTarget: widget} = event;
  if (event.altKey || event.ctrlKey || event.metaKey) return; // of the browser
  // What Enter does to buttons.
  if (key === 'Enter' && target.type === 'range') target.click();
  const radios = all(widget, '[role=radio]');
  const at = radios.indexOf(target);
  if (at < 0) return;
  const forward = getComputedStyle(widget).direction === 'rtl' ? -1 : 1;
  const steps = {ArrowRight: forward, ArrowLeft: -forward, ArrowDown: 1, ArrowUp: -1, Home: -at, End: -1 - at};
  if (!(key in steps)) return;
  event.preventDefault();
  radios.at((at + steps[key]) % radios.length).focus();
};

// Once or again.
export const addHandlers = (widget) => {
  widget.addEventListener('click', onClick);
  widget.addEventListener('input', onInput);
  widget.addEventListener('change', onChange);
  widget.addEventListener('keydown', onKey);
  // Screen readers announce what appears in an element that was there before.
  if (messageOf(widget)) return;
  const element = create('span', {role: 'status'});
  hide(element);
  widget.append(element);
};
