import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { UNITS_BOUND } from "#core/money/limits.ts";
import {
	EXTRA_DATA_BYTES_MAX,
	PAYMENTS_MAX,
	SIGNATURE_BYTES_MAX,
} from "#plugins/nft-buys/limits.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const isWord = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);
const isBytes = (text: string): text is Hex => /^0x(?:[0-9a-f]{2})*$/.test(text);

/** A uint256: decimal or hex text, or an integer that a double holds exactly. */
const uint = z
	.union([z.int().min(0), z.string().regex(/^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/)])
	.transform((value) => BigInt(value))
	.refine((value) => value < UNITS_BOUND);
/** A fraction's part, which Seaport reads as a uint120: a larger one cannot be encoded. */
const share = uint.refine((value) => value > 0n && value < 2n ** 120n);
const uint8 = uint.refine((value) => value < 256n).transform(Number);
const address = z.string().toLowerCase().refine(isAddress);
const word = z.string().toLowerCase().refine(isWord);
const bytes = (bytesMax: number) =>
	z
		.string()
		.max(2 + 2 * bytesMax)
		.toLowerCase()
		.refine(isBytes);

const offerItem = z.object({
	itemType: uint8,
	token: address,
	identifierOrCriteria: uint,
	startAmount: uint,
	endAmount: uint,
});
const parameters = z.object({
	offerer: address,
	zone: address,
	offer: z.array(offerItem).max(PAYMENTS_MAX),
	consideration: z.array(offerItem.extend({ recipient: address })).max(PAYMENTS_MAX),
	orderType: uint8,
	startTime: uint,
	endTime: uint,
	zoneHash: word,
	salt: uint,
	conduitKey: word,
	totalOriginalConsiderationItems: uint,
});
const signature = bytes(SIGNATURE_BYTES_MAX);
const order = z.object({ parameters, signature });

/**
 * The provider's formats of orders, member by member. Strict in form: one unreadable member makes
 * all of it unusable. Unknown members are dropped, and so never signed.
 */
export const wireOrder = {
	/** An order beside a listing or a fulfilment, with the counter that the seller signed. */
	listed: z.object({
		parameters: parameters.extend({ counter: uint.optional() }),
		signature: signature.nullish(),
	}),
	/** `input_data` of each function. */
	fulfillOrder: z.object({ order, fulfillerConduitKey: word }),
	fulfillAdvancedOrder: z.object({
		advancedOrder: order.extend({
			numerator: share,
			denominator: share,
			extraData: bytes(EXTRA_DATA_BYTES_MAX),
		}),
		criteriaResolvers: z.array(z.unknown()).max(PAYMENTS_MAX),
		fulfillerConduitKey: word,
		recipient: address,
	}),
	fulfillBasicOrder: z.object({
		parameters: z.object({
			considerationToken: address,
			considerationIdentifier: uint,
			considerationAmount: uint,
			offerer: address,
			zone: address,
			offerToken: address,
			offerIdentifier: uint,
			offerAmount: uint,
			basicOrderType: uint8,
			startTime: uint,
			endTime: uint,
			zoneHash: word,
			salt: uint,
			offererConduitKey: word,
			fulfillerConduitKey: word,
			totalOriginalAdditionalRecipients: uint,
			additionalRecipients: z
				.array(z.object({ amount: uint, recipient: address }))
				.max(PAYMENTS_MAX),
			signature,
		}),
	}),
};

export type WireBasicOrder = z.output<typeof wireOrder.fulfillBasicOrder>["parameters"];
