import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type BookFlaw, type BookReport, sealBook } from "#core/audit/book.ts";
import { createAudit, readHead } from "#core/audit/createAudit.ts";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { walletsBook } from "#plugins/wallets/walletsBook.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: Lab;
let paid: Intent;
let other: Intent;
let refused: Intent;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = openExecutionLab(database.db);
	const person = await lab.person();
	const pay = async (options?: Parameters<Lab["pay"]>[1]) => {
		const [intent] = await lab.pay(person, options);
		if (!intent) throw new Error("no intent");
		return intent;
	};
	await seal();
	paid = await pay();
	await seal();
	await mineAll();
	await seal();
	other = await pay();
	await mineAll();
	refused = await pay({ ether: "1000000" });
	await seal();
	for (const table of TABLES) {
		await lab.db.execute(`create table public.kept_${table.replace(".", "_")} as table ${table}`);
	}
});
afterAll(() => database.drop());

const TABLES = [
	"core.audit_entry",
	"core.audit_book",
	"core.audit_batch",
	"wallets.intent",
	"wallets.intent_move",
	"wallets.spend_entry",
	"wallets.submission",
];

/** As they were when all was sealed. */
beforeEach(async () => {
	await tamper(
		...TABLES.flatMap((table) => [
			`delete from ${table}`,
			`insert into ${table} overriding system value
				select * from public.kept_${table.replace(".", "_")}`,
		]),
	);
});

const seal = () =>
	sealBook({ db: lab.db, audit: createAudit({ clock: lab.clock }), clock: lab.clock }, walletsBook);

async function mineAll(): Promise<void> {
	lab.chain.mine();
	await lab.tick(2_000);
	for (let block = 0; block < 100; block++) lab.chain.mine();
	await lab.tick(600_000);
	await lab.tick(600_000);
}

/** As somebody would who may do anything in the database. */
async function tamper(...statements: string[]): Promise<void> {
	await lab.db.transaction(async (tx) => {
		await tx.query("set local session_replication_role = replica");
		for (const statement of statements) await tx.query(statement);
	});
}

async function verify(): Promise<BookReport> {
	const verifier = createBookVerifier(lab.db, [walletsBook]);
	const verdict = await verifyChain(lab.db, { visit: (entry) => verifier.visit(entry) });
	expect(verdict.kind).toBe("whole");
	return verifier.end();
}

test("unchanged books are valid, and cover every table", async () => {
	const report = await verify();
	expect(report).toMatchObject({ unsealed: 0, flawsTotal: 0, flaws: [] });
	const covered = await lab.db.query<{ source: string }>(
		"select distinct source from core.audit_batch order by source",
	);
	expect(covered.map(({ source }) => source)).toEqual(
		walletsBook.sources.map(({ name }) => name).sort(),
	);
});

type Manipulation = {
	what: string;
	/** SQL, with the ids of intents in braces: `{paid}`. */
	statements: readonly string[];
	/** What is named: source, row, flaw. */
	named: readonly [source: string | null, row: string | null, flaw: BookFlaw["flaw"]][];
};

const ENTRY = "(select min(id) from wallets.spend_entry where intent_id = '{paid}')";
const SUBMISSION = "(select id from wallets.submission where intent_id = '{paid}')";

const manipulations: readonly Manipulation[] = [
	{
		what: "a spend's amount edited",
		statements: [`update wallets.spend_entry set amount_raw = amount_raw + 1 where id = ${ENTRY}`],
		named: [["spend_entry", "{entry}", "changed"]],
	},
	{
		what: "a spend's time edited by a microsecond",
		statements: [
			`update wallets.spend_entry set at = at + interval '1 microsecond' where id = ${ENTRY}`,
		],
		named: [["spend_entry", "{entry}", "changed"]],
	},
	{
		what: "a spend deleted",
		statements: [`delete from wallets.spend_entry where id = ${ENTRY}`],
		named: [["spend_entry", "{entry}", "missing"]],
	},
	{
		what: "a spend put among those that are sealed",
		statements: [
			`insert into wallets.spend_entry overriding system value
				select 1000000, intent_id, profile_id, wallet_id, 'release', chain_id, currency, amount_raw,
					usd_micros, at, tx
				from wallets.spend_entry where id = ${ENTRY}`,
		],
		named: [["spend_entry", "1000000", "added"]],
	},
	{
		what: "a spend put behind all that was ever written",
		statements: [
			`insert into wallets.spend_entry overriding system value
				select 1000000, intent_id, profile_id, wallet_id, 'release', chain_id, currency, amount_raw,
					usd_micros, at, 4000000000000
				from wallets.spend_entry where id = ${ENTRY}`,
		],
		named: [["spend_entry", "1000000", "ahead"]],
	},
	{
		what: "a spend moved to another batch",
		statements: [
			`update wallets.spend_entry set tx = (select max(tx) from wallets.spend_entry)
			where id = ${ENTRY}`,
		],
		named: [
			["spend_entry", "{entry}", "missing"],
			["spend_entry", "{entry}", "added"],
		],
	},
	{
		what: "a spend hidden below all batches",
		statements: [`update wallets.spend_entry set tx = -9223372036854775808 where id = ${ENTRY}`],
		named: [
			["spend_entry", "{entry}", "missing"],
			["spend_entry", "{entry}", "ahead"],
		],
	},
	{
		what: "two moves swapped",
		statements: [
			"update wallets.intent_move set seq = 100 where intent_id = '{paid}' and seq = 1",
			"update wallets.intent_move set seq = 1 where intent_id = '{paid}' and seq = 2",
			"update wallets.intent_move set seq = 2 where intent_id = '{paid}' and seq = 100",
		],
		named: [
			["intent_move", "{paid}/1", "changed"],
			["intent_move", "{paid}/2", "changed"],
		],
	},
	{
		what: "why an intent was refused, edited",
		statements: ["update wallets.intent_move set detail = 'x' where intent_id = '{refused}'"],
		named: [["intent_move", "{refused}/1", "changed"]],
	},
	{
		what: "a request edited",
		statements: [
			`update wallets.intent set request = request || '{"valueRaw": "1"}' where id = '{paid}'`,
		],
		named: [["intent", "{paid}", "changed"]],
	},
	{
		what: "a plan edited, and its hash left",
		statements: [
			`update wallets.intent set plan = plan || '{"valueRaw": "1"}' where id = '{other}'`,
		],
		named: [["intent", "{other}", "changed"]],
	},
	{
		what: "limits in force edited",
		statements: [`update wallets.intent set settings = '{}' where id = '{refused}'`],
		named: [["intent", "{refused}", "changed"]],
	},
	{
		what: "an intent's state edited",
		statements: ["update wallets.intent set status = 'failed' where id = '{other}'"],
		named: [["intent", "{other}", "changed"]],
	},
	{
		what: "an intent deleted",
		statements: ["delete from wallets.intent where id = '{refused}'"],
		named: [["intent", "{refused}", "missing"]],
	},
	{
		what: "a submission's hash edited",
		statements: [
			`update wallets.submission set transaction_hash = sha256('x') where id = ${SUBMISSION}`,
		],
		named: [["submission", "{submission}", "changed"]],
	},
	{
		what: "what was handed over edited",
		statements: [
			`update wallets.submission set transaction = transaction || '{"data": "0x00"}'
			where id = ${SUBMISSION}`,
		],
		named: [["submission", "{submission}", "changed"]],
	},
	{
		what: "a submission deleted",
		statements: [`delete from wallets.submission where id = ${SUBMISSION}`],
		named: [["submission", "{submission}", "missing"]],
	},
	{
		what: "a batch's leaves edited with its row",
		statements: [
			`update wallets.spend_entry set amount_raw = amount_raw + 1 where id = ${ENTRY}`,
			`update core.audit_batch set leaves = overlay(leaves placing sha256('x') from 9 for 32)
			where source = 'spend_entry' and batch = 1`,
		],
		named: [["spend_entry", null, "leaves_changed"]],
	},
	{
		what: "a batch's leaves deleted",
		statements: ["delete from core.audit_batch where source = 'intent' and batch = 2"],
		named: [["intent", null, "leaves_missing"]],
	},
];

for (const { what, statements, named } of manipulations) {
	test(`[SEC-06] ${what}: reported, with the row`, async () => {
		const [row] = await lab.db.query<{ entry: number; submission: string }>(
			fill(`select ${ENTRY} as entry, ${SUBMISSION} as submission`),
		);
		await tamper(...statements.map((statement) => fill(statement)));
		const { flaws } = await verify();
		const told = flaws.map(({ source, row, flaw }) => [source, row, flaw] as const);
		const expected = named.map(([source, name, flaw]) => {
			const ids = { "{entry}": String(row?.entry), "{submission}": row?.submission ?? "" };
			const known = Object.entries(ids).find(([place]) => place === name)?.[1];
			return [source, known ?? (name && fill(name)), flaw] as const;
		});
		expect(told).toEqual(expected);
	});
}

const fill = (text: string) =>
	text
		.replaceAll("{paid}", paid.id)
		.replaceAll("{other}", other.id)
		.replaceAll("{refused}", refused.id);

test("[SEC-06] a deleted last batch is noticed with an exported head, and only with one", async () => {
	const exported = await readHead(lab.db);
	await tamper(
		"delete from core.audit_entry where seq = 3",
		"delete from core.audit_batch where batch = 3",
		`delete from wallets.spend_entry where intent_id = '${other.id}'`,
	);
	const verdict = await verifyChain(lab.db, { exported });
	expect(verdict).toMatchObject({ kind: "broken", seq: 3, flaw: "truncated" });
});

test("[SEC-06] a mark that is moved to skip rows breaks the series of batches", async () => {
	await lab.pay(await lab.person());
	await tamper("update core.audit_book set to_tx = to_tx + 1000000");
	const moved = await seal();
	expect(moved.rows).toBe(0);
	await tamper("update core.audit_book set to_tx = (select max(tx) + 1 from wallets.intent_move)");
	await lab.pay(await lab.person());
	await seal();
	expect((await verify()).flaws).toMatchObject([{ batch: 4, flaw: "window" }]);
});

test("an intent that changes between two batches counts as in the later one", async () => {
	const [first] = await lab.pay(await lab.person());
	await seal();
	await mineAll();
	expect(await verify()).toMatchObject({ flawsTotal: 0 });
	await seal();
	expect(await verify()).toMatchObject({ unsealed: 0, flawsTotal: 0 });
	await tamper(`update wallets.intent set status = 'failed' where id = '${first?.id}'`);
	expect((await verify()).flaws).toMatchObject([{ batch: 5, source: "intent", flaw: "changed" }]);
});

test("rows have the same text whatever a connection's settings are", async () => {
	const settings = ["set local timezone = 'Asia/Kolkata'", "set local bytea_output = 'escape'"];
	const report = await lab.db.transaction(async (tx) => {
		for (const setting of [...settings, "set local datestyle = 'SQL, DMY'"])
			await tx.query(setting);
		const verifier = createBookVerifier(tx, [walletsBook]);
		await verifyChain(tx, { visit: (entry) => verifier.visit(entry) });
		return verifier.end();
	});
	expect(report).toMatchObject({ flawsTotal: 0 });
});

test("each statement that makes a submission final names the transaction", async () => {
	const folder = new URL("..", import.meta.url).pathname;
	const files = [...new Bun.Glob("**/*.ts").scanSync(folder)].filter((name) => {
		return !name.endsWith(".test.ts");
	});
	const texts = await Promise.all(files.map((name) => Bun.file(`${folder}/${name}`).text()));
	const setting = texts.filter((text) => /\bfinal_at = /.test(text));
	expect(setting.length).toBeGreaterThan(2);
	for (const text of setting) {
		expect(text.match(/\bfinal_tx = /g)?.length).toBe(text.match(/\bfinal_at = /g)?.length);
	}
});
