/** A longer URL is refused: what is beyond it carries data, not a place. */
export const URL_LENGTH_MAX = 2_048;

/** Ports that websites use. Whatever listens elsewhere was not put there for strangers. */
export const PORTS: readonly number[] = [80, 443];

/** Hops that are followed. Each is checked as if a stranger had written it. */
export const REDIRECTS_MAX = 3;

/** Of all header fields of one answer together. */
export const HEADER_BYTES_MAX = 16_384;

/** What a caller may ask for at most. */
export const BODY_BYTES_MAX = 64 * 1024 * 1024;
export const TIMEOUT_MAX_MS = 120_000;

/** Addresses of a name that are looked at; a name with more is refused. */
export const ADDRESSES_MAX = 32;

/** At once: in all, for one host, and for one origin that the operator named. */
export const FETCHES_MAX = 64;
export const FETCHES_PER_HOST_MAX = 4;
export const FETCHES_PER_ALLOWED_MAX = 16;

/** Connections to an origin of the operator's that are kept open while nothing is asked. */
export const KEPT_SOCKETS_MAX = FETCHES_PER_ALLOWED_MAX;
export const KEPT_FOR_MS = 4_000;

/** Who may wait for a place; more are turned away at once. */
export const FETCHES_WAITING_MAX = 4_096;
