/** Characters of a URL that leads somewhere. */
export const URL_LENGTH_MAX = 2_048;

/** Characters of a picture, a sound or a film, which may lie in the URL itself. */
export const MEDIA_URL_LENGTH_MAX = 32_768;

/** Characters of a trait's name, and of its value. */
export const TRAIT_LENGTH_MAX = 128;
