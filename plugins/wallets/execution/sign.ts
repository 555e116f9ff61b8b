// Judges an intent that is a signature, has it signed, and stores it.

import { hexToBytes } from "viem";
import { type Hex, hexOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import { judgeTerms, mustWait, writeVerdict } from "#plugins/wallets/execution/decideBatch.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { deny } from "#plugins/wallets/execution/judgeBatch.ts";
import { type PlannedIntent, readSituation } from "#plugins/wallets/execution/readSituation.ts";
import type { Preparation } from "#plugins/wallets/IntentKind.ts";
import { nextStatus, noteMove } from "#plugins/wallets/intent/Intent.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { Intent, Plan, Signable } from "#plugins/wallets/model.ts";
import { hashPlan, isSignedBy, planCodec } from "#plugins/wallets/plan.ts";

export type StoredSignature = {
	intentId: string;
	plan: Plan;
	signature: Hex;
	usdMicros: bigint;
	at: Date;
};

type Given = {
	intent: Intent;
	prepared: Extract<Preparation, { kind: "plan" }>;
	/** Before anything was read for the plan. */
	beganAt: Date;
	signal: AbortSignal;
};

type Asked = { intent: Intent; signs: Signable; providerWalletId: string; signal: AbortSignal };

const DOMAIN_TYPE = [
	{ name: "name", type: "string" },
	{ name: "version", type: "string" },
	{ name: "chainId", type: "uint256" },
	{ name: "verifyingContract", type: "address" },
];

/** A signature costs no gas and takes no nonce. */
const NO_GAS: AccountState = {
	...{ balanceRaw: 0n, minedNonce: 0, pendingNonce: 0, headBlock: 0 },
	...{ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
};

const NOT_OURS_TO_SIGN: Denial = {
	code: "signature_not_delegated",
	detail: "It takes a signature, and its wallet lets nobody here sign.",
};
const SIGNED_BY_ANOTHER: Denial = {
	code: "signature_mismatch",
	detail: "The wallet provider gave a signature that is not the wallet's.",
};

/** Reads what a wallet signed for an intent; null where nothing is stored. */
export async function readSignature(db: Queryable, intentId: string): Promise<Hex | null> {
	const [row] = await db.query<{ signature: Uint8Array | null }>(
		"select signature from wallets.intent where id = $1",
		[intentId],
	);
	return row?.signature ? hexOf(row.signature) : null;
}

/**
 * Takes an intent that is a signature as far as it goes: it is judged like a payment before the
 * wallet signs, and judged again, and counted, in the transaction that stores the signature.
 *
 * If the process dies between signing and storing, nothing is lost: no signature is given to a
 * caller before it is stored, so it is signed anew.
 */
export async function signIntent(deps: ExecutionDeps, given: Given): Promise<null> {
	const { intent, prepared, signal } = given;
	const { plan } = prepared;
	const { signs } = plan;
	if (!signs) return null;
	const may = await deps.steps.run("commit.decide", () =>
		deps.commits.together(intent.profileId, (tx) =>
			decide(deps, tx, { ...given, signature: null }),
		),
	);
	if (may === null) return null;
	const signed = await sign(deps, { intent, signs, providerWalletId: may, signal });
	if (signed === null) return null;
	if ("code" in signed) return deny(deps, [intent], signed);
	const { signature } = signed;
	if (!(await isSignedBy(signs, { address: plan.from, signature }))) {
		return deny(deps, [intent], SIGNED_BY_ANOTHER);
	}
	await deps.steps.run("commit.sign", () =>
		deps.commits.together(intent.profileId, (tx) => decide(deps, tx, { ...given, signature })),
	);
	return null;
}

/**
 * Stores what a wallet signed, confirms the intent by it and counts its spend, in one statement:
 * there is never a signature that was not counted. False where the intent is not `created` any
 * more; then nothing is written, and the signature must be forgotten. The caller holds the
 * profile's row, and has decided on sums read under it.
 *
 * The spend is reserved and spent at once: from here on whoever has the signature may use it.
 */
export async function storeSignature(tx: Tx, stored: StoredSignature): Promise<boolean> {
	const { intentId, plan, signature, usdMicros, at } = stored;
	const to = nextStatus("created", "sign");
	assert(to !== null, "what is created can be signed");
	const written = await tx.execute(
		`with moved as (
			update wallets.intent set status = $2, error_code = null, error = null,
				changed_at = $3, plan = $4,
				plan_hash = $5, signature = $6
			where id = $1 and status = 'created' returning id, profile_id, wallet_id, chain_id
		), noted as (
			${noteMove({ event: "'sign'", from: "'created'", to: "$2", at: "$3" })}
		)
		insert into wallets.spend_entry
			(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
		select id, profile_id, wallet_id, entry.kind::wallets.spend_kind, chain_id, $7::bytea,
			$8::numeric, $9::int8, $3
		from moved, (values (1, 'reserve'), (2, 'spend')) as entry (place, kind)
		order by entry.place`,
		[
			...[intentId, to, at, JSON.stringify(planCodec.write(plan)), hexToBytes(hashPlan(plan))],
			...[hexToBytes(signature), hexToBytes(plan.spend.currency), plan.spend.raw, usdMicros],
		],
	);
	return written > 0;
}

/**
 * Decides on a signature under the lock of the profile's row. Answers the provider's name of the
 * wallet that may sign; null where it may not, or where its signature was stored.
 */
async function decide(
	deps: ExecutionDeps,
	tx: Tx,
	{ intent, prepared, beganAt, signature }: Given & { signature: Hex | null },
): Promise<string | null> {
	const at = new Date(deps.clock.nowMs());
	const { plan, review, keep } = prepared;
	const one: PlannedIntent = {
		...{ intent, plan, gasLimit: 0n },
		...{ ...(review && { review }), ...(keep && { keep }) },
	};
	const planned = [one];
	const situation = await readSituation(deps, tx, { planned, account: NO_GAS, at });
	if (!situation?.isStillCreated || (await mustWait(tx, { planned, beganAt }))) return null;
	const judged = judgeTerms(deps, { planned, situation, at });
	const isForOwner = judged.kind === "asked" && judged.event === "ask_signature";
	const verdict = isForOwner
		? ({ kind: "denied", denial: NOT_OURS_TO_SIGN, isPlanKept: false } as const)
		: judged;
	if (verdict.kind !== "reserved") {
		await writeVerdict(deps, tx, { planned, verdict, at });
		return null;
	}
	if (signature === null) return verdict.wallet.providerWalletId;
	await keep?.(tx);
	const [usdMicros = 0n] = verdict.usdMicros;
	await storeSignature(tx, { intentId: intent.id, plan, signature, usdMicros, at });
	return null;
}

/**
 * Has the wallet provider sign. Null where it does not answer: the intent stays, and is taken up
 * again until its time is over. Under a new key each time: the provider would answer an old one
 * with the error of before.
 */
async function sign(
	deps: ExecutionDeps,
	{ intent, signs, providerWalletId, signal }: Asked,
): Promise<{ signature: Hex } | Denial | null> {
	const asked = { providerWalletId, idempotencyKey: deps.newId(), signal };
	try {
		const signature = await deps.steps.run("custody.sign", () =>
			signs.kind === "message"
				? deps.custody.signMessage({
						...asked,
						message: Buffer.from(signs.message.slice(2), "hex"),
					})
				: deps.custody.signTypedData({ ...asked, typedData: withDomainType(signs.typedData) }),
		);
		return { signature };
	} catch (error) {
		if (!(error instanceof Fault) || signal.aborted) throw error;
		deps.log.warn("an intent could not be signed", { intentId: intent.id, error });
		return error.retry === "later" ? null : { code: error.code, detail: error.publicDetail };
	}
}

/** Wallets want the domain's own type among the types. */
function withDomainType(typedData: Extract<Signable, { kind: "typed_data" }>["typedData"]) {
	const { types, ...rest } = typedData;
	return { ...rest, types: { EIP712Domain: DOMAIN_TYPE, ...types } };
}
