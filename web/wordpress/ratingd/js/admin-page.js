'use strict';

// Shows a message if nginx does not serve the script of the page. This file runs before the page's script is loaded,
// and listens in the capture phase, because load errors do not bubble.
const sayThatItIsMissing = ({target}) => {
  if (target.id === 'ratingd-admin-js') document.getElementById('ratingd-admin-missing').hidden = false;
};
window.addEventListener('error', sayThatItIsMissing, true);
