'use strict';

// The panel "Ratings" of the block editor: the words are made in PHP.
(({plugins, element: {createElement}, editor, editPost}, {title, figures, none, link, linkText}) => {
  // In wp.editor from WordPress 6.6.
  const Panel = editor.PluginDocumentSettingPanel || editPost.PluginDocumentSettingPanel;

  const line = ({icon, text}) =>
    createElement(
      'p',
      {key: text, className: 'ratingd-figure'},
      createElement('span', {className: `dashicons dashicons-${icon}`, 'aria-hidden': true}),
      text,
    );

  plugins.registerPlugin('ratingd', {
    icon: 'star-filled',
    render: () =>
      createElement(
        Panel,
        {name: 'ratingd', title, className: 'ratingd-panel'},
        figures.length > 0 ? figures.map(line) : createElement('p', null, none),
        link && createElement('p', null, createElement('a', {href: link}, linkText)),
      ),
  });
})(window.wp, window.ratingdEditor);
