/**
 * A filter that is chosen with the pointer applies at once. With the keyboard a menu changes at every step through it,
 * so there it takes Enter.
 */
document.documentElement.classList.add('js');
let byKeyboard = false;
document.addEventListener('keydown', () => {
  byKeyboard = true;
});
document.addEventListener('pointerdown', () => {
  byKeyboard = false;
});
for (const form of document.querySelectorAll('form.filters')) {
  form.addEventListener('change', (event) => {
    if (event.target.matches('select') && !byKeyboard) form.requestSubmit();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.matches('select')) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  // What is not asked for stays out of the address.
  form.addEventListener('submit', () => {
    for (const field of form.elements) if (field.name !== '' && field.value === '') field.disabled = true;
  });
  // A page that the browser kept comes back as it was left.
  addEventListener('pageshow', () => {
    for (const field of form.elements) field.disabled = false;
  });
}

export {};
