/**
 * Returns a frame in the size and shape of a sale's. The same for the service and for the bare
 * script.
 */
export function benchFrame() {
	const data = {
		id: "0x6f1c0f8cf5d1b2f2bc4a1b7b2f1c0f8cf5d1b2f2bc4a1b7b2f1c0f8cf5d1b2f2:117:0",
		kind: "sale",
		chain: "anvil",
		collection: "0x00000000000000000000000000000000000000aa",
		tokenId: "117",
		quantity: "1",
		from: "0x00000000000000000000000000000000000000bb",
		to: "0x00000000000000000000000000000000000000cc",
		price: { raw: "12500000000000000", decimals: 18, currency: "ETH", native: "0.0125" },
		transactionHash: "0x6f1c0f8cf5d1b2f2bc4a1b7b2f1c0f8cf5d1b2f2bc4a1b7b2f1c0f8cf5d1b2f2",
		blockNumber: 117,
		occurredAt: "2026-03-01T12:00:00.000Z",
	};
	return { type: "market_event", data };
}
