/** The size of one document, after decompression. */
export const DOCUMENT_BYTES_MAX = 1_000_000;

/** Limits of a document's JSON before it is parsed: nesting, and commas outside texts. */
export const DOCUMENT_DEPTH_MAX = 64;
export const DOCUMENT_VALUES_MAX = 20_000;

/** Characters before the comma of a `data:` URI. */
export const DATA_HEAD_LENGTH_MAX = 512;

/** Characters of a `data:` URI; a base64 document of the size above, percent-encoded, fits. */
export const DATA_URI_LENGTH_MAX = 3_000_000;

/** Characters of a URI that points elsewhere. */
export const URL_LENGTH_MAX = 2_048;

/** The time for one attempt at one server, and for all attempts at one document. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
export const DOCUMENT_TIMEOUT_MS = 25_000;

/** Gateways that the operator may name. */
export const GATEWAYS_MAX = 8;

/** Attributes read of one document, and characters of its texts. */
export const ATTRIBUTES_MAX = 512;
export const DESCRIPTION_LENGTH_MAX = 4_096;

/** The distance between requests to a host that complains: at first, and at most. */
export const HOST_GAP_FIRST_MS = 20;
export const HOST_GAP_MAX_MS = 2_000;
/** The pause of such a host where it states none. */
export const HOST_PAUSE_FIRST_MS = 1_000;
/** A request that would wait longer for a place is refused, and others go on. */
export const HOST_WAIT_MAX_MS = 5_000;
/** Hosts whose pace is remembered; the one that complained longest ago is forgotten first. */
export const HOSTS_PACED_MAX = 1_000;
