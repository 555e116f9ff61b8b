// Judges sales of one token by the published rules of wash trades.

import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS } from "#core/time.ts";

/**
 * Why a sale is flagged. `back_and_forth`: its token was sold from one account to another and back.
 * `round_trip`: from a first account to a second, to a third, and back to the first.
 */
export const WASH_REASONS = ["back_and_forth", "round_trip"] as const;

export type WashReason = (typeof WASH_REASONS)[number];

/** An accepted sale of one token, with its place. */
export type JudgedSale = {
	occurredAtMs: number;
	from: Address;
	to: Address;
};

/** A sale that a rule flags, and when the sale was made that closed the circle. */
export type WashFlag<Sale> = { sale: Sale; reason: WashReason; completedAtMs: number };

/** All sales of a circle lie within this time, and a circle is of sales this close to its last. */
export const WASH_WINDOW_MS = 7 * DAY_MS;
export const WASH_SALES_MAX = 1_000;

/** Sales to the account that closes the circle, by who sold: those not flagged by it yet. */
type Middles = Map<Address, number[]>;

/**
 * Returns the sales that belong to a circle closed at or after a time, each once, with the circle
 * that closed first: of two that close with the same sale, the one between two accounts.
 *
 * `sales` are all accepted sales of one token in the order of the chain, also those of the time
 * before that a circle may begin in. A sale closes a circle where its buyer sold the token before:
 * to its seller, or to an account that sold it to its seller later. Of the sales before it the last
 * thousand are looked at, each once.
 */
export function judgeSales<Sale extends JudgedSale>(
	sales: readonly Sale[],
	sinceMs: number,
): WashFlag<Sale>[] {
	const flags = new Map<number, WashFlag<Sale>>();
	for (const [index, last] of sales.entries()) {
		if (last.occurredAtMs < sinceMs) continue;
		const { direct, around } = circlesOf(sales, index);
		const completedAtMs = last.occurredAtMs;
		const note = (place: number, reason: WashReason) => {
			const sale = sales[place];
			if (sale && !flags.has(place)) flags.set(place, { sale, reason, completedAtMs });
		};
		for (const place of direct) note(place, "back_and_forth");
		for (const place of around) note(place, "round_trip");
	}
	return [...flags.values()];
}

/** Returns the places of the sales in circles that the sale at a place closes, by their kind. */
function circlesOf(
	sales: readonly JudgedSale[],
	index: number,
): { direct: ReadonlySet<number>; around: ReadonlySet<number> } {
	const direct = new Set<number>();
	const around = new Set<number>();
	const last = sales[index];
	if (!last || last.from === last.to) return { direct, around };
	const middles: Middles = new Map();
	for (let place = index - 1; place >= Math.max(0, index - WASH_SALES_MAX); place--) {
		const sale = sales[place];
		if (!sale || sale.occurredAtMs < last.occurredAtMs - WASH_WINDOW_MS) break;
		if (sale.from === last.to && sale.to === last.from) {
			direct.add(place).add(index);
			continue;
		}
		const between = sale.from === last.to ? middles.get(sale.to) : undefined;
		if (between) {
			around.add(place).add(index);
			for (const middle of between.splice(0)) around.add(middle);
		}
		if (sale.to === last.from) {
			const known = middles.get(sale.from);
			if (known) known.push(place);
			else middles.set(sale.from, [place]);
		}
	}
	return { direct, around };
}
