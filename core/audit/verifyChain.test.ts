import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type AuditHead, createAudit, readHead } from "#core/audit/createAudit.ts";
import {
	auditHeadJob,
	type ChainFlaw,
	parseAuditArgs,
	verifyChain,
} from "#core/audit/verifyChain.ts";
import { Fault } from "#core/fault.ts";
import { createLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("auditHeadJob", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	test("[SEC-06] the hourly log line prints a head in the form that `audit verify --head` accepts", async () => {
		const clock = { nowMs: () => 0 };
		const { db } = database;
		const entry = { actor: "operator:ann", action: "a.b", subject: "s", detail: {} };
		await db.transaction((tx) => createAudit({ clock }).append(tx, entry));
		const lines: string[] = [];
		const log = createLog({
			level: "info",
			clock,
			to: { write: (line: string) => void lines.push(line) },
		});
		const job = auditHeadJob({ db, log });
		await job.run({ signal: new AbortController().signal });
		const [line] = lines.map((text) => JSON.parse(text));
		expect(line.message).toBe("audit head");
		const exported = await readHead(db);
		expect(parseAuditArgs(["verify", "--head", line.head])).toEqual({ kind: "verify", exported });
		// One process writes it for all, at the full hour.
		expect(job).toMatchObject({ lock: "cluster", schedule: { cron: "0 * * * *" } });
	});
});

describe("parseAuditArgs", () => {
	const HASH = "0123456789abcdef".repeat(4);

	test("`head` and `verify` are accepted, `verify` with or without an exported head", () => {
		expect(parseAuditArgs(["head"])).toEqual({ kind: "head" });
		expect(parseAuditArgs(["verify"])).toEqual({ kind: "verify", exported: null });
		for (const args of [["--head", `12:${HASH}`], [`--head=12:${HASH}`]]) {
			const ask = { kind: "verify", exported: { seq: 12, hash: HASH } } as const;
			expect(parseAuditArgs(["verify", ...args])).toEqual(ask);
			expect(parseAuditArgs([...args, "verify"])).toEqual(ask);
		}
	});

	for (const head of [
		"",
		"12",
		HASH,
		`12:${HASH.toUpperCase()}`,
		`012:${HASH}`,
		`-1:${HASH}`,
		`1e3:${HASH}`,
	]) {
		test(`[SEC-06] the invalid head "${head.slice(0, 8)}" is refused, not ignored`, () => {
			expect(() => parseAuditArgs(["verify", "--head", head])).toThrow(Fault);
		});
	}
});

describe("verifyChain", () => {
	let database: TestDatabase;
	let exported: AuditHead;
	const ENTRIES = 8;

	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	/** What somebody does who may switch the trigger off. */
	function tamper(...statements: string[]): Promise<void> {
		return database.db.transaction(async (tx) => {
			await tx.query("set local session_replication_role = replica");
			for (const statement of statements) await tx.query(statement);
		});
	}

	async function append(amount: number, name: string): Promise<void> {
		const audit = createAudit({ clock: { nowMs: () => 1_700_000_000_000 } });
		await database.db.transaction(async (tx) => {
			for (let number = 1; number <= amount; number += 1) {
				const subject = `setting:${name}${number}`;
				const detail = { before: false, after: true };
				await audit.append(tx, { actor: "operator:ann", action: "a.b", subject, detail });
			}
		});
	}

	beforeEach(async () => {
		await tamper("delete from core.audit_entry");
		await append(ENTRIES, "s");
		exported = await readHead(database.db);
	});

	test("[SEC-06] an unchanged log is valid: an empty one, and one longer than the exported head", async () => {
		expect(await verifyChain(database.db, { exported })).toEqual({ kind: "whole", head: exported });
		await append(3, "later");
		const longer = await verifyChain(database.db, { exported });
		expect(longer).toMatchObject({ kind: "whole", head: { seq: ENTRIES + 3 } });
		await tamper("delete from core.audit_entry");
		const empty = await verifyChain(database.db, { exported: await readHead(database.db) });
		expect(empty).toEqual({ kind: "whole", head: { seq: 0, hash: "0".repeat(64) } });
	});

	test("a log of several pages is verified to its end", async () => {
		await append(1_200, "more");
		expect(await verifyChain(database.db, { exported })).toMatchObject({
			kind: "whole",
			head: { seq: ENTRIES + 1_200 },
		});
		await tamper(`update core.audit_entry set entry = entry || ' ' where seq = 1_100`);
		expect(await verifyChain(database.db)).toMatchObject({ seq: 1_100, flaw: "altered" });
	});

	const edit = "entry = replace(entry, 'ann', 'bob')";
	const hashed = "hash = sha256(prev_hash || convert_to(replace(entry, 'ann', 'bob'), 'UTF8'))";
	const shift = (from: number, by: number) => [
		`update core.audit_entry set seq = seq + 1000 where seq >= ${from}`,
		`update core.audit_entry set seq = seq - 1000 + ${by} where seq >= 1000`,
	];
	const insertAt = (seq: number, prevHash: string) =>
		`insert into core.audit_entry (seq, prev_hash, entry, hash)
	select ${seq}, prev, '{}', sha256(prev || convert_to('{}', 'UTF8'))
	from (select ${prevHash} as prev)`;
	const hashAt = (seq: number) => `(select hash from core.audit_entry where seq = ${seq})`;

	const manipulations: [what: string, statements: string[], seq: number, flaw: ChainFlaw][] = [
		["an entry edited", [`update core.audit_entry set ${edit} where seq = 4`], 4, "altered"],
		[
			"an entry edited by a single byte of white space",
			["update core.audit_entry set entry = entry || ' ' where seq = 4"],
			4,
			"altered",
		],
		[
			"an entry edited and hashed anew",
			[`update core.audit_entry set ${hashed}, ${edit} where seq = 4`],
			5,
			"unlinked",
		],
		["an entry deleted", ["delete from core.audit_entry where seq = 4"], 4, "missing"],
		["the first entry deleted", ["delete from core.audit_entry where seq = 1"], 1, "missing"],
		[
			"the first entry deleted, the others moved up",
			["delete from core.audit_entry where seq = 1", ...shift(2, -1)],
			1,
			"unlinked",
		],
		[
			"an entry deleted, the later ones moved up",
			["delete from core.audit_entry where seq = 4", ...shift(5, -1)],
			4,
			"unlinked",
		],
		[
			"two entries swapped",
			[
				"update core.audit_entry set seq = 1000 where seq = 4",
				"update core.audit_entry set seq = 4 where seq = 5",
				"update core.audit_entry set seq = 5 where seq = 1000",
			],
			4,
			"unlinked",
		],
		[
			"the texts of two entries swapped",
			[
				`update core.audit_entry as one set entry = other.entry from core.audit_entry as other
			where (one.seq, other.seq) in ((4, 5), (5, 4))`,
			],
			4,
			"altered",
		],
		[
			"an entry inserted, with a hash of its own beginning",
			[...shift(4, 1), insertAt(4, "sha256('anywhere')")],
			4,
			"unlinked",
		],
		["an entry appended past a gap", [insertAt(10, hashAt(8))], 9, "missing"],
		["an entry appended that follows nothing", [insertAt(9, "sha256('anywhere')")], 9, "unlinked"],
	];
	for (const [what, statements, seq, flaw] of manipulations) {
		test(`[SEC-06] ${what}: reported with its place, without an exported head`, async () => {
			await tamper(...statements);
			expect(await verifyChain(database.db)).toMatchObject({ kind: "broken", seq, flaw });
			expect(await verifyChain(database.db, { exported })).toMatchObject({ kind: "broken", seq });
		});
	}

	test("[SEC-06] no entry can be inserted after one that has a successor", async () => {
		const refused = tamper(...shift(4, 1), insertAt(4, hashAt(3)));
		expect(await refused.catch((error: Error) => error.message)).toContain("prev_hash");
	});

	test("[SEC-06] deleting the newest entries is noticed only with a head that was exported before", async () => {
		await tamper("delete from core.audit_entry where seq > 6");
		expect(await verifyChain(database.db)).toMatchObject({ kind: "whole", head: { seq: 6 } });
		expect(await verifyChain(database.db, { exported })).toMatchObject({
			kind: "broken",
			seq: 7,
			flaw: "truncated",
			good: { seq: 6 },
		});
	});

	test("[SEC-06] a log that is rewritten from its first entry is noticed with an exported head", async () => {
		await tamper("delete from core.audit_entry");
		await append(ENTRIES + 2, "forged");
		expect(await verifyChain(database.db)).toMatchObject({ kind: "whole" });
		expect(await verifyChain(database.db, { exported })).toMatchObject({
			kind: "broken",
			seq: ENTRIES,
			flaw: "rewritten",
		});
	});

	test("a head that the log never had is reported as a rewritten log", async () => {
		const wrong = { seq: 0, hash: createHash("sha256").digest("hex") };
		expect(await verifyChain(database.db, { exported: wrong })).toMatchObject({
			flaw: "rewritten",
		});
	});
});
