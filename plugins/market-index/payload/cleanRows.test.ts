import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const FILE = join(import.meta.dir, "../migrations/0008_clean_words.sql");
const GOOD = [
	"https://a.test/x.png?y=1",
	"http://images.test/x.png",
	"ipfs://cid/7",
	"AR://tx",
	"data:image/svg+xml;base64,PHN2Zz4=",
	// An operator's own gateway.
	"http://10.0.0.7:8080/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG/1.png",
];
/** No text of PostgreSQL's holds NUL. */
const BAD = [...hostileUrls, "https://me:secret@a.test/x", "https://secret@a.test/x"].filter(
	(url) => !url.includes("\u0000"),
);

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Runs the migration once more, over rows that a version before it left. */
async function migrate(): Promise<void> {
	const statements = (await Bun.file(FILE).text()).split("--> statement-breakpoint");
	for (const statement of statements) await database.db.execute(statement);
}

test("stored URLs that are unsafe for a page become null, and the others are kept", async () => {
	const { db } = database;
	const all = [...GOOD, ...BAD];
	await db.execute(
		`insert into market_index.collection (chain_id, address, slug, standard, image_url,
			banner_image_url, external_url)
		select 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'c' || n, 'erc721', url, url, url
		from unnest($1::text[]) with ordinality as given (url, n)`,
		[all],
	);
	await db.execute(
		`insert into market_index.token (collection_id, token_id, image_url, animation_url, token_uri)
		select 1, n, url, url, url from unnest($1::text[]) with ordinality as given (url, n)`,
		[all],
	);
	await db.execute(
		`insert into market_index.drop (chain_id, contract, provider_slug, image_url, type, is_minting,
			stages, seen_at)
		select 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'd' || n, url, 'x', true, '[]', now()
		from unnest($1::text[]) with ordinality as given (url, n)`,
		[all],
	);
	await migrate();
	const left = async (column: string, table: string) => {
		const rows = await db.query<{ url: string }>(
			`select distinct ${column} as url from market_index.${table} where ${column} is not null`,
		);
		return rows.map(({ url }) => url).sort();
	};
	for (const [column, table] of [
		["image_url", "collection"],
		["banner_image_url", "collection"],
		["external_url", "collection"],
		["image_url", "token"],
		["animation_url", "token"],
		["image_url", "drop"],
	] as const) {
		expect(await left(column, table), `${table}.${column}`).toEqual([...GOOD].sort());
	}
	// Of a held document the kind is kept, which does nothing.
	const held = BAD.filter((url) => /^data:/i.test(url));
	expect(await left("token_uri", "token")).toEqual([...GOOD, ...held].sort());
});

test("the URI of a document that was read is kept, on whatever network it is", async () => {
	const { db } = database;
	const uri = "http://10.0.0.7:8080/7.json";
	await db.execute(
		`insert into market_index.token (collection_id, token_id, token_uri, source)
		values (2, 1, $1, 'chain'), (2, 2, $1, null)`,
		[uri],
	);
	await migrate();
	const rows = await db.query(
		"select token_uri as uri from market_index.token where collection_id = 2 order by token_id",
	);
	expect(rows).toEqual([{ uri }, { uri: null }]);
});

test("stored descriptions lose characters that change the direction of text", async () => {
	const { db } = database;
	await db.execute(
		`insert into market_index.token (collection_id, token_id, description)
		values (3, 1, $1), (3, 2, $2)`,
		["pay\u202eme\u2066\nnow", "Zwei\nZeilen ü 😀"],
	);
	await migrate();
	const rows = await db.query(
		"select description as text from market_index.token where collection_id = 3 order by token_id",
	);
	expect(rows).toEqual([{ text: "pay me \nnow" }, { text: "Zwei\nZeilen ü 😀" }]);
});
