import { zeroAddress } from "viem";
import { z } from "zod";
import { addresses } from "../../addresses.ts";
import { fulfilmentOf } from "../book/fulfilment.ts";
import type { BookOrder } from "../market/Market.ts";
import { addressOf, collectionBySlug } from "./find.ts";
import { CHAIN, CHAIN_ID } from "./Office.ts";
import { orderByHash } from "./orderRoutes.ts";
import { Refusal } from "./Refusal.ts";
import type { Asked, Route } from "./Route.ts";
import { renderParameters } from "./renderOrder.ts";

const Named = z.object({ hash: z.string(), chain: z.string(), protocol_address: z.string() });
const Body = z.object({
	listing: Named.optional(),
	offer: Named.optional(),
	fulfiller: z.object({ address: z.string() }),
	consideration: z
		.object({ asset_contract_address: z.string(), token_id: z.string().regex(/^\d{1,78}$/) })
		.optional(),
	recipient: z.string().optional(),
	units_to_fill: z.union([z.int().min(1), z.string().regex(/^[1-9]\d{0,18}$/)]).optional(),
});
type Body = z.infer<typeof Body>;

/** Attribution after the calldata; Seaport ignores it. */
const CALLDATA_SUFFIX = "0x5a4db0c5";

/** Routes that return how to fill an order of the book on chain. */
export const fulfilmentRoutes: readonly Route[] = [
	{
		method: "POST",
		path: "/listings/fulfillment_data",
		answer: (asked) => fulfil(asked, "listing"),
	},
	{ method: "POST", path: "/offers/fulfillment_data", answer: (asked) => fulfil(asked, "offer") },
];

async function fulfil(asked: Asked, side: "listing" | "offer"): Promise<unknown> {
	const { office } = asked;
	const body = Body.safeParse(asked.body);
	const named = body.data?.[side];
	if (!body.data || !named) throw new Refusal(400, "Invalid request");
	if (named.chain !== CHAIN) throw new Refusal(400, `Chain ${named.chain} is not supported`);
	if (addressOf(named.protocol_address) !== addresses.seaport.toLowerCase()) {
		throw new Refusal(400, "The protocol_address is not a supported Seaport contract");
	}
	const order = orderByHash(office, named.hash);
	if ((order.kind === "listing") !== (side === "listing"))
		throw new Refusal(400, "Order not found");
	if (order.status !== "ACTIVE") throw new Refusal(400, `Order is ${order.status.toLowerCase()}`);
	const signature = await office.signatures.of(order);
	if (!signature) throw new Refusal(400, "Order has no signature");
	const call = fulfilmentOf(order, { signature, ...fillingOf(asked, body.data, order) });
	return {
		protocol: "seaport1.6",
		fulfillment_data: {
			transaction: {
				function: call.function,
				chain: CHAIN_ID,
				to: call.to,
				value: String(call.value),
				input_data: call.input,
				calldata_suffix: CALLDATA_SUFFIX,
			},
			orders: [{ parameters: renderParameters(order.parameters, "hex"), signature }],
		},
	};
}

function fillingOf({ office }: Asked, body: Body, order: BookOrder) {
	const fulfiller = addressOf(body.fulfiller.address);
	const recipient = body.recipient === undefined ? fulfiller : addressOf(body.recipient);
	const units = BigInt(body.units_to_fill ?? order.remaining);
	if (units > order.remaining) throw new Refusal(400, "units_to_fill exceeds what is left");
	const collection = collectionBySlug(office, order.slug);
	const tokenId = body.consideration ? BigInt(body.consideration.token_id) : null;
	if (order.kind === "collection_offer" || order.kind === "trait_offer") {
		if (tokenId === null) throw new Refusal(400, "consideration is required");
		if (order.traitIds.length > 0 && !order.traitIds.includes(tokenId)) {
			throw new Refusal(400, "The token does not fit the offer's criteria");
		}
	}
	const sold = order.tokenId ?? tokenId;
	if (order.kind !== "listing" && sold !== null) {
		const held = collection.holders.get(sold)?.get(fulfiller) ?? 0n;
		if (held < units) throw new Refusal(400, "The fulfiller does not own the token");
	}
	return {
		units,
		recipient: recipient === fulfiller ? zeroAddress : recipient,
		tokenId: order.tokenId === null ? tokenId : null,
	};
}
