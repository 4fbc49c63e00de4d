'use strict';

// Shows a message if nginx does not serve the page's script. This script comes before that script, and listens in the
// capture phase, because load errors do not bubble.
const sayThatItIsMissing = ({target}) => {
  if (target.id === 'ratingd-admin-js') document.getElementById('ratingd-admin-missing').hidden = false;
};
window.addEventListener('error', sayThatItIsMissing, true);
