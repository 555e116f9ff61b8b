// Builds sample events of the provider's stream, for tests.

const CONTRACT = "0xAbCdEf0000000000000000000000000000000001";
export const MAKER = "0x1111111111111111111111111111111111111111";
export const TAKER = "0x2222222222222222222222222222222222222222";
export const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const NATIVE = "0x0000000000000000000000000000000000000000";

export const hashOf = (seed: number) => `0x${seed.toString(16).padStart(64, "0")}`;

type Inner = Record<string, unknown>;

const place = {
	chain: { name: "ethereum" },
	collection: { slug: "cats" },
	event_timestamp: "2026-10-31T23:59:50.123456+00:00",
	item: {
		nft_id: `ethereum/${CONTRACT}/7`,
		permalink: "https://example.org/7",
		chain: { name: "ethereum" },
		metadata: { name: "Cat #7", image_url: "https://img.example/7.png" },
	},
};

const token = (address: string, symbol: string) => ({ address, decimals: 18, symbol });

/** Makes events as the provider sends them, with a test's changes. */
export const sampleEvents = {
	listed: (changes: Inner = {}): Inner => ({
		...place,
		quantity: 1,
		listing_type: null,
		listing_date: "2026-10-31T23:59:49.000000+00:00",
		expiration_date: "2026-12-01T00:00:00.000000+00:00",
		maker: { address: MAKER },
		taker: null,
		base_price: "1500000000000000000",
		payment_token: token(NATIVE, "ETH"),
		is_private: false,
		order_hash: hashOf(1),
		...changes,
	}),
	bid: (changes: Inner = {}): Inner => ({
		...place,
		quantity: 1,
		created_date: "2026-10-31T23:59:49.000000+00:00",
		expiration_date: "2026-12-01T00:00:00.000000+00:00",
		maker: { address: MAKER },
		base_price: "900000000000000000",
		payment_token: token(WETH, "WETH"),
		order_hash: hashOf(2),
		...changes,
	}),
	collectionOffer: (changes: Inner = {}): Inner => ({
		...sampleEvents.bid(),
		item: {},
		collection_criteria: { slug: "cats" },
		asset_contract_criteria: { address: CONTRACT },
		order_hash: hashOf(3),
		...changes,
	}),
	sold: (changes: Inner = {}): Inner => ({
		...place,
		quantity: 1,
		closing_date: "2026-10-31T23:59:48.000000+00:00",
		transaction: { hash: hashOf(99), timestamp: "2026-10-31T23:59:47.000000+00:00" },
		maker: { address: MAKER },
		taker: { address: TAKER },
		sale_price: "1500000000000000000",
		payment_token: token(NATIVE, "ETH"),
		is_private: false,
		order_hash: hashOf(1),
		listing_type: null,
		...changes,
	}),
	transferred: (changes: Inner = {}): Inner => ({
		...place,
		quantity: 1,
		from_account: { address: MAKER },
		to_account: { address: TAKER },
		transaction: { hash: hashOf(98), timestamp: "2026-10-31T23:59:46.000000+00:00" },
		...changes,
	}),
	metadata: (changes: Inner = {}): Inner => ({
		...place,
		item: {
			...place.item,
			metadata: {
				...place.item.metadata,
				description: "a cat",
				traits: [
					{ trait_type: "Fur", value: "Grey", display_type: null },
					{ trait_type: "Lives", value: 9 },
					{ trait_type: "Odd", value: { not: "a value" } },
				],
			},
		},
		...changes,
	}),
	order: (changes: Inner = {}): Inner => ({
		...place,
		item: {},
		order_hash: hashOf(1),
		...changes,
	}),
};

/** Returns an event with the envelope that a frame has around it. */
export const enveloped = (eventType: string, inner: unknown, version = 1) => ({
	event_type: eventType,
	version,
	sent_at: "2026-10-31T23:59:51.000000+00:00",
	payload: inner,
});
