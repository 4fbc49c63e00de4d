// Draws the same symbols for rating categories as the widgets. Each symbol has a visible name or a name
// for screen readers.

import {svg} from './dom.js';

// The SVG paths are copied from heart.html, thumbs.html and stars.html in lib/templates/builtin/.
const paths = {
  binary:
    'M12 20.7 4.3 13C2.4 11 2.4 7.9 4.3 5.9c1.9-1.9 5-1.9 6.9 0l.8.9.8-.9c1.9-1.9 5-1.9 6.9 0 1.9 2 1.9 5.1 0 7.1z',
  bipolar:
    'M2 10.5h4V21H2z' +
    'M8 20.2V10.6l3.9-7.4c1.4.1 2.3 1.2 2.1 2.7' +
    'L13.4 9H19c1.6 0 2.7 1.5 2.3 3l-1.8 7c-.3 1.2-1.3 2-2.5 2h-6.5c-.9 0-1.7-.3-2.5-.8z',
  scale: 'M12 17.6L6.1 20.8L7.3 14.2L2.5 9.6L9.1 8.7L12 2.7L14.9 8.7L21.5 9.6L16.7 14.2L17.9 20.8z',
};

// For a negative rating, "isAgainst" is true, and the symbol is an empty heart or a thumb pointing down.
export const symbol = (category, isAgainst = false) =>
  category in paths &&
  svg(
    'svg',
    {
      class: `rd-symbol rd-${category} ${isAgainst ? 'rd-against' : ''}`,
      viewBox: '0 0 24 24',
      'aria-hidden': 'true',
      focusable: 'false',
    },
    svg('path', {d: paths[category]}),
  );
