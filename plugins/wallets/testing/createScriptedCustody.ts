import type { Hex } from "#core/chain/Hex.ts";
import { defineFaults } from "#core/fault.ts";
import type { CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import type { ScriptedChain } from "#plugins/wallets/testing/scriptedChain.ts";
import { fakeCustody } from "#test/harness/fakes.ts";

const labFault = defineFaults({
	down: { status: 502, retry: "later", public: "The wallet provider is down." },
});
type Handed = { referenceId: string; transaction: CustodyTransaction; validUntilMs: number };

/**
 * What the wallet provider does with the next request: takes it and says so; takes it and is
 * silent; keeps it for later and is silent; loses it; says no; says no to what it signed and failed
 * to broadcast; says that it sent what it did not sign at all; says that it sent, and keeps it.
 */
export type Mood =
	| "sends"
	| "sends, silent"
	| "keeps, silent"
	| "loses"
	| "refuses"
	| "refuses, signed"
	| "lies"
	| "says sent, keeps";

/** A wallet provider that does with each request what a test says, and remembers all of them. */
export function createScriptedCustody(chain: ScriptedChain) {
	const handed: Handed[] = [];
	const traces = new Map<string, { hash: Hex; status: "broadcasted" | "failed" }>();
	const moods: Mood[] = [];
	const state = {
		lookupIsDown: false,
		/** It says of each reference that it has it and will see to it. */
		hasTaken: false,
		/** The hash that it lies with. */
		liesWith: `0x${"ab".repeat(32)}` as Hex,
	};
	const signedOf = ({ transaction }: Handed) => {
		const { from, to, nonce, valueRaw, data, maxFeePerGas } = transaction;
		return { from, to, nonce, valueRaw, data, feeRaw: maxFeePerGas };
	};
	const broadcast = (one: Handed): Hex => {
		const hash = chain.send(signedOf(one));
		traces.set(one.referenceId, { hash, status: "broadcasted" });
		return hash;
	};
	const outcomes: Record<Mood, (one: Handed) => SendOutcome> = {
		sends: (one) => ({ kind: "sent", transactionHash: broadcast(one), transactionId: null }),
		"sends, silent": (one) => {
			broadcast(one);
			return { kind: "unknown", detail: "no answer" };
		},
		"keeps, silent": () => ({ kind: "unknown", detail: "no answer" }),
		loses: () => ({ kind: "unknown", detail: "no answer" }),
		"refuses, signed": (one) => {
			const hash = chain.hashOf(signedOf(one));
			traces.set(one.referenceId, { hash, status: "failed" });
			return { kind: "refused", code: "insufficient_funds", detail: "no" };
		},
		"says sent, keeps": (one) => {
			const transactionHash = chain.hashOf(signedOf(one));
			return { kind: "sent", transactionHash, transactionId: null };
		},
		refuses: () => ({ kind: "refused", code: "wallet_provider_refused", detail: "no" }),
		lies: () => ({ kind: "sent", transactionHash: state.liesWith, transactionId: null }),
	};
	const custody = fakeCustody({
		async send(request: Handed): Promise<SendOutcome> {
			const { referenceId, transaction, validUntilMs } = request;
			if (handed.some((one) => one.referenceId === referenceId)) {
				throw new Error("the same reference was handed over twice");
			}
			handed.push({ referenceId, transaction, validUntilMs });
			return outcomes[moods.shift() ?? "sends"](request);
		},
		async byReference(referenceId: string) {
			if (state.lookupIsDown) throw labFault.down();
			const trace = traces.get(referenceId);
			if (!trace && !state.hasTaken) return null;
			const { hash: transactionHash, status } = trace ?? { hash: null, status: "pending" as const };
			return { transactionId: "t", referenceId, status, transactionHash };
		},
	});
	return {
		custody,
		handed,
		moods,
		state,
		/** Whoever kept a request now acts on it. */
		releaseKept(referenceId: string): void {
			const kept = handed.find((one) => one.referenceId === referenceId);
			if (kept) broadcast(kept);
		},
	};
}
