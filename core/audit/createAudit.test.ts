import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import {
	AUDIT_ENTRY_BYTES_MAX,
	type AuditEntry,
	auditJson,
	createAudit,
	readHead,
	renderEntry,
} from "#core/audit/createAudit.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { Tx } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { AssertionFailed } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("auditJson", () => {
	/** The same members in another order, at every depth. */
	function reversed(value: unknown): unknown {
		if (Array.isArray(value)) return value.map(reversed);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value)
				.reverse()
				.map(([name, member]) => [name, reversed(member)]),
		);
	}

	test("the order of members does not change the text, and parsing it gives the original value", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
				const plain: unknown = JSON.parse(JSON.stringify(value).replaceAll("\\u0000", "\\ufffd"));
				const text = auditJson(plain);
				expect(auditJson(reversed(plain))).toBe(text);
				expect(JSON.parse(text)).toEqual(plain as object);
			}),
		);
	});

	test("the example of sorted names in RFC 8785 gives the same text", () => {
		const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, ö: 7 };
		expect([...auditJson(names).matchAll(/:(\d)/g)].map(([, value]) => value).join("")).toBe(
			"2467153",
		);
	});

	test("an amount is written as digits, a time as text, and undefined members are left out", () => {
		const value = { amount: 2n ** 200n, at: new Date(0), gone: undefined, none: null };
		expect(auditJson(value)).toBe(
			`{"amount":"${2n ** 200n}","at":"1970-01-01T00:00:00.000Z","none":null}`,
		);
	});

	test("a text that jsonb cannot hold is changed into one that it can hold", () => {
		expect(auditJson({ "a\0": "\ud800\0" })).toBe('{"a\uFFFD":"\uFFFD\uFFFD"}');
	});

	test("a value that JSON cannot hold is refused, not left out", () => {
		const cycle: unknown[] = [];
		cycle.push(cycle);
		for (const value of [
			Number.NaN,
			new Map(),
			() => 1,
			Symbol("a"),
			cycle,
			[undefined],
			new Error(),
		]) {
			expect(() => auditJson({ value })).toThrow(AssertionFailed);
		}
	});

	test("stored entries keep their bytes and their hash", () => {
		const detail = {
			...{ profileId: "p", nonce: 7, filledNonces: [5, 6], before: "sent", amount: 2n ** 100n },
			...{ at: new Date(0), gone: undefined, 10: "b", 9: "a", "a\0\ud800": "\udc00" },
		};
		const action = "trading.intent.cancellation_sent";
		const entry = { actor: "operator:ops", action, subject: "intent:1", detail };
		const text = renderEntry(entry, 1_700_000_000_123);
		expect(text).toBe(
			'{"action":"trading.intent.cancellation_sent","actor":"operator:ops",' +
				'"at":"2023-11-14T22:13:20.123Z","detail":{"10":"b","9":"a","a\uFFFD\uFFFD":"\uFFFD",' +
				'"amount":"1267650600228229401496703205376","at":"1970-01-01T00:00:00.000Z",' +
				'"before":"sent","filledNonces":[5,6],"nonce":7,"profileId":"p"},"subject":"intent:1"}',
		);
		expect(createHash("sha256").update(text).digest("hex")).toBe(
			"c54c985a61b8882a99cf7be2a01fc232a2df2139ee3856b6407ba2675f9bb1d2",
		);
	});
});

describe("createAudit", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	beforeEach(async () => {
		await database.db.transaction(async (tx) => {
			await tx.query("set local session_replication_role = replica");
			await tx.query("delete from core.audit_entry");
		});
	});
	afterAll(() => database.drop());

	const NOW_MS = Date.UTC(2026, 10, 21, 12);
	const audit = createAudit({ clock: { nowMs: () => NOW_MS } });
	const entry = (subject: string, detail: AuditEntry["detail"] = {}): AuditEntry => {
		return { actor: "operator:ann", action: "trading.setting.changed", subject, detail };
	};

	function subjects(): Promise<{ seq: number; subject: string }[]> {
		return database.db.query(
			`select seq, entry::jsonb->>'subject' as subject from core.audit_entry order by seq`,
		);
	}

	test("[SEC-06] an entry is stored as the text that was hashed, and PostgreSQL reads it as JSON", async () => {
		await database.db.transaction((tx) =>
			audit.append(tx, entry("setting:a", { z: 2n, a: "ü\0" })),
		);
		const rows = await database.db.query(
			"select entry, entry::jsonb->>'actor' as who from core.audit_entry",
		);
		expect(rows).toEqual([
			{
				entry:
					'{"action":"trading.setting.changed","actor":"operator:ann","at":"2026-11-21T12:00:00.000Z",' +
					'"detail":{"a":"ü\uFFFD","z":"2"},"subject":"setting:a"}',
				who: "operator:ann",
			},
		]);
	});

	test("[SEC-06] an entry and the change that it records are committed together or not at all", async () => {
		const failing = database.db.transaction(async (tx) => {
			await audit.append(tx, entry("setting:lost"));
			throw new Error("not today");
		});
		expect(await failing.catch((error: Error) => error.message)).toBe("not today");
		await database.db.transaction((tx) => audit.append(tx, entry("setting:kept")));
		// And the one that was rolled back left no gap.
		expect(await subjects()).toEqual([{ seq: 1, subject: "setting:kept" }]);
	});

	test("[SEC-06] fifty concurrent appends from two processes make one chain without a gap", async () => {
		const other = openDatabase({
			connectionString: database.connectionString,
			connectionsMax: 4,
			applicationName: "tapeline test",
			log: silentLog,
		});
		const otherAudit = createAudit({ clock: { nowMs: () => NOW_MS } });
		try {
			const appends = Array.from({ length: 50 }, (_, index) => {
				const [db, log] = index % 2 === 0 ? [database.db, audit] : [other, otherAudit];
				return db.transaction(async (tx: Tx) => {
					await log.append(tx, entry(`setting:${index}`));
					// Every fifth fails at the end, after others may have waited for it.
					if (index % 5 === 0) tx.beforeCommit(() => Promise.reject(new Error("late")));
				});
			});
			const ends = await Promise.allSettled(appends);
			expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(40);
		} finally {
			await other.close();
		}
		const stored = await subjects();
		expect(stored.map(({ seq }) => seq)).toEqual(
			Array.from({ length: 40 }, (_, index) => index + 1),
		);
		expect(new Set(stored.map(({ subject }) => subject)).size).toBe(40);
		const head = await readHead(database.db);
		expect(await verifyChain(database.db, { exported: head })).toEqual({ kind: "whole", head });
	});

	test("several entries of one transaction follow each other, also one that a last step appends", async () => {
		await database.db.transaction(async (tx) => {
			tx.beforeCommit(() => audit.append(tx, entry("setting:c")));
			await audit.append(tx, entry("setting:a"));
			await audit.append(tx, entry("setting:b"));
		});
		expect((await subjects()).map(({ subject }) => subject)).toEqual([
			"setting:a",
			"setting:b",
			"setting:c",
		]);
		expect(await verifyChain(database.db)).toMatchObject({ kind: "whole", head: { seq: 3 } });
	});

	test("the chain's lock is taken after all other last steps, so no holder of it waits for them", async () => {
		const held: number[] = [];
		const countHeld = async (tx: Tx) => {
			const [row] = await tx.query<{ held: number }>(
				`select count(*)::int4 as held from pg_locks
			where locktype = 'advisory' and pid = pg_backend_pid()`,
			);
			held.push(row?.held ?? -1);
		};
		await database.db.transaction(async (tx) => {
			await audit.append(tx, entry("setting:a"));
			await countHeld(tx);
			tx.beforeCommit(() => countHeld(tx));
		});
		expect(held).toEqual([0, 0]);
	});

	for (const statement of [
		"update core.audit_entry set entry = '{}'",
		"delete from core.audit_entry",
		"truncate core.audit_entry",
	]) {
		test(`[SEC-06] the database itself refuses "${statement}"`, async () => {
			await database.db.transaction((tx) => audit.append(tx, entry("setting:a")));
			const refused = await database.db.execute(statement).catch((error: Error) => error.message);
			expect(refused).toContain("core.audit_entry is append-only");
			expect(await subjects()).toHaveLength(1);
		});
	}

	test("[SEC-06] an entry above 8 KiB is refused at once, and the change that it records with it", async () => {
		const append = (length: number) =>
			database.db.transaction((tx) =>
				audit.append(tx, entry("setting:a", { text: "x".repeat(length) })),
			);
		const [fits] = await Promise.all([append(1_000)]);
		expect(fits).toBeUndefined();
		const [row] = await database.db.query<{ bytes: number }>(
			"select octet_length(entry) as bytes from core.audit_entry",
		);
		const most = 8_192 - (row?.bytes ?? 0) + 1_000;
		await append(most);
		expect(await append(most + 1).catch((error) => error)).toBeInstanceOf(AssertionFailed);
		expect(await subjects()).toHaveLength(2);
	});
});

describe("renderEntry", () => {
	const good: AuditEntry = { actor: "service:wallets", action: "a.b_c", subject: "s", detail: {} };

	test("the limit counts bytes, not characters, and no entry above it is accepted", () => {
		const rest = Buffer.byteLength(renderEntry({ ...good, detail: { t: "" } }, 0));
		const fits = "ü".repeat(Math.floor((AUDIT_ENTRY_BYTES_MAX - rest) / 2));
		expect(Buffer.byteLength(renderEntry({ ...good, detail: { t: fits } }, 0))).toBeLessThanOrEqual(
			AUDIT_ENTRY_BYTES_MAX,
		);
		expect(() => renderEntry({ ...good, detail: { t: `${fits}ü` } }, 0)).toThrow(/of 8192/);
	});

	const flawed: Partial<AuditEntry>[] = [
		{ actor: "ann" },
		{ actor: "operator:" },
		{ actor: "operator:a\nb" },
		{ actor: "root:ann" },
		{ action: "changed" },
		{ action: "Trading.changed" },
		{ action: "" },
		{ subject: "" },
	];
	for (const flaw of flawed) {
		test(`an entry with ${JSON.stringify(flaw)} fails an assertion`, () => {
			expect(() => renderEntry({ ...good, ...flaw }, 0)).toThrow(AssertionFailed);
		});
	}
});
