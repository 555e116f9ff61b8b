import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { LEDGER_CHECKED_MAX } from "#plugins/wallets/watch/judgeWait.ts";
import { createLedgerCheck } from "#plugins/wallets/watch/ledgerCheck.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: an intent whose entries in the spend ledger do not fit where it stands is found.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
});

const turn = async () =>
	(await createLedgerCheck(database.db).turn()).map(({ intentId, flaw }) => [intentId, flaw]);
const pay = async (mood?: Lab["moods"][number]) => {
	if (mood) lab.moods.push(mood);
	return (await lab.pay(await lab.person()))[0]?.id ?? "";
};
async function settle(): Promise<void> {
	for (let block = 0; block < 4; block++) lab.chain.mine();
	for (let look = 0; look < 3; look++) await lab.tick(400_000);
}

test("the ledger check finds no flaw in the entries of the payment path", async () => {
	await pay();
	await pay("refuses");
	await pay("sends, silent");
	await pay("refuses, signed");
	expect(await turn()).toEqual([]);
	await lab.tick();
	expect(await turn()).toEqual([]);
	lab.chain.mine();
	await lab.tick();
	expect(await turn()).toEqual([]);
	lab.chain.reorg({ depth: 1, forgets: true });
	await lab.tick(20_000);
	expect(await turn()).toEqual([]);
	await settle();
	expect(await turn()).toEqual([]);
});

describe("flaws that the ledger check finds", () => {
	const change = (text: string, id: string) => database.db.execute(text, [id]);
	const copy = (kind: string, amount = "amount_raw") => `insert into wallets.spend_entry
		(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
		select intent_id, profile_id, wallet_id, '${kind}', chain_id, currency, ${amount}, usd_micros,
			at
		from wallets.spend_entry where intent_id = $1 and kind = 'reserve'`;

	test("a settled intent whose spend is missing, or below the reserved amount", async () => {
		const [gone, changed] = [await pay(), await pay()];
		await settle();
		await change("delete from wallets.spend_entry where intent_id = $1 and kind = 'spend'", gone);
		await change(
			"update wallets.spend_entry set amount_raw = 1 where intent_id = $1 and kind = 'spend'",
			changed,
		);
		expect((await turn()).toSorted()).toEqual(
			[
				[gone, "unbalanced"],
				[changed, "unbalanced"],
			].toSorted(),
		);
	});

	test("a pending intent whose reservation is already released", async () => {
		const id = await pay();
		await change(copy("release"), id);
		expect(await turn()).toEqual([[id, "unbalanced"]]);
	});

	test("an intent that spent more than was reserved, or a negative amount", async () => {
		const [twice, negative] = [await pay(), await pay()];
		await settle();
		await change(copy("spend"), twice);
		await change(copy("unrelease"), negative);
		expect((await turn()).toSorted()).toEqual(
			[
				[twice, "overdrawn"],
				[negative, "overdrawn"],
			].toSorted(),
		);
	});

	test("a flaw of an old intent, some runs later, until it is corrected", async () => {
		const old = await pay();
		await settle();
		await change("delete from wallets.spend_entry where intent_id = $1 and kind = 'spend'", old);
		const filler = await pay();
		await settle();
		await change(
			`insert into wallets.spend_entry
				(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
			select intent_id, profile_id, wallet_id, kind, chain_id, currency, 0, 0, at
			from wallets.spend_entry, generate_series(1, ${LEDGER_CHECKED_MAX})
			where intent_id = $1`,
			filler,
		);
		// The oldest entries are no part of the newest page; the second turn is past the old one.
		const check = createLedgerCheck(database.db);
		const found = [];
		for (let step = 0; step < 4; step++) found.push(await check.turn());
		expect(found.map((flaws) => flaws.map(({ intentId }) => intentId))).toEqual(
			Array.from({ length: 4 }, () => [old]),
		);
		await change(copy("spend"), old);
		expect(await check.turn()).toEqual([]);
	});
});
