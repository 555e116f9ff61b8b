const { Editions, Seaport, Tokens } = require("../generated");

const NOBODY = "0x0000000000000000000000000000000000000000";
const SECONDS_PER_MINUTE = 60;

Tokens.Transfer.handler(async ({ event, context }) => {
	const { from, to, tokenId } = event.params;
	if (from === NOBODY) await mint(context, event, to, [{ token: tokenId, quantity: 1n }]);
});

Editions.TransferSingle.handler(async ({ event, context }) => {
	const { from, to, id, value } = event.params;
	if (from === NOBODY) await mint(context, event, to, [{ token: id, quantity: value }]);
});

Editions.TransferBatch.handler(async ({ event, context }) => {
	const { from, to, ids, values } = event.params;
	if (from !== NOBODY) return;
	const items = ids.map((token, n) => ({ token, quantity: values[n] }));
	await mint(context, event, to, items);
});

Seaport.OrderFulfilled.handler(async ({ event, context }) => {
	const { offerer, recipient, offer, consideration } = event.params;
	const [, address, token, quantity] = offer[0];
	const wei = consideration.reduce((sum, payment) => sum + payment[3], 0n);
	const minute = Math.floor(event.block.timestamp / SECONDS_PER_MINUTE);
	const id = `${address}-${minute}`;
	const [own, candle] = await Promise.all([
		context.Collection.get(address),
		context.Candle.get(id),
	]);
	context.MarketEvent.set({
		...placeOf(event, 0),
		...{ kind: "sale", collection: address, token, quantity },
		...{ sender: offerer, receiver: recipient, wei },
	});
	const old = own ?? emptyCollection(address);
	context.Collection.set({ ...old, sales: old.sales + 1, volume: old.volume + wei });
	const { opened = wei, highest = wei, lowest = wei, volume = 0n, sales = 0 } = candle ?? {};
	context.Candle.set({
		...{ id, collection: address, minute, opened, closed: wei },
		highest: wei > highest ? wei : highest,
		lowest: wei < lowest ? wei : lowest,
		volume: volume + wei,
		sales: sales + 1,
	});
});

/** What a transaction paid counts once for its collection: with the first log of its mints. */
async function mint(context, event, receiver, items) {
	const { srcAddress: address, transaction } = event;
	const { hash, value: wei } = transaction;
	const old = (await context.Collection.get(address)) ?? emptyCollection(address);
	for (const [n, { token, quantity }] of items.entries()) {
		context.MarketEvent.set({
			...placeOf(event, n),
			...{ kind: "mint", collection: address, token, quantity, sender: NOBODY, receiver, wei },
		});
	}
	context.Collection.set({
		...old,
		mints: old.mints + items.length,
		units: items.reduce((sum, { quantity }) => sum + quantity, old.units),
		paid: old.paid + (old.latest === hash ? 0n : wei),
		latest: hash,
	});
}

function emptyCollection(id) {
	return { id, mints: 0, units: 0n, paid: 0n, sales: 0, volume: 0n, latest: "" };
}

function placeOf({ block, logIndex, transaction }, sub) {
	const { number, timestamp: at } = block;
	return { id: `${number}-${logIndex}-${sub}`, block: number, at, tx: transaction.hash };
}
