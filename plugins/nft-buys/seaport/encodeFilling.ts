// Reads the provider's fulfilment, and encodes the call that fills the order.

import { concatHex, encodeFunctionData, getAbiItem, toFunctionSignature } from "viem";
import { z } from "zod";
import { type Address, type Hex, isAddress, isWord, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import { UNITS_BOUND } from "#core/money.ts";
import {
	EXTRA_DATA_BYTES_MAX,
	PAYMENTS_MAX,
	SIGNATURE_BYTES_MAX,
} from "#plugins/nft-buys/limits.ts";
import {
	type ConsiderationItem,
	type Filling,
	type FillingFunction,
	type OrderParameters,
	seaportAbi,
} from "#plugins/nft-buys/seaport/Order.ts";
import type { ProviderFulfilment } from "#plugins/provider/contract.ts";

type WireBasicOrder = z.output<typeof wireOrder.fulfillBasicOrder>["parameters"];

/** Each route has four types of orders: native or ERC-20 for an ERC-721 or an ERC-1155. */
const ORDER_TYPES = 4;
const NATIVE_TO_721 = 0;
const NATIVE_TO_1155 = 1;
const COIN_TO_721 = 2;
const COIN_TO_1155 = 3;

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

const FUNCTIONS: readonly FillingFunction[] = [
	"fulfillBasicOrder",
	"fulfillBasicOrder_efficient_6GL6yc",
	"fulfillOrder",
	"fulfillAdvancedOrder",
];
/** Maps each whole signature to its function: a struct with one more member is another function. */
const BY_SIGNATURE = new Map(
	FUNCTIONS.map((name) => [toFunctionSignature(getAbiItem({ abi: seaportAbi, name })), name]),
);

/** Members of functions that fill the whole order for their sender. */
const WHOLE = {
	numerator: 1n,
	denominator: 1n,
	extraData: "0x",
	recipient: ZERO_ADDRESS,
	resolvers: 0,
} as const;

/**
 * Returns the calldata of a checked filling, with the attribution after it. It is encoded from the
 * checked values alone, and contains no other byte from the provider.
 */
export function encodeFilling(
	filling: Filling,
	{ wallet, suffix }: { wallet: Address; suffix: Hex | null },
): Hex {
	return concatHex([encodeCall(filling, wallet), suffix ?? "0x"]);
}

/** Parses what a fulfilment would do; checks nothing yet. A text names the failure. */
export function readFilling({
	transaction,
}: ProviderFulfilment): Filling | "function" | "unreadable" {
	const call = BY_SIGNATURE.get(transaction.function);
	if (!call) return "function";
	const { inputData } = transaction;
	if (call === "fulfillOrder") return readPlain(inputData);
	if (call === "fulfillAdvancedOrder") return readAdvanced(inputData);
	return readBasic(inputData, call);
}

/**
 * Returns the order that Seaport derives from `BasicOrderParameters` before it hashes it. Null for
 * the routes that would sell our token, and for a native payment with members of an ERC-20: the
 * hash would not cover those.
 */
export function expandBasicOrder(basic: WireBasicOrder): OrderParameters | null {
	const route = Math.floor(basic.basicOrderType / ORDER_TYPES);
	if (route > COIN_TO_1155) return null;
	const isNative = route === NATIVE_TO_721 || route === NATIVE_TO_1155;
	if (isNative && basic.considerationToken !== ZERO_ADDRESS) return null;
	if (basic.considerationIdentifier !== 0n) return null;
	const payment = (amount: bigint, recipient: ConsiderationItem["recipient"]) => ({
		itemType: isNative ? 0 : 1,
		token: basic.considerationToken,
		identifierOrCriteria: 0n,
		startAmount: amount,
		endAmount: amount,
		recipient,
	});
	return {
		offerer: basic.offerer,
		zone: basic.zone,
		offer: [
			{
				itemType: route === NATIVE_TO_721 || route === COIN_TO_721 ? 2 : 3,
				token: basic.offerToken,
				identifierOrCriteria: basic.offerIdentifier,
				startAmount: basic.offerAmount,
				endAmount: basic.offerAmount,
			},
		],
		consideration: [
			payment(basic.considerationAmount, basic.offerer),
			...basic.additionalRecipients.map(({ amount, recipient }) => payment(amount, recipient)),
		],
		orderType: basic.basicOrderType % ORDER_TYPES,
		startTime: basic.startTime,
		endTime: basic.endTime,
		zoneHash: basic.zoneHash,
		salt: basic.salt,
		conduitKey: basic.offererConduitKey,
		totalOriginalConsiderationItems: basic.totalOriginalAdditionalRecipients + 1n,
	};
}

function encodeCall(filling: Filling, wallet: Address): Hex {
	const { call, parameters, signature, extraData, fulfillerConduitKey: key } = filling;
	const { numerator, denominator } = filling;
	if (call === "fulfillOrder") {
		return encodeFunctionData({
			abi: seaportAbi,
			functionName: call,
			args: [{ parameters, signature }, key],
		});
	}
	if (call === "fulfillAdvancedOrder") {
		return encodeFunctionData({
			abi: seaportAbi,
			functionName: call,
			args: [{ parameters, numerator, denominator, signature, extraData }, [], key, wallet],
		});
	}
	return encodeFunctionData({ abi: seaportAbi, functionName: call, args: [basicOf(filling)] });
}

function basicOf({ parameters, signature, fulfillerConduitKey }: Filling) {
	const [offered] = parameters.offer;
	const [first, ...others] = parameters.consideration;
	assert(offered && first, "a checked order has an offer and a price");
	const route = (first.itemType === 0 ? 0 : 2) + (offered.itemType === 2 ? 0 : 1);
	return {
		considerationToken: first.token,
		considerationIdentifier: first.identifierOrCriteria,
		considerationAmount: first.startAmount,
		offerer: parameters.offerer,
		zone: parameters.zone,
		offerToken: offered.token,
		offerIdentifier: offered.identifierOrCriteria,
		offerAmount: offered.startAmount,
		basicOrderType: parameters.orderType + 4 * route,
		startTime: parameters.startTime,
		endTime: parameters.endTime,
		zoneHash: parameters.zoneHash,
		salt: parameters.salt,
		offererConduitKey: parameters.conduitKey,
		fulfillerConduitKey,
		totalOriginalAdditionalRecipients: BigInt(others.length),
		additionalRecipients: others.map(({ startAmount: amount, recipient }) => {
			return { amount, recipient };
		}),
		signature,
	};
}

function readPlain(input: unknown): Filling | "unreadable" {
	const { data } = wireOrder.fulfillOrder.safeParse(input);
	if (!data) return "unreadable";
	const { order, fulfillerConduitKey } = data;
	return { ...WHOLE, call: "fulfillOrder", ...order, fulfillerConduitKey };
}

function readAdvanced(input: unknown): Filling | "unreadable" {
	const { data } = wireOrder.fulfillAdvancedOrder.safeParse(input);
	if (!data) return "unreadable";
	const { advancedOrder, criteriaResolvers, fulfillerConduitKey, recipient } = data;
	const resolvers = criteriaResolvers.length;
	return {
		call: "fulfillAdvancedOrder",
		...advancedOrder,
		fulfillerConduitKey,
		recipient,
		resolvers,
	};
}

function readBasic(input: unknown, call: FillingFunction): Filling | "unreadable" {
	const basic = wireOrder.fulfillBasicOrder.safeParse(input).data?.parameters;
	const parameters = basic && expandBasicOrder(basic);
	if (!basic || !parameters) return "unreadable";
	const { signature, fulfillerConduitKey } = basic;
	return { ...WHOLE, call, parameters, signature, fulfillerConduitKey };
}
