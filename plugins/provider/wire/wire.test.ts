import { describe, expect, test } from "bun:test";
import document from "@opensea/api-types/opensea-api.json";
import { z } from "zod";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

const memberSchema = z.looseObject({
	type: z.string().optional(),
	$ref: z.string().optional(),
	items: z.unknown().optional(),
	oneOf: z.array(z.unknown()).optional(),
});
const partSchema = z.looseObject({
	properties: z.record(z.string(), memberSchema).optional(),
	required: z.array(z.string()).optional(),
});
const schemas = z
	.record(z.string(), partSchema.extend({ allOf: z.array(partSchema).optional() }))
	.parse(document.components.schemas);

/** Our schema → the document's, and its members: `!` is required, `?` may be left out. */
const READ: Record<keyof typeof wire, [document: string, members: Record<string, string>]> = {
	collection: ["CollectionResponse", collection()],
	collectionDetail: [
		"CollectionDetailedResponse",
		{ ...collection(), fees: "array!", total_supply: "integer!", created_date: "string!" },
	],
	contract: ["Contract", { address: "string!", chain: "string!" }],
	fee: ["Fee", { fee: "number!", recipient: "string!", required: "boolean!" }],
	contractInfo: ["ContractResponse", { collection: "string!" }],
	stats: ["CollectionStatsResponse", { total: "Total!" }],
	statsTotal: [
		"Total",
		{
			volume: "number!",
			volume_symbol: "string!",
			sales: "integer!",
			num_owners: "integer!",
			floor_price: "number!",
			floor_price_symbol: "string!",
		},
	],
	traitFloor: [
		"TraitFloorResponse",
		{
			trait_type: "string!",
			value: "string!",
			floor_price: "number!",
			payment_token_symbol: "string!",
		},
	],
	searchResult: [
		"SearchResultResponse",
		{ type: "string!", collection: "CollectionSearchResponse?" },
	],
	searchCollection: [
		"CollectionSearchResponse",
		{ collection: "string!", name: "string!", image_url: "string?", is_disabled: "boolean!" },
	],
	nft: ["Nft", nft()],
	nftDetail: ["NftDetailed", { ...nft(), animation_url: "string?", rarity: "Rarity?" }],
	trait: ["Trait", { trait_type: "string!", display_type: "string?", value: "any!" }],
	rarity: ["Rarity", { rank: "integer?" }],
	payment: [
		"Payment",
		{ quantity: "string!", token_address: "string!", decimals: "integer!", symbol: "string!" },
	],
	sale: [
		"SaleEvent",
		{ ...event(), closing_date: "integer?", seller: "string?", buyer: "string?", nft: "Nft?" },
	],
	transfer: [
		"TransferEvent",
		{
			...event(),
			transfer_type: "string?",
			from_address: "string?",
			to_address: "string?",
			nft: "Nft?",
		},
	],
	orderEvent: [
		"OrderEvent",
		{
			...event(),
			order_type: "string?",
			expiration_date: "integer?",
			asset: "Nft?",
			maker: "string?",
			criteria: "Criteria?",
		},
	],
	listing: ["Listing", order("ListingPrice?")],
	offer: ["Offer", { ...order("Price?"), criteria: "Criteria?" }],
	listingPrice: ["ListingPrice", { current: "Price!" }],
	price: ["Price", { currency: "string!", decimals: "integer!", value: "string!" }],
	orderAsset: ["OrderAsset", { identifier: "string?", contract: "string!" }],
	criteria: [
		"Criteria",
		{
			collection: "CollectionInner?",
			contract: "ContractInner?",
			traits: "array?",
			numeric_traits: "array?",
			encoded_token_ids: "string?",
		},
	],
	criteriaContract: ["ContractInner", { address: "string!" }],
	criteriaTrait: ["TraitData", { type: "string!", value: "string!" }],
	criteriaRange: ["NumericTraitData", { type: "string!", min: "number?", max: "number?" }],
	protocolData: ["ProtocolData", { parameters: "Parameters!" }],
	parameters: [
		"Parameters",
		{
			offerer: "string!",
			offer: "array!",
			consideration: "array!",
			startTime: "string!",
			endTime: "string!",
		},
	],
	item: [
		"ConsiderationItem",
		{
			itemType: "integer!",
			token: "string!",
			identifierOrCriteria: "string!",
			startAmount: "string!",
		},
	],
	drop: ["DropResponse", drop()],
	dropDetail: [
		"DropDetailedResponse",
		{ ...drop(), stages: "array!", total_supply: "string?", max_supply: "string?" },
	],
	stage: [
		"DropStageResponse",
		{
			uuid: "string!",
			stage_type: "string!",
			label: "string?",
			price: "string?",
			price_currency_address: "string!",
			start_time: "string!",
			end_time: "string!",
			max_per_wallet: "string!",
		},
	],
	fulfilment: [
		"FulfillListingResponse",
		{ protocol: "string!", fulfillment_data: "FulfillmentData!" },
	],
	fulfilmentData: ["FulfillmentData", { transaction: "TransactionData!", orders: "array!" }],
	transaction: [
		"TransactionData",
		{
			function: "string!",
			chain: "integer!",
			to: "string!",
			value: "string!",
			value_hex: "string?",
			input_data: "oneOf!",
			calldata_suffix: "string?",
		},
	],
};

describe("differences to the provider's own document", () => {
	for (const [name, schema] of Object.entries(wire)) {
		const [theirs, members] = READ[name as keyof typeof wire];
		test(`[MRG-15] each member read of ${theirs} (${name}) is in the provider's document, with its type`, () => {
			expect(Object.keys(members).sort()).toEqual(Object.keys(schema.shape).sort());
			expect(membersOf(theirs)).toMatchObject(members);
		});
	}

	/** The answers of lists, with the member of the rows and the one of the cursor. */
	const lists = [
		["CollectionPaginatedResponse", "collections"],
		["SearchResponse", "results", false],
		["TraitFloorsResponse", "floors", false],
		["AssetEventsResponse", "asset_events"],
		["ListingsResponse", "listings"],
		["OffersResponse", "offers"],
		["NftListResponse", "nfts"],
		["DropPaginatedResponse", "drops"],
	] as const;
	for (const [theirs, list, pages = true] of lists) {
		test(`${theirs} has its rows under "${list}"`, () => {
			expect(membersOf(theirs)).toMatchObject({
				[list]: "array!",
				...(pages ? { next: "string?" } : {}),
			});
		});
	}

	test("[MRG-06] every chain of ours that the provider supports has the provider's name", () => {
		const chains = createChainNames(createChainRegistry(builtinChains));
		const theirs: string[] = document.components.schemas.ChainIdentifier.enum;
		for (const { id, slug } of builtinChains) {
			const name = chains.nameOf(id);
			if (slug !== "anvil") expect(theirs).toContain(String(name));
			expect(chains.idOf(name)).toBe(id);
		}
		expect(chains.idOf("matic")).toBe(137);
		expect(chains.idOf("hyperliquid")).toBeNull();
		expect(chains.idOf("solana")).toBeNull();
		expect(chains.idOf(null)).toBeNull();
		expect(chains.nameOf(5)).toBeNull();
	});
});

/**
 * Returns members of a schema of the document, including those of its parts, as `type!` or `type?`.
 */
function membersOf(name: string): Record<string, string> {
	const schema = schemas[name];
	if (!schema) throw new Error(`the document has no ${name}`);
	const members: Record<string, string> = {};
	for (const part of [schema, ...(schema.allOf ?? [])]) {
		for (const [member, { $ref, type, oneOf }] of Object.entries(part.properties ?? {})) {
			const kind = $ref?.split("/").at(-1) ?? type ?? (oneOf ? "oneOf" : "any");
			members[member] = `${kind}${part.required?.includes(member) ? "!" : "?"}`;
		}
	}
	return members;
}

function collection() {
	return {
		collection: "string!",
		name: "string!",
		description: "string?",
		image_url: "string?",
		banner_image_url: "string?",
		is_disabled: "boolean!",
		safelist_status: "string!",
		project_url: "string?",
		contracts: "array!",
	};
}

function nft() {
	return {
		identifier: "string!",
		collection: "string!",
		contract: "string!",
		token_standard: "string!",
		name: "string?",
		description: "string?",
		image_url: "string?",
		display_image_url: "string?",
		display_animation_url: "string?",
		metadata_url: "string?",
		traits: "array!",
	};
}

function event() {
	return {
		event_type: "string?",
		event_timestamp: "integer?",
		transaction: "string?",
		order_hash: "string?",
		chain: "string?",
		payment: "Payment?",
		quantity: "integer?",
	};
}

function order(price: string) {
	return {
		order_hash: "string?",
		chain: "string?",
		protocol_data: "ProtocolData?",
		protocol_address: "string?",
		asset: "OrderAsset?",
		remaining_quantity: "integer?",
		price,
		status: "string?",
	};
}

function drop() {
	return {
		collection_slug: "string!",
		collection_name: "string?",
		chain: "string!",
		contract_address: "string!",
		drop_type: "string!",
		is_minting: "boolean!",
		image_url: "string?",
		active_stage: "DropStageResponse?",
		next_stage: "DropStageResponse?",
	};
}
