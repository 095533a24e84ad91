// Limits of the forms that move money.

export const TEXT_LENGTH = 255;
/** The random key of a form, which makes it work once. */
export const FORM_KEY = /^[0-9a-f-]{36}$/;
