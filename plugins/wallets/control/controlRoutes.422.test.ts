import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import {
	openControl,
	prepareControl,
	WALLET_ID,
} from "#plugins/wallets/control/testing/controlLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let control: ReturnType<typeof openControl>;
beforeAll(async () => {
	database = await createTestDatabase();
	await prepareControl(database.db);
	control = openControl(database.db, [
		{ shown: "note", key: /note/, schema: z.string(), description: "A pattern without its ends." },
	]);
});
afterAll(async () => {
	// Whatever was asked above: nothing of it counts, and nothing was written down as done.
	expect(await database.db.query("select key from wallets.control")).toEqual([]);
	expect(await control.audited()).toEqual([]);
	await database.drop();
});

const unknown = [
	"kill",
	"kill:",
	"kill:everything",
	"KILL:ALL",
	"kill:all:",
	"kill:all%20",
	"kill:all%0A",
	"kill:chain:",
	"kill:chain:0",
	"kill:chain:08453",
	"kill:chain:0x2105",
	"kill:chain:base",
	"kill:chain:999999999",
	"kill:chain:9007199254740993",
	"kill:plugin:nft-buy",
	"kill:plugin:NFT-BUYS",
	"kill:plugin:constructor",
	"kill:wallet:1",
	`kill:wallet:${WALLET_ID.toUpperCase()}`,
	"kill:wallet:0198c1d2-7f1e-7a55-9f30-000000000009",
	"trading.dry-run",
	"notes",
	"__proto__",
];
for (const key of unknown) {
	test(`[TRD-09] the key ${key} stands for nothing and is refused: a typo must not look like a switch`, async () => {
		const { status, body } = await control.put(key, true);
		expect({ status, code: body.code }).toEqual({ status: 422, code: "setting_unknown" });
	});
}

test("a refusal says what there is", async () => {
	expect((await control.put("kill:plugin:nft-buy", true)).body.detail).toContain(
		"There are: nft-buys, transfers.",
	);
	expect((await control.put("kil:all", true)).body.known).toContain("kill:wallet:<id>");
});

for (const value of ["true", 1, 0, null, undefined, [], {}, [true]]) {
	test(`a switch set to ${JSON.stringify(value)} is refused`, async () => {
		const { status, body } = await control.put("kill:all", value);
		expect({ status, code: body.code }).toEqual({ status: 422, code: "validation_error" });
		expect(body.issues[0].path).toBe("value");
	});
}

test("a body with anything beside the value is refused", async () => {
	const answer = await control.ask("/kill:all", { body: { value: true, until: "tomorrow" } });
	expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
});

test("a value above 2 KiB is refused, and a key above 200 letters", async () => {
	expect(await control.put("note", "x".repeat(2_047))).toMatchObject({ status: 422 });
	expect(await control.put(`kill:plugin:${"a".repeat(200)}`, true)).toMatchObject({ status: 422 });
});
