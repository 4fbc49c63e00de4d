'use strict';

// Adds the "Ratings" panel to the block editor. The texts come from the plugin's PHP code.
((wp, {title, figures, none, link, linkText, without, meta}) => {
  const {plugins, element, editor, editPost, components, data} = wp;
  const {createElement} = element;
  // Since WordPress 6.6, the panel component is in wp.editor.
  const Panel = editor.PluginDocumentSettingPanel || editPost.PluginDocumentSettingPanel;

  const line = ({icon, text}) =>
    createElement(
      'p',
      {key: text, className: 'ratingd-figure'},
      createElement('span', {className: `dashicons dashicons-${icon}`, 'aria-hidden': true}),
      text,
    );

  // If the rating widget is shown on all posts of a type, this switch hides it on one post. The switch
  // is not available for post types that do not support custom fields.
  const Switch = () => {
    const values = data.useSelect((select) => select('core/editor').getEditedPostAttribute('meta'), []);
    const {editPost: edit} = data.useDispatch('core/editor');
    if (!without || !values || !(meta in values)) return null;
    return createElement(components.ToggleControl, {
      __nextHasNoMarginBottom: true,
      label: without,
      checked: values[meta],
      onChange: (value) => edit({meta: {[meta]: value}}),
    });
  };

  plugins.registerPlugin('ratingd', {
    icon: 'star-filled',
    render: () =>
      createElement(
        Panel,
        {name: 'ratingd', title, className: 'ratingd-panel'},
        figures.length > 0 ? figures.map(line) : createElement('p', null, none),
        link && createElement('p', null, createElement('a', {href: link}, linkText)),
        createElement(Switch),
      ),
  });
})(window.wp, window.ratingdEditor);
