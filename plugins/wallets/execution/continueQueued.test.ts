import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { StepObserver } from "#core/steps.ts";
import { continueQueued, createQueueRuns } from "#plugins/wallets/execution/continueQueued.ts";
import type { QueueRunEnd } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("continueQueued", () => {
	// Guarantee: what waits in line is handed over by one, in its turn, and only as long as it may
	// be.

	const RESERVED = 1_000_000_000;
	let database: TestDatabase;
	let lab: Lab;
	let by: Person;
	/** What others do in the moment before it is taken from the line. */
	let meanwhile: () => Promise<unknown>;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile, wallets.control cascade");
		meanwhile = async () => {};
		const observe: StepObserver = async (step, edge) => {
			if (step === "commit.begin" && edge === "before") await meanwhile();
		};
		lab = openExecutionLab(database.db, { observe });
		by = await lab.person();
	});

	/** One of somebody's was in doubt, and is known now; so many wait behind it. */
	async function queue(count = 1): Promise<string[]> {
		lab.moods.push("sends, silent");
		await lab.pay(by, { ether: "0.1" });
		const ids: string[] = [];
		for (let place = 0; place < count; place++) {
			const [next] = await lab.pay(by);
			expect(next?.status).toBe("submitting");
			ids.push(next?.id ?? "");
			lab.clock.ms++;
		}
		await set("state = 'sent'", "state = 'doubtful'");
		return ids;
	}
	const set = (what: string, where: string) =>
		lab.db.execute(`update wallets.submission set ${what} where ${where}`);
	const go = (chainId = CHAIN_ID) =>
		continueQueued(lab.deps, { walletId: by.wallet.id, chainId, signal: lab.signal });
	const switchOff = (key: string) =>
		lab.db.execute("insert into wallets.control values ($1, 'true', 'operator', now())", [key]);

	async function expectCalledOff(id: string, errorCode: string): Promise<void> {
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode });
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
		expect(lab.handed).toHaveLength(1);
	}

	test("[TRF-03] queued payments are handed over in their order, each under the next nonce", async () => {
		const ids = await queue(3);
		await go();
		expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0, 1, 2, 3]);
		const order = await lab.db.query<{ intent_id: string }>(
			"select intent_id from wallets.submission where nonce > 0 order by nonce",
		);
		expect(order.map(({ intent_id }) => intent_id)).toEqual(ids);
	});

	for (const scope of ["all", "chain", "plugin", "wallet"] as const) {
		test(`[TRD-09] a kill switch for its ${scope} cancels a queued payment until it is taken`, async () => {
			const [id = ""] = await queue();
			const named = { all: "", chain: ":31337", plugin: ":lab", wallet: `:${by.wallet.id}` };
			meanwhile = () => switchOff(`kill:${scope}${named[scope]}`);
			await go();
			await expectCalledOff(id, "trading_disabled");
		});
	}

	test("[TRD-09] a switch of another chain, plugin or wallet does not block a queued payment", async () => {
		const [id = ""] = await queue();
		for (const other of ["chain:1", "plugin:other", `wallet:${crypto.randomUUID()}`]) {
			await switchOff(`kill:${other}`);
		}
		await go();
		expect((await lab.intent(id)).status).toBe("submitted");
	});

	for (const capability of [
		...(["embedded/manual", "external/manual", "review-required", "disabled"] as const),
	]) {
		test(`[TRD-09] a wallet that became ${capability} meanwhile sends nothing`, async () => {
			const [id = ""] = await queue();
			meanwhile = () => lab.db.execute("update wallets.wallet set capability = $1", [capability]);
			await go();
			await expectCalledOff(id, "no_executable_wallet");
		});
	}

	test("a queued payment expires with its plan or with its intent, whichever is sooner", async () => {
		for (const [column, value] of [
			["plan", `jsonb_set(plan, '{expiresAtMs}', '${lab.clock.ms}')`],
			["expires_at", "$2"],
		] as const) {
			const [id = ""] = await queue();
			const until = new Date(lab.clock.ms);
			await lab.db.execute(
				`update wallets.intent set ${column} = ${value} where id = $1 and $2::timestamptz is not null`,
				[id, until],
			);
			lab.clock.ms = until.getTime() + 1;
			await go();
			expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "quote_expired" });
			expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
		}
		expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0, 1]);
	});

	describe("while a process takes a queued payment", () => {
		for (const state of ["sending", "sent", "doubtful", "mined", "never"] as const) {
			test(`[TRD-08] a payment that another process made ${state} is not handed over by this one`, async () => {
				const [id = ""] = await queue();
				meanwhile = () => set(`state = '${state}'`, "state = 'queued'");
				await go();
				expect(lab.handed).toHaveLength(1);
				expect((await lab.intent(id)).status).toBe("submitting");
				expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
			});

			test(`[TRD-08] a payment that another process made ${state} is not cancelled by this one`, async () => {
				const [id = ""] = await queue();
				meanwhile = async () => {
					await set(`state = '${state}'`, "state = 'queued'");
					await lab.db.execute("delete from wallets.control");
					await switchOff("kill:all");
				};
				await go();
				const rows = await lab.db.query(
					"select state from wallets.submission where intent_id = $1",
					[id],
				);
				expect(rows).toEqual([{ state }]);
				expect((await lab.intent(id)).status).toBe("submitting");
				expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
			});
		}

		test("[TRD-08] one of many processes hands a queued payment over, and the others do nothing", async () => {
			await queue();
			const labs = Array.from({ length: 3 }, () => openExecutionLab(database.db));
			const all = [lab, ...labs];
			await Promise.all(
				all.map(({ deps, signal }) =>
					continueQueued(deps, { walletId: by.wallet.id, chainId: CHAIN_ID, signal }),
				),
			);
			expect(all.flatMap(({ handed }) => handed)).toHaveLength(2);
		});
	});

	test("[TRD-08] no queued payment is handed over after an uncertain one", async () => {
		const ids = await queue(3);
		lab.moods.push("sends", "loses");
		await go();
		const statuses = await Promise.all(ids.map(async (id) => (await lab.intent(id)).status));
		expect(statuses).toEqual(["submitted", "uncertain", "submitting"]);
		await go();
		expect(lab.handed).toHaveLength(3);
	});

	test("[TRD-08] the queue of one chain hands over nothing of another chain", async () => {
		const [id = ""] = await queue();
		await go(1);
		expect((await lab.intent(id)).status).toBe("submitting");
		expect(lab.handed).toHaveLength(1);
	});

	test("[TRD-08] a process that is told to stop hands over no queued payment", async () => {
		const [id = ""] = await queue();
		const signal = AbortSignal.abort();
		await continueQueued(lab.deps, { walletId: by.wallet.id, chainId: CHAIN_ID, signal });
		expect((await lab.intent(id)).status).toBe("submitting");
		expect(lab.handed).toHaveLength(1);
	});
});

describe("createQueueRuns", () => {
	function scripted(ends: QueueRunEnd[]) {
		const runs = createQueueRuns();
		const open: (() => void)[] = [];
		let turns = 0;
		const act = async (): Promise<QueueRunEnd> => {
			turns++;
			await new Promise<void>((resolve) => open.push(resolve));
			return ends.shift() ?? "empty";
		};
		return { runs, act, turns: () => turns, finishOne: () => open.shift()?.() };
	}

	test("callers that arrive while a queue is processed share one more turn, however many they are", async () => {
		const { runs, act, turns, finishOne } = scripted([]);
		const all = [runs.run("a", act), runs.run("a", act), runs.run("a", act)];
		expect(turns()).toBe(1);
		finishOne();
		await Promise.resolve();
		while (turns() < 2) await Promise.resolve();
		finishOne();
		await Promise.all(all);
		expect(turns()).toBe(2);
		expect(runs.isWaited("a")).toBe(false);
	});

	test("queues do not wait for each other", async () => {
		const { runs, act, turns, finishOne } = scripted([]);
		const all = [runs.run("a", act), runs.run("b", act)];
		expect(turns()).toBe(2);
		finishOne();
		finishOne();
		await Promise.all(all);
	});

	test("a queue in which callers wait for the sender is marked as waited for, until it is empty", async () => {
		const { runs, act, finishOne } = scripted(["sending", "empty"]);
		const first = runs.run("a", act);
		expect(runs.isWaited("a")).toBe(true);
		finishOne();
		await first;
		expect(runs.isWaited("a")).toBe(true);
		const second = runs.run("a", act);
		finishOne();
		await second;
		expect(runs.isWaited("a")).toBe(false);
	});

	test("a failed turn is reported to its own caller, and later callers still get a turn", async () => {
		const { runs, act, turns, finishOne } = scripted([]);
		const { promise, reject } = Promise.withResolvers<QueueRunEnd>();
		const first = runs.run("a", () => promise);
		const second = runs.run("a", act);
		const third = runs.run("a", act);
		reject(new Error("given up"));
		await expect(first).rejects.toThrow("given up");
		expect(turns()).toBe(1);
		finishOne();
		await Promise.all([second, third]);
		expect(runs.isWaited("a")).toBe(false);
	});

	test("a shared turn runs the action of its last caller: earlier ones may have given up", async () => {
		const { runs, act, turns, finishOne } = scripted([]);
		const first = runs.run("a", act);
		const givenUp = async () => {
			throw new Error("given up");
		};
		const shared = [runs.run("a", givenUp), runs.run("a", act)];
		finishOne();
		await first;
		while (turns() < 2) await Promise.resolve();
		finishOne();
		await Promise.all(shared);
	});

	test("a caller that arrives when a run is just ending still gets a turn", async () => {
		for (let moment = 0; moment < 12; moment++) {
			const { runs, act, turns, finishOne } = scripted([]);
			const first = runs.run("a", act);
			finishOne();
			for (let turn = 0; turn < moment; turn++) await Promise.resolve();
			const second = runs.run("a", act);
			await first;
			for (let turn = 0; turn < 24; turn++) await Promise.resolve();
			expect([moment, turns()]).toEqual([moment, 2]);
			finishOne();
			await second;
		}
	});
});
