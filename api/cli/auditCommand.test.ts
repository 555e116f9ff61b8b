import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { auditCommand } from "#api/cli/auditCommand.ts";
import { sealBook } from "#core/audit/book.ts";
import { type AuditHead, createAudit } from "#core/audit/createAudit.ts";
import type { Database } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { AuditBookPoint, contributionsOf } from "#core/plugin/Plugin.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let closed = 0;
beforeAll(async () => {
	database = await createTestDatabase();
	const audit = createAudit({ clock: { nowMs: () => 0 } });
	for (const subject of ["a", "b"]) {
		await database.db.transaction((tx) =>
			audit.append(tx, { actor: "operator:ann", action: "a.b", subject, detail: {} }),
		);
	}
});
afterAll(() => database.drop());

/** As the loaded plugins have it. */
const contributions = contributionsOf(builtinPlugins);

async function run(...given: (string | { on: Database })[]) {
	const args = given.filter((arg) => typeof arg === "string");
	const db = given.find((arg) => typeof arg === "object")?.on ?? database.db;
	const out: string[] = [];
	const notes: string[] = [];
	const context = {
		out: (line: string) => void out.push(line),
		note: (line: string) => void notes.push(line),
		contributions,
		openStorage: async () => ({
			db,
			where: "a test's database",
			close: async () => {
				closed += 1;
			},
		}),
	};
	const code = await auditCommand.run(args, context);
	return { code, out: out.map((line) => JSON.parse(line)), notes };
}
const head = async (): Promise<AuditHead> => (await run("head")).out[0];
const text = ({ seq, hash }: AuditHead) => `${seq}:${hash}`;

test("[SEC-06] `audit head` prints a line that `audit verify --head` accepts", async () => {
	const printed = await head();
	expect(printed).toEqual({ seq: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
	const { code, out, notes } = await run("verify", "--head", text(printed));
	const books = { batches: 0, rows: 0, unsealed: 0, flawsTotal: 0, flaws: [] };
	expect({ code, out }).toEqual({ code: 0, out: [{ kind: "whole", head: printed, books }] });
	expect(notes).toEqual([
		"in a test's database",
		"whole: 2 entries, and the exported head is among them",
	]);
	expect((await run("verify")).notes[1]).toContain("without --head a cut end would not show");
	expect(closed).toBe(3);
});

test("[SEC-06] an altered log gives exit code 1 and the place of the fault", async () => {
	const { seq, hash } = await head();
	const later = await run("verify", "--head", `${seq + 1}:${hash}`);
	expect(later).toMatchObject({ code: 1, out: [{ kind: "broken", seq: 3, flaw: "truncated" }] });
	expect(later.notes[1]).toBe(
		"BROKEN at entry 3: truncated. Up to entry 2 it is what was written.",
	);
	const other = await run("verify", "--head", `1:${hash}`);
	expect(other).toMatchObject({ code: 1, out: [{ seq: 1, flaw: "rewritten" }] });
});

for (const args of [
	[],
	["heads"],
	["head", "verify"],
	["head", "--head", `1:${"a".repeat(64)}`],
	["verify", "--haed", `1:${"a".repeat(64)}`],
	["verify", "--head"],
	["verify", "--head", ""],
	["verify", "--head", "1"],
	["verify", "--head", `1:${"A".repeat(64)}`],
	["verify", "--head", `01:${"a".repeat(64)}`],
	["verify", "--head", `1:${"a".repeat(63)}`],
]) {
	test(`\`audit ${args.join(" ")}\` is refused before anything is opened`, async () => {
		const before = closed;
		expect(await run(...args).catch((error) => error)).toBeInstanceOf(Fault);
		expect(closed).toBe(before);
	});
}

// Guarantee: a look into the wrong database (one that was just made) does not pass for proof.
test("a log without entries is refused, and the refusal names the database", async () => {
	const empty = await createTestDatabase();
	const out: string[] = [];
	const notes: string[] = [];
	let isClosed = false;
	const refused = await auditCommand
		.run(["verify"], {
			out: (line) => void out.push(line),
			note: (line) => void notes.push(line),
			contributions: () => [],
			openStorage: async () => ({
				db: empty.db,
				where: "a new database",
				close: async () => {
					isClosed = true;
				},
			}),
		})
		.catch((fault) => fault);
	await empty.drop();
	expect(refused).toMatchObject({
		code: "no_entries",
		retry: "never",
		publicDetail: expect.stringContaining("a new database has no entries"),
	});
	expect({ out, notes, isClosed }).toEqual({
		out: [],
		notes: ["in a new database"],
		isClosed: true,
	});
});

test("[SEC-06] a row that was edited after it was sealed gives exit code 1, and is named", async () => {
	const changed = await createTestDatabase();
	try {
		const { db } = changed;
		const clock = { nowMs: () => 0 };
		const move =
			"insert into wallets.intent_move (intent_id, seq, event, from_status, to_status, at)";
		await db.transaction(async (tx) => {
			await tx.execute("set local session_replication_role = replica");
			await tx.execute(
				`${move} values (gen_random_uuid(), 1, 'deny', 'created', 'rejected', now())`,
			);
		});
		for (const book of contributions(AuditBookPoint)) {
			await sealBook({ db, clock, audit: createAudit({ clock }) }, book);
		}
		expect(await run("verify", { on: db })).toMatchObject({
			code: 0,
			out: [{ kind: "whole", books: { batches: 1, rows: 1, unsealed: 0 } }],
		});
		await db.execute("update wallets.intent_move set event = 'approve'");
		const { code, out, notes } = await run("verify", { on: db });
		expect({ code, out }).toMatchObject({
			code: 1,
			out: [{ kind: "changed", books: { flaws: [{ source: "intent_move", flaw: "changed" }] } }],
		});
		const [row] = await db.query<{ id: string }>("select intent_id as id from wallets.intent_move");
		expect(notes).toContain(
			"CHANGED: 1 rows or batches are not what was sealed. " +
				`The first: wallets intent_move ${row?.id}/1, batch 1: changed.`,
		);
	} finally {
		await changed.drop();
	}
});
