import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Plan } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { readSpentToday } from "#plugins/wallets/testing/readSpentToday.ts";
import { readLedgerFlaws } from "#plugins/wallets/watch/ledgerCheck.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what a payment really cost is spent, the rest is given back, both to the unit and
// through reorgs; and what has no price counts as what is bought with it.

const HALF_ETHER = 500_000_000_000_000_000n;
let database: TestDatabase;
let lab: Lab;
let cost: bigint;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	cost = HALF_ETHER;
	const pay = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({ ...pay, settle: async () => ({ spentRaw: cost }) });
});

async function entries(id: string) {
	return await database.db.query<{ kind: string; raw: string; usd: number }>(
		`select kind::text, amount_raw::text as raw, usd_micros as usd
		from wallets.spend_entry where intent_id = $1 order by id`,
		[id],
	);
}

const flaws = (id: string) => readLedgerFlaws(database.db, [id]);

test("the unspent part of a reservation is released, and so is the day's limit", async () => {
	cost = 1n;
	const person = await lab.person();
	const [intent] = await lab.pay(person);
	const id = intent?.id ?? "";
	lab.chain.mine();
	await lab.tick();
	expect((await lab.intent(id)).status).toBe("confirmed");
	expect(await entries(id)).toEqual([
		{ kind: "reserve", raw: String(HALF_ETHER), usd: 1_000_000_000 },
		// Rounded against its owner.
		{ kind: "spend", raw: "1", usd: 1 },
		{ kind: "release", raw: String(HALF_ETHER - 1n), usd: 999_999_999 },
	]);
	expect(await flaws(id)).toEqual([]);
	const since = new Date(lab.clock.ms - 1_000_000);
	expect(await readSpentToday(database.db, { profileId: person.profile.id, since })).toBe(1n);
	expect(await lab.execution.held(database.db, [id])).toMatchObject([{ raw: 1n }]);
});

test("a reorg undoes both, and the cost in the new block counts", async () => {
	cost = HALF_ETHER / 4n;
	const [intent] = await lab.pay(await lab.person());
	const id = intent?.id ?? "";
	lab.chain.mine();
	await lab.tick();
	expect(await lab.ledger(id)).toMatchObject({ spend: 250_000_000, release: 750_000_000 });
	lab.chain.reorg({ depth: 1 });
	await lab.tick(5_000);
	expect((await lab.intent(id)).status).not.toBe("confirmed");
	expect(await lab.execution.held(database.db, [id])).toMatchObject([{ raw: HALF_ETHER }]);
	expect(await flaws(id)).toEqual([]);
	cost = HALF_ETHER / 2n;
	lab.chain.mine();
	await lab.tick(5_000);
	expect((await lab.intent(id)).status).toBe("confirmed");
	expect(await lab.execution.held(database.db, [id])).toMatchObject([{ raw: HALF_ETHER / 2n }]);
	expect(await flaws(id)).toEqual([]);
});

test("a payment never costs more than was reserved, whatever its kind reports", async () => {
	cost = HALF_ETHER * 9n;
	const [intent] = await lab.pay(await lab.person());
	lab.chain.mine();
	await lab.tick();
	expect(await lab.ledger(intent?.id ?? "")).toEqual({
		reserve: 1_000_000_000,
		spend: 1_000_000_000,
	});
});

test("a spend without a price counts as the estimate, and never less than its own price", async () => {
	const pay = payKind({ clock: lab.clock, script: lab.state });
	const native = `0x${"0".repeat(40)}` as const;
	let spend: Plan["spend"] | null = null;
	lab.execution.register({
		...pay,
		async prepare(intent, context) {
			const planned = await pay.prepare(intent, context);
			if (planned.kind !== "plan" || !spend) return planned;
			return { ...planned, plan: { ...planned.plan, spend } };
		},
	});
	const unpriced = { currency: `0x${"5".repeat(40)}`, raw: 7n, decimals: 0, symbol: "S" } as const;
	spend = unpriced;
	const [blind] = await lab.pay(await lab.person());
	expect(blind?.errorCode).toBe("usd_rate_unavailable");
	spend = { ...unpriced, worth: { currency: native, raw: HALF_ETHER } };
	const [known] = await lab.pay(await lab.person());
	expect(await lab.ledger(known?.id ?? "")).toEqual({ reserve: 1_000_000_000 });
	spend = { ...unpriced, worth: { currency: native, raw: 10n * HALF_ETHER } };
	expect((await lab.pay(await lab.person()))[0]?.errorCode).toBe("per_trade_limit");
	spend = {
		...{ currency: native, raw: HALF_ETHER, decimals: 18, symbol: "ETH" },
		worth: { currency: native, raw: 1n },
	};
	const [own] = await lab.pay(await lab.person());
	expect(await lab.ledger(own?.id ?? "")).toEqual({ reserve: 1_000_000_000 });
});
