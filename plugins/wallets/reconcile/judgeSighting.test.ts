import { expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import type { SeenTransaction } from "#plugins/wallets/chain/sightingCodec.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import { judgeSighting } from "#plugins/wallets/reconcile/judgeSighting.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

// Guarantee: a transaction settles an intent where all of it is what was planned, else not.

const plan: Plan = {
	chainId: 1,
	from: `0x${"1".repeat(40)}`,
	to: `0x${"2".repeat(40)}`,
	valueRaw: 5n,
	data: "0x1234",
	spend: { currency: `0x${"0".repeat(40)}`, raw: 5n, decimals: 18, symbol: "ETH" },
	recipient: null,
	shown: {},
	expiresAtMs: 0,
};
const { from, to, valueRaw, data } = plan;
const planned: SeenTransaction = { from, to, valueRaw, data, nonce: 7 };

function judge(transaction: SeenTransaction, nonce: number | null): "seen" | "other" {
	const submission: Submission = {
		id: "s",
		intentId: "i",
		purpose: "pay",
		walletId: "w",
		chainId: 1,
		sender: plan.from,
		nonce,
		state: "sent",
		providerTransactionId: null,
		transactionHash: null,
		blockNumber: null,
		blockHash: null,
		seenNonce: null,
		seenAtMs: null,
		fromBlock: 0,
		gasLimit: 1n,
		validUntilMs: null,
		session: null,
		createdAtMs: 0,
		sentAtMs: 0,
		finalAtMs: null,
	};
	const sighting = { transaction, receipt: null, signed: null, headBlock: 1 };
	const hash = `0x${"ab".repeat(32)}` as const;
	return judgeSighting({ log: silentLog }, { submission, plan, hash, sighting }).kind;
}

test("[TRD-08] the planned transaction is seen", () => {
	expect(judge(planned, 7)).toBe("seen");
});

for (const [what, change] of Object.entries({
	"another sender": { from: `0x${"3".repeat(40)}` },
	"another destination": { to: `0x${"3".repeat(40)}` },
	"no destination": { to: null },
	"a unit less": { valueRaw: 4n },
	"a unit more": { valueRaw: 6n },
	"other calldata": { data: "0x1235" },
	"more calldata": { data: "0x123400" },
	"another nonce": { nonce: 8 },
} satisfies Record<string, Partial<SeenTransaction>>)) {
	test(`[TRD-08] what has ${what} is another transaction`, () => {
		expect(judge({ ...planned, ...change }, 7)).toBe("other");
	});
}

test("[TRD-08] where the owner's own wallet chose the nonce, any nonce is the planned one", () => {
	expect(judge({ ...planned, nonce: 8 }, null)).toBe("seen");
	expect(judge({ ...planned, nonce: 8, valueRaw: 4n }, null)).toBe("other");
});
