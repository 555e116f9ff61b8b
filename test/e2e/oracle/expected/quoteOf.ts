import type { Check, Expected } from "#test/e2e/oracle/differences.ts";
import {
	alike,
	best,
	coinOf,
	nativeOf,
	readAtOf,
	wholeAsks,
} from "#test/e2e/oracle/expected/bookAnswers.ts";
import { type ToldOrder, unitOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { ether, inDollars } from "#test/e2e/oracle/expected/worthOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

/** The gas price of the node of the one chain that has a node, in wei. */
const GAS_PRICE = 10n ** 9n;

/**
 * Returns what buying so many units of the stored book costs, in ether and in dollars at present
 * rates.
 */
export function quoteOf(
	view: View,
	quantity: number,
	{ nowMs, body }: { nowMs: number; body: any },
): Expected {
	const all = wholeAsks(view);
	const asks = all && alike(best(all, 1), body.listings);
	const taken = asks?.slice(0, quantity) ?? [];
	const subtotal = sumOf(taken, unitOf);
	const etherDollars = view.rates.dollarsAt(nowMs);
	const amount = (wei: bigint | null) => ({
		native: wei === null ? null : ether(wei),
		nativeRaw: wei === null ? null : wei.toString(),
		usd: inDollars(wei === null ? null : ether(wei), etherDollars),
	});
	const gasPrice = view.lanesUntilMs === null ? null : GAS_PRICE;
	const isNone = taken.length === 0 || gasPrice === null;
	const gas = isNone ? null : BigInt(body.gas.units) * gasPrice;
	const fees = sumOf(taken, feeOf);
	return {
		chain: view.chain,
		contractAddress: view.address,
		quantity,
		availableUnits: asks && taken.length,
		bookReadAt: readAtOf(view),
		price: amount(subtotal === null ? null : subtotal / BigInt(taken.length)),
		subtotal: amount(subtotal),
		fees: { ...amount(fees), nativeRaw: roundedUp(fees, taken.length), includedInPrice: true },
		gas: {
			...amount(gas),
			units: notAFigure("an estimate of the service's own"),
			priceWei: gasPrice === null ? null : gasPrice.toString(),
		},
		total: amount(subtotal === null || gas === null ? null : subtotal + gas),
		listings: taken.map((order) => ({
			orderHash: order.hash,
			tokenId: order.tokenId,
			units: "1",
			priceNative: nativeOf(order),
			totalRaw: order.total.toString(),
			settlementCurrency: coinOf(order),
			expiresAt: new Date(order.endS * 1_000).toISOString(),
		})),
		observedAt: notAFigure("a time at which the service did something"),
	};
}

/** Sums up a figure of the orders; null for no orders, and if one of them is unknown. */
function sumOf(
	orders: readonly ToldOrder[],
	of: (order: ToldOrder) => bigint | null,
): bigint | null {
	const parts = orders.map(of);
	if (parts.length === 0) return null;
	return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0n);
}

/** Returns the part of a unit's price that others than the seller get. */
function feeOf(order: ToldOrder): bigint | null {
	const unit = unitOf(order);
	const { consideration } = order.words.protocol_data.parameters;
	const fees = consideration.filter(({ recipient }: any) => recipient !== order.maker);
	const raw = fees.reduce((sum: bigint, item: any) => sum + BigInt(item.startAmount), 0n);
	return unit === null ? null : (unit * raw) / order.total;
}

/** Checks a sum in which each listing's part is rounded up. */
function roundedUp(wei: bigint | null, parts: number): Expected {
	if (wei === null) return null;
	const check: Check = (actual) => {
		const over = BigInt(actual) - wei;
		return over >= 0n && over <= BigInt(parts) ? undefined : `${actual}, and not ${wei}`;
	};
	return check;
}
