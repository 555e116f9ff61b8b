import { type Abi, encodeFunctionData, type Hex } from "viem";
import type {
	Call,
	ConsiderationItem,
	CriteriaResolver,
	Fulfillment,
	Part,
	Receipt,
	SignedOrder,
} from "#test/harness/seaportOrder.ts";

type Recipient = { recipient?: Hex };

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const ZERO_WORD: Hex = `0x${"0".repeat(64)}`;

/**
 * Returns the ways of filling an order, each as one call of Seaport.
 *
 * Calls that split items into executions do so item by item; a match names its own.
 */
export function seaportFilling(world: {
	address: Hex;
	abi: Abi;
	send(call: Call & { to: Hex; data: Hex }): Promise<Receipt>;
}) {
	const run = (functionName: string, args: unknown[], { from, value }: Call) => {
		const data = encodeFunctionData({ abi: world.abi, functionName, args });
		return world.send({ from, to: world.address, data, ...(value !== undefined && { value }) });
	};
	const advanced = ({ order, numerator = 1n, denominator = 1n }: Part) => ({
		...order,
		numerator,
		denominator,
		extraData: "0x",
	});
	const components = (list: [number, number][]) =>
		list.map(([orderIndex, itemIndex]) => ({
			orderIndex: BigInt(orderIndex),
			itemIndex: BigInt(itemIndex),
		}));
	const fulfillments = (list: Fulfillment[]) =>
		list.map(({ from, to }) => ({
			offerComponents: components(from),
			considerationComponents: components(to),
		}));
	return {
		fulfillBasicOrder(
			order: SignedOrder,
			call: Call & { tips?: { amount: bigint; recipient: Hex }[] },
		) {
			return run("fulfillBasicOrder", [basicParameters(order, call.tips ?? [])], call);
		},
		fulfillOrder(order: SignedOrder, call: Call & { tips?: ConsiderationItem[] }) {
			const consideration = [...order.parameters.consideration, ...(call.tips ?? [])];
			const tipped = { ...order, parameters: { ...order.parameters, consideration } };
			return run("fulfillOrder", [tipped, ZERO_WORD], call);
		},
		fulfillAdvancedOrder(part: Part, call: Call & Recipient & { resolvers?: CriteriaResolver[] }) {
			const args = [advanced(part), call.resolvers ?? [], ZERO_WORD, call.recipient ?? ZERO];
			return run("fulfillAdvancedOrder", args, call);
		},
		/** Each item of each order is its own execution. */
		fulfillAvailableAdvancedOrders(parts: Part[], call: Call & Recipient & { maximum?: bigint }) {
			const each = (list: (part: Part) => readonly unknown[]) =>
				parts.flatMap((part, orderIndex) =>
					list(part).map((_, itemIndex) => components([[orderIndex, itemIndex]])),
				);
			return run(
				"fulfillAvailableAdvancedOrders",
				[
					parts.map(advanced),
					[],
					each(({ order }) => order.parameters.offer),
					each(({ order }) => order.parameters.consideration),
					ZERO_WORD,
					call.recipient ?? ZERO,
					call.maximum ?? BigInt(parts.length),
				],
				call,
			);
		},
		matchOrders(orders: SignedOrder[], list: Fulfillment[], call: Call) {
			return run("matchOrders", [orders, fulfillments(list)], call);
		},
		matchAdvancedOrders(
			parts: Part[],
			list: Fulfillment[],
			call: Call & Recipient & { resolvers?: CriteriaResolver[] },
		) {
			const resolvers = call.resolvers ?? [];
			const args = [parts.map(advanced), resolvers, fulfillments(list), call.recipient ?? ZERO];
			return run("matchAdvancedOrders", args, call);
		},
	};
}

/**
 * Returns the parameters of a basic order, which has six routes: which side is the NFT, and what
 * pays.
 */
function basicParameters(
	{ parameters, signature }: SignedOrder,
	tips: readonly { amount: bigint; recipient: Hex }[],
) {
	const [offered] = parameters.offer;
	const [asked, ...additional] = parameters.consideration;
	if (!offered || !asked) throw new Error("a basic order has one item on each side at least");
	const isBid = offered.itemType === 1;
	const nftIs1155 = (isBid ? asked : offered).itemType === 3;
	const route = (isBid ? 4 : asked.itemType === 1 ? 2 : 0) + (nftIs1155 ? 1 : 0);
	return {
		considerationToken: asked.token,
		considerationIdentifier: asked.identifierOrCriteria,
		considerationAmount: asked.startAmount,
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
		fulfillerConduitKey: ZERO_WORD,
		totalOriginalAdditionalRecipients: BigInt(additional.length),
		additionalRecipients: [
			...additional.map(({ startAmount, recipient }) => ({ amount: startAmount, recipient })),
			...tips,
		],
		signature,
	};
}
