'use strict';

// Shows widgets with the chosen appearance on a light page and on a dark page, with the contrast of each colour.
(({colours, theme, pages, good, weak}) => {
  const stars = document.getElementById('ratingd-stars');
  const root = document.querySelector('[data-ratingd-look]');
  const text = root.querySelector('[data-ratingd-text]');
  const samples = [...root.querySelectorAll('[data-ratingd-sample]')];
  // For each template, the visitor's own rating in the sample, or null if the sample shows an average.
  const templates = {'simple/stars': null, 'simple/thumbs': '1', 'simple/heart': '1'};

  // Computes the relative luminance and the contrast of two colours as in WCAG 2. Symbols need a contrast of 3:1.
  const luminance = (colour) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const value = parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  // Round down, because a contrast of 2.96 does not meet a minimum of 3.
  const shown = (ratio) =>
    (Math.floor(ratio * 10) / 10).toLocaleString(document.documentElement.lang, {minimumFractionDigits: 1});

  const chosen = (select) => {
    if (select.value === 'own') return select.parentElement.querySelector('[type=color]').value;
    return select.value === 'theme' ? theme : '';
  };

  function sayContrast(select) {
    const colour = chosen(select);
    const lines = Object.entries(colour ? pages : {}).map(([page, name]) => {
      const ratio = contrast(colour, page);
      const line = document.createElement('p');
      line.className = ratio < 3 ? 'ratingd-weak' : '';
      line.textContent = (ratio < 3 ? weak : good).replace('%1$s', name).replace('%2$s', shown(ratio));
      return line;
    });
    select.parentElement.querySelector('.ratingd-contrast').replaceChildren(...lines);
  }

  // Colours the samples. If no colour is chosen, the samples have the template's colour.
  function paint(select) {
    const colour = chosen(select);
    for (const widget of root.querySelectorAll('.ratingd')) {
      for (const property of colours[select.dataset.ratingdColour]) {
        if (colour) widget.style.setProperty(property, colour);
        else widget.style.removeProperty(property);
      }
    }
  }

  function show() {
    for (const select of root.querySelectorAll('select')) {
      select.parentElement.querySelector('[type=color]').hidden = select.value !== 'own';
      sayContrast(select);
      paint(select);
    }
    const isOutlined = root.querySelector('[data-ratingd-colour=idle]').value !== '';
    for (const sample of samples) sample.toggleAttribute('data-ratingd-outlined', isOutlined);
    for (const place of root.querySelectorAll('.ratingd-text')) {
      place.textContent = text.value;
      place.hidden = !text.value.trim();
    }
  }

  // Marks the visitor's choice in the same way as the widgets' script.
  function choose(holder, value) {
    const button = value && holder.querySelector(`[data-value="${value}"]`);
    if (button) button.setAttribute('aria-pressed', 'true');
  }

  async function load(sample) {
    const lead = document.createElement('div');
    lead.className = 'ratingd-text';
    const parts = [lead];
    for (const [template, own] of Object.entries(templates)) {
      const data = {template, dark_mode: sample.dataset.ratingdSample === 'dark', show_counts: false};
      const {html, css} = await window.ratingdPreview(data, stars.value);
      const holder = document.createElement('div');
      holder.innerHTML = html;
      choose(holder, own);
      const style = document.createElement('style');
      style.textContent = css;
      parts.push(style, holder);
    }
    sample.replaceChildren(...parts);
  }

  root.addEventListener('input', show);
  root.addEventListener('change', show);
  show();
  const loadAll = () =>
    Promise.all(samples.map(load)).then(show, (error) => {
      samples[0].textContent = error.message;
    });
  stars.addEventListener('change', loadAll);
  loadAll();
})(window.ratingdLook);
