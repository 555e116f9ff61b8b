import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import type { AuditEntry } from "#core/audit/createAudit.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import { AssertionFailed } from "#core/fault.ts";
import { readKill } from "#plugins/wallets/control/kill.ts";
import { changeSetting, settingRows } from "#plugins/wallets/control/settings.ts";
import {
	NOW_MS,
	openControl,
	prepareControl,
	WALLET_ID,
} from "#plugins/wallets/control/testing/controlLab.ts";
import type { TradingSetting } from "#plugins/wallets/Wallets.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("changeSetting", () => {
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

	test("a changed setting is stored and logged as parsed by its schema, with the previous value", async () => {
		const schema = z.object({ bps: z.int().default(50) });
		expect(await change(schema, {})).toMatchObject({ value: { bps: 50 }, previous: null });
		expect(await stored()).toEqual({ bps: 50 });
		expect(await change(schema, { bps: 60 })).toMatchObject({ previous: { bps: 50 } });
		expect(told).toMatchObject([
			{ actor: "operator:ann", subject: "setting:a", detail: { before: null, after: { bps: 50 } } },
			{ detail: { before: { bps: 50 }, after: { bps: 60 } } },
		]);
	});

	test("a null, a text and a list are read back as they were set", async () => {
		for (const value of [null, 'a "text"', [1, [2]], false, 0]) {
			await change(z.unknown(), value);
			expect(await stored()).toEqual(value);
		}
	});

	test("a refused setting changes nothing and is not logged as a change", async () => {
		await change(z.unknown(), "kept");
		const entries = told.length;
		expect(await change(z.int(), 1.5)).toMatchObject({ status: 422, code: "validation_error" });
		expect(await change(z.string(), "ü".repeat(1_024))).toMatchObject({ status: 422 });
		// A schema whose values are no JSON is our own mistake.
		expect(await change(z.unknown(), undefined)).toBeInstanceOf(AssertionFailed);
		expect({ stored: await stored(), entries: told.length }).toEqual({ stored: "kept", entries });
	});
});

describe("controlRoutes.200", () => {
	const slippage: TradingSetting = {
		shown: "slippage-bps",
		key: /^slippage-bps$/,
		schema: z.object({ bps: z.int().min(0).max(500), note: z.string().default("none") }),
		description: "How far a price may move.",
	};

	let database: TestDatabase;
	let control: ReturnType<typeof openControl>;
	beforeAll(async () => {
		database = await createTestDatabase();
		await prepareControl(database.db);
	});
	beforeEach(async () => {
		await database.db.execute("delete from wallets.control");
		control = openControl(database.db, [slippage]);
	});
	afterAll(() => database.drop());

	const scope = { chainId: 8453, plugin: "nft-buys", walletId: WALLET_ID };
	const other = {
		chainId: 1,
		plugin: "transfers",
		walletId: "0198c1d2-7f1e-7a55-9f30-000000000002",
	};
	const killed = (by: typeof scope) => database.db.transaction((tx) => readKill(tx, by));
	const AT = new Date(NOW_MS).toISOString();

	for (const [key, spares] of [
		["kill:all", false],
		["kill:chain:8453", true],
		["kill:plugin:nft-buys", true],
		[`kill:wallet:${WALLET_ID}`, true],
	] as const) {
		test(`[TRD-09] ${key} blocks what it names${spares ? " and nothing else" : ""}, until it is off`, async () => {
			expect(await killed(scope)).toBeNull();
			const { status, body } = await control.put(key, true, "ann");
			expect({ status, body }).toEqual({
				status: 200,
				body: { key, value: true, previous: null, changedBy: "operator:ann", changedAt: AT },
			});
			expect(await killed(scope)).toBe(key);
			expect(await killed(other)).toBe(spares ? null : key);
			const off = await control.put(key, false, "bob");
			expect(off.body).toMatchObject({ value: false, previous: true, changedBy: "operator:bob" });
			expect(await killed(scope)).toBeNull();
		});
	}

	test("[SEC-06] each change of a setting is in the audit log with its actor, before and after", async () => {
		const begun = (await control.audited()).length;
		await control.put("kill:all", true, "ann");
		control.clock.ms += 60_000;
		await control.put("kill:all", false);
		await control.put("kill:all", false);
		const entry = { action: "trading.setting.changed", subject: "setting:kill:all" };
		expect((await control.audited()).slice(begun)).toMatchObject([
			{ ...entry, actor: "operator:ann", at: AT, detail: { before: null, after: true } },
			{ ...entry, actor: "operator:unnamed", detail: { before: true, after: false } },
			{ ...entry, actor: "operator:unnamed", detail: { before: false, after: false } },
		]);
		expect(await verifyChain(database.db)).toMatchObject({ kind: "whole" });
	});

	test("[SEC-06] a change that cannot be written to the audit log is not made", async () => {
		const { db } = database;
		await db.execute(
			"alter table core.audit_entry add constraint full_disk check (seq < 0) not valid",
		);
		try {
			expect((await control.put("kill:all", true)).status).toBe(500);
			expect(await killed(scope)).toBeNull();
		} finally {
			await db.execute("alter table core.audit_entry drop constraint full_disk");
		}
	});

	test("the list has each set value with its author, and each possible setting with its values", async () => {
		await control.put("kill:chain:8453", true, "ann");
		control.clock.ms += 1_000;
		await control.put("kill:all", false, "bob");
		const { status, headers, body } = await control.list();
		expect({ status, cache: headers.get("cache-control") }).toEqual({
			status: 200,
			cache: "no-store",
		});
		expect(body.settings).toEqual([
			{
				key: "kill:all",
				value: false,
				changedBy: "operator:bob",
				changedAt: new Date(NOW_MS + 1_000).toISOString(),
			},
			{ key: "kill:chain:8453", value: true, changedBy: "operator:ann", changedAt: AT },
		]);
		expect(body.hasMore).toBe(false);
		expect(body.known.map(({ key }: { key: string }) => key)).toEqual([
			"kill:all",
			"kill:chain:<id>",
			"kill:plugin:<name>",
			"kill:wallet:<id>",
			"rebroadcast",
			"slippage-bps",
		]);
		expect(body.known[0].valueSchema).toMatchObject({ type: "boolean" });
	});

	test("a setting of another plugin is parsed by that plugin's schema, and stored as parsed", async () => {
		const set = await control.put("slippage-bps", { bps: 50 });
		expect(set.body).toMatchObject({ value: { bps: 50, note: "none" }, previous: null });
		const again = await control.put("slippage-bps", { bps: 60, note: "volatile" });
		expect(again.body.previous).toEqual({ bps: 50, note: "none" });
	});

	test("the colons of a key may be percent-encoded", async () => {
		expect((await control.put("kill%3Aall", true)).body.key).toBe("kill:all");
	});
});

describe("controlRoutes.401", () => {
	let database: TestDatabase;
	let control: ReturnType<typeof openControl>;
	beforeAll(async () => {
		database = await createTestDatabase();
		await prepareControl(database.db);
		control = openControl(database.db);
	});
	afterAll(() => database.drop());

	const strangers: [what: string, path: string, body: unknown][] = [
		["the list", "", undefined],
		["a switch", "/kill:all", { value: true }],
		["a switch with a bad value", "/kill:all", { value: "yes" }],
		["a body of another shape", "/kill:all", [1, 2]],
		["a setting that does not exist", "/kill:everything", { value: true }],
	];
	for (const [what, path, body] of strangers) {
		test(`${what}: a stranger gets 401 without details, and nothing is changed`, async () => {
			for (const key of ["", "an-operator-s-key-0002"]) {
				const headers = { "x-api-key": key, "x-forwarded-for": `203.0.113.${path.length}` };
				const answer = await control.ask(path, { body, headers });
				expect({ status: answer.status, code: answer.body.code }).toEqual({
					status: 401,
					code: "unauthorized",
				});
			}
			expect(await database.db.query("select key from wallets.control")).toEqual([]);
			expect(await control.audited()).toEqual([]);
		});
	}

	test("only the operators' routes require the key", async () => {
		const beside = new Request("http://localhost/v1/trading/settings");
		expect((await control.app.handle(beside)).status).toBe(200);
	});
});

describe("controlRoutes.422", () => {
	let database: TestDatabase;
	let control: ReturnType<typeof openControl>;
	beforeAll(async () => {
		database = await createTestDatabase();
		await prepareControl(database.db);
		control = openControl(database.db, [
			{
				shown: "note",
				key: /note/,
				schema: z.string(),
				description: "A pattern without its ends.",
			},
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
		test(`[TRD-09] the key ${key} names nothing and is refused, so that a typo never looks like a switch`, async () => {
			const { status, body } = await control.put(key, true);
			expect({ status, code: body.code }).toEqual({ status: 422, code: "setting_unknown" });
		});
	}

	test("the error for an unknown key lists the existing keys", async () => {
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

	test("a body with any other member than the value is refused", async () => {
		const answer = await control.ask("/kill:all", { body: { value: true, until: "tomorrow" } });
		expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
	});

	test("a value above 2 KiB is refused, and a key above 200 characters", async () => {
		expect(await control.put("note", "x".repeat(2_047))).toMatchObject({ status: 422 });
		expect(await control.put(`kill:plugin:${"a".repeat(200)}`, true)).toMatchObject({
			status: 422,
		});
	});
});
