// Describes the filters of lists of events, and refuses those that no event can pass.

import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import type { Fault } from "#core/fault.ts";
import type { CursorScope } from "#core/http/pages.ts";
import { parseAmount } from "#core/money.ts";
import { nativeCurrency } from "#plugins/market-index/display.ts";
import type { StoredEvent } from "#plugins/market-index/event/MarketEvent.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { tokenIdParam, traitsParam } from "#plugins/market-index/routes/params.ts";
import type { EventFilter } from "#plugins/market-index/sql/filterEvents.ts";
import type { TraitFilter } from "#plugins/market-index/tokens/model.ts";
import { traitFilterKey } from "#plugins/market-index/tokens/sql/traits.ts";

type EventKind = StoredEvent["kind"];

/** The filters as a request has them. */
export type AskedFilters = {
	tokenId?: string | undefined;
	account?: Address | undefined;
	from?: Address | undefined;
	to?: Address | undefined;
	venue?: string | undefined;
	minPriceNative?: bigint | undefined;
	block?: number | undefined;
	traits?: TraitFilter | undefined;
};

export type AskedTimes = { after?: string | undefined; before?: string | undefined };

/** Limits how far a time may be ahead of our clock: clients' clocks differ a little. */
const FUTURE_MAX_MS = 60_000;

const PRICE_PATTERN = /^(0|[1-9]\d{0,20})(\.\d{1,18})?$/;

/** The schema of an account or contract in a query: an address in any case. */
export function addressParam(description: string) {
	return z
		.string()
		.regex(new RegExp(ANY_CASE_ADDRESS_PATTERN), "must be an address")
		.transform((text): Address => `0x${text.slice(2).toLowerCase()}`)
		.optional()
		.meta({ description, examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"] });
}

/** The schema of a price in ETH, as exact text; it is read in wei. */
export function priceParam(description: string) {
	return z
		.string()
		.regex(PRICE_PATTERN, "must be a plain decimal number with at most 18 digits after the point")
		.transform((text) => parseAmount(text, nativeCurrency).units)
		.optional()
		.meta({ description, examples: ["1.25"] });
}

const timeParam = (description: string) =>
	z.iso
		.datetime({ offset: true, error: "must be a time like 2026-03-01T12:00:00.000Z" })
		.optional()
		.meta({ description, examples: ["2026-03-01T12:00:00.000Z"] });

/** The query parameters of a time: from `after` on, and up to `before`, which is not part of it. */
export const timesQuery = {
	after: timeParam("Only events at this time and later ones."),
	before: timeParam("Only events before this time."),
};

/** The query parameters by which events of one token are filtered. */
export const tokenEventsQuery = {
	account: addressParam("Only events in which this account gave or got the token."),
	from: addressParam("Only events in which this account gave the token: a sale's seller."),
	to: addressParam("Only events in which this account got the token: a sale's buyer."),
	...timesQuery,
	venue: z
		.string()
		.regex(/^[\w.-]{1,64}$/, "must be the name of a venue")
		.optional()
		.meta({ description: "Only sales at this venue.", examples: ["seaport"] }),
	minPriceNative: priceParam(
		"Only events whose price of one unit is known and at least this, in ETH equivalents.",
	),
	block: z
		.string()
		.regex(/^(0|[1-9]\d{0,14})$/, "must be the number of a block")
		.transform(Number)
		.optional()
		.meta({
			description: "Only events that the chain told in this block.",
			examples: ["21000002"],
		}),
};

/** The query parameters by which events of a collection are filtered. */
export const eventsQuery = {
	...tokenEventsQuery,
	tokenId: tokenIdParam.optional().meta({ description: "Only events of this token." }),
};

/** The query parameters by which sales are filtered. */
export const salesQuery = { ...eventsQuery, traits: traitsParam };

/** Says how a filter that has no index is answered, for the descriptions of routes. */
export const SCAN_WORDS =
	"A page looks at 20,000 events at most for `tokenId`, `account`, `from`, `to`, `venue`, " +
	"`minPriceNative` and `traits`: one that found too few by then is short or empty, says in " +
	"`scannedTo` how far back it looked, and its cursor goes on from there.";

/**
 * Returns the filter that a request means. Throws `validation_error` for filters that contradict
 * each other or the kinds of events that are asked for: an empty list would look like an answer.
 */
export function eventFilterOf(asked: AskedFilters, kinds: readonly EventKind[]): EventFilter {
	const { tokenId, account, from, to, venue, block, traits } = asked;
	const { minPriceNative: minPriceWei } = asked;
	const canBe = (kind: EventKind) => kinds.includes(kind);
	if (account !== undefined && from !== undefined && to !== undefined) {
		const isEither = account === from || account === to;
		if (!isEither)
			throw contradiction("account", "is neither `from` nor `to`, so nothing can match");
	}
	if (venue !== undefined && !canBe("sale")) {
		throw contradiction("venue", "only sales have a venue: leave it out, or ask for sales");
	}
	if (minPriceWei !== undefined && !canBe("sale") && !canBe("mint")) {
		throw contradiction("minPriceNative", "a transfer has no price: leave it out");
	}
	const isSomebody = from !== undefined && from !== ZERO_ADDRESS;
	if (isSomebody && kinds.every((kind) => kind === "mint")) {
		throw contradiction("from", "nobody gives a token that is minted: use `to`");
	}
	return { tokenId, account, from, to, venue, minPriceWei, block, traits };
}

/**
 * Returns the time that a request means. Throws `validation_error` for a time in the future, and
 * where it ends before it begins.
 */
export function timesOf(
	{ after, before }: AskedTimes,
	nowMs: number,
): { since: Date | null; until: Date | null } {
	const since = after === undefined ? null : new Date(after);
	const until = before === undefined ? null : new Date(before);
	for (const [path, time] of [["after", since] as const, ["before", until] as const]) {
		if (time && time.getTime() > nowMs + FUTURE_MAX_MS) {
			throw contradiction(path, "is in the future: nothing has happened then");
		}
	}
	if (since && until && since >= until) {
		throw contradiction("before", "must be later than `after`");
	}
	return { since, until };
}

/** Returns what a cursor is bound to of these filters: equal filters have equal scopes. */
export function filterScope(filter: EventFilter, { after, before }: AskedTimes): CursorScope {
	const { minPriceWei, traits, ...plain } = filter;
	return {
		...plain,
		minPriceWei: minPriceWei?.toString(),
		traits: traitFilterKey(traits),
		after: after === undefined ? undefined : new Date(after).getTime(),
		before: before === undefined ? undefined : new Date(before).getTime(),
	};
}

/** Returns the Fault for a parameter that contradicts others. */
export function contradiction(path: string, message: string): Fault {
	return marketFault.validationError({
		public: `The query is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
