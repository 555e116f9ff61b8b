/** A longer URL is refused: what is beyond it carries data, not a place. */
export const URL_LENGTH_MAX = 2_048;

/** Ports that websites use. Whatever listens elsewhere was not put there for strangers. */
export const PORTS: readonly number[] = [80, 443];

/** Hops that are followed. Each is checked as if a stranger had written it. */
export const REDIRECTS_MAX = 3;

/** Of all header fields of one answer together. */
export const HEADER_BYTES_MAX = 16_384;

/** What may surround a body beside an eighth of it: chunk sizes, blank lines, trailers. */
export const WRAPPING_BYTES_MAX = 65_536;

/** Pieces of a body that may be as small as they like; with more, so many bytes on average. */
export const PIECES_FREE = 4_096;
export const PIECE_BYTES_MIN = 64;

/** `100 Continue`, `103 Early Hints` and the like, before the answer itself. */
export const INTERIM_ANSWERS_MAX = 16;

/** What a caller may ask for at most. */
export const BODY_BYTES_MAX = 64 * 1024 * 1024;
export const TIMEOUT_MAX_MS = 120_000;

/** Addresses of a name that are looked at; a name with more is refused. */
export const ADDRESSES_MAX = 32;

/** The name servers' share of a request's time. */
export const LOOK_UP_MAX_MS = 4_000;

/** At once: in all, for whatever strangers name, for one site and one host of theirs. */
export const FETCHES_MAX = 64;
export const FETCHES_FOREIGN_MAX = 48;
export const FETCHES_PER_SITE_MAX = 16;
export const FETCHES_PER_HOST_MAX = 4;

/** At once for one host that the operator named. */
export const FETCHES_PER_ALLOWED_MAX = 16;

/** Connections to an origin of the operator's that are kept open while nothing is asked. */
export const KEPT_SOCKETS_MAX = FETCHES_PER_ALLOWED_MAX;
export const KEPT_FOR_MS = 4_000;

/** Who may wait for a place; more are turned away at once. */
export const FETCHES_WAITING_MAX = 4_096;
