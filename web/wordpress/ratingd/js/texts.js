'use strict';

// Previews the site's own texts as the owner types them: the invitation, the thank-you text, and the
// word for a star.
(({template, stars, steps, words}) => {
  const root = document.querySelector('[data-ratingd-texts]');
  const places = [...root.querySelectorAll('[data-ratingd-sample]')];
  const place = (name) => root.querySelector(`[data-ratingd-sample=${name}]`);
  const textOf = (name) => {
    const field = root.querySelector(`[data-ratingd-text=${name}]`);
    return field.value.trim() || field.placeholder;
  };
  let step = steps.length; // the star whose word is shown

  // Fills the given number of stars.
  const fill = (widget, count) => {
    widget.dataset.tenths = '';
    widget.style.setProperty('--ratingd-fill', count);
  };
  const widgetIn = (name) => place(name).querySelector('.ratingd');

  function show() {
    place('first').querySelector('output').textContent = textOf('first');
    // Without a thank-you text, widgets confirm a vote by showing the visitor's own rating.
    place('thanks').querySelector('output').textContent = textOf('thanks') || words.own.replace('{n}', stars);
    const word = textOf(steps[step - 1]);
    const bubble = place('step').querySelector('output');
    bubble.textContent = word;
    bubble.hidden = !word;
    const widget = widgetIn('step');
    fill(widget, step);
    const radios = [...widget.querySelectorAll('[role=radio]')];
    const radio = radios[(step * radios.length) / steps.length - 1];
    moveBelow(bubble, radio);
  }

  // Moves the bubble below a star, but not beyond the edges of its container.
  function moveBelow(bubble, radio) {
    bubble.style.marginInlineStart = '0'; // a margin would narrow the bubble that is measured
    const [whole, star, own] = [bubble.parentElement, radio, bubble].map((one) => one.getBoundingClientRect());
    const isRightToLeft = getComputedStyle(root).direction === 'rtl';
    const start = isRightToLeft ? whole.right - star.right : star.left - whole.left;
    bubble.style.marginInlineStart = `${Math.max(0, Math.min(start, whole.width - own.width))}px`;
  }

  function build({html, css}) {
    for (const one of places) {
      const style = Object.assign(document.createElement('style'), {textContent: css});
      const holder = Object.assign(document.createElement('div'), {innerHTML: html});
      const [widget] = holder.children;
      const isFirst = one.dataset.ratingdSample === 'first';
      if (isFirst) widget.dataset.empty = '';
      fill(widget, isFirst ? 0 : stars);
      holder.append(document.createElement('output'));
      one.replaceChildren(style, holder);
    }
    const chosen = [...widgetIn('thanks').querySelectorAll('[role=radio]')].at(-1);
    chosen.setAttribute('aria-checked', 'true');
  }

  window.ratingdPreview({template, show_counts: false}, stars).then(
    (answer) => {
      build(answer);
      show();
      root.addEventListener('input', show);
      addEventListener('resize', show);
      root.addEventListener('focusin', ({target}) => {
        const at = steps.indexOf(target.dataset.ratingdText);
        if (at >= 0) step = at + 1;
        show();
      });
    },
    (error) => {
      places[0].textContent = error.message;
    },
  );
})(window.ratingdTexts);
