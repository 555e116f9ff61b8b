import { z } from "zod";
import { wireField } from "#plugins/provider/wire/wireField.ts";

const { name, prose, symbol, media, address, hash, uint, timeMs } = wireField;
const { boolean, decimals, record, list, any } = wireField;

/**
 * The members of the stream's frames that we read. As for HTTP answers no member refuses: the
 * reader of an event decides which ones it requires.
 */
export const streamWire = {
	/** The envelope of every event, inside the frame. */
	envelope: z.object({ event_type: name, sent_at: timeMs, payload: record }),
	place: z.object({ chain: any, event_timestamp: timeMs, item: record }),
	item: z.object({ nft_id: any, chain: any, metadata: record }),
	metadata: z.object({
		name,
		description: prose,
		image_url: media,
		animation_url: media,
		metadata_url: media,
		traits: list,
	}),
	named: z.object({ name }),
	account: z.object({ address }),
	paymentToken: z.object({ address, decimals, symbol }),
	order: z.object({
		order_hash: hash,
		maker: any,
		taker: any,
		quantity: any,
		base_price: uint,
		payment_token: record,
		listing_type: name,
		listing_date: timeMs,
		created_date: timeMs,
		expiration_date: timeMs,
		is_private: boolean,
		protocol_address: address,
		protocol_data: record,
		asset_contract_criteria: record,
		trait_criteria: any,
		trait_criteria_list: list,
	}),
	traitCriteria: z.object({ trait_type: name, trait_name: name }),
	sale: z.object({
		order_hash: hash,
		maker: any,
		taker: any,
		quantity: any,
		sale_price: uint,
		payment_token: record,
		closing_date: timeMs,
		transaction: record,
	}),
	transfer: z.object({ from_account: any, to_account: any, quantity: any, transaction: record }),
	transaction: z.object({ hash, timestamp: timeMs }),
	orderHash: z.object({ order_hash: hash }),
};
