import { bytesToHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { CancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";
import { cancelFault } from "#plugins/wallets/cancel/faults.ts";
import {
	REPLACED_READ_MAX,
	REPORTED_CANCELLATIONS_MAX,
	SELF_TRANSFER_GAS,
} from "#plugins/wallets/cancel/limits.ts";
import { type Offer, offerOf, offerOfSigned } from "#plugins/wallets/cancel/offerOf.ts";
import { readAccount } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { feeDenial } from "#plugins/wallets/spend/feeDenial.ts";
import { FEE_LIMIT_TIMES } from "#plugins/wallets/submission/limits.ts";
import { isNonceTaken } from "#plugins/wallets/submission/NonceQueue.ts";
import { readNonceQueue } from "#plugins/wallets/submission/nonceQueueSql.ts";
import { replacementFees } from "#plugins/wallets/submission/replacementFees.ts";
import { isCancellable, type Submission } from "#plugins/wallets/submission/Submission.ts";

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
	// Its bytes say another one than a node did: a lie, and nothing to sign by.
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

type Replaced = { hash: Hex | null; offer: Offer | null };
type ReplacedRow = {
	hash: Uint8Array | null;
	signed: Uint8Array | null;
	price: string | null;
	tip: string | null;
	reported: number;
};

/** The payment and its newest cancellations, with what we know of their offers ourselves. */
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
