// Builds rows as the provider sends them, for tests.

type Row = Record<string, unknown>;

const CAT = "0x00000000000000000000000000000000000000c1";
const ALICE = "0x00000000000000000000000000000000000000a1";
const BOB = "0x00000000000000000000000000000000000000b2";
const WETH = "0x4200000000000000000000000000000000000006";
const HASH = `0x${"ab".repeat(32)}`;
const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";

const nft = (over: Row = {}): Row => ({
	identifier: "7",
	collection: "cats",
	contract: CAT,
	token_standard: "erc721",
	name: "Cat #7",
	description: "One of them.",
	image_url: "https://img.example/7.png",
	metadata_url: "ipfs://cid/7",
	opensea_url: `https://opensea.io/item/base/${CAT}/7`,
	updated_at: "2026-01-01T00:00:00.000000",
	is_disabled: false,
	is_nsfw: false,
	traits: [{ trait_type: "Fur", display_type: null, max_value: null, value: "Red" }],
	...over,
});

const item = (itemType: number, token: string, amount: string, over: Row = {}): Row => ({
	itemType,
	token,
	identifierOrCriteria: "0",
	startAmount: amount,
	endAmount: amount,
	...over,
});

const ZERO = `0x${"0".repeat(40)}`;

const parameters = (over: Row = {}): Row => ({
	offerer: ALICE,
	offer: [item(2, CAT, "1", { identifierOrCriteria: "7" })],
	consideration: [
		item(0, ZERO, "975", { recipient: ALICE }),
		item(0, ZERO, "25", { recipient: BOB }),
	],
	startTime: "1767225600",
	endTime: "1769904000",
	orderType: 0,
	zone: ZERO,
	zoneHash: `0x${"0".repeat(64)}`,
	salt: "0x01",
	conduitKey: `0x${"0".repeat(64)}`,
	totalOriginalConsiderationItems: 2,
	counter: 0,
	...over,
});

/** Makes rows as the provider sends them; every function takes the members that differ. */
export const rows = {
	CAT,
	ALICE,
	BOB,
	WETH,
	HASH,
	SEAPORT,
	nft,
	item,
	parameters,
	collection: (over: Row = {}): Row => ({
		collection: "cats",
		name: "Cats",
		description: "Many cats.",
		image_url: "https://img.example/cats.png",
		banner_image_url: "https://img.example/banner.png",
		owner: ALICE,
		safelist_status: "verified",
		category: "pfps",
		is_disabled: false,
		is_nsfw: false,
		trait_offers_enabled: true,
		collection_offers_enabled: true,
		opensea_url: "https://opensea.io/collection/cats",
		project_url: "https://cats.example",
		contracts: [{ address: CAT, chain: "base" }],
		...over,
	}),
	stats: (over: Row = {}): Row => ({
		total: {
			volume: 12.5,
			volume_symbol: "ETH",
			sales: 3,
			num_owners: 2,
			floor_price: 0.02,
			floor_price_symbol: "ETH",
			...over,
		},
		intervals: [],
	}),
	sale: (over: Row = {}): Row => ({
		event_type: "sale",
		event_timestamp: 1_767_225_600,
		transaction: HASH,
		order_hash: HASH,
		protocol_address: SEAPORT,
		chain: "base",
		payment: { quantity: "1000", token_address: ZERO, decimals: 18, symbol: "ETH" },
		closing_date: 1_767_225_600,
		seller: ALICE,
		buyer: BOB,
		quantity: 1,
		nft: nft(),
		...over,
	}),
	transfer: (over: Row = {}): Row => ({
		event_type: "transfer",
		event_timestamp: 1_767_225_600,
		transaction: HASH,
		chain: "base",
		transfer_type: "transfer",
		from_address: ALICE,
		to_address: BOB,
		nft: nft(),
		quantity: 1,
		...over,
	}),
	listing: (over: Row = {}): Row => ({
		order_hash: HASH,
		chain: "base",
		protocol_data: { parameters: parameters(), signature: null },
		protocol_address: SEAPORT,
		asset: { identifier: "7", contract: CAT },
		remaining_quantity: 1,
		order_created_at: 1_767_225_600,
		price: { current: { currency: "ETH", decimals: 18, value: "1000" } },
		type: "basic",
		status: "ACTIVE",
		...over,
	}),
	offer: (over: Row = {}): Row => ({
		order_hash: HASH,
		chain: "base",
		protocol_data: {
			parameters: parameters({
				offer: [item(1, WETH, "1000")],
				consideration: [
					item(2, CAT, "1", { identifierOrCriteria: "7", recipient: ALICE }),
					item(1, WETH, "25", { recipient: BOB }),
				],
			}),
			signature: "0x01",
		},
		protocol_address: SEAPORT,
		asset: { identifier: "7", contract: CAT },
		remaining_quantity: 1,
		price: { currency: "WETH", decimals: 18, value: "1000" },
		status: "ACTIVE",
		...over,
	}),
	drop: (over: Row = {}): Row => ({
		collection_slug: "cats",
		collection_name: "Cats",
		chain: "base",
		contract_address: CAT,
		drop_type: "seadrop_v1_erc721",
		is_minting: true,
		image_url: "https://img.example/cats.png",
		opensea_url: "https://opensea.io/collection/cats",
		active_stage: {
			uuid: "s1",
			stage_type: "public_sale",
			label: "Public",
			price: "100",
			price_currency_address: ZERO,
			start_time: "2026-01-01T00:00:00",
			end_time: "2026-02-01T00:00:00Z",
			max_per_wallet: "10",
		},
		...over,
	}),
};
