import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/looks.ts";
import {
	type Lab,
	openExecutionLab,
	SLOW_AFTER_MS,
} from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { QUEUED_BLOCKED_AFTER_MS } from "#plugins/wallets/watch/judgeWait.ts";
import {
	blockedQueues,
	type JudgedIntent,
	listWaiting,
} from "#plugins/wallets/watch/readWaiting.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("blockedQueues", () => {
	const one = (given: Partial<JudgedIntent>): JudgedIntent => ({
		...{
			id: "a",
			kind: "pay",
			errorCode: null,
			error: null,
			walletId: "w",
			chainId: 1,
			sender: "0x01",
			status: "submitted",
		},
		...{ state: "sent", nonce: 3, shownNonce: 3, sinceMs: 50, seenAtMs: null, isFinal: false },
		...{ transactionHash: null, cancelling: null, cancellingHash: null, isUnreadable: false },
		...{ capability: "embedded/delegated", reason: "slow" },
		...given,
	});

	test("each blocked queue is listed once, by its most serious reason and oldest entry", () => {
		const queues = blockedQueues([
			one({ sinceMs: 10 }),
			one({ reason: "behind", sinceMs: 40, state: "queued", nonce: null }),
			one({ reason: "behind", sinceMs: 30 }),
			one({ sender: "0x02", sinceMs: 20 }),
		]);
		expect(queues).toEqual([
			{ chainId: 1, reason: "behind", sinceMs: 30 },
			{ chainId: 1, reason: "slow", sinceMs: 20 },
		]);
	});

	test("a single uncertain payment, or one of the owner's own wallet, blocks no queue", () => {
		const none = [
			one({ state: "doubtful", reason: "in_doubt" }),
			one({ state: "refused", reason: "refused" }),
			one({ nonce: null }),
			one({ chainId: null }),
		];
		expect(blockedQueues(none)).toEqual([]);
	});

	test("a payment whose row is unreadable blocks its queue, whatever its nonce", () => {
		const queues = blockedQueues([one({ nonce: null, isUnreadable: true, reason: "unreadable" })]);
		expect(queues).toMatchObject([{ reason: "unreadable" }]);
	});
});

describe("listWaiting", () => {
	// Guarantee: money that waits for longer than it should is shown to operators, with why, and with
	// what frees it; what goes as it should is not.

	let database: TestDatabase;
	let lab: Lab;
	let by: Person;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile, core.quarantined_row cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person();
	});

	const list = () => listWaiting(lab.deps, 10);
	const reasons = async () =>
		Object.fromEntries((await list()).map(({ id, reason }) => [id, reason]));
	const actions = async (id: string) =>
		(await list()).find((one) => one.id === id)?.actions.map(({ name }) => name) ?? null;
	const pay = async (mood?: Lab["moods"][number], whose = by) => {
		if (mood) lab.moods.push(mood);
		return (await lab.pay(whose))[0]?.id ?? "";
	};
	const callOff = (id: string) =>
		lab.execution.cancel(id, { actor: "operator:ann", signal: lab.signal });
	const status = async (id: string) => (await lab.intent(id)).status;
	async function bury(): Promise<void> {
		for (let block = 0; block < 4; block++) lab.chain.mine();
		for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
	}
	/** The action that is offered frees it, and nothing waits any more. */
	async function expectFreed(...ids: string[]): Promise<void> {
		for (const id of ids) {
			expect(await actions(id)).toContain("callOff");
			await callOff(id);
		}
		await bury();
		for (const id of ids) expect(["failed", "confirmed"]).toContain(await status(id));
		expect(await list()).toEqual([]);
	}

	test("a payment that is sent, mined and final in time is never listed", async () => {
		const id = await pay();
		expect(await list()).toEqual([]);
		await lab.tick(SLOW_AFTER_MS - 5_000);
		expect(await list()).toEqual([]);
		await bury();
		expect(await status(id)).toBe("confirmed");
		expect(await list()).toEqual([]);
	});

	describe("payments that are listed", () => {
		test("a payment that nodes know for long is listed as slow, and ends by a cancellation", async () => {
			const id = await pay();
			await lab.tick();
			await lab.tick(SLOW_AFTER_MS);
			expect(await reasons()).toEqual({ [id]: "slow" });
			await expectFreed(id);
		});

		test("a payment that the provider reports as sent and no node saw is listed, with all after it", async () => {
			const first = await pay("says sent, keeps");
			const second = await pay();
			await lab.tick(SLOW_AFTER_MS + 1);
			expect((await reasons())[first]).toBe("unseen");
			await lab.tick(UNSEEN_DROPPED_MS);
			expect(await reasons()).toEqual({ [first]: "dropped", [second]: "behind" });
			await expectFreed(first);
		});

		test("a payment above an unused nonce is listed", async () => {
			await pay();
			await bury();
			const lost = await pay();
			const id = await pay();
			const [, second] = lab.chain.pool();
			lab.chain.forgetPool();
			if (second) lab.chain.send(second);
			await database.db.execute(
				"update wallets.submission set state = 'never', final_at = now() where intent_id = $1",
				[lost],
			);
			await database.db.execute("update wallets.intent set status = 'failed' where id = $1", [
				lost,
			]);
			await lab.tick(SLOW_AFTER_MS + 1);
			expect(await reasons()).toEqual({ [id]: "nonce_gap" });
			expect(await actions(id)).toEqual(["callOff", "transactionHash", "abandon"]);
			await expectFreed(id);
		});

		test("an uncertain payment is listed at once, and one after it after ten seconds", async () => {
			lab.provider.state.hasTaken = true;
			const first = await pay("keeps, silent");
			const second = await pay();
			expect(await reasons()).toEqual({ [first]: "in_doubt" });
			await lab.tick(QUEUED_BLOCKED_AFTER_MS + 1);
			expect(await reasons()).toEqual({ [first]: "in_doubt", [second]: "behind" });
			expect(await actions(second)).toEqual(["callOff"]);
			await callOff(second);
			expect(await status(second)).toBe("failed");
			await expectFreed(first);
		});

		test("a refused payment with a signature is listed until its nonce is used", async () => {
			const id = await pay("refuses, signed");
			await lab.tick();
			expect(await reasons()).toEqual({ [id]: "refused" });
			await expectFreed(id);
		});

		test("a refused payment whose nonce a later one took is listed as `nonce_used`, without a cancellation", async () => {
			const id = await pay("refuses, signed");
			await lab.tick();
			const next = await pay();
			expect(await reasons()).toEqual({ [id]: "nonce_used" });
			expect(await actions(id)).toEqual(["transactionHash", "abandon"]);
			await expect(callOff(id)).rejects.toMatchObject({ status: 409 });
			await bury();
			expect([await status(id), await status(next)]).toEqual(["failed", "confirmed"]);
			expect(await list()).toEqual([]);
		});

		test("a payment that waits because of an unexplained nonce count is listed", async () => {
			await pay();
			lab.chain.mine();
			await lab.tick();
			const { from } = lab.handed[0]?.transaction ?? { from: by.wallet.address };
			for (const nonce of [1, 2, 3]) {
				lab.chain.send({ from, to: from, nonce, valueRaw: 0n, data: "0x" });
			}
			const id = await pay();
			expect(await status(id)).toBe("submitting");
			await lab.tick(QUEUED_BLOCKED_AFTER_MS + 1);
			expect(await reasons()).toEqual({ [id]: "nonce_unproven" });
			lab.chain.mine();
			await lab.tick();
			expect(await list()).toEqual([]);
		});

		test("a payment for which gas is too expensive is listed as queued", async () => {
			lab.provider.state.hasTaken = true;
			const first = await pay("keeps, silent");
			const second = await pay();
			await database.db.execute(
				"update wallets.submission set state = 'never' where intent_id = $1",
				[first],
			);
			lab.clock.ms += QUEUED_BLOCKED_AFTER_MS + 1;
			expect((await reasons())[second]).toBe("queued");
		});

		test("a payment whose cancellation is mined and not final is listed", async () => {
			const id = await pay();
			await lab.tick(SLOW_AFTER_MS + 1);
			await callOff(id);
			lab.chain.mine();
			await lab.tick(20_000);
			const [listed] = await list();
			expect(listed).toMatchObject({ id, reason: "cancelling", cancelling: "mined" });
			expect(listed?.waitsFor).toContain("TRADING_FINAL_DEPTH_BLOCKS");
			await bury();
			expect(await list()).toEqual([]);
		});
	});

	describe("an unreadable row is listed together with the readable ones", () => {
		for (const [table, spoiled] of [
			["submission", "nonce = 9007199254740993"],
			["submission", "nonce = 9223372036854775807"],
			["submission", "sent_at = 'infinity'"],
			["intent", "plan = '[]'"],
			["intent", "chain_id = 9007199254740992"],
			["intent", "changed_at = 'infinity'"],
			["intent", "expires_at = 'infinity'"],
		] as const) {
			test(`${table}: ${spoiled}`, async () => {
				const id = await pay();
				const other = await pay("refuses, signed", await lab.person());
				const key = table === "intent" ? "id" : "intent_id";
				await database.db.execute(`update wallets.${table} set ${spoiled} where ${key} = $1`, [id]);
				await lab.tick();
				await lab.execution.read(id, by.profile.id).catch(() => {});
				const listed = await list();
				expect(listed.map((one) => one.id).toSorted()).toEqual([id, other].toSorted());
				expect(listed.find((one) => one.id === id)).toMatchObject({
					reason: "unreadable",
					actions: [{ name: "repairRow" }],
				});
			});
		}
	});

	test("a payment of the owner's own wallet is listed, and only its owner may cancel it", async () => {
		const owner = await lab.person({ capability: "external/manual" });
		const [asked] = await lab.pay(owner);
		expect(asked?.status).toBe("signature_required");
		const { plan, id = "" } = asked ?? {};
		if (!plan) throw new Error("no plan");
		const { from, to, valueRaw, data } = plan;
		const hash = lab.chain.send({ from, to, valueRaw, data, nonce: 0 });
		await lab.execution.signed(id, hash);
		await lab.tick();
		await lab.tick(SLOW_AFTER_MS);
		expect(await reasons()).toEqual({ [id]: "slow" });
		expect(await actions(id)).toEqual(["ownerCancels", "transactionHash", "abandon"]);
		await expect(callOff(id)).rejects.toMatchObject({ code: "cancel_not_ours" });
		await bury();
		expect(await status(id)).toBe("confirmed");
		expect(await list()).toEqual([]);
	});

	test("an action that the deployment, the wallet or the chain does not allow is not offered", async () => {
		const id = await pay();
		await lab.tick(SLOW_AFTER_MS + 1);
		lab.state.isDryRun = true;
		expect(await actions(id)).toEqual(["transactionHash", "abandon"]);
		lab.state.isDryRun = false;
		await database.db.execute("update wallets.wallet set removed_at = now()");
		expect(await actions(id)).toEqual(["ownerCancels", "transactionHash", "abandon"]);
		await database.db.execute("update wallets.submission set chain_id = 7");
		await database.db.execute("update wallets.intent set chain_id = 7");
		expect(await actions(id)).toEqual([]);
		const [listed] = await list();
		expect(listed?.waitsFor).not.toBe("");
	});

	test("quarantined keys of other tables are not in this list", async () => {
		await database.db.execute(
			"insert into core.quarantined_row (source, key, reason, since) values ('other', '1', '', now())",
		);
		expect(await list()).toEqual([]);
	});
});
