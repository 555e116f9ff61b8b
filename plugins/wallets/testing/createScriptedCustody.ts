import type { Hex } from "#core/chain/Hex.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";
import type { Custody, CustodyTransaction, SendOutcome } from "#plugins/wallets/custody/Custody.ts";
import { offCustody } from "#plugins/wallets/custody/offCustody.ts";
import type { ScriptedChain } from "#plugins/wallets/testing/scriptedChain.ts";

const labFault = defineFaults({
	down: { status: 502, retry: "later", public: "The wallet provider is down." },
});
type Handed = { referenceId: string; transaction: CustodyTransaction; validUntilMs: number };

/**
 * What the wallet provider does with the next request: takes it and says so; takes it and is
 * silent; keeps it for later and is silent; loses it; says no.
 */
export type Mood = "sends" | "sends, silent" | "keeps, silent" | "loses" | "refuses" | "lies";

/** A wallet provider that does with each request what a test says, and remembers all of them. */
export function createScriptedCustody(chain: ScriptedChain) {
	const handed: Handed[] = [];
	const traces = new Map<string, Hex>();
	const moods: Mood[] = [];
	const state = {
		lookupIsDown: false,
		/** It says of each reference that it has it and will see to it. */
		hasTaken: false,
		/** The hash that it lies with. */
		liesWith: `0x${"ab".repeat(32)}` as Hex,
	};
	const broadcast = ({ transaction, referenceId }: Handed): Hex => {
		const { from, to, nonce, valueRaw, data } = transaction;
		const hash = chain.send({ from, to, nonce, valueRaw, data });
		traces.set(referenceId, hash);
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
		refuses: () => ({ kind: "refused", code: "wallet_provider_refused", detail: "no" }),
		lies: () => ({ kind: "sent", transactionHash: state.liesWith, transactionId: null }),
	};
	const custody: Custody = {
		...offCustody,
		isOn: true,
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
			const transactionHash = traces.get(referenceId) ?? null;
			if (!transactionHash && !state.hasTaken) return null;
			const status = transactionHash ? ("broadcasted" as const) : ("pending" as const);
			return { transactionId: "t", referenceId, status, transactionHash };
		},
	};
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
