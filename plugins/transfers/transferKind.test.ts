import { describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { PLAN_LIFETIME_MS } from "#plugins/transfers/limits.ts";
import { linksOf } from "#plugins/transfers/linksOf.ts";
import { ownTransfer } from "#plugins/transfers/ownTransfer.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransferRequest } from "#plugins/transfers/TransferRequest.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import type { Intent, Profile, Wallet, WalletCapability } from "#plugins/wallets/contract.ts";

// Guarantee: a plan is exactly the requested payment, and nothing else.

const chain = builtinChains.find(({ slug }) => slug === "robinhood");
if (!chain) throw new Error("no such chain");
const ANNA = `0x${"a1".repeat(20)}` as const;
const NOW_MS = 1_000_000;
const wallet: Wallet = {
	id: "w",
	profileId: "p",
	address: `0x${"9".repeat(40)}`,
	chainId: 4663,
	capability: "embedded/delegated",
	providerWalletId: "x",
	notionalUsdMax: null,
	revision: 1,
};
const profile: Profile = {
	id: "p",
	socialUserId: null,
	socialUsername: null,
	canonicalWalletId: null,
	requireTradeConfirmation: false,
	perTradeUsdMax: null,
	dailyUsdMax: null,
	revision: 1,
	wallets: [wallet],
};
const intent: Intent<TransferRequest> = {
	id: "0198a000-0000-7000-8000-000000000000",
	kind: "transfer",
	profileId: "p",
	walletId: "w",
	chainId: 4663,
	channel: "api",
	status: "created",
	errorCode: null,
	request: { recipient: ANNA, amountRaw: "250000000000000001" },
	plan: null,
	planHash: null,
	batchId: null,
	transactionHash: null,
	cancellation: null,
	asks: false,
	afterId: null,
	createdAtMs: NOW_MS,
	changedAtMs: NOW_MS,
	expiresAtMs: NOW_MS,
};

function prepare(more: { capability?: WalletCapability; isServed?: boolean } = {}) {
	const { isServed = true, capability = wallet.capability } = more;
	const chainOf = () => (isServed && chain ? chain : null);
	const kind = transferKind({ clock: { nowMs: () => NOW_MS }, chainOf });
	const context = {
		wallet: { ...wallet, capability },
		profile,
		outbound: () => Promise.reject(new Error("nothing is asked to plan")),
		signal: new AbortController().signal,
	};
	return kind.prepare(intent, context);
}

/** Returns the question of a plan, and what is shown for its answer. */
async function questionOf(answer: unknown) {
	const prepared = await prepare();
	if (prepared.kind !== "plan" || !prepared.question) throw new Error("nothing is asked");
	return { call: prepared.question.call, told: prepared.question.shownBy(answer) };
}

test("[TRF-01] the plan pays the recipient, to the wei, and calls no contract", async () => {
	expect(await prepare()).toMatchObject({
		kind: "plan",
		plan: {
			chainId: 4663,
			from: wallet.address,
			to: ANNA,
			valueRaw: 250_000_000_000_000_001n,
			data: "0x",
			spend: {
				currency: `0x${"0".repeat(40)}`,
				raw: 250_000_000_000_000_001n,
				decimals: 18,
				symbol: "ETH",
			},
			recipient: ANNA,
			expiresAtMs: NOW_MS + PLAN_LIFETIME_MS,
		},
	});
	expect(await questionOf("0x")).toEqual({
		call: { method: "eth_getCode", params: [ANNA, "latest"] },
		told: {
			kind: "shown",
			shown: {
				action: "transfer",
				summary: `Sends 0.250000000000000001 ETH to ${ANNA} on Robinhood Chain.`,
				recipientIsContract: false,
			},
		},
	});
});

describe("a recipient", () => {
	for (const [code, isContract] of [
		["0x6001", true],
		[`0xef0100${"11".repeat(20)}`, false],
		[`0xEF0100${"11".repeat(20)}`, false],
	] as const) {
		test(`with the code ${code.slice(0, 10)} is ${isContract ? "a contract" : "an account"}`, async () => {
			const { told } = await questionOf(code);
			expect(told).toMatchObject({ shown: { recipientIsContract: isContract } });
		});
	}

	test("about which a node's answer is unreadable is not taken for an account", async () => {
		for (const code of [null, "", "6001", 1]) {
			const { told } = await questionOf(code);
			expect(told).toMatchObject({ denial: { code: "chain_unavailable" } });
		}
	});
});

test("a wallet that may not send, or a chain that is not served, is denied before any call", async () => {
	for (const [more, code] of [
		[{ capability: "disabled" }, "no_executable_wallet"],
		[{ capability: "review-required" }, "no_executable_wallet"],
		[{ isServed: false }, "chain_unavailable"],
	] as const) {
		expect(await prepare(more)).toMatchObject({ kind: "denied", denial: { code } });
	}
});

test("an invalid stored request is not read", () => {
	const kind = transferKind({ clock: { nowMs: () => NOW_MS }, chainOf: () => null });
	for (const bad of [
		{ recipient: ANNA, amountRaw: "0" },
		{ recipient: ANNA, amountRaw: "-1" },
		{ recipient: ANNA, amountRaw: "1e18" },
		{ recipient: ANNA.toUpperCase(), amountRaw: "1" },
		{ amountRaw: "1" },
		null,
	]) {
		expect(kind.request.safeParse(bad).success).toBe(false);
	}
});

test("a transfer of a wallet that is no longer linked is still shown", () => {
	const given = { profile: { ...profile, wallets: [] }, chainOf: () => undefined };
	expect(renderTransfer(intent, given)).toMatchObject({
		from: null,
		chain: "4663",
		amount: "0.250000000000000001",
		recipientIsContract: null,
		signUrl: null,
		confirmUrl: null,
		createdAt: "1970-01-01T00:16:40.000Z",
	});
});

test("a link is shown with its purpose, and only for a transfer that waits", () => {
	const given = { profile, chainOf: () => chain, questionUrl: "https://x/links/t" };
	const shown = (status: Intent["status"]) => renderTransfer({ ...intent, status }, given);
	expect(shown("signature_required")).toMatchObject({
		signUrl: "https://x/links/t",
		confirmUrl: null,
	});
	expect(shown("confirmation_required")).toMatchObject({
		signUrl: null,
		confirmUrl: "https://x/links/t",
	});
	expect(shown("submitted")).toMatchObject({ signUrl: null, confirmUrl: null });
});

test("a batch is asked with one link, and each signature with its own", async () => {
	let made = 0;
	const link = async () => {
		made++;
		return { url: `/links/${made}`, expiresAtMs: 0 };
	};
	const of = (status: Intent["status"]) => {
		return ["1", "2", "3"].map((id) => ({ ...intent, id, status }));
	};
	const confirming = await linksOf({ link }, of("confirmation_required"));
	expect(new Set(confirming.values())).toEqual(new Set(["/links/1"]));
	const signing = await linksOf({ link }, of("signature_required"));
	expect([...signing.values()]).toEqual(["/links/2", "/links/3", "/links/4"]);
	expect((await linksOf({ link }, of("submitted"))).size).toBe(0);
});

test("an intent of another kind, or an id that is none, is no transfer", async () => {
	const execution = { read: async () => ({ ...intent, kind: "nft_buy" }) };
	for (const id of [intent.id, "nonsense", ""]) {
		const own = ownTransfer({ execution } as never, { id, profileId: "p" });
		expect(await own.catch((fault) => fault.code)).toBe("not_found");
	}
});
