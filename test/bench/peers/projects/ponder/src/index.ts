import { type Context, ponder } from "ponder:registry";
import { candle, collection, event as events } from "ponder:schema";

type Hex = `0x${string}`;
type Item = { token: bigint; quantity: bigint };
type Place = {
	id: string;
	log: { address: Hex; logIndex: number };
	block: { number: bigint; timestamp: bigint };
	transaction: { hash: Hex; value: bigint };
};

const SECONDS_PER_MINUTE = 60;

ponder.on("Tokens:Transfer", async ({ event, context }) => {
	const { to, tokenId } = event.args;
	await mint(context, event, to, [{ token: tokenId, quantity: 1n }]);
});

ponder.on("Editions:TransferSingle", async ({ event, context }) => {
	const { to, id, value } = event.args;
	await mint(context, event, to, [{ token: id, quantity: value }]);
});

ponder.on("Editions:TransferBatch", async ({ event, context }) => {
	const { to, ids, values } = event.args;
	const items = ids.map((token, n) => ({ token, quantity: values[n] ?? 0n }));
	await mint(context, event, to, items);
});

ponder.on("Seaport:OrderFulfilled", async ({ event, context }) => {
	const { offerer, recipient, offer, consideration } = event.args;
	const [sold] = offer;
	if (!sold) return;
	const { token: address, identifier: token, amount: quantity } = sold;
	const wei = consideration.reduce((sum, { amount }) => sum + amount, 0n);
	await context.db.insert(events).values({
		...placeOf(event, 0),
		...{ kind: "sale", collection: address, token, quantity },
		...{ sender: offerer, receiver: recipient, wei },
	});
	await context.db
		.insert(collection)
		.values({ id: address, mints: 0, units: 0n, paid: 0n, sales: 1, volume: wei, latest: "0x" })
		.onConflictDoUpdate((row) => ({ sales: row.sales + 1, volume: row.volume + wei }));
	const minute = Math.floor(Number(event.block.timestamp) / SECONDS_PER_MINUTE);
	await context.db
		.insert(candle)
		.values({
			...{ id: `${address}-${minute}`, collection: address, minute, sales: 1, volume: wei },
			...{ opened: wei, highest: wei, lowest: wei, closed: wei },
		})
		.onConflictDoUpdate((row) => ({
			highest: wei > row.highest ? wei : row.highest,
			lowest: wei < row.lowest ? wei : row.lowest,
			closed: wei,
			volume: row.volume + wei,
			sales: row.sales + 1,
		}));
});

/**
 * Stores mints. What a transaction paid counts once for its collection: with the first log of its
 * mints.
 */
async function mint(context: Context, event: Place, receiver: Hex, items: readonly Item[]) {
	const { address } = event.log;
	const { hash, value: wei } = event.transaction;
	const sender: Hex = "0x0000000000000000000000000000000000000000";
	for (const [n, { token, quantity }] of items.entries()) {
		await context.db.insert(events).values({
			...placeOf(event, n),
			...{ kind: "mint", collection: address, token, quantity, sender, receiver, wei },
		});
	}
	const units = items.reduce((sum, { quantity }) => sum + quantity, 0n);
	const mints = items.length;
	await context.db
		.insert(collection)
		.values({ id: address, mints, units, paid: wei, sales: 0, volume: 0n, latest: hash })
		.onConflictDoUpdate((row) => ({
			mints: row.mints + mints,
			units: row.units + units,
			paid: row.paid + (row.latest === hash ? 0n : wei),
			latest: hash,
		}));
}

function placeOf({ log, block, transaction }: Place, sub: number) {
	const number = Number(block.number);
	const at = Number(block.timestamp);
	return { id: `${number}-${log.logIndex}-${sub}`, block: number, at, tx: transaction.hash };
}
