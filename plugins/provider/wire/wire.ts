// Lists the members of the provider's answers that are read.

import { z } from "zod";
import { wireField } from "#plugins/provider/wire/rows.ts";

const { name, prose, symbol, slug, link, media, address, hash, uint, timeMs } = wireField;
const { boolean, count, figure, decimals, record, list, any } = wireField;

/** The members of a token that we read, in lists and alone. */
const nft = {
	identifier: uint,
	collection: slug,
	contract: address,
	token_standard: name,
	name,
	description: prose,
	image_url: media,
	display_image_url: media,
	display_animation_url: media,
	metadata_url: media,
	traits: list,
};

/** Members that every event has. */
const event = {
	event_type: name,
	event_timestamp: timeMs,
	transaction: hash,
	order_hash: hash,
	chain: name,
	payment: record,
	quantity: any,
};

const order = {
	order_hash: hash,
	chain: name,
	protocol_data: record,
	protocol_address: address,
	asset: record,
	remaining_quantity: any,
	price: record,
	status: name,
};

const stage = {
	uuid: name,
	stage_type: name,
	label: name,
	price: uint,
	price_currency_address: address,
	start_time: timeMs,
	end_time: timeMs,
	max_per_wallet: uint,
};

const drop = {
	collection_slug: slug,
	collection_name: name,
	chain: name,
	contract_address: address,
	drop_type: name,
	is_minting: boolean,
	image_url: media,
	active_stage: record,
	next_stage: record,
};

const collection = {
	collection: slug,
	name,
	description: prose,
	image_url: media,
	banner_image_url: media,
	is_disabled: boolean,
	safelist_status: name,
	project_url: link,
	contracts: list,
};

/**
 * The members of the provider's answers that we read: any other member may come, go and change. A
 * test compares them with the provider's own document.
 */
export const wire = {
	collection: z.object(collection),
	collectionDetail: z.object({
		...collection,
		fees: list,
		total_supply: uint,
		created_date: timeMs,
	}),
	contract: z.object({ address, chain: name }),
	fee: z.object({ fee: figure, recipient: address, required: boolean }),
	contractInfo: z.object({ collection: slug }),
	stats: z.object({ total: record }),
	statsTotal: z.object({
		volume: figure,
		volume_symbol: symbol,
		sales: count,
		num_owners: count,
		floor_price: figure,
		floor_price_symbol: symbol,
	}),
	traitFloor: z.object({
		trait_type: name,
		value: name,
		floor_price: figure,
		payment_token_symbol: symbol,
	}),
	searchResult: z.object({ type: name, collection: record }),
	searchCollection: z.object({ collection: slug, name, image_url: media, is_disabled: boolean }),
	nft: z.object(nft),
	nftDetail: z.object({ ...nft, animation_url: media, rarity: record }),
	trait: z.object({ trait_type: name, display_type: name, value: any }),
	rarity: z.object({ rank: count }),
	payment: z.object({ quantity: uint, token_address: address, decimals, symbol }),
	sale: z.object({ ...event, closing_date: timeMs, seller: address, buyer: address, nft: record }),
	transfer: z.object({
		...event,
		transfer_type: name,
		from_address: address,
		to_address: address,
		nft: record,
	}),
	orderEvent: z.object({
		...event,
		order_type: name,
		expiration_date: timeMs,
		asset: record,
		maker: address,
		criteria: record,
	}),
	listing: z.object(order),
	offer: z.object({ ...order, criteria: record }),
	listingPrice: z.object({ current: record }),
	price: z.object({ currency: symbol, decimals, value: uint }),
	orderAsset: z.object({ identifier: uint, contract: address }),
	criteria: z.object({
		collection: record,
		contract: record,
		traits: list,
		numeric_traits: list,
		encoded_token_ids: any,
	}),
	criteriaContract: z.object({ address }),
	criteriaTrait: z.object({ type: name, value: any }),
	criteriaRange: z.object({ type: name, min: any, max: any }),
	protocolData: z.object({ parameters: record }),
	parameters: z.object({
		offerer: address,
		offer: list,
		consideration: list,
		startTime: timeMs,
		endTime: timeMs,
	}),
	item: z.object({
		itemType: count,
		token: address,
		identifierOrCriteria: uint,
		startAmount: uint,
	}),
	drop: z.object(drop),
	dropDetail: z.object({ ...drop, stages: list, total_supply: uint, max_supply: uint }),
	stage: z.object(stage),
	fulfilment: z.object({ protocol: name, fulfillment_data: record }),
	fulfilmentData: z.object({ transaction: record, orders: list }),
	transaction: z.object({
		function: any,
		chain: any,
		to: address,
		value: any,
		value_hex: any,
		input_data: record,
		calldata_suffix: any,
	}),
};

/**
 * Returns when an otherwise unreadable event happened; null where it does not say.
 *
 * The reader of the list then knows the time of the gap: without it one odd row would cost all rows
 * around it.
 */
export function eventTimeMs(row: unknown): number | null {
	const { data } = wire.sale.safeParse(row);
	return data?.event_timestamp ?? data?.closing_date ?? null;
}
