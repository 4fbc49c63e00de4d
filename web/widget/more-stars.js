// Shows three to ten stars in a widget, instead of the usual five. ratingd-widget.js loads this file if
// a widget has a data-stars attribute.

import css from 'builtin/more-stars.css';

const starWords = {
  step_of: '{n} of {stars}',
};

let hasSheet;

// Returns the number of stars for a widget. Returns 0 if the number is five or invalid, or if the
// template does not show stars.
const starsOf = ({stars, template}) => {
  const hasStars = /^(simple\/(?!slider)|criteria$)/.test(template);
  return hasStars && /^([346-9]|10)$/.test(stars) ? +stars : 0;
};

// Changes the number of the widget's stars from five to the number in its attribute. A click sends the
// number of chosen stars divided by the total number of stars, rounded to thousandths.
export const add = ({addSheet, all, dataOf, formatAverage, round, word, words}, widget) => {
  const dataset = dataOf(widget);
  const stars = starsOf(dataset);
  if (!stars || widget.stars) return;
  widget.stars = stars;
  Object.assign(words, starWords);
  // The CSS rules for more stars have a high specificity, so that they override a template's style sheet even if the
  // style sheet is loaded later.
  if (!hasSheet) addSheet(css.replaceAll('&', '.ratingd' + '[data-stars]'.repeat(5)));
  hasSheet = true;
  for (const element of all(widget, '[data-scale="5"]')) dataOf(element).scale = stars;
  const [steps] = all(widget, '.ratingd-steps');
  if (!steps) return;

  // Whole numbers are shown without decimals.
  const format = (number) => (number % 1 ? formatAverage(number / 10, 10) : formatAverage(number / 100, 100));
  const labelOf = (step) => word(widget, 'step_of', format(step)).replace('{stars}', format(stars));
  const {children} = steps;
  const parts = children.length / 5; // 2, if stars are given in halves
  const buttons = [...Array(stars * parts)].map((_, i) => {
    const button = children[i % parts].cloneNode(true);
    const step = (i + 1) / parts;
    dataOf(button).value = round((1000 * step) / stars) / 1000;
    button.step = `${step}_of_${stars}`;
    button.ariaLabel = labelOf(step);
    button.style.setProperty('--ratingd-before', (i - parts + 1) / parts);
    return button;
  });
  steps.replaceChildren(...buttons);
  steps.style.setProperty('--ratingd-halves', 2 * stars);

  for (const bars of all(widget, '.ratingd-bars')) {
    const [model] = bars.children;
    const barOf = (step) => {
      const bar = model.cloneNode(true);
      bar.firstElementChild.textContent = format(step) + ' ★';
      for (const element of all(bar, '[data-stat]')) {
        const {stat} = dataOf(element);
        dataOf(element).stat = stat.replace(/\d+/, step);
        if (/^share/.test(stat)) element.ariaLabel = labelOf(step);
      }
      return bar;
    };
    bars.replaceChildren(...[...Array(stars)].map((_, i) => barOf(stars - i)));
  }
};
