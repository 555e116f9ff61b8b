import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: one transaction stands for one intent, in whatever order and moment it is reported.

const HASH = `0x${"cd".repeat(32)}`;
/** Looks at who waits for a lock; each is a round trip to the database. */
const LOOKS_MAX = 20_000;

let database: TestDatabase;
let lab: TransfersLab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openTransfersLab(database.db);
});

type By = Awaited<ReturnType<TransfersLab["person"]>>;

/** A transfer of its own batch, for its owner's wallet to sign; answers the link's place. */
async function linkOf(by: By): Promise<string> {
	const recipients = [`0x${"a1".repeat(20)}`];
	const body = { fromWalletId: by.wallet.id, recipients, amount: "0.25" };
	const asked = await lab.ask("/v1/trading/wallet-transfers", { body, by });
	return `/v1/links/${asked.body.transfers[0].signUrl.split("/").pop()}`;
}

async function untilWaiting(tx: Tx, count: number): Promise<void> {
	let waiting = 0;
	for (let looks = 0; waiting < count && looks < LOOKS_MAX; looks++) {
		await tx.query("select pg_stat_clear_snapshot()");
		const [row] = await tx.query<{ waiting: number }>(
			`select count(*)::int as waiting from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`,
		);
		waiting = row?.waiting ?? 0;
	}
	expect(waiting).toBe(count);
}

test("two who report one transaction in the same moment: one is taken, the other is 409", async () => {
	const by = await lab.person({ capability: "external/manual" });
	const links = [await linkOf(by), await linkOf(by)];
	const body = { transactionHash: HASH };
	const asked = await database.db.transaction(async (tx) => {
		// Both look whether it stands for another before either has written.
		await tx.execute("lock table wallets.submission in share row exclusive mode");
		const asking = links.map((link) => lab.ask(link, { body }));
		await untilWaiting(tx, links.length);
		return asking;
	});
	const answers = await Promise.all(asked);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
	const refused = answers.findIndex(({ status }) => status === 409);
	expect(answers[refused]?.body).toMatchObject({ code: "transaction_other", status: 409 });
	expect(answers[refused]?.headers.get("content-type")).toBe("application/problem+json");
	// It can be told of the one that it is.
	const link = links[refused] ?? "";
	expect((await lab.ask(link)).status).toBe(200);
	const own = await lab.ask(link, { body: { transactionHash: `0x${"ef".repeat(32)}` } });
	expect(own.body.intents).toMatchObject([{ status: "submitted" }]);
});

test("so it is one after the other, and the same report twice of one intent is no conflict", async () => {
	const by = await lab.person({ capability: "external/manual" });
	const [first = "", second = ""] = [await linkOf(by), await linkOf(by)];
	const body = { transactionHash: HASH };
	const taken = await lab.ask(first, { body });
	expect(taken.status).toBe(200);
	expect((await lab.ask(second, { body })).body.code).toBe("transaction_other");
	const [intent] = taken.body.intents;
	expect((await lab.execution.signed(intent.id, `0x${"cd".repeat(32)}`)).status).toBe("submitted");
	const elsewhere = await lab.person({ capability: "external/manual" });
	// What somebody else says is theirs keeps nobody from being found.
	expect((await lab.ask(await linkOf(elsewhere), { body })).status).toBe(200);
});
