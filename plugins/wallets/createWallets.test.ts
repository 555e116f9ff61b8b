import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whatever happens on the way, an intent's money moves once at most, and the books know.

const PROVED_MS = 60_000;
let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute(
		`truncate wallets.profile, wallets.wallet, wallets.intent, wallets.intent_move,
			wallets.submission, wallets.spend_entry, wallets.recipient, wallets.control,
			wallets.idempotent_answer, wallets.link cascade`,
	);
	lab = openExecutionLab(database.db);
});

/** Reserved, spent and given back: nothing is left open. */
function balances(ledger: Record<string, number>): boolean {
	const { reserve = 0, spend = 0, release = 0, unspend = 0, unrelease = 0 } = ledger;
	return reserve - spend - release + unspend + unrelease === 0;
}

test("[NFT-01] an intent is sent and mined, and its amount is booked as spent", async () => {
	const person = await lab.person();
	const [intent] = await lab.pay(person);
	expect(intent).toMatchObject({ status: "submitted", errorCode: null });
	expect(intent?.transactionHash).toBe(lab.chain.pool()[0]?.hash ?? "0x");
	lab.chain.mine();
	await lab.tick();
	const id = intent?.id ?? "";
	expect(await lab.intent(id)).toMatchObject({ status: "confirmed", errorCode: null });
	expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
	expect(await lab.moves(id)).toEqual(["reserve", "sent", "mined"]);
});

describe("a payment that was perhaps sent", () => {
	test("a payment without an answer is uncertain, is looked up by its reference, and not sent again", async () => {
		const person = await lab.person();
		lab.moods.push("sends, silent");
		const [intent] = await lab.pay(person);
		const id = intent?.id ?? "";
		expect(intent?.status).toBe("uncertain");
		await lab.execution.advance([id], lab.signal);
		await lab.tick();
		expect((await lab.intent(id)).status).toBe("submitted");
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(id)).status).toBe("confirmed");
		expect(lab.handed).toHaveLength(1);
		expect(balances(await lab.ledger(id))).toBe(true);
	});

	test("while the wallet provider is down a payment is found on chain by its nonce", async () => {
		const person = await lab.person();
		lab.moods.push("sends, silent");
		lab.provider.state.lookupIsDown = true;
		const [intent] = await lab.pay(person);
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(intent?.id ?? "")).status).toBe("confirmed");
		expect(lab.chain.minedFrom(person.wallet.address)).toBe(1);
	});

	test("a provider that is down, or has the payment but has not sent it, proves nothing", async () => {
		const person = await lab.person();
		lab.moods.push("keeps, silent");
		lab.provider.state.lookupIsDown = true;
		const [intent] = await lab.pay(person);
		await lab.tick(PROVED_MS);
		expect((await lab.intent(intent?.id ?? "")).status).toBe("uncertain");
		lab.provider.state.lookupIsDown = false;
		lab.provider.state.hasTaken = true;
		await lab.tick(PROVED_MS);
		expect((await lab.intent(intent?.id ?? "")).status).toBe("uncertain");
		expect(await lab.ledger(intent?.id ?? "")).toEqual({ reserve: 1_000_000_000 });
	});

	test("a lost payment fails only after all sources lack it and its time to be sent is over", async () => {
		const person = await lab.person();
		lab.moods.push("loses");
		const [intent] = await lab.pay(person);
		const id = intent?.id ?? "";
		await lab.tick();
		expect((await lab.intent(id)).status).toBe("uncertain");
		expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000 });
		await lab.tick(PROVED_MS);
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "not_sent" });
		expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000, release: 1_000_000_000 });
	});

	test("a provider that sends after all is believed: the ledger is corrected", async () => {
		const person = await lab.person();
		lab.moods.push("keeps, silent");
		const [intent] = await lab.pay(person);
		const id = intent?.id ?? "";
		await lab.tick();
		await lab.tick(PROVED_MS);
		expect((await lab.intent(id)).status).toBe("failed");
		lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
		lab.chain.mine();
		await lab.tick(PROVED_MS);
		await lab.tick(PROVED_MS);
		expect((await lab.intent(id)).status).toBe("confirmed");
		expect(balances(await lab.ledger(id))).toBe(true);
		expect(await lab.ledger(id)).toMatchObject({ spend: 1_000_000_000, unrelease: 1_000_000_000 });
	});

	test("of a late payment and the one that took its nonce, one is mined and one fails", async () => {
		const person = await lab.person();
		lab.moods.push("keeps, silent");
		const [late] = await lab.pay(person);
		await lab.tick();
		await lab.tick(PROVED_MS);
		const [next] = await lab.pay(person);
		expect(next?.status).toBe("submitted");
		expect(lab.handed[1]?.transaction.nonce).toBe(lab.handed[0]?.transaction.nonce ?? -1);
		lab.chain.forgetPool();
		lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
		lab.chain.mine();
		for (let turn = 0; turn < 4; turn++) await lab.tick(PROVED_MS);
		expect((await lab.intent(next?.id ?? "")).status).toBe("submitted");
		for (let block = 0; block < 3; block++) lab.chain.mine();
		for (let turn = 0; turn < 4; turn++) await lab.tick(PROVED_MS);
		const [one, other] = [await lab.intent(late?.id ?? ""), await lab.intent(next?.id ?? "")];
		expect([one.status, other.status]).toEqual(["confirmed", "failed"]);
		expect(lab.chain.minedFrom(person.wallet.address)).toBe(1);
		expect(balances(await lab.ledger(one.id))).toBe(true);
		expect(balances(await lab.ledger(other.id))).toBe(true);
	});

	test("a hash of another transaction is not accepted", async () => {
		const person = await lab.person();
		const other = await lab.person();
		const [honest] = await lab.pay(other);
		lab.moods.push("lies");
		const [intent] = await lab.pay(person);
		expect(intent?.status).toBe("submitted");
		lab.chain.mine();
		await lab.tick();
		await lab.tick(PROVED_MS);
		expect((await lab.intent(intent?.id ?? "")).status).not.toBe("confirmed");
		expect((await lab.intent(honest?.id ?? "")).status).toBe("confirmed");
	});

	test("a wrong hash proves nothing either while the provider is down", async () => {
		const other = await lab.person();
		const { from, to } = { from: other.wallet.address, to: SHOP };
		const lie = lab.chain.send({ from, to, nonce: 0, valueRaw: 1n, data: "0x" });
		lab.provider.state.liesWith = lie;
		lab.moods.push("lies");
		const [intent] = await lab.pay(await lab.person());
		lab.provider.state.lookupIsDown = true;
		for (let turn = 0; turn < 3; turn++) await lab.tick(PROVED_MS);
		expect((await lab.intent(intent?.id ?? "")).status).toBe("uncertain");
		expect(await lab.ledger(intent?.id ?? "")).toEqual({ reserve: 1_000_000_000 });
	});

	test("no payment of the same wallet is sent after an uncertain one", async () => {
		const person = await lab.person();
		lab.moods.push("loses");
		const [first] = await lab.pay(person);
		const [second] = await lab.pay(person);
		expect([first?.status, second?.status]).toEqual(["uncertain", "submitting"]);
		expect(lab.handed).toHaveLength(1);
		await lab.tick();
		await lab.tick(PROVED_MS);
		await lab.tick();
		expect((await lab.intent(second?.id ?? "")).status).toBe("submitted");
		expect(lab.handed).toHaveLength(2);
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(second?.id ?? "")).status).toBe("confirmed");
	});
});

test("a payment that the wallet provider refuses fails, and its spend is released", async () => {
	const person = await lab.person();
	lab.moods.push("refuses");
	const [intent] = await lab.pay(person);
	expect(intent).toMatchObject({ status: "failed", errorCode: "wallet_provider_refused" });
	expect(balances(await lab.ledger(intent?.id ?? ""))).toBe(true);
});

describe("limits", () => {
	test("[NFT-01] each limit has its own code, and a payment over it is neither reserved nor handed over", async () => {
		const person = await lab.person();
		const [over] = await lab.pay(person, { ether: "2.6" });
		expect(over).toMatchObject({ status: "rejected", errorCode: "per_trade_limit" });
		const small = await lab.person({ dailyUsdMax: 1_500_000_000n });
		await lab.pay(small);
		const [second] = await lab.pay(small);
		expect(second).toMatchObject({ status: "rejected", errorCode: "daily_limit" });
		lab.prices.setEth(null);
		const [unknown] = await lab.pay(person);
		expect(unknown).toMatchObject({ status: "rejected", errorCode: "usd_rate_unavailable" });
		expect(lab.handed).toHaveLength(1);
		expect(await lab.ledger(over?.id ?? "")).toEqual({});
	});

	test("[NFT-01] of several simultaneous payments only one fits if one uses the whole limit", async () => {
		const person = await lab.person({ dailyUsdMax: 1_500_000_000n });
		const made = await Promise.all([1, 2, 3, 4].map(() => lab.pay(person, { stays: true })));
		const ids = made.flat().map(({ id }) => id);
		await Promise.all(ids.map((id) => lab.execution.advance([id], lab.signal)));
		const codes = await Promise.all(ids.map(async (id) => (await lab.intent(id)).errorCode));
		expect(codes.filter((code) => code === "daily_limit")).toHaveLength(3);
		expect(lab.handed).toHaveLength(1);
	});

	test("a released spend no longer counts against the limit", async () => {
		const person = await lab.person({ dailyUsdMax: 1_500_000_000n });
		lab.moods.push("refuses");
		await lab.pay(person);
		const [second] = await lab.pay(person);
		expect(second?.status).toBe("submitted");
	});

	test("the limit of a payment from a post is lower than that from a session", async () => {
		const person = await lab.person();
		const [post] = await lab.pay(person, { channel: "social" });
		expect(post).toMatchObject({ status: "rejected", errorCode: "per_trade_limit" });
	});
});

describe("the network's fee", () => {
	test("the network's fee has its own limit, whatever fee the node returns", async () => {
		const person = await lab.person();
		lab.chain.state.tipRaw = 2n * 10n ** 12n;
		const [greedy] = await lab.pay(person);
		expect(greedy).toMatchObject({ status: "rejected", errorCode: "network_fee_limit" });
		expect(await lab.ledger(greedy?.id ?? "")).toEqual({});
		expect(lab.handed).toHaveLength(0);
		lab.chain.state.tipRaw = 2n;
		const [sent] = await lab.pay(person);
		expect(sent?.status).toBe("submitted");
	});

	test("a high network fee also holds queued payments, until it falls or they expire", async () => {
		const person = await lab.person();
		lab.moods.push("sends, silent");
		const batch = await lab.pay(person, { times: 3, ether: "0.1" });
		lab.chain.state.tipRaw = 2n * 10n ** 12n;
		await lab.tick(12_000);
		await lab.tick(12_000);
		expect(lab.handed).toHaveLength(1);
		lab.chain.state.tipRaw = 2n;
		await lab.tick();
		expect(lab.handed).toHaveLength(batch.length);
	});

	test("the network's fee of an owner's own wallet is not limited, because the owner decides", async () => {
		lab.chain.state.tipRaw = 2n * 10n ** 12n;
		const [asked] = await lab.pay(await lab.person({ capability: "external/manual" }));
		expect(asked?.status).toBe("signature_required");
	});
});

describe("a batch", () => {
	test("[TRF-03] a batch is sent one by one, each transfer under its own nonce", async () => {
		const person = await lab.person();
		const batch = await lab.pay(person, { times: 4, ether: "0.1" });
		expect(batch.map(({ status }) => status)).toEqual(Array(4).fill("submitted"));
		expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0, 1, 2, 3]);
	});

	test("[TRF-03] a batch is not sent at all if one of its transfers is denied", async () => {
		const person = await lab.person();
		const batch = await lab.pay(person, { times: 3, ether: "2.4" });
		expect(batch.map(({ errorCode }) => errorCode)).toEqual(Array(3).fill("daily_limit"));
		lab.chain.balances.set(person.wallet.address, 10n ** 18n);
		const poor = await lab.pay(person, { times: 3, ether: "0.4" });
		expect(poor.map(({ errorCode }) => errorCode)).toEqual(Array(3).fill("balance_insufficient"));
		const tight = await lab.pay(person, { times: 2, ether: "0.5" });
		expect(tight.map(({ errorCode }) => errorCode)).toEqual(Array(2).fill("gas_reserve"));
		expect(lab.handed).toHaveLength(0);
	});

	test("[TRF-03] a batch stops at an uncertain transfer, and continues once that one is settled", async () => {
		const person = await lab.person();
		lab.moods.push("sends", "sends, silent");
		const batch = await lab.pay(person, { times: 3, ether: "0.1" });
		expect(batch.map(({ status }) => status)).toEqual(["submitted", "uncertain", "submitting"]);
		await lab.tick(12_000);
		await lab.tick(12_000);
		expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0, 1, 2]);
	});

	test("a queued transfer of a batch is cancelled and released when an operator switches it off", async () => {
		const person = await lab.person();
		lab.moods.push("sends, silent");
		const batch = await lab.pay(person, { times: 2, ether: "0.1" });
		await database.db.execute(
			"insert into wallets.control values ('kill:all', 'true', 'operator', now())",
		);
		await lab.tick(12_000);
		await lab.tick(12_000);
		const second = await lab.intent(batch[1]?.id ?? "");
		expect(second).toMatchObject({ status: "failed", errorCode: "trading_disabled" });
		expect(balances(await lab.ledger(second.id))).toBe(true);
		expect(lab.handed).toHaveLength(1);
	});
});

test("a kill switch for its chain, plugin or wallet blocks an intent", async () => {
	const person = await lab.person();
	for (const key of ["kill:chain:31337", "kill:plugin:lab", `kill:wallet:${person.wallet.id}`]) {
		await database.db.execute("truncate wallets.control");
		await database.db.execute(
			"insert into wallets.control values ($1, 'true', 'operator', now())",
			[key],
		);
		const [intent] = await lab.pay(person);
		expect(intent).toMatchObject({ status: "rejected", errorCode: "trading_disabled" });
	}
	await database.db.execute("update wallets.control set value = 'false'");
	const [intent] = await lab.pay(person);
	expect(intent?.status).toBe("submitted");
});

describe("the owner of an intent", () => {
	test("[TRF-02] an owner is asked first, and a confirmation is valid for one plan only", async () => {
		const person = await lab.person({ requireTradeConfirmation: true });
		const [asked] = await lab.pay(person);
		const id = asked?.id ?? "";
		expect(asked?.status).toBe("confirmation_required");
		expect(lab.handed).toHaveLength(0);
		const other = `0x${"0".repeat(64)}` as const;
		expect(lab.execution.approve(id, other)).rejects.toMatchObject({ code: "plan_changed" });
		await lab.execution.approve(id, asked?.planHash ?? other);
		const [sent] = await lab.execution.advance([id], lab.signal);
		expect(sent?.status).toBe("submitted");
		expect(lab.execution.approve(id, asked?.planHash ?? other)).rejects.toMatchObject({
			code: "intent_state",
		});
	});

	test("an owner can cancel a payment before it is sent, and not after it is settled", async () => {
		const person = await lab.person({ requireTradeConfirmation: true });
		const [asked] = await lab.pay(person);
		const gone = await lab.execution.cancel(asked?.id ?? "", {
			actor: "profile:lab",
			signal: AbortSignal.timeout(60_000),
		});
		expect(gone).toMatchObject({ status: "rejected", errorCode: "cancelled" });
		const [sent] = await lab.pay(await lab.person());
		lab.chain.mine();
		await lab.tick();
		await expect(
			lab.execution.cancel(sent?.id ?? "", {
				actor: "profile:lab",
				signal: AbortSignal.timeout(60_000),
			}),
		).rejects.toMatchObject({ code: "intent_state" });
	});

	test("a payment that its owner never confirms expires", async () => {
		const person = await lab.person({ requireTradeConfirmation: true });
		const [asked] = await lab.pay(person);
		await lab.tick(601_000);
		expect((await lab.intent(asked?.id ?? "")).status).toBe("expired");
	});

	test("[TRF-02] an owner signs with their own wallet, and the chain decides the outcome", async () => {
		const person = await lab.person({ capability: "external/manual" });
		const [asked, second] = [await lab.pay(person), await lab.pay(person)].flat();
		expect(asked?.status).toBe("signature_required");
		const { from, to, valueRaw, data } = asked?.plan ?? { from: SHOP, to: SHOP };
		const hash = lab.chain.send({
			from,
			to,
			nonce: 0,
			valueRaw: valueRaw ?? 0n,
			data: data ?? "0x",
		});
		await lab.execution.signed(asked?.id ?? "", hash);
		expect(lab.execution.signed(second?.id ?? "", hash)).rejects.toMatchObject({
			code: "transaction_other",
		});
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(asked?.id ?? "")).status).toBe("confirmed");
		// Another transaction's hash is told: the chain knows it as something else.
		const wrong = lab.chain.send({ from, to, nonce: 1, valueRaw: 1n, data: "0x" });
		await lab.execution.signed(second?.id ?? "", wrong);
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(second?.id ?? "")).status).toBe("failed");
		expect(lab.handed).toHaveLength(0);
	});

	test("a hash reported for the wrong intent fails that one, and still confirms the right one", async () => {
		const person = await lab.person({ capability: "external/manual" });
		const [wrong] = await lab.pay(person, { ether: "0.1" });
		const [right] = await lab.pay(person, { ether: "0.2" });
		const { from, to, valueRaw, data } = right?.plan ?? {};
		if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
		const hash = lab.chain.send({ from, to, nonce: 0, valueRaw, data });
		await lab.execution.signed(wrong?.id ?? "", hash);
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(wrong?.id ?? "")).status).toBe("failed");
		await lab.execution.signed(right?.id ?? "", hash);
		await lab.tick();
		expect((await lab.intent(right?.id ?? "")).status).toBe("confirmed");
	});

	test("a stranger's report of a transaction does not prevent its owner's payment from being found", async () => {
		const victim = await lab.person();
		const stranger = await lab.person({ capability: "external/manual" });
		lab.moods.push("sends, silent");
		const [paid] = await lab.pay(victim);
		expect((await lab.intent(paid?.id ?? "")).status).toBe("uncertain");
		const { referenceId = "" } = lab.handed[0] ?? {};
		const trace = await lab.deps.custody.byReference(referenceId, lab.signal);
		const [theirs] = await lab.pay(stranger);
		await lab.execution.signed(theirs?.id ?? "", trace?.transactionHash ?? "0x");
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(paid?.id ?? "")).status).toBe("confirmed");
		expect((await lab.intent(theirs?.id ?? "")).status).toBe("failed");
	});
});

describe("the chain", () => {
	test("a payment that reverts fails, and its spend is released", async () => {
		const person = await lab.person();
		lab.moods.push("keeps, silent");
		const [intent] = await lab.pay(person);
		const { from, to, nonce, valueRaw, data } = lab.handed[0]?.transaction ?? {
			from: SHOP,
			to: SHOP,
			nonce: 0,
			valueRaw: 0n,
			data: "0x" as const,
		};
		lab.chain.send({ from, to, nonce, valueRaw, data, reverts: true });
		lab.chain.mine();
		await lab.tick();
		lab.chain.mine();
		await lab.tick(5_000);
		const id = intent?.id ?? "";
		expect(await lab.intent(id)).toMatchObject({
			status: "failed",
			errorCode: "reverted_on_chain",
		});
		expect(balances(await lab.ledger(id))).toBe(true);
	});

	test("[ING-11] a confirmed intent whose block left the chain is searched again", async () => {
		const person = await lab.person();
		const [intent] = await lab.pay(person);
		const id = intent?.id ?? "";
		lab.chain.mine();
		await lab.tick();
		lab.chain.reorg({ depth: 1 });
		await lab.tick(5_000);
		expect((await lab.intent(id)).status).toBe("submitted");
		lab.chain.mine();
		await lab.tick(5_000);
		expect((await lab.intent(id)).status).toBe("confirmed");
		expect(balances(await lab.ledger(id))).toBe(true);
		expect(lab.handed).toHaveLength(1);
	});

	test("a mined payment without its goods fails, and its money counts as spent", async () => {
		const person = await lab.person();
		const [intent] = await lab.pay(person);
		lab.state.missing = { code: "not_received", detail: "It is not there." };
		lab.chain.mine();
		await lab.tick();
		const id = intent?.id ?? "";
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "not_received" });
		expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
	});

	test("a payment of a wallet that was unlinked meanwhile is still checked for its goods", async () => {
		const person = await lab.person();
		const [intent] = await lab.pay(person);
		lab.state.missing = { code: "not_received", detail: "It is not there." };
		await lab.db.execute("update wallets.wallet set removed_at = now() where id = $1", [
			person.wallet.id,
		]);
		lab.chain.mine();
		await lab.tick();
		const found = await lab.intent(intent?.id ?? "");
		expect(found).toMatchObject({ status: "failed", errorCode: "not_received" });
	});

	test("a node that is behind undoes nothing", async () => {
		const person = await lab.person();
		const [intent] = await lab.pay(person);
		const id = intent?.id ?? "";
		lab.chain.mine();
		await lab.tick();
		lab.chain.state.lagBlocks = 1;
		await lab.tick(5_000);
		expect((await lab.intent(id)).status).toBe("confirmed");
		expect(await lab.moves(id)).toEqual(["reserve", "sent", "mined"]);
	});

	test("a payment whose simulation fails is not sent", async () => {
		const person = await lab.person();
		lab.chain.reverts.add("0xdead");
		const [intent] = await lab.pay(person, { data: "0xdead" });
		expect(intent).toMatchObject({ status: "rejected", errorCode: "simulation_failed" });
		expect(lab.handed).toHaveLength(0);
	});
});

test("[TRF-03] [TRD-12] in a dry run each payment is decided and none is sent", async () => {
	lab.state.isDryRun = true;
	const person = await lab.person();
	const [dry] = await lab.pay(person);
	expect(dry?.status).toBe("dry_run");
	const [over] = await lab.pay(person, { ether: "2.6" });
	expect(over?.errorCode).toBe("per_trade_limit");
	expect(lab.handed).toHaveLength(0);
	expect(await lab.ledger(dry?.id ?? "")).toEqual({});
});

test("the allow-list applies to the called contract and to the recipient", async () => {
	const person = await lab.person();
	const [allowed, other] = [SHOP, `0x${"6".repeat(40)}`] as const;
	const isDenied = async (to: typeof SHOP, recipient: typeof SHOP) => {
		lab.state.recipient = recipient;
		const [intent] = await lab.pay(person, { to });
		return intent?.errorCode === "policy_denied";
	};
	lab.deps.settings.destinations = new Set([allowed]);
	expect(await isDenied(allowed, allowed)).toBe(false);
	expect(await isDenied(other, allowed)).toBe(true);
	expect(await isDenied(allowed, other)).toBe(true);
	expect(lab.handed).toHaveLength(1);
});

test("an aborted preparation denies nothing: the intent is continued later", async () => {
	const person = await lab.person();
	const [intent] = await lab.pay(person, { stays: true });
	const id = intent?.id ?? "";
	const leaving = new AbortController();
	lab.state.beforePlan = () => {
		leaving.abort();
		throw executionFault.intentState();
	};
	await expect(lab.execution.advance([id], leaving.signal)).rejects.toMatchObject({
		code: "intent_state",
	});
	lab.state.beforePlan = () => {};
	expect((await lab.intent(id)).status).toBe("created");
	await lab.tick(11_000);
	expect((await lab.intent(id)).status).toBe("submitted");
});

test("an intent whose process died before it was sent is continued by another process", async () => {
	const person = await lab.person();
	const [intent] = await lab.pay(person, { stays: true });
	await lab.tick(12_000);
	expect((await lab.intent(intent?.id ?? "")).status).toBe("submitted");
	const [old] = await lab.pay(person, { stays: true });
	await lab.tick(200_000);
	expect((await lab.intent(old?.id ?? "")).status).toBe("expired");
});
