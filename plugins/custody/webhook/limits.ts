/** An event is under 1 KB; one with its transaction's request a few. */
export const WEBHOOK_BYTES_MAX = 65_536;
/** How far the time of a delivery may be from ours, either way. */
export const WEBHOOK_TOLERANCE_MS = 300_000;
export const WEBHOOK_ID_LENGTH_MAX = 128;
/** While a secret is replaced there are two signatures. */
export const SIGNATURES_PER_WEBHOOK_MAX = 8;
export const SIGNATURE_HEADER_LENGTH_MAX = 1_024;
export const SECRET_BYTES_MIN = 16;
export const SECRET_BYTES_MAX = 64;
export const EVENT_NAME_LENGTH_MAX = 128;
/** Deliveries remembered at once; one that is forgotten too early costs a look. */
export const DELIVERIES_REMEMBERED_MAX = 10_000;
/** A delivery whose time may still be in the future is good for so long. */
export const DELIVERY_REMEMBERED_MS = 2 * WEBHOOK_TOLERANCE_MS;
/** Looks that one process lets webhooks ask for: a tenth of what a turn has room for. */
export const WAKES_PER_SECOND_MAX = 20;
/** Of one transaction. An honest provider has two or three things to say of it. */
export const WAKES_PER_REFERENCE_MAX = 6;
export const WAKES_PER_REFERENCE_WINDOW_SECONDS = 60;
