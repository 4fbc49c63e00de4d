// Votes, by pointer and by keyboard.

import css from 'builtin/message.css';
import {addSheet, all, dataOf, keyOf, page, typeOf} from './page.js';
import {ask} from './server.js';
import {buttons, isMoving, load, setMoving, showAll, showSlider, sliders} from './show.js';
import {word} from './words.js';

const queued = new Map(); // what a widget is to send when its request under way has ended
let timer; // when the slider that moved counts

const messageOf = (widget) => widget.querySelector('[data-message]');

// Success is shown for some seconds, failure until the next click or key. Screen readers find both until the next
// message.
addSheet(css);
const hide = (element) => (dataOf(element).message = '');
const hideFailures = () => all(page, '[data-user-rating] [data-message=failed]').forEach(hide);
addEventListener('pointerdown', hideFailures);
addEventListener('keydown', hideFailures);

const showMessage = (widget, kind, text) => {
  const element = messageOf(widget);
  dataOf(element).message = kind;
  element.textContent = text;
  // Above the widget, and within the window.
  const {top, left, right} = widget.getBoundingClientRect();
  element.style = `${top < 70 ? 'top' : 'bottom'}:100%;${left + right > innerWidth ? 'right' : 'left'}:0`;
  clearTimeout(element.timer);
  if (kind === 'saved') element.timer = setTimeout(hide, 4000, element);
};

const send = (widget, value) => {
  const {objectId, category} = dataOf(widget);
  const vote = {object_id: objectId, object_type: typeOf(widget), category};
  if (value === null) return ask('rate?' + new URLSearchParams(vote), {method: 'DELETE'});
  vote.value = +value;
  if (category === 'scale') vote.scale = 1; // whatever maximum the settings have
  return ask('rate', {method: 'POST', body: JSON.stringify(vote)});
};

// "value" is null to take the vote back. Of what is asked for meanwhile, the last counts.
const vote = async (widget, value) => {
  queued.set(widget, value);
  if (widget.ariaBusy === 'true') return;
  widget.ariaBusy = 'true';
  while (queued.has(widget)) {
    const next = queued.get(widget);
    queued.delete(widget);
    try {
      showAll(keyOf(widget), await send(widget, next));
      showMessage(widget, 'saved', word(widget, next === null ? 'removed' : 'saved'));
    } catch (error) {
      // Gone already: removed elsewhere, or by the request whose answer was lost.
      if (next === null && error.status === 404) showMessage(widget, 'saved', word(widget, 'removed'));
      else showMessage(widget, 'failed', word(widget, error.word || 'failed', error.n));
      // What is shown may be old: taken back elsewhere, or a slider that has moved already.
      await load([widget]);
    }
  }
  widget.ariaBusy = 'false';
};

const onClick = ({currentTarget: widget, target}) => {
  const control = target.closest(buttons + ',' + sliders);
  if (!control || isMoving(widget)) return; // of a slider that moved, onChange knows
  const {ariaPressed, ariaChecked, value} = control;
  const isChosen = ariaPressed ?? ariaChecked ?? '' + (value === dataOf(widget).userRating);
  vote(widget, isChosen === 'true' ? null : value || dataOf(control).value);
};

const onChange = ({currentTarget: widget, target}) => {
  if (!target.matches(sliders)) return;
  // Arrow keys change it many times.
  if (isMoving(widget)) clearTimeout(timer);
  setMoving(widget);
  timer = setTimeout(() => {
    setMoving();
    vote(widget, target.value);
  }, 400);
  showSlider(target, target.value);
};

const onKey = (event) => {
  const {key, target, currentTarget: widget} = event;
  if (event.altKey || event.ctrlKey || event.metaKey) return; // of the browser
  // What Enter does to buttons.
  if (key === 'Enter' && target.type === 'range') target.click();
  const radios = all(widget, '[role=radio]');
  const at = radios.indexOf(target);
  if (at < 0) return;
  const last = radios.length - 1;
  const forward = getComputedStyle(widget).direction === 'rtl' ? -1 : 1;
  const steps = {ArrowRight: forward, ArrowLeft: -forward, ArrowDown: 1, ArrowUp: -1, Home: -at, End: last - at};
  if (!(key in steps)) return;
  event.preventDefault();
  radios[(at + steps[key] + radios.length) % radios.length].focus();
};

// Once or again.
export const addHandlers = (widget) => {
  widget.addEventListener('click', onClick);
  widget.addEventListener('change', onChange);
  widget.addEventListener('keydown', onKey);
  // Screen readers announce what appears in an element that was there before.
  if (messageOf(widget)) return;
  const element = page.createElement('span');
  element.role = 'status';
  hide(element);
  widget.append(element);
};
