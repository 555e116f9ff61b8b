// Declares the shapes of the provider's answers, each with a limit of length.

import { z } from "zod";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { cleanLine } from "#core/outside.ts";
import { protocolName, relayOrder, wireUint } from "#plugins/bridge/relay/order.ts";

const LIST_MAX = 512;
const STEPS_MAX = 8;
const HASHES_MAX = 16;
const DATA_LENGTH_MAX = 20_000;
const DECIMALS_MAX = 36;

/** Parses text of the provider that a person may read. */
const words = (lengthMax: number) =>
	z.string().transform((text) => cleanLine(text, { lengthMax }) ?? "");
const chainId = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const decimalText = z
	.string()
	.max(64)
	.regex(/^-?\d{1,30}(\.\d{1,30})?$/);
const optional = <Type extends z.ZodType>(type: Type) => type.nullish().catch(null);
/** Addresses of other kinds of chains are left out, not refused. */
const addresses = z
	.array(z.unknown())
	.max(LIST_MAX)
	.transform((all) => all.flatMap((one) => anyCaseAddressSchema.safeParse(one).data ?? []));

const chainCurrency = z.object({
	address: optional(anyCaseAddressSchema),
	symbol: words(32),
	name: words(64).optional(),
	decimals: z.int().min(0).max(DECIMALS_MAX),
	supportsBridging: z.boolean().nullish(),
	supportsPermit: z.boolean().nullish(),
});

/** Contracts that fill orders, by their names. */
const contracts = z.object({
	erc20Router: optional(anyCaseAddressSchema),
	approvalProxy: optional(anyCaseAddressSchema),
	relayReceiver: optional(anyCaseAddressSchema),
});

/** Parses one chain of `GET /chains`, whatever kind of chain it is. */
export const wireChain = z.object({
	id: chainId,
	name: words(64),
	displayName: words(64),
	httpRpcUrl: optional(z.string().max(500)),
	explorerUrl: optional(z.string().max(500)),
	depositEnabled: z.boolean(),
	disabled: z.boolean(),
	// What is not told is not vouched for.
	blockProductionLagging: z.boolean(),
	vmType: z.string().max(32),
	currency: chainCurrency,
	erc20Currencies: optional(z.array(chainCurrency).max(LIST_MAX)),
	solverCurrencies: optional(z.array(chainCurrency).max(LIST_MAX)),
	solverAddresses: optional(addresses),
	contracts: optional(contracts.extend({ v3: optional(contracts) })),
	protocol: optional(
		z.object({ v2: z.object({ chainId: protocolName, depository: anyCaseAddressSchema }) }),
	),
});
export const wireChains = z.object({ chains: z.array(z.unknown()).max(LIST_MAX) });

/** Parses one currency of `POST /currencies/v2`. */
export const wireCurrency = z.object({
	chainId,
	address: anyCaseAddressSchema,
	symbol: words(32),
	name: words(64),
	decimals: z.int().min(0).max(DECIMALS_MAX),
	metadata: optional(z.object({ verified: z.boolean().nullish() })),
});
export const wireCurrencies = z.array(z.unknown()).max(LIST_MAX);

const money = z.object({
	currency: z.object({
		chainId,
		address: anyCaseAddressSchema,
		symbol: words(32),
		decimals: z.int().min(0).max(DECIMALS_MAX),
	}),
	amount: wireUint,
	amountUsd: optional(decimalText),
	minimumAmount: optional(wireUint),
});
/** Parses a fee. It may be negative: then another party pays a part. */
const fee = z.object({
	currency: z.object({ chainId, address: anyCaseAddressSchema, symbol: words(32) }),
	amount: z
		.string()
		.max(80)
		.regex(/^-?(0|[1-9][0-9]*)$/),
	amountUsd: optional(decimalText),
});

/** Members that nothing of ours comes from may be missing: our own steps have them all. */
const transaction = z.object({
	from: anyCaseAddressSchema.nullish(),
	to: anyCaseAddressSchema,
	data: z
		.string()
		.max(DATA_LENGTH_MAX)
		.regex(/^0x([0-9a-fA-F]{2})*$/)
		.transform((text) => text.toLowerCase()),
	value: wireUint.nullish().transform((value) => value ?? 0n),
	chainId,
});

/** Parses the URL at which a step's progress is asked for; it has the same request id. */
const check = z
	.object({ endpoint: z.string().max(300) })
	.optional()
	.transform(
		(said) => said && (URL.parse(said.endpoint, "http://x")?.searchParams.get("requestId") ?? ""),
	);

const step = z.discriminatedUnion("kind", [
	z.object({
		id: z.string().max(32),
		kind: z.literal("transaction"),
		// One step at least names the request, or the quote does.
		requestId: anyCaseWordSchema.nullish(),
		items: z
			.array(
				z.discriminatedUnion("status", [
					z.object({ status: z.literal("incomplete"), data: transaction, check }),
					// What is done already need not say what it did.
					z.object({ status: z.literal("complete"), check }),
				]),
			)
			.max(STEPS_MAX),
	}),
	z.object({
		id: z.string().max(32),
		kind: z.literal("signature"),
		requestId: anyCaseWordSchema,
		// What it asks to be signed is read apart (`order.ts`): most kinds are refused.
		items: z
			.array(z.object({ status: z.literal("incomplete"), data: z.unknown(), check }))
			.max(STEPS_MAX),
	}),
]);
export type WireStep = z.output<typeof step>;

/** Parses the answer of `POST /execute/permits`: it may ask for more signatures. */
export const wirePermitAnswer = z.object({ steps: z.array(step).max(STEPS_MAX).optional() });

/** Parses the answer of `POST /quote/v2`. */
export const wireQuote = z.object({
	requestId: anyCaseWordSchema.nullish(),
	steps: z.array(step).min(1).max(STEPS_MAX),
	// Fees are only shown, so each may be missing; `app` is a third party's, and must be readable.
	fees: z
		.object({
			gas: optional(fee),
			relayer: optional(fee),
			relayerGas: optional(fee),
			relayerService: optional(fee),
			app: fee.nullish(),
			subsidized: optional(fee),
		})
		.nullish(),
	details: z.object({
		sender: anyCaseAddressSchema,
		recipient: anyCaseAddressSchema,
		currencyIn: money,
		// What its order says is what counts; where it is shown as well, it must be the same.
		currencyOut: money.extend({ minimumAmount: wireUint.nullish() }),
		totalImpact: z.object({ usd: optional(decimalText), percent: decimalText.nullish() }).nullish(),
		timeEstimate: optional(z.number().min(0).max(1_000_000)),
		rate: optional(z.string().max(80)),
	}),
	protocol: z.object({
		v2: z.object({
			orderId: anyCaseWordSchema,
			orderData: relayOrder,
			orderSignature: z
				.string()
				.regex(/^0x[0-9a-fA-F]{130}$/)
				.transform((text) => text.toLowerCase() as `0x${string}`),
			paymentDetails: z.object({
				chainId: protocolName,
				depository: anyCaseAddressSchema,
				currency: anyCaseAddressSchema,
				amount: wireUint,
			}),
		}),
	}),
});

/** Hashes that are none are left out: nothing can be looked up by them. */
const hashes = z
	.array(z.unknown())
	.max(HASHES_MAX)
	.nullish()
	.transform((all) => (all ?? []).flatMap((one) => anyCaseWordSchema.safeParse(one).data ?? []));
const reason = optional(
	z
		.string()
		.max(64)
		.regex(/^[A-Z0-9_/]{1,64}$/),
);

/** Parses the answer of `GET /intents/status/v3`. Any text may be its status. */
export const wireStatus = z.object({
	status: z.string().max(64),
	inTxHashes: hashes,
	txHashes: hashes,
	updatedAt: optional(z.int().min(0).max(Number.MAX_SAFE_INTEGER)),
	originChainId: optional(chainId),
	destinationChainId: optional(chainId),
	failReason: reason,
	refundFailReason: reason,
});

const hashOf = z.object({ txHash: anyCaseWordSchema, chainId: optional(chainId) });
const hashesOf = z
	.array(z.unknown())
	.max(HASHES_MAX)
	.nullish()
	.transform((all) => (all ?? []).flatMap((one) => hashOf.safeParse(one).data ?? []));

/** Parses one request of `GET /requests/v3`. */
export const wireRequest = z.object({
	id: anyCaseWordSchema,
	status: z.string().max(64),
	data: optional(z.object({ failReason: reason, inTxs: hashesOf, outTxs: hashesOf })),
});
export const wireRequests = z.object({ requests: z.array(z.unknown()).max(LIST_MAX) });

/** Parses a refusal of the provider. */
export const wireRefusal = z.object({
	message: words(300).optional().catch(undefined),
	errorCode: z
		.string()
		.max(64)
		.regex(/^[A-Z0-9_]+$/)
		.optional()
		.catch(undefined),
});

export type WireQuote = z.output<typeof wireQuote>;
