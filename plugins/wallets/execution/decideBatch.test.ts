import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { StepObserver } from "#core/steps/Steps.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a batch is decided on by what stands when it is reserved, in whatever process.

let database: TestDatabase;
let lab: Lab;
/** What others do between the plan and the decision on it. */
let meanwhile: () => Promise<unknown>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	meanwhile = async () => {};
	const observe: StepObserver = async (step, edge) => {
		if (step === "commit.decide" && edge === "before") await meanwhile();
	};
	lab = openExecutionLab(database.db, { observe });
});

async function expectNothingSent(ids: readonly string[]): Promise<void> {
	expect(lab.handed).toHaveLength(0);
	for (const id of ids) expect(await lab.ledger(id)).toEqual({});
	expect(await lab.db.query("select 1 from wallets.submission")).toEqual([]);
}

for (const capability of ["disabled", "review-required"] as const) {
	for (const when of ["from the first", "since it was planned"] as const) {
		test(`[TRD-09] a wallet that is ${capability} ${when} neither sends nor is asked to sign`, async () => {
			const isFirst = when === "from the first";
			const by = await lab.person(isFirst ? { capability } : {});
			if (!isFirst) {
				meanwhile = () => lab.db.execute("update wallets.wallet set capability = $1", [capability]);
			}
			const [intent] = await lab.pay(by);
			expect(intent).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
			await expectNothingSent([intent?.id ?? ""]);
		});
	}
}

test("[TRD-09] an embedded wallet that is not delegated is asked, and signs for itself", async () => {
	const [intent] = await lab.pay(await lab.person({ capability: "embedded/manual" }));
	expect(intent?.status).toBe("signature_required");
	await expectNothingSent([intent?.id ?? ""]);
});

test("[TRD-09] a wallet that was unlinked since it was planned sends nothing", async () => {
	meanwhile = () => lab.db.execute("update wallets.wallet set removed_at = now()");
	const [intent] = await lab.pay(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
	await expectNothingSent([intent?.id ?? ""]);
});

for (const scope of ["all", "chain", "plugin", "wallet"] as const) {
	test(`[TRD-09] a switch of its ${scope} counts up to the moment it is reserved`, async () => {
		const by = await lab.person();
		const named = { all: "", chain: ":31337", plugin: ":lab", wallet: `:${by.wallet.id}` };
		meanwhile = () =>
			lab.db.execute("insert into wallets.control values ($1, 'true', 'operator', now())", [
				`kill:${scope}${named[scope]}`,
			]);
		const batch = await lab.pay(by, { times: 2, ether: "0.1" });
		expect(batch.map(({ errorCode }) => errorCode)).toEqual(Array(2).fill("trading_disabled"));
		await expectNothingSent(batch.map(({ id }) => id));
	});
}

test("[NFT-01] a kind whose plugin is gone since it was planned is not judged by others' limits", async () => {
	const { kindOf } = lab.world;
	meanwhile = async () => {
		lab.world.kindOf = () => null;
	};
	const [intent] = await lab.pay(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "disabled" });
	await expectNothingSent([intent?.id ?? ""]);
	lab.world.kindOf = kindOf;
});

test("[NFT-01] a kind may deny what all limits allow", async () => {
	const kind = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({ ...kind, deny: () => ({ code: "not_today", detail: "No." }) });
	const [intent] = await lab.pay(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "not_today" });
	await expectNothingSent([intent?.id ?? ""]);
});

describe("a batch", () => {
	test("[TRF-03] of which one was called off since it was planned goes no further", async () => {
		const by = await lab.person();
		const made = await lab.pay(by, { times: 3, ether: "0.1", stays: true });
		const ids = made.map(({ id }) => id);
		meanwhile = () => lab.execution.cancel(ids[1] ?? "");
		await lab.execution.advance(ids, lab.signal);
		const statuses = await Promise.all(ids.map(async (id) => (await lab.intent(id)).status));
		expect(statuses).toEqual(["created", "rejected", "created"]);
		await expectNothingSent(ids);
		// Nor is what is left of it sent as if it were the whole.
		meanwhile = async () => {};
		await lab.execution.advance(ids, lab.signal);
		await expectNothingSent(ids);
	});

	test("[TRF-03] of which one ran out runs out whole", async () => {
		const by = await lab.person();
		const made = await lab.pay(by, { times: 3, ether: "0.1", stays: true });
		const ids = made.map(({ id }) => id);
		await lab.db.execute("update wallets.intent set expires_at = $2 where id = $1", [
			ids[2] ?? "",
			new Date(lab.clock.ms),
		]);
		await lab.execution.advance(ids, lab.signal);
		const statuses = await Promise.all(ids.map(async (id) => (await lab.intent(id)).status));
		expect(statuses).toEqual(["expired", "expired", "expired"]);
		await expectNothingSent(ids);
	});

	test("[TRF-03] of which one gas is too dear is not sent at all, and keeps what was planned", async () => {
		const by = await lab.person();
		const { settle } = lab.chain.rpc;
		lab.chain.rpc.settle = async (calls, options) => {
			const outcomes = await settle(calls, options);
			// The last of them takes more gas than anybody would pay for.
			const gas = { kind: "result", result: `0x${(10n ** 22n).toString(16)}` } as const;
			return calls.at(-1)?.method === "eth_estimateGas"
				? [...outcomes.slice(0, -1), gas]
				: outcomes;
		};
		const batch = await lab.pay(by, { times: 3, ether: "0.1" });
		expect(batch.map(({ errorCode }) => errorCode)).toEqual(Array(3).fill("network_fee_limit"));
		expect(batch.every(({ plan }) => plan !== null)).toBe(true);
		await expectNothingSent(batch.map(({ id }) => id));
	});

	test("[NFT-01] is held against the day's limit as a sum, with what was spent before", async () => {
		const by = await lab.person({ dailyUsdMax: 1_500_000_000n });
		const fits = await lab.pay(by, { times: 3, ether: "0.2" });
		expect(fits.map(({ status }) => status)).toEqual(Array(3).fill("submitted"));
		const over = await lab.pay(by, { times: 2, ether: "0.1" });
		expect(over.map(({ errorCode }) => errorCode)).toEqual(Array(2).fill("daily_limit"));
		const rows = await lab.db.query<{ usd: number }>(
			"select usd_micros::int8 as usd from wallets.spend_entry where kind = 'reserve'",
		);
		expect(rows.map(({ usd }) => usd)).toEqual(Array(3).fill(400_000_000));
	});
});

describe("several processes", () => {
	test("[NFT-01] never both fit under a limit that one of them fills", async () => {
		const by = await lab.person({ dailyUsdMax: 1_500_000_000n });
		const labs = Array.from({ length: 4 }, () => openExecutionLab(database.db));
		const made = await Promise.all(labs.map((one) => one.pay(by, { stays: true })));
		const ids = made.map(([intent]) => intent?.id ?? "");
		await Promise.all(
			labs.map((one, place) => one.execution.advance([ids[place] ?? ""], one.signal)),
		);
		const codes = await Promise.all(ids.map(async (id) => (await lab.intent(id)).errorCode));
		expect(codes.filter((code) => code === "daily_limit")).toHaveLength(3);
		expect(labs.flatMap(({ handed }) => handed)).toHaveLength(1);
	});

	test("[TRD-08] that take up the same intents hand them over once", async () => {
		const by = await lab.person();
		const labs = Array.from({ length: 4 }, () => openExecutionLab(database.db));
		const made = await lab.pay(by, { times: 2, ether: "0.1", stays: true });
		const ids = made.map(({ id }) => id);
		await Promise.all(labs.map((one) => one.execution.advance(ids, one.signal)));
		const nonces = labs.flatMap(({ handed }) => handed.map(({ transaction }) => transaction.nonce));
		expect(nonces.sort()).toEqual([0, 1]);
		for (const id of ids) expect(await lab.ledger(id)).toEqual({ reserve: 200_000_000 });
	});

	test("[TRF-02] an owner who calls it off while it is decided on is heard or too late, never both", async () => {
		const by = await lab.person();
		for (let round = 0; round < 4; round++) {
			const [made] = await lab.pay(by, { ether: "0.01", stays: true });
			const id = made?.id ?? "";
			const other = openExecutionLab(database.db);
			const before = lab.handed.length;
			const [, cancelled] = await Promise.allSettled([
				lab.execution.advance([id], lab.signal),
				other.execution.cancel(id),
			]);
			const isGone = cancelled.status === "fulfilled";
			expect(lab.handed.length - before).toBe(isGone ? 0 : 1);
			expect((await lab.intent(id)).status).toBe(isGone ? "rejected" : "submitted");
		}
	});
});
