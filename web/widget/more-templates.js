// Contains the less common templates, and the code for sliders. ratingd-widget.js loads this file if a page has a
// widget with a template other than stars.

import dots from 'builtin/dots.css';
import dotsHtml from 'builtin/dots.html';
import heart from 'builtin/heart.css';
import heartHtml from 'builtin/heart.html';
import likeDislike from 'builtin/like-dislike.css';
import likeDislikeHtml from 'builtin/like-dislike.html';
import slider from 'builtin/slider.css';
import sliderHtml from 'builtin/slider.html';
import thumbs from 'builtin/thumbs.css';
import thumbsHtml from 'builtin/thumbs.html';

// Returns the template with the given slug, or the category's default template if "slug" is empty.
export const fetchTemplate = async ({ask, sheets: {base, steps}}, slug, category) => {
  const builtins = {
    'simple/dots': {category: 'scale', html: dotsHtml, css: base + steps + dots},
    'simple/heart': {category: 'binary', html: heartHtml, css: base + heart},
    'simple/like-dislike': {category: 'bipolar', html: likeDislikeHtml, css: base + likeDislike},
    'simple/slider': {category: 'scale', html: sliderHtml, css: base + slider},
    'simple/thumbs': {category: 'bipolar', html: thumbsHtml, css: base + thumbs},
  };
  if (builtins[slug]) return builtins[slug];
  const path = slug ? '/' + slug : '?category=' + category;
  // The slug is untrusted input from the page's author, so allow only template URLs.
  if (/[^\w/?=-]/.test(path)) throw path;
  const {data} = await ask('templates' + path);
  return slug ? data : data.find((one) => one.default) || data[0];
};

// Activates the slider of a widget. The script sends a new slider value after a short delay, during
// which the widget has a "timer" property.
export const add = ({formatAverage, showOwn, vote, word}, widget, input) => {
  const show = (value, prefix = '') => {
    input.value = value;
    input.dataset.value = input.value;
    input.ariaValueText = prefix + formatAverage(+input.value, 10);
  };
  const send = () => {
    widget.timer = clearTimeout(widget.timer);
    vote(widget, input.value);
  };
  input.addEventListener('input', () => {
    show(input.value);
    showOwn(widget, +input.value);
  });
  // Arrow keys change the value many times, so wait for the last change.
  input.addEventListener('change', () => {
    clearTimeout(widget.timer);
    widget.timer = setTimeout(send, 400);
  });
  // The Enter key sends the slider's value, and does not submit a form around the widget. If the slider shows no value
  // yet, the Enter key sends nothing.
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (!event.repeat && input.ariaValueText !== '–') input.click();
  });
  widget.slider = {
    send,
    show(own, average, isRefused) {
      const isAverage = own === null && average !== null;
      show(own ?? average ?? 0, isAverage ? word(widget, 'average') + ' ' : '');
      if (own === null && average === null) input.ariaValueText = '–';
      input.disabled = isRefused;
    },
  };
};
