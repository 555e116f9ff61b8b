import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Denial, Intent, Preparation, Signable } from "#plugins/wallets/contract.ts";
import { deny } from "#plugins/wallets/execution/closeBatch.ts";
import { judgeTerms, mustWait, writeVerdict } from "#plugins/wallets/execution/decideBatch.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type PlannedIntent, readSituation } from "#plugins/wallets/execution/readSituation.ts";
import { storeSignature } from "#plugins/wallets/execution/storeSignature.ts";
import { isSignedBy } from "#plugins/wallets/plan/Signable.ts";

type Given = {
	intent: Intent;
	prepared: Extract<Preparation, { kind: "plan" }>;
	/** Before anything was read for the plan. */
	beganAt: Date;
	signal: AbortSignal;
};

/**
 * Takes an intent that is a signature as far as it goes: it is judged like a payment before the
 * wallet signs, and judged again, and counted, in the transaction that stores the signature.
 *
 * Whoever dies between signing and storing leaves nothing behind: a signature is nothing until
 * somebody has it, and none is handed to anybody before it is stored. So it is signed anew.
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

type Asked = { intent: Intent; signs: Signable; providerWalletId: string; signal: AbortSignal };

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
