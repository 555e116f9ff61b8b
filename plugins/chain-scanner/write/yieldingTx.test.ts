import { afterAll, beforeAll, expect, test } from "bun:test";
import { createCopyWriter } from "#core/db/copy/createCopyWriter.ts";
import { Fault } from "#core/fault/Fault.ts";
import { yieldingTx } from "#plugins/chain-scanner/write/yieldingTx.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute("create table taken (id int4)");
});
afterAll(() => database.drop());

const taken = async () => {
	const rows = await database.db.query<{ id: number }>("select id from taken order by id");
	return rows.map(({ id }) => id);
};

test("whatever statement comes next fails, and what was done before it is not kept", async () => {
	const writer = createCopyWriter(32);
	writer.row(1);
	writer.int4(3);
	const row = writer.take();
	const attempts = [
		(tx: ReturnType<typeof yieldingTx>) => tx.execute("insert into taken values (2)"),
		(tx: ReturnType<typeof yieldingTx>) => tx.query("select 1"),
		(tx: ReturnType<typeof yieldingTx>) => tx.copy("taken (id)", [row]),
	];
	for (const attempt of attempts) {
		const failed = database.db.transaction(async (raw) => {
			let isWanted = false;
			const tx = yieldingTx(raw, () => isWanted);
			await tx.execute("insert into taken values (1)");
			isWanted = true;
			await attempt(tx);
		});
		const error = await failed.catch((thrown) => thrown);
		expect(error).toBeInstanceOf(Fault);
		expect(error.code).toBe("lane_gave_way");
	}
	expect(await taken()).toEqual([]);
});

test("the last steps go through: nothing but the commit is left", async () => {
	let isWanted = false;
	await database.db.transaction(async (raw) => {
		const tx = yieldingTx(raw, () => isWanted);
		tx.beforeCommit(async () => void (await tx.execute("insert into taken values (7)")));
		isWanted = true;
	});
	expect(await taken()).toEqual([7]);
});
