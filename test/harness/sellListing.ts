// Signs a listing, and returns it as the marketplace provider would.

import { type Hex, toHex } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { ProviderFulfilment, ProviderOrder } from "#plugins/provider/contract.ts";
import { readFulfilment, readOrder } from "#plugins/provider/wire/orders.ts";
import { createChainNames, parseWireJson } from "#plugins/provider/wire/rows.ts";
import { nodeAccount } from "#test/harness/fixtures.ts";
import type { SignedOrder } from "#test/harness/seaportOrder.ts";
import { fulfilmentOf } from "#test/sandbox/provider/book/fulfilment.ts";
import type { BookOrder } from "#test/sandbox/provider/market/Market.ts";
import { renderParameters } from "#test/sandbox/provider/rest/render.ts";
import { hashOrder, signingDigest } from "#test/sandbox/seaportOrder.ts";

export type ListingTerms = {
	/** The index of the node's account that sells. */
	seller: number;
	token: { itemType: 2 | 3; contract: Hex; id: bigint; units?: bigint };
	/** Default: the zero address. */
	currency?: Hex;
	/** The seller's part first; for all units. */
	payments: { recipient: Hex; raw: bigint }[];
	nowMs: number;
	endsInS?: number;
	salt?: bigint;
	orderType?: number;
	counter?: bigint;
	/** Default: the market's own. */
	chainId?: number;
};

export type Listed = {
	order: SignedOrder;
	orderHash: Hex;
	/** The listing in the provider's book, parsed by our adapter. */
	listing: ProviderOrder;
	/** Returns the provider's fulfilment, parsed by our adapter. */
	fulfilment(units?: bigint, options?: { recipient?: Hex }): ProviderFulfilment;
};

const SEAPORT: Hex = "0x0000000000000068f116a894984e2db1123eb395";
const ZERO: Hex = "0x0000000000000000000000000000000000000000";

const chains = createChainNames(createChainRegistry(builtinChains));

/** Signs a listing with one of the node's keys; returns it as the provider would. */
export async function sellListing(terms: ListingTerms): Promise<Listed> {
	const { token, payments, currency = ZERO, counter = 0n, orderType, chainId } = terms;
	const seller = nodeAccount(terms.seller);
	const units = token.units ?? 1n;
	const nowS = Math.floor(terms.nowMs / 1_000);
	const item = (itemType: number, contract: Hex, id: bigint, amount: bigint) => ({
		itemType,
		token: contract,
		identifierOrCriteria: id,
		startAmount: amount,
		endAmount: amount,
	});
	const components = {
		offerer: seller.address.toLowerCase() as Hex,
		zone: ZERO,
		offer: [item(token.itemType, token.contract, token.id, units)],
		consideration: payments.map(({ recipient, raw }) => ({
			...item(currency === ZERO ? 0 : 1, currency, 0n, raw),
			recipient,
		})),
		orderType: orderType ?? (units > 1n ? 1 : 0),
		startTime: BigInt(nowS - 3_600),
		endTime: BigInt(nowS + (terms.endsInS ?? 86_400)),
		zoneHash: toHex(0, { size: 32 }),
		salt: terms.salt ?? BigInt(toHex(crypto.getRandomValues(new Uint8Array(24)))),
		conduitKey: toHex(0, { size: 32 }),
	};
	const signature = await seller.sign({
		hash: signingDigest(components, { counter, ...(chainId && { chainId }) }),
	});
	const orderHash = hashOrder(components, counter);
	const parameters = {
		...components,
		totalOriginalConsiderationItems: BigInt(payments.length),
	};
	const order = { parameters, signature };
	return { order, orderHash, ...answersOf(order, { orderHash, counter, currency }) };
}

/** Parses a provider's answer with our adapter. */
export function readFulfilmentAnswer(answer: unknown): ProviderFulfilment {
	const chains = createChainNames(createChainRegistry(builtinChains));
	const read = readFulfilment(parseWireJson(JSON.stringify(answer)), chains);
	if (read === "unreadable") throw new Error("the fulfilment is unreadable");
	return read;
}

/**
 * Returns the provider's answers about an order: rendered by its emulator, parsed by our adapter.
 */
function answersOf(
	{ parameters, signature }: SignedOrder,
	given: { orderHash: Hex; counter: bigint; currency: Hex },
): Pick<Listed, "listing" | "fulfilment"> {
	const { orderHash, counter, currency } = given;
	const [goods] = parameters.offer;
	if (!goods) throw new Error("a listing offers something");
	const units = goods.startAmount;
	const totalRaw = parameters.consideration.reduce((sum, one) => sum + one.startAmount, 0n);
	// The members of a book's order that filling reads.
	const kept = { kind: "listing", parameters, units, remaining: units, totalRaw };
	const book = { ...kept, currency: { address: currency } } as unknown as BookOrder;
	const rendered = (salt: "decimal" | "hex") => ({
		...renderParameters(book.parameters, salt),
		counter: String(counter),
	});
	const listing = readOrder(
		{
			order_hash: orderHash,
			chain: "anvil",
			protocol_data: { parameters: rendered("decimal"), signature },
			protocol_address: SEAPORT,
			asset: { identifier: String(goods.identifierOrCriteria), contract: goods.token },
			remaining_quantity: Number(units),
			price: { current: { currency: "ETH", decimals: 18, value: String(totalRaw) } },
			type: "basic",
			status: "ACTIVE",
		},
		{ chains, side: "listing" },
	);
	if (typeof listing === "string") throw new Error(`the listing is ${listing}`);
	return {
		listing,
		fulfilment(wanted = units, { recipient = ZERO } = {}) {
			const filling = { signature, units: wanted, recipient, tokenId: null };
			const call = fulfilmentOf(book, filling);
			const answer = {
				protocol: "seaport1.6",
				fulfillment_data: {
					transaction: {
						function: call.function,
						chain: 31_337,
						to: call.to,
						value: String(call.value),
						input_data: call.input,
						calldata_suffix: "0x5a4db0c5",
					},
					orders: [{ parameters: rendered("hex"), signature }],
				},
			};
			return readFulfilmentAnswer(answer);
		},
	};
}
