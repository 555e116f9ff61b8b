// Defines what a bridge carries from where to where, its statuses, and every move between them.

import { z } from "zod";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import { nextState, type StateTable } from "#core/states.ts";

const rawSchema = z
	.string()
	.regex(/^\d{1,78}$/)
	.transform(BigInt);
const placeSchema = z.object({
	chainId: z.int().positive(),
	/** Slug, where this deployment knows the chain; else the provider's name. */
	chain: z.string(),
	currency: anyCaseAddressSchema,
	symbol: z.string(),
	decimals: z.int().min(0).max(36),
});

/** Parses a bridge's exact amount, currencies, chains and addresses. Stored as JSON. */
export const bridgeRoute = z.object({
	user: anyCaseAddressSchema,
	recipient: anyCaseAddressSchema,
	refundTo: anyCaseAddressSchema,
	amountRaw: rawSchema,
	origin: placeSchema,
	destination: placeSchema,
});
export type BridgeRoute = z.output<typeof bridgeRoute>;

/**
 * The statuses of a bridge. Nothing was deposited in `created` (not quoted yet), `quoted` (and
 * held: a dry run), `confirmation_required`, `signature_required` and `executing`; `rejected` and
 * `disabled` are their ends. `pending`: the deposit is on chain. `uncertain`: nobody can say where
 * the money is. `success`, `refund`: the provider's last word, looked up on chain. `failure` and
 * `timed_out` may still become either.
 */
export const BRIDGE_STATUSES = [
	"created",
	"rejected",
	"quoted",
	"confirmation_required",
	"signature_required",
	"executing",
	"uncertain",
	"pending",
	"success",
	"refund",
	"failure",
	"timed_out",
	"disabled",
] as const;
export type BridgeStatus = (typeof BRIDGE_STATUSES)[number];

export type BridgeEvent =
	/** A quote was checked and stored, with its steps. */
	| "quote"
	/** Policy, a check or a limit refused it; nothing was sent. */
	| "reject"
	/** The bridge's steps were recorded as intents. */
	| "execute"
	/** The owner is asked first. */
	| "ask"
	/** The owner's own wallet signs. */
	| "sign"
	/** A dry run: it was judged, and stays as it was quoted. */
	| "hold"
	/** The owner cancelled the bridge before anything of it was sent. */
	| "cancel"
	/** An operator ended it, before anything was deposited. */
	| "disable"
	/** A step was sent and failed, or cannot follow any more: nothing was deposited. */
	| "give_up"
	/** The deposit is in a block. */
	| "deposit"
	/** It is unknown where the money is: an unknown sending, a deposit or arrival that is gone. */
	| "doubt"
	/** The provider works on it again. */
	| "revive"
	/** The bought currency arrived on the destination chain. */
	| "fill"
	/** The money came back. */
	| "refund"
	/** The provider reported a failure a while ago. */
	| "fail"
	| "time_out";

const BEFORE_DEPOSIT = {
	reject: "rejected",
	execute: "executing",
	ask: "confirmation_required",
	sign: "signature_required",
	hold: "quoted",
	cancel: "rejected",
	disable: "disabled",
	give_up: "failure",
	deposit: "pending",
	doubt: "uncertain",
} as const;
const AFTER_DEPOSIT = {
	fill: "success",
	refund: "refund",
	fail: "failure",
	time_out: "timed_out",
	doubt: "uncertain",
	deposit: "pending",
} as const;

const AFTER_ALL = { deposit: "pending", doubt: "uncertain" } as const;

/** Every move that a bridge can make. What is not here is refused, and logged. */
export const bridgeMoves: StateTable<BridgeStatus, BridgeEvent> = {
	created: { quote: "quoted", reject: "rejected", cancel: "rejected", disable: "disabled" },
	quoted: { ...BEFORE_DEPOSIT, quote: "quoted" },
	confirmation_required: BEFORE_DEPOSIT,
	signature_required: BEFORE_DEPOSIT,
	executing: BEFORE_DEPOSIT,
	// Before or after the deposit: it was handed over, and the chain will say.
	uncertain: { ...AFTER_DEPOSIT, execute: "executing", give_up: "failure" },
	pending: AFTER_DEPOSIT,
	// The provider's `failure` is known to be followed by work, a refund or a fill.
	failure: { ...AFTER_DEPOSIT, revive: "pending" },
	timed_out: { ...AFTER_DEPOSIT, revive: "pending" },
	// Ends, unless an owner's own wallet sent the deposit all the same.
	rejected: AFTER_ALL,
	disabled: AFTER_ALL,
	// Ends, as long as the chain that shows them does: what it takes back is looked for again.
	success: { doubt: "uncertain" },
	refund: { doubt: "uncertain" },
};

/** Returns the status that an event leads to; null where the table has no such move. */
export function nextBridgeStatus(from: BridgeStatus, event: BridgeEvent): BridgeStatus | null {
	return nextState(bridgeMoves, from, event);
}

/** Returns whether the quote may be replaced, because nothing of the bridge was ever sent. */
export function isUnsent(status: BridgeStatus): boolean {
	return status === "created" || status === "quoted" || status === "confirmation_required";
}

/** Returns a route as it is stored: its amount as decimal text. */
export function routeJson(route: BridgeRoute): z.input<typeof bridgeRoute> {
	return { ...route, amountRaw: String(route.amountRaw) };
}
