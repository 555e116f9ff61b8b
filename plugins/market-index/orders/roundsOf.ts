import type { Hex } from "#core/chain/Hex.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderPush.ts";

/**
 * Sorts changes of a book into rounds, in each of which an order appears once: the first round has
 * the first change of each order, and so on. Changes of different orders are independent, so one
 * round is a few statements however many orders it has, and each order still gets its changes in
 * the order of arrival. Of the same order sent repeatedly, with nothing else in between, the last
 * counts.
 */
export function roundsOf(pushes: readonly OrderPush[]): OrderPush[][] {
	const rounds: OrderPush[][] = [];
	const last = new Map<Hex, { round: number; place: number; type: OrderPush["type"] }>();
	for (const push of pushes) {
		const hash = push.type === "order" ? push.order.orderHash : push.orderHash;
		const before = last.get(hash);
		if (before && push.type === "order" && before.type === "order") {
			const told = rounds[before.round];
			if (told) told[before.place] = push;
			continue;
		}
		const round = before ? before.round + 1 : 0;
		const told = rounds[round] ?? [];
		rounds[round] = told;
		last.set(hash, { round, place: told.length, type: push.type });
		told.push(push);
	}
	return rounds;
}
