/** The chain on which trades are made. */
export const TRADE_CHAIN_ID = 4663;

/** A quote is good for so long, from the moment it was asked for. */
export const QUOTE_LIFETIME_MS = 30_000;
/** Pools that one swap may go through. */
export const HOPS_MAX = 3;
/** Pools of one pair of tokens that are tried, those with the most liquidity first. */
export const POOLS_PER_PAIR = 3;
/** Ways from one token to another that are quoted. */
export const ROUTES_MAX = 12;
/** The part of the amount by which the price without impact is asked. */
export const PROBE_DIVISOR = 1_000n;
/** A smaller answer to the probe says too little: one unit is a basis point of it. */
export const PROBE_ANSWER_MIN = 10_000n;

/** A hosted router's answer. */
export const ROUTER_BODY_BYTES_MAX = 256_000;
/** Its split ways, and pools of one of them, as it may tell. */
export const ROUTER_WAYS_MAX = 16;
export const ROUTER_POOLS_MAX = 8;
/** What is kept of its permit data, in characters of JSON. */
export const PERMIT_CHARS_MAX = 8_192;
/** Pauses calls to the router for so long after a refusal that names no time, in milliseconds. */
export const ROUTER_PAUSE_MS = 1_000;

/** Ten thousand basis points are the whole. */
export const BPS = 10_000n;

/** How long after its quote a swap that we send may still be mined. */
export const SENT_DEADLINE_MS = 120_000;
/** The same where its owner's wallet sends it: as long as their link lives, and a little. */
export const SIGNED_DEADLINE_MS = 720_000;

/** Text of a command. */
export const COMMAND_CHARS_MAX = 200;
/** A ticker or an address. */
export const ASSET_CHARS_MAX = 64;
export const AMOUNT_CHARS_MAX = 64;

/** Quoting, planning, the chain and the wallet provider, one after the other. */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** The connection stays open for longer than that. */
export const ANSWER_IDLE_SECONDS = 120;
