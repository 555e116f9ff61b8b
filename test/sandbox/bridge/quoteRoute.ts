// Quotes a route of the bridge: what is given, less a fee.

import {
	type Address,
	encodeFunctionData,
	erc20Abi,
	type Hex,
	keccak256,
	toHex,
	zeroAddress,
} from "viem";
import { z } from "zod";
import { orderIdOf, relayOrder } from "#plugins/bridge/relay/order.ts";
import {
	type BridgeChain,
	type BridgeCurrency,
	type BridgeEntry,
	type BridgeWorld,
	depositoryAbi,
	solverAccount,
} from "./BridgeWorld.ts";
import { permitOf, permitStep } from "./permits.ts";

const FEE_BPS = 20n;
const MINIMUM_BPS = 9_950n;
const BPS = 10_000n;
const QUOTE_LIFETIME_S = 120;
const ESTIMATE_S = 2;
const MICRO = 1_000_000n;
const GAS_RAW = 21_000_000_000_000n;

const address = z
	.string()
	.regex(/^0x[0-9a-fA-F]{40}$/)
	.transform((text) => text.toLowerCase() as Address);

/** What `POST /quote/v2` takes, as far as this bridge understands it. */
export const QuoteBody = z.object({
	user: address,
	recipient: address.optional(),
	refundTo: address.optional(),
	originChainId: z.int(),
	destinationChainId: z.int(),
	originCurrency: address,
	destinationCurrency: address,
	amount: z
		.string()
		.regex(/^[0-9]+$/)
		.max(78)
		.transform(BigInt),
	tradeType: z.enum(["EXACT_INPUT", "EXACT_OUTPUT", "EXPECTED_OUTPUT"]),
	includeProtocolData: z.boolean().optional(),
	usePermit: z.boolean().optional(),
});
export type QuoteBody = z.output<typeof QuoteBody>;

export type Refused = { errorCode: string; message: string };
export type Quoted = { entry: BridgeEntry; quote: any };

/** Quotes a route: what is given, less a fee, at the prices of both currencies. */
export async function quoteRoute(
	world: Pick<BridgeWorld, "chains" | "clock">,
	body: QuoteBody,
	serial: number,
): Promise<Quoted | Refused> {
	const origin = placeOf(world, body.originChainId, body.originCurrency);
	const destination = placeOf(world, body.destinationChainId, body.destinationCurrency);
	if (!origin || !destination) {
		return { errorCode: "UNSUPPORTED_CURRENCY", message: "no such currency there" };
	}
	if (body.tradeType !== "EXACT_INPUT") {
		return { errorCode: "UNSUPPORTED_EXECUTION_TYPE", message: "exact input alone" };
	}
	const expected = worthOf(
		(body.amount * (BPS - FEE_BPS)) / BPS,
		origin.currency,
		destination.currency,
	);
	const minimum = (expected * MINIMUM_BPS) / BPS;
	if (minimum <= 0n) return { errorCode: "AMOUNT_TOO_LOW", message: "does not cover the fees" };
	const { user, recipient = user, refundTo = user } = body;
	const nowMs = world.clock.nowMs();
	const deadlineS = Math.floor(nowMs / 1_000) + QUOTE_LIFETIME_S;
	const hashOf = (what: string) => keccak256(toHex(`${what} ${serial} ${nowMs}`));
	const refundAt = (chain: BridgeChain, currency: Address, to: Address) => ({
		...{ chainId: chain.name, recipient: to, currency, minimumAmount: "0", deadline: deadlineS },
		extraData: `0x${chain.depository.slice(2).padStart(64, "0")}`,
	});
	const order = {
		...{ version: "v1", solverChainId: origin.chain.name, salt: hashOf("salt") },
		solver: solverAccount.address.toLowerCase(),
		inputs: [
			{
				payment: {
					...{ chainId: origin.chain.name, currency: origin.currency.address },
					...{ amount: String(body.amount), weight: "1" },
				},
				refunds: [
					refundAt(origin.chain, origin.currency.address, refundTo),
					refundAt(destination.chain, destination.currency.address, recipient),
				],
			},
		],
		output: {
			chainId: destination.chain.name,
			payments: [
				{
					...{ recipient, currency: destination.currency.address },
					...{ minimumAmount: String(minimum), expectedAmount: String(expected) },
				},
			],
			...{ calls: [], deadline: deadlineS },
			extraData: `0x${destination.chain.depository.slice(2).padStart(64, "0")}`,
		},
		fees: [],
	};
	const orderId = orderIdOf(relayOrder.parse(order));
	const requestId = hashOf("request");
	const entry: BridgeEntry = {
		...{ requestId, orderId, user, recipient, refundTo, deadlineMs: deadlineS * 1_000 },
		origin: { ...origin, raw: body.amount },
		destination: { ...destination, raw: expected, minimumRaw: minimum },
		...{ status: "waiting", failReason: null, updatedAtMs: nowMs },
		...{ deposits: [], fill: null, refund: null, told: null },
		permit: body.usePermit
			? permitOf(origin, { user, raw: body.amount, orderId, deadlineS })
			: null,
	};
	return { entry, quote: await quoteOf(entry, order) };
}

function placeOf(world: Pick<BridgeWorld, "chains">, chainId: number, token: Address) {
	const chain = world.chains.find(({ id }) => id === chainId);
	const currency = chain?.currencies.find((one) => one.address === token);
	return chain && currency ? { chain, currency } : null;
}

/** The same worth in another currency, rounded down. */
export function worthOf(raw: bigint, from: BridgeCurrency, to: BridgeCurrency): bigint {
	const scale = 10n ** BigInt(to.decimals);
	return (raw * from.usdMicros * scale) / (10n ** BigInt(from.decimals) * to.usdMicros);
}

async function quoteOf(entry: BridgeEntry, order: object) {
	const { orderId, user, recipient, origin, destination } = entry;
	const fee = (raw: bigint) => money(origin, raw);
	// Gas is paid in the chain's own coin, whatever is bridged.
	const coin = origin.chain.currencies.find((one) => one.address === zeroAddress);
	const gas = money({ ...origin, currency: coin ?? origin.currency }, GAS_RAW);
	const paid = { chainId: origin.chain.name, depository: origin.chain.depository };
	return {
		steps: entry.permit ? [permitStep(entry, entry.permit)] : stepsOf(entry),
		fees: {
			...{ gas, relayer: fee((origin.raw * FEE_BPS) / BPS) },
			...{ relayerGas: fee(0n), relayerService: fee(0n), app: fee(0n), subsidized: fee(0n) },
		},
		details: {
			...{ operation: "bridge", sender: user, recipient },
			currencyIn: { ...money(origin, origin.raw), minimumAmount: String(origin.raw) },
			currencyOut: {
				...money(destination, destination.raw),
				minimumAmount: String(destination.minimumRaw),
			},
			totalImpact: { usd: "-0.10", percent: "-0.20" },
			...{ rate: "1", timeEstimate: ESTIMATE_S },
		},
		protocol: {
			v2: {
				...{ orderId, hubType: "onchain", orderData: order },
				orderSignature: await solverAccount.signMessage({ message: { raw: orderId } }),
				paymentDetails: {
					...{ ...paid, currency: origin.currency.address, amount: String(origin.raw) },
				},
			},
		},
	};
}

function money(place: { chain: BridgeChain; currency: BridgeCurrency }, raw: bigint) {
	const { address, symbol, name, decimals } = place.currency;
	const currency = { chainId: place.chain.id, address, symbol, name, decimals };
	const micros = (raw * place.currency.usdMicros) / 10n ** BigInt(decimals);
	const amountUsd = `${micros / MICRO}.${String(micros % MICRO).padStart(6, "0")}`;
	return { currency, amount: String(raw), amountUsd };
}

function stepsOf({ requestId, orderId, user, origin }: BridgeEntry) {
	const { chain, currency, raw } = origin;
	const isCoin = currency.address === zeroAddress;
	const stepOf = (id: string, call: { to: Address; data: Hex; value: string }) => ({
		...{ id, action: id, description: id, kind: "transaction", requestId },
		items: [
			{
				status: "incomplete",
				data: { from: user, ...call, chainId: chain.id },
				check: { endpoint: `/intents/status/v3?requestId=${requestId}`, method: "GET" },
			},
		],
	});
	if (isCoin) {
		const args = [user, orderId] as const;
		const data = encodeFunctionData({ abi: depositoryAbi, functionName: "depositNative", args });
		return [stepOf("deposit", { to: chain.depository, data, value: String(raw) })];
	}
	const approve = encodeFunctionData({
		...{ abi: erc20Abi, functionName: "approve" as const },
		args: [chain.depository, raw],
	});
	const deposit = encodeFunctionData({
		...{ abi: depositoryAbi, functionName: "depositErc20" as const },
		args: [user, currency.address, raw, orderId],
	});
	return [
		stepOf("approve", { to: currency.address, data: approve, value: "0" }),
		stepOf("deposit", { to: chain.depository, data: deposit, value: "0" }),
	];
}
