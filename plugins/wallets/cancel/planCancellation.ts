// Says by which nonce and fees a payment can be cancelled, and why it cannot.

import { bytesToHex, keccak256, parseTransaction, stringToBytes } from "viem";
import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { stableJson } from "#core/json.ts";
import { readAccount } from "#plugins/wallets/chain/readAccount.ts";
import { readSigned } from "#plugins/wallets/chain/readSigned.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { storedField } from "#plugins/wallets/plan.ts";
import { feeDenial } from "#plugins/wallets/spend/spend.ts";
import {
	FEE_LIMIT_TIMES,
	type Fees,
	isNonceTaken,
	type NonceQueue,
	readNonceQueue,
	replacementFees,
} from "#plugins/wallets/submission/nonceQueue.ts";
import { isCancellable, type Submission } from "#plugins/wallets/submission/submission.ts";

/**
 * Holds what an owner signs to cancel a payment of their own wallet: a transfer of nothing from
 * their address to itself, with the payment's nonce, and fees high enough to replace it.
 */
export type CancelTerms = {
	intentId: string;
	chainId: number;
	/** Whose nonce it is; the transaction goes from here to here. */
	from: Address;
	nonce: number;
	maxFeePerGas: bigint;
	maxPriorityFeePerGas: bigint;
	/** The last known hash of the payment; null where none was reported. */
	paymentHash: Hex | null;
};

/** Holds the fees that a transaction offers, and its nonce where its signed bytes prove it. */
export type Offer = { fees: Fees; provenNonce: number | null };

type Replaced = { hash: Hex | null; offer: Offer | null };
type ReplacedRow = {
	hash: Uint8Array | null;
	signed: Uint8Array | null;
	price: string | null;
	tip: string | null;
	reported: number;
};

const { address, word } = storedField;
const units = storedField.units.transform((text) => BigInt(text));
const storedTerms = z.strictObject({
	intentId: z.string(),
	chainId: z.int(),
	from: address,
	nonce: z.int().min(0),
	maxFeePerGas: units,
	maxPriorityFeePerGas: units,
	paymentHash: word.nullable(),
});

/** Reads and writes terms as JSON, and names them by a hash. */
export const cancelTerms = {
	write(terms: CancelTerms): Record<string, unknown> {
		return {
			...terms,
			maxFeePerGas: String(terms.maxFeePerGas),
			maxPriorityFeePerGas: String(terms.maxPriorityFeePerGas),
		};
	},
	/** Null where what is stored is no terms. */
	read(stored: unknown): CancelTerms | null {
		return storedTerms.safeParse(stored).data ?? null;
	},
	/** Changes with every member. No plan of a payment has the same text, so none has its hash. */
	hash(terms: CancelTerms): Hex {
		const text = stableJson({ action: "cancel", ...cancelTerms.write(terms) });
		return keccak256(stringToBytes(text));
	},
};

/** Describes in an answer how an intent is being cancelled by its nonce. */
export const cancellationSchema = z
	.object({
		state: z
			.enum([
				"queued",
				"sending",
				"sent",
				"doubtful",
				"dropped",
				"refused",
				"mined",
				"reverted",
				"never",
			])
			.meta({ description: "Of the transaction that takes the payment's nonce." }),
		transactionHash: field.hashText("That transaction; null until it was sent.").nullable(),
	})
	.meta({ id: "Cancellation", description: "The newest cancellation by nonce." })
	.nullable()
	.meta({ description: "The newest cancellation by nonce. Null where nobody asked for one." });

/** Names why a sent transaction cannot be cancelled now. Nothing was done then. */
export const cancelFault = defineFaults({
	handingOver: {
		status: 409,
		retry: "later",
		public: "It is being handed over at this moment. Ask again in a few seconds.",
		advice: "Ask again in a few seconds.",
	},
	notSearched: {
		status: 503,
		retry: "later",
		public:
			"Nobody can say now whether your wallet sent it already: a node does not answer, or something " +
			"of the wallet waits at one. Ask again in a moment; what you do not sign runs out by itself.",
	},
	nonceUsed: {
		status: 409,
		retry: "later",
		public: "Its nonce is used on chain already: what was mined decides, in a moment.",
		advice: "Read the intent again in a moment: it will say what was mined.",
	},
	nonceTaken: {
		status: 409,
		retry: "later",
		public:
			"It was refused, and another payment of the wallet has its nonce now: it ends once that one " +
			"is mined. To free the nonce, cancel that one.",
		advice: "Cancel the other payment to free the nonce, or wait for it to be mined.",
	},
	nonceUnknown: {
		status: 409,
		retry: "later",
		public: "No node has shown the transaction yet, so nobody knows which nonce to use.",
		advice: "Ask again once a node has shown the transaction.",
	},
	cancelNotOurs: {
		status: 409,
		retry: "never",
		public:
			"The service cannot send for that wallet: only its owner can cancel this, by signing. They get " +
			"a link for that by POST /v1/links with the purpose cancel, or cancel it in the wallet itself.",
		advice: "Ask for a link with `POST /v1/links` and the purpose `cancel`, and sign there.",
	},
	cancelFeeLimit: {
		status: 409,
		retry: "later",
		public:
			"Taking its place costs more than this deployment offers for a transaction, or nobody knows " +
			"what it costs. Cancel it in the wallet itself, or ask again later.",
		advice: "Ask again when fees are lower, or cancel it in the wallet itself.",
	},
	cancellationsTooMany: {
		status: 409,
		retry: "never",
		public: "So many cancellations of it were reported already. Cancel it in the wallet itself.",
		advice: "Cancel it in the wallet itself.",
	},
	cancelOff: {
		status: 409,
		retry: "never",
		public: "This deployment sends nothing, so it cancels nothing on chain.",
		advice: "Cancel it in the wallet itself.",
	},
});

/** Free lower nonces that one cancellation fills; asked again, it fills as many more. */
export const FILLS_MAX = 64;
/** A cancellation that is on its way is not sent anew, at a better price, before then. */
export const CANCEL_AGAIN_AFTER_MS = 60_000;
/** Cancellations that an owner may report for one intent; each is looked for like a payment. */
export const REPORTED_CANCELLATIONS_MAX = 20;
/** Limits how many of the payment and its cancellations are read for their fees. */
export const REPLACED_READ_MAX = 8;
/** The gas of a transfer of nothing to an account without code. */
export const SELF_TRANSFER_GAS = 21_000n;

const { gasPrice } = chainNumbers;
const shownFees = z.object({
	hash: z.string().toLowerCase(),
	maxFeePerGas: gasPrice,
	maxPriorityFeePerGas: gasPrice,
});
const shownPrice = z.object({ hash: z.string().toLowerCase(), gasPrice });

/**
 * Says what the owner of a payment has to sign to cancel it: the nonce that a node showed of it,
 * and fees above what it offers and what reported cancellations of it offer. Refused where no node
 * has shown the nonce, and where something mined has used it.
 *
 * The fees have the same limit as our own transactions: they follow what a node says, and a person
 * may sign what they are shown.
 */
export async function planCancellation(
	deps: ExecutionDeps,
	{ payment, signal }: { payment: Submission; signal: AbortSignal },
): Promise<CancelTerms> {
	const { intentId, chainId, sender: from, transactionHash: paymentHash } = payment;
	if (!isCancellable(payment)) throw executionFault.intentState();
	const nonce = payment.nonce ?? payment.seenNonce;
	if (nonce === null) throw cancelFault.nonceUnknown();
	const rpc = deps.rpcOf(chainId);
	if (!rpc) throw cancelFault.cancelOff();
	const { replaced, reported } = await readReplaced(deps.db, payment);
	if (reported >= REPORTED_CANCELLATIONS_MAX) throw cancelFault.cancellationsTooMany();
	const hashes = replaced.flatMap(({ hash }) => hash ?? []);
	const questions = hashes.map((hash): RpcCall => {
		return { method: "eth_getTransactionByHash", params: [hash] };
	});
	const { account, answers } = await deps.steps.run("rpc.account", () =>
		readAccount(rpc, { address: from, plans: [], questions, signal }),
	);
	if (account.minedNonce > nonce) throw cancelFault.nonceUsed();
	// A refused payment is one that the service sent: only there a later one can have its nonce.
	if (payment.state === "refused") {
		const queue = await deps.steps.run("commit.cancel", () =>
			deps.db.transaction((tx) => readNonceQueue(tx, { chainId, from }, account)),
		);
		if (isNonceTaken(payment, queue)) throw cancelFault.nonceTaken();
	}
	const shown = hashes.map((hash, place) => ({ hash, offer: offerOf(answers[place], hash) }));
	const own = shown.find(({ hash }) => hash === paymentHash)?.offer?.provenNonce ?? null;
	// The signed payment has another nonce than the node named: one of the two is false, and nobody
	// is given anything to sign by it.
	if (own !== null && own !== nonce) throw cancelFault.nonceUnknown();
	const offers = [...shown.map(({ offer }) => offer), ...replaced.map(({ offer }) => offer)];
	const fees = replacementFees(
		account,
		offers.flatMap((offer) => offer?.fees ?? []),
	);
	const [gasLimit, limitTimes] = [SELF_TRANSFER_GAS, FEE_LIMIT_TIMES];
	if (feeDenial(deps, { chainId, gasLimit, account: fees, limitTimes })) {
		throw cancelFault.cancelFeeLimit();
	}
	return { intentId, chainId, from, nonce, ...fees, paymentHash };
}

/**
 * Returns the nonces below one that nothing of ours holds, lowest first: nothing above them is
 * mined before something uses them. A filling that may never have left leaves its gap open.
 */
export function gapsBelow(
	nonce: number,
	{ held, finalCount }: Pick<NonceQueue, "held" | "finalCount">,
	{ minedNonce, max }: { minedNonce: number; max: number },
): number[] {
	const taken = new Set(
		held
			.filter(({ purpose, state }) => {
				return purpose !== "fill" || (state !== "doubtful" && state !== "dropped");
			})
			.map((one) => one.nonce),
	);
	const gaps: number[] = [];
	for (let at = Math.max(minedNonce, finalCount); at < nonce && gaps.length < max; at++) {
		if (!taken.has(at)) gaps.push(at);
	}
	return gaps;
}

/**
 * Returns the fees (and proven nonce) of a transaction as a node shows it; null where the node
 * shows another one. Signed bytes with the hash prove them. Fees that cannot be proved are
 * believed: they cause no payment, and the caller compares the price with a limit.
 */
export function offerOf(seen: unknown, hash: Hex): Offer | null {
	const signed = readSigned(seen, hash);
	if (signed) return offerOfSigned(signed);
	const { data: fees } = shownFees.safeParse(seen);
	if (fees?.hash === hash) {
		const { maxFeePerGas, maxPriorityFeePerGas } = fees;
		return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: null };
	}
	const { data: legacy } = shownPrice.safeParse(seen);
	if (legacy?.hash !== hash) return null;
	// A transaction of the old kind offers its whole price as tip.
	const [maxFeePerGas, maxPriorityFeePerGas] = [legacy.gasPrice, legacy.gasPrice];
	return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: null };
}

/** Returns what signed bytes offer: `chain/readSigned` puts no other kind together. */
export function offerOfSigned(signed: Hex): Offer {
	const { nonce = 0, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(signed);
	return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: nonce };
}

/** Reads the payment and its newest cancellations, with what we know of their offers ourselves. */
async function readReplaced(
	db: Queryable,
	{ id, intentId }: Submission,
): Promise<{ replaced: Replaced[]; reported: number }> {
	const rows = await db.query<ReplacedRow>(
		`select transaction_hash as hash, signed, transaction->>'maxFeePerGas' as price,
			transaction->>'maxPriorityFeePerGas' as tip,
			(count(*) filter (where purpose = 'cancel' and nonce is null) over ())::int as reported
		from wallets.submission where intent_id = $1 and (id = $2 or purpose = 'cancel')
		order by id = $2 desc, created_at desc limit ${REPLACED_READ_MAX}`,
		[intentId, id],
	);
	const replaced = rows.map(({ hash, signed, price, tip }) => ({
		hash: hash && bytesToHex(hash),
		offer: signed ? offerOfSigned(bytesToHex(signed)) : handedOffer(price, tip),
	}));
	return { replaced, reported: rows[0]?.reported ?? 0 };
}

function handedOffer(price: string | null, tip: string | null): Offer | null {
	if (price === null || tip === null) return null;
	const fees = { maxFeePerGas: BigInt(price), maxPriorityFeePerGas: BigInt(tip) };
	return { fees, provenNonce: null };
}
