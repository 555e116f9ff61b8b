import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import type { AuditEntry } from "#core/audit/Audit.ts";
import { AssertionFailed } from "#core/fault/assert.ts";
import type { TradingSetting } from "#plugins/wallets/contract.ts";
import { changeSetting } from "#plugins/wallets/control/changeSetting.ts";
import { settingRows } from "#plugins/wallets/control/sql/settingRows.ts";
import { prepareControl } from "#plugins/wallets/control/testing/controlLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await prepareControl(database.db);
});
afterAll(() => database.drop());

const told: AuditEntry[] = [];
const audit = { append: async (_tx: unknown, entry: AuditEntry) => void told.push(entry) };
const at = new Date(0);

/** Changes the only setting there is, `a`; answers what was thrown where that fails. */
function change(schema: z.ZodType, value: unknown) {
	const settings: TradingSetting[] = [{ shown: "a", key: /^a$/, schema, description: "." }];
	return database.db
		.transaction((tx) => {
			return changeSetting(tx, { key: "a", value, actor: "ann", at }, { settings, audit });
		})
		.catch((error: unknown) => error);
}
const stored = async () => (await settingRows.read(database.db, "a"))?.value;

test("what the schema makes of a value is stored, written down and told, with what was before", async () => {
	const schema = z.object({ bps: z.int().default(50) });
	expect(await change(schema, {})).toMatchObject({ value: { bps: 50 }, previous: null });
	expect(await stored()).toEqual({ bps: 50 });
	expect(await change(schema, { bps: 60 })).toMatchObject({ previous: { bps: 50 } });
	expect(told).toMatchObject([
		{ actor: "operator:ann", subject: "setting:a", detail: { before: null, after: { bps: 50 } } },
		{ detail: { before: { bps: 50 }, after: { bps: 60 } } },
	]);
});

test("a null, a text and a list come back as they were set", async () => {
	for (const value of [null, 'a "text"', [1, [2]], false, 0]) {
		await change(z.unknown(), value);
		expect(await stored()).toEqual(value);
	}
});

test("what is refused changes nothing and is not written down as done", async () => {
	await change(z.unknown(), "kept");
	const entries = told.length;
	expect(await change(z.int(), 1.5)).toMatchObject({ status: 422, code: "validation_error" });
	expect(await change(z.string(), "ü".repeat(1_024))).toMatchObject({ status: 422 });
	// A schema whose values are no JSON is our own mistake.
	expect(await change(z.unknown(), undefined)).toBeInstanceOf(AssertionFailed);
	expect({ stored: await stored(), entries: told.length }).toEqual({ stored: "kept", entries });
});
