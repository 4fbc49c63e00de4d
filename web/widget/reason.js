// Asks for the reason for a low vote, in a form below the widget. ratingd-widget.js loads this file if
// "reason_invited" in the response to a vote is true.

import css from 'builtin/reason.css';

const words = {
  reason: 'What could be better?',
  reason_private: 'Only the site’s team reads your text.',
  reason_send: 'Send',
  reason_skip: 'Skip',
  reason_thanks: 'Thank you.',
};

const create = (name, properties) => Object.assign(document.createElement(name), properties);

const rules = css.replaceAll('&', '.ratingd-reason'.repeat(5));
const styled = new WeakSet(); // documents and shadow roots
const addSheet = (root) => {
  if (styled.has(root)) return;
  styled.add(root);
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    root.adoptedStyleSheets.push(sheet);
  } catch {
    // Safari before 16.4 does not support adopted style sheets.
    (root.head || root).append(create('style', {textContent: rules}));
  }
};

const places = new WeakMap(); // the last form of each widget
const skipped = new WeakSet(); // widgets

// Removes the form. If the form had the focus, moves the focus back to the widget.
const remove = (element, widget) => {
  const hadFocus = element.contains(document.activeElement);
  element.remove();
  if (hadFocus) widget.querySelector('[tabindex="0"],[aria-pressed=true],input,button')?.focus();
};

const build = (widget, {ask, word}) => {
  const {objectId, category, colorScheme = 'auto'} = widget.dataset;
  const say = (name) => word(widget, name) || words[name];
  const status = create('p', {role: 'status'});
  const text = create('textarea', {maxLength: 1000, rows: 3});
  const label = create('label', {textContent: say('reason')});
  const note = create('small', {textContent: say('reason_private'), id: 'ratingd-reason-' + Math.random()});
  const failure = create('p', {role: 'alert'});
  const send = create('button', {textContent: say('reason_send')});
  const skip = create('button', {type: 'button', textContent: say('reason_skip')});
  const form = create('form', {noValidate: true});
  const place = create('div', {className: 'ratingd-reason'});
  place.dataset.colorScheme = colorScheme;
  text.setAttribute('aria-describedby', note.id);
  label.append(text);
  form.append(label, note, failure, send, skip);
  place.append(status, form);

  skip.onclick = () => {
    skipped.add(widget);
    remove(place, widget);
  };
  form.onkeydown = ({key, isComposing}) => {
    if (key === 'Escape' && !isComposing) skip.onclick();
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    const reason = text.value.trim();
    if (!reason) return text.focus();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    failure.textContent = '';
    const {object_type, value} = place.answer;
    // Send the same vote again with the reason. Values on a scale are numbers from 0 to 1.
    const vote = {object_id: objectId, object_type, category, value, ...(category === 'scale' && {scale: 1}), reason};
    try {
      await ask('rate', {method: 'POST', body: JSON.stringify(vote)});
      remove(form, widget);
      status.textContent = say('reason_thanks');
      setTimeout(() => place.remove(), 4000);
    } catch (error) {
      failure.textContent = error.say?.(widget, word) || word(widget, 'failed');
      form.ariaBusy = 'false';
    }
  };
  // Remove the form if the visitor has changed the low vote, possibly in another tab.
  widget.addEventListener('ratingd:updated', ({detail}) => {
    const own = detail.user_ratings?.[category]?.value;
    if (detail.user_ratings && !detail.reason_invited && own !== place.answer.value) remove(place, widget);
  });
  // Screen readers announce text only if its element existed before the text.
  setTimeout(() => (status.textContent ||= say('reason')), 500);
  return place;
};

// "answer" is the response to the widget's vote. The form is not shown again after the visitor has skipped it.
export const show = (widget, answer, ask, word) => {
  addSheet(widget.getRootNode());
  // Do not show the form if the vote has changed since the response.
  if (skipped.has(widget) || widget.dataset.userRating !== String(answer.value)) return;
  let place = places.get(widget);
  if (!place?.isConnected || !place.querySelector('form')) {
    place?.remove();
    place = build(widget, {ask, word});
    places.set(widget, place);
    widget.after(place);
  }
  place.answer = answer;
};
